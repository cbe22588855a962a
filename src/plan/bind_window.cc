// Window functions.
#include "plan/binder_state.h"

namespace godwit {

Result<BoundExpr*> BinderState::bind_window_call(const ast::FunctionExpr&, const FunctionLookup&) {
  return Status::not_implemented("window functions");
}

}  // namespace godwit
