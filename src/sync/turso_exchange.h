// Push and pull over the wire of Turso's servers (/v2/pipeline and /pull-updates). They serve pages, so a
// pull is one of a whole revision (ReplicaCore::apply_whole); a push is one transaction of statements.
// Threads: one at a time.
#pragma once

#include <memory>

#include "base/status.h"
#include "sync/godwit_exchange.h"
#include "sync/replica.h"
#include "sync/replica_core.h"

namespace godwit::sync {

// `core` outlives it.
Result<std::unique_ptr<Exchange>> make_turso_exchange(ReplicaCore* core, Errand errand);

}  // namespace godwit::sync
