// Which processes hold a lock on a byte of a file, as far as the system tells: for people who look for
// the reader that keeps a WAL from being reused. Slow: it looks at every process.
#pragma once

#include <cstdint>
#include <vector>

namespace godwit {

// Numbers of processes. Those of other users stay unknown, and all where there is no /proc.
std::vector<int64_t> find_lock_holders(int descriptor, uint64_t byte);

}  // namespace godwit
