// The height of expressions within each other: while a clause's expression is bound, those of the
// queries inside it add to its height. All together must not be higher than one may be.
#pragma once

#include "plan/binder_state.h"

namespace godwit {

class DepthGuard {
 public:
  DepthGuard(BinderState* state, int height) : state_(state), height_(static_cast<uint32_t>(height)) {
    state_->expr_height += height_;
  }
  ~DepthGuard() { state_->expr_height -= height_; }
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;

  Status check() const {
    uint32_t limit = state_->context.limits.expr_depth;
    if (state_->expr_height <= limit) return Status();
    return state_->fail(
        concat("Expression tree is too large (maximum depth ", std::to_string(limit), ")"));
  }

 private:
  BinderState* state_;
  uint32_t height_;
};

}  // namespace godwit
