#include "exec/project.h"

namespace godwit {

Result<std::unique_ptr<Operator>> ProjectOperator::make(const ProjectNode& node,
                                                        std::unique_ptr<Operator> child,
                                                        ExecContext* context, OuterRow* outer) {
  auto project = std::make_unique<ProjectOperator>();
  project->child_ = std::move(child);
  Layout layout{node.child->output};
  project->outputs_.resize(node.exprs.size());
  for (size_t i = 0; i < node.exprs.size(); ++i) {
    const BoundExpr& expr = *node.exprs[i];
    int slot = expr.kind == ExprKind::kColumn ? layout.find(expr.column) : -1;
    if (slot >= 0) {
      project->outputs_[i].slot = static_cast<uint32_t>(slot);
    } else {
      GW_ASSIGN(project->outputs_[i].expression,
                compile_expression(expr, layout, context, outer));
    }
  }
  project->output_.columns.resize(node.exprs.size());
  return std::unique_ptr<Operator>(std::move(project));
}

Status ProjectOperator::next(uint32_t max_rows, const Chunk** chunk) {
  if (!deferred_.ok()) [[unlikely]] return deferred_;
  const Chunk* input = nullptr;
  GW_TRY(child_->next(max_rows, &input));
  output_.rows = input->rows;
  output_.selection = input->selection;
  *chunk = &output_;
  if (input->at_end()) return Status();
  Status status = evaluate(*input, input->selection);
  if (status.ok()) [[likely]] return status;
  return evaluate_until_error(*input, std::move(status));
}

Status ProjectOperator::evaluate(const Chunk& input, const Selection& selection) {
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (outputs_[i].expression == nullptr) {
      output_.columns[i] = input.columns[outputs_[i].slot];
    } else {
      GW_TRY(outputs_[i].expression->evaluate(input, selection, &output_.columns[i]));
    }
  }
  return Status();
}

Status ProjectOperator::evaluate_until_error(const Chunk& input, Status error) {
  uint32_t good = 0;
  while (good < input.size()) {
    auto row = static_cast<uint16_t>(input.selection[good]);
    Status status = evaluate(input, {&row, 1});
    if (!status.ok()) {
      error = std::move(status);
      break;
    }
    ++good;
  }
  if (good == 0) return error;
  output_.selection = {input.selection.rows, good};
  deferred_ = std::move(error);
  return evaluate(input, output_.selection);
}

}  // namespace godwit
