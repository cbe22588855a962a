#include "base/stack.h"

#include <pthread.h>

#include <cstdint>

namespace godwit {

namespace {

constexpr size_t kReserve = 96 * 1024;

// The addresses of a thread's stack; equal ones: not known.
struct StackBounds {
  uintptr_t low = 0;
  uintptr_t high = 0;
};

StackBounds find_bounds() {
  StackBounds bounds;
#if defined(__linux__)
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return bounds;
  void* low = nullptr;
  size_t size = 0;
  size_t guard = 0;
  if (pthread_attr_getstack(&attributes, &low, &size) == 0 &&
      pthread_attr_getguardsize(&attributes, &guard) == 0 && guard < size) {
    bounds.low = reinterpret_cast<uintptr_t>(low) + guard;
    bounds.high = reinterpret_cast<uintptr_t>(low) + size;
  }
  pthread_attr_destroy(&attributes);
#elif defined(__APPLE__)
  bounds.high = reinterpret_cast<uintptr_t>(pthread_get_stackaddr_np(pthread_self()));
  bounds.low = bounds.high - pthread_get_stacksize_np(pthread_self());
#endif
  return bounds;
}

}  // namespace

bool is_stack_low() {
  thread_local const StackBounds bounds = find_bounds();
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return here >= bounds.low && here < bounds.high && here - bounds.low < kReserve;
}

}  // namespace godwit
