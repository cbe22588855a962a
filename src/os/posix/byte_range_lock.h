// One byte-range lock request on a descriptor, without waiting.
#pragma once

#include <cerrno>
#include <cstdint>

namespace godwit {

enum class RangeLock : uint8_t { kUnlock, kRead, kWrite };

// 0, or the errno value. EACCES and EAGAIN both mean: somebody else holds a conflicting lock.
int set_range_lock(int descriptor, RangeLock lock, uint64_t start, uint64_t length);

// Who would conflict with a write lock on the range: kUnlock: nobody. Returns 0 or errno.
int query_range_lock(int descriptor, uint64_t start, uint64_t length, RangeLock* holder);

inline bool is_lock_conflict(int error) {
  return error == EAGAIN || error == EACCES;
}

}  // namespace godwit
