#include "os/posix/byte_range_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace godwit {
namespace {

#ifdef F_OFD_SETLK
constexpr int kSetLock = F_OFD_SETLK;
constexpr int kGetLock = F_OFD_GETLK;
#else
#error "open file description locks are needed"
#endif

struct flock make_request(RangeLock lock, uint64_t start, uint64_t length) {
  struct flock request = {};
  request.l_type = lock == RangeLock::kUnlock ? F_UNLCK
                   : lock == RangeLock::kRead ? F_RDLCK
                                              : F_WRLCK;
  request.l_whence = SEEK_SET;
  request.l_start = static_cast<off_t>(start);
  request.l_len = static_cast<off_t>(length);
  return request;
}

}  // namespace

int set_range_lock(int descriptor, RangeLock lock, uint64_t start, uint64_t length) {
  struct flock request = make_request(lock, start, length);
  while (fcntl(descriptor, kSetLock, &request) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

int query_range_lock(int descriptor, uint64_t start, uint64_t length, RangeLock* holder) {
  struct flock request = make_request(RangeLock::kWrite, start, length);
  while (fcntl(descriptor, kGetLock, &request) != 0) {
    if (errno != EINTR) return errno;
  }
  *holder = request.l_type == F_UNLCK   ? RangeLock::kUnlock
            : request.l_type == F_RDLCK ? RangeLock::kRead
                                        : RangeLock::kWrite;
  return 0;
}

}  // namespace godwit
