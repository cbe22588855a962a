// Assertions state invariants of our own code. Bytes from a file, a socket or a SQL text are never
// asserted: they yield a Status.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace godwit::internal {
[[noreturn]] inline void assertion_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
  std::abort();
}
}  // namespace godwit::internal

#ifdef NDEBUG
#define GW_ASSERT(condition) \
  do {                       \
    (void)sizeof(condition); \
  } while (false)
#else
#define GW_ASSERT(condition)                                                   \
  do {                                                                         \
    if (!(condition)) ::godwit::internal::assertion_failed(#condition, __FILE__, __LINE__); \
  } while (false)
#endif
