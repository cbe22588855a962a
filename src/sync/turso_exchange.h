// Push and pull over the wire of Turso's servers (/v2/pipeline and /pull-updates):
//
//     push:  how far is the server? -> the batch (turso_push.h), and again while anything is pending -> done
//     pull:  [push of what was never answered] -> pages (turso_pages.h) -> done
//
// Their pages go to a file beside the replica; where the replica's rows differ from these they are made
// the same (ReplicaCore::apply_whole). These servers lose their history at a checkpoint, and then say
// that nothing is new: an answer that does not fit what the replica has makes it ask for all pages.
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
