#include "exec/trigger_run.h"

#include "base/stack.h"
#include "exec/dml_run.h"
#include "exec/expression.h"
#include "exec/query_run.h"
#include "exec/subquery.h"
#include "value/cast.h"

namespace godwit {

class TriggerProgram {
 public:
  TriggerProgram(const BoundTriggerProgram& bound, ExecContext* statement)
      : bound_(bound), statement_(statement), context_(*statement) {
    const TriggerFrame* parent = statement->frame;
    frame_ = {bound.trigger, parent, parent == nullptr ? 1 : parent->depth + 1, nullptr};
    context_.frame = &frame_;
    context_.parameters = {};
    context_.recursive_queues.clear();
    context_.open_subqueries = nullptr;
    row_.columns = bound.columns;
    row_.values.resize(bound.columns.size());
  }

  const BoundTriggerProgram& bound() const { return bound_; }
  Status compile();
  Result<bool> run(const TriggerRow* old_row, const TriggerRow* new_row);
  void pin(const Table* table) { frame_.pinned = table; }

 private:
  struct Step {
    std::unique_ptr<DmlRun> dml;
    std::unique_ptr<QueryRun> query;
  };

  void show(const TriggerRow* old_row, const TriggerRow* new_row);
  Status run_steps();
  Status run_dml(DmlRun* run);
  Status run_query(QueryRun* run);

  const BoundTriggerProgram& bound_;
  ExecContext* statement_;  // of the statement that fires it
  ExecContext context_;
  TriggerFrame frame_;
  OuterRow row_;
  std::unique_ptr<Expression> when_;
  std::vector<Step> steps_;
};

Status TriggerProgram::compile() {
  if (bound_.when != nullptr) {
    GW_ASSIGN(when_, compile_expression(*bound_.when, Layout{}, &context_, &row_));
  }
  for (const BoundTriggerStep& bound : bound_.steps) {
    if (bound.is_nothing()) continue;
    Step& step = steps_.emplace_back();
    if (bound.insert != nullptr) {
      GW_ASSIGN(step.dml, make_insert(*bound.insert, &context_, &row_));
    } else if (bound.update != nullptr) {
      GW_ASSIGN(step.dml, make_update(*bound.update, &context_, &row_));
    } else if (bound.remove != nullptr) {
      GW_ASSIGN(step.dml, make_delete(*bound.remove, &context_, &row_));
    } else {
      GW_ASSIGN(step.query, QueryRun::make(*bound.query->plan, &context_, &row_));
    }
  }
  return Status();
}

void TriggerProgram::show(const TriggerRow* old_row, const TriggerRow* new_row) {
  for (size_t i = 0; i < bound_.columns.size(); ++i) {
    const ColumnRef& column = bound_.columns[i];
    bool is_old = bound_.old_row != nullptr && column.source == bound_.old_row->id;
    const TriggerRow& row = is_old ? *old_row : *new_row;
    if (column.column == ColumnRef::kRowid) {
      row_.values[i] = ValueView::of(row.rowid);
      continue;
    }
    size_t index = static_cast<size_t>(column.column);
    const Table& table = *(is_old ? bound_.old_row : bound_.new_row)->table;
    ValueView& value = row_.values[i];
    value = row.values[index];
    // A view's row may hold anything.
    if (table.columns[index].affinity == Affinity::kReal && value.is_integer()) {
      value = ValueView::of(static_cast<double>(value.integer));
    }
  }
}

// changes() and last_insert_rowid() are the program's own while it runs.
Result<bool> TriggerProgram::run(const TriggerRow* old_row, const TriggerRow* new_row) {
  ExecServices* services = context_.services;
  if (frame_.depth > services->trigger_depth_limit() || is_stack_low()) {
    return Status::error("too many levels of trigger recursion");
  }
  show(old_row, new_row);
  ++context_.execution;
  context_.raised = ConflictAction::kDefault;
  int64_t changes = services->changes();
  int64_t last_insert_rowid = services->last_insert_rowid();
  Status status = run_steps();
  close_subqueries(&context_);
  services->set_changes(changes);
  services->set_last_insert_rowid(last_insert_rowid);
  if (status.ok()) return true;
  if (context_.raised == ConflictAction::kIgnore) return false;
  statement_->raised = context_.raised;
  return status;
}

Status TriggerProgram::run_steps() {
  if (when_ != nullptr) {
    ValueView holds;
    GW_TRY(evaluate_scalar(when_.get(), &holds));
    if (holds.is_null() || !value_is_true(holds)) return Status();
  }
  for (Step& step : steps_) {
    GW_TRY(step.dml != nullptr ? run_dml(step.dml.get()) : run_query(step.query.get()));
  }
  return Status();
}

Status TriggerProgram::run_dml(DmlRun* run) {
  Status status = run->run();
  if (status.ok()) {
    context_.services->set_changes(run->changes());
    context_.services->add_total_changes(run->changes());
  } else {
    context_.raised = run->failure_action();
  }
  run->reset();
  return status;
}

Status TriggerProgram::run_query(QueryRun* run) {
  Status status;
  for (bool more = true; more && status.ok();) {
    Result<bool> stepped = run->step();
    more = stepped.ok() && *stepped;
    if (!stepped.ok()) status = stepped.take_status();
  }
  run->reset();
  return status;
}

namespace {

bool is_running(const Trigger* trigger, const TriggerFrame* frame) {
  for (; frame != nullptr; frame = frame->parent) {
    if (frame->trigger == trigger) return true;
  }
  return false;
}

}  // namespace

TriggerSet::TriggerSet(const BoundTriggers& bound, ExecContext* context)
    : bound_(bound), context_(context) {}

TriggerSet::~TriggerSet() = default;

Result<TriggerProgram*> TriggerSet::program(const BoundTriggerProgram& bound) {
  for (const auto& program : programs_) {
    if (&program->bound() == &bound) return program.get();
  }
  auto program = std::make_unique<TriggerProgram>(bound, context_);
  GW_TRY(program->compile());
  programs_.push_back(std::move(program));
  return programs_.back().get();
}

Result<bool> TriggerSet::fire(std::span<BoundTriggerProgram* const> programs,
                              const TriggerRow* old_row, const TriggerRow* new_row) {
  for (const BoundTriggerProgram* bound : programs) {
    if (!bound->may_recurse && is_running(bound->trigger, context_->frame)) continue;
    GW_ASSIGN(TriggerProgram * compiled, program(*bound));
    compiled->pin(pinned_);
    GW_ASSIGN(bool go_on, compiled->run(old_row, new_row));
    if (!go_on) return false;
  }
  return true;
}

Result<bool> TriggerSet::fire_before(ast::TriggerEvent event, const TriggerRow* old_row,
                                     const TriggerRow* new_row) {
  return fire(bound_.of(event).before, old_row, new_row);
}

Result<bool> TriggerSet::fire_after_temp(ast::TriggerEvent event, const TriggerRow* old_row,
                                         const TriggerRow* new_row) {
  return fire(bound_.of(event).after_temp, old_row, new_row);
}

Result<bool> TriggerSet::fire_after(ast::TriggerEvent event, const TriggerRow* old_row,
                                    const TriggerRow* new_row) {
  return fire(bound_.of(event).after, old_row, new_row);
}

}  // namespace godwit
