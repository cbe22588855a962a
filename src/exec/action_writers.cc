#include "exec/action_writers.h"

#include "base/stack.h"
#include "exec/table_writer.h"

namespace godwit {

ActionWriters::ActionWriters(ExecContext* context) : context_(context) {}
ActionWriters::~ActionWriters() = default;

ActionWriters::Lease::Lease(ActionWriters* owner, std::unique_ptr<TableWriter> writer)
    : owner_(owner), writer_(std::move(writer)) {
  ++owner_->depth_;
}

ActionWriters::Lease::Lease(Lease&& other) noexcept
    : owner_(other.owner_), writer_(std::move(other.writer_)) {}

ActionWriters::Lease::~Lease() {
  if (writer_ == nullptr) return;
  --owner_->depth_;
  writer_->close();
  owner_->idle_[&writer_->bound()].push_back(std::move(writer_));
}

Result<ActionWriters::Lease> ActionWriters::borrow(const BoundTableWrite& write) {
  if (depth_ >= context_->services->trigger_depth_limit() || is_stack_low()) {
    return Status::error("too many levels of trigger recursion");
  }
  std::unique_ptr<TableWriter> writer;
  auto& idle = idle_[&write];
  if (!idle.empty()) {
    writer = std::move(idle.back());
    idle.pop_back();
  } else {
    GW_ASSIGN(writer, TableWriter::make(write, ConflictAction::kAbort, context_, this));
  }
  Lease lease(this, std::move(writer));
  lease.get()->set_action_depth(depth_);
  GW_TRY(lease.get()->open());
  return lease;
}

}  // namespace godwit
