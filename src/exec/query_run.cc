// The driver of a query: see query_run.h.
#include "exec/query_run.h"

#include "exec/subquery.h"

namespace godwit {

Result<std::unique_ptr<QueryRun>> QueryRun::make(const QueryPlan& plan, ExecContext* context,
                                                 OuterRow* outer) {
  std::unique_ptr<QueryRun> run(new QueryRun());
  GW_ASSIGN(run->root_, make_operator(*plan.root, context, outer));
  run->context_ = context;
  run->column_count_ = static_cast<uint32_t>(plan.root->output.size());
  return run;
}

Status QueryRun::fetch() {
  if (state_ == State::kIdle) {
    ramp_.reset();
    state_ = State::kRunning;
    GW_TRY(root_->open());
  }
  position_ = 0;
  count_ = 0;
  GW_TRY(context_->check_interrupt());
  GW_TRY(root_->next(ramp_.next(), &chunk_));
  count_ = chunk_->size();
  return Status();
}

Result<bool> QueryRun::step_chunk() {
  if (state_ == State::kEnded) return false;
  GW_TRY(fetch());
  if (count_ > 0) return true;
  state_ = State::kEnded;
  root_->close();
  return false;
}

Status QueryRun::next_chunk(const Chunk** chunk) {
  GW_TRY(fetch());
  *chunk = chunk_;
  return Status();
}

void QueryRun::reset() {
  if (state_ == State::kIdle) return;
  if (state_ == State::kRunning) root_->close();
  close_subqueries(context_);
  state_ = State::kIdle;
  chunk_ = nullptr;
  position_ = 0;
  count_ = 0;
}

}  // namespace godwit
