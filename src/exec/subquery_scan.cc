#include "exec/subquery_scan.h"

#include <algorithm>

#include "exec/filter.h"

namespace godwit {

bool SubqueryScanOperator::is_possible(const AccessNode& node) {
  return node.method == AccessMethod::kQuery && node.child->kind == PlanKind::kSingleRow &&
         (node.join == JoinType::kInner || node.join == JoinType::kCross) && !node.first_match_only;
}

Result<std::unique_ptr<Operator>> SubqueryScanOperator::make(const AccessNode& node,
                                                             ExecContext* context,
                                                             OuterRow* outer) {
  auto scan = std::make_unique<SubqueryScanOperator>();
  GW_ASSIGN(scan->input_, make_operator(*node.input, context, outer));
  std::span<const ColumnRef> input = node.input->output;
  for (const ColumnRef& column : node.output) {
    auto found = std::find(input.begin(), input.end(), column);
    if (found == input.end()) return Status(code::kInternal, "a subquery lacks a column");
    scan->slots_.push_back(static_cast<size_t>(found - input.begin()));
  }
  scan->output_.columns.resize(scan->slots_.size());
  std::unique_ptr<Operator> result = std::move(scan);
  for (const BoundExpr* condition : {node.on, node.filter}) {
    if (condition == nullptr) continue;
    GW_ASSIGN(result, FilterOperator::make(*condition, node.output, std::move(result), context,
                                           outer));
  }
  return result;
}

Status SubqueryScanOperator::next(uint32_t max_rows, const Chunk** chunk) {
  const Chunk* input = nullptr;
  GW_TRY(input_->next(max_rows, &input));
  output_.rows = input->rows;
  output_.selection = input->selection;
  *chunk = &output_;
  if (input->at_end()) return Status();
  for (size_t i = 0; i < slots_.size(); ++i) output_.columns[i] = input->columns[slots_[i]];
  return Status();
}

}  // namespace godwit
