#include "exec/count_scan.h"

namespace godwit {

bool CountScanOperator::is_possible(const AggregateNode& node) {
  const BoundCore& core = *node.core;
  if (node.method != AggregateMethod::kSingle || core.aggregates.size() != 1 ||
      !core.bare_columns.empty() || node.child->kind != PlanKind::kAccess) {
    return false;
  }
  const BoundAggregate& aggregate = *core.aggregates[0];
  if (!aggregate.is_count_star || aggregate.filter != nullptr) return false;
  const auto& access = static_cast<const AccessNode&>(*node.child);
  bool whole_tree =
      access.method == AccessMethod::kTableScan ||
      (access.method == AccessMethod::kIndexScan && access.index->where == nullptr);
  return whole_tree && access.child->kind == PlanKind::kSingleRow && access.on == nullptr &&
         access.filter == nullptr && !access.first_match_only;
}

Result<std::unique_ptr<Operator>> CountScanOperator::make(const AggregateNode& node,
                                                          ExecContext* context) {
  auto scan = std::make_unique<CountScanOperator>();
  scan->context_ = context;
  scan->access_ = static_cast<const AccessNode*>(node.child);
  scan->output_.columns.assign(node.output.size(), &scan->count_);
  scan->output_.rows = 1;
  return std::unique_ptr<Operator>(std::move(scan));
}

Status CountScanOperator::next(uint32_t, const Chunk** chunk) {
  *chunk = &output_;
  output_.selection = Selection();
  if (given_) return Status();
  if (cursor_ == nullptr) {
    const Table& table = *access_->source->table;
    const Index* index = access_->method == AccessMethod::kIndexScan ? access_->index
                         : table.without_rowid                       ? table.primary_index
                                                                     : nullptr;
    Btree* btree = context_->services->btree(table.database);
    GW_ASSIGN(cursor_, index == nullptr
                           ? Cursor::open(btree, table.root, TreeKind::kTable, nullptr, false)
                           : Cursor::open(btree, index->root, TreeKind::kIndex, &index->key_info,
                                          false));
  }
  GW_ASSIGN(int64_t count, cursor_->count());
  count_.set_constant_value(ValueView::of(count));
  output_.selection = {nullptr, 1};
  given_ = true;
  return Status();
}

}  // namespace godwit
