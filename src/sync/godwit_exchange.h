// Push and pull over the dense form (sync/wire.h):
//
//     push:  [push of what was never answered] ... push of what is pending                      -> done
//     pull:  [push of what was never answered] ... pull, and again for the whole revision if     -> done
//            the changes do not do
//
// A pull first learns what became of an unanswered push: then everything that is pending is either known
// to the server or not, and can be rebased. A server that knows no such endpoint (404) is of Turso's kind:
// then the exchange goes on as one of its wire, if there is one. Threads: one at a time.
#pragma once

#include <functional>
#include <memory>

#include "sync/replica.h"
#include "sync/replica_core.h"

namespace godwit::sync {

enum class Errand : uint8_t { kPush, kPull };

// Makes the exchange of another wire; null: there is none.
using OtherWire = std::function<Result<std::unique_ptr<Exchange>>(ReplicaCore* core, Errand errand)>;

// `core` outlives it. The errors are those of the replica's file.
Result<std::unique_ptr<Exchange>> make_godwit_exchange(ReplicaCore* core, Errand errand, OtherWire other);

}  // namespace godwit::sync
