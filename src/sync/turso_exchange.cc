#include "sync/turso_exchange.h"

namespace godwit::sync {

Result<std::unique_ptr<Exchange>> make_turso_exchange(ReplicaCore*, Errand) {
  return Status::not_implemented("sync with a server of Turso's");
}

}  // namespace godwit::sync
