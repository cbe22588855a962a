#include "base/status.h"

namespace godwit {

Status corrupt([[maybe_unused]] const char* what) {
#ifndef NDEBUG
  static thread_local const char* last_corruption;
  last_corruption = what;
  (void)last_corruption;
#endif
  return Status(code::kCorrupt);
}

}  // namespace godwit
