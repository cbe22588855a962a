#include "exec/subquery.h"

#include <cstring>

namespace godwit {

namespace {

// The same value of the same type: nothing can tell them apart.
bool is_same(const ValueView& a, const ValueView& b) {
  if (a.type != b.type || a.subtype != b.subtype || a.zero_filled != b.zero_filled) return false;
  if (a.is_null()) return true;
  if (a.type < ValueType::kText) return a.integer == b.integer;
  if (a.size != b.size) return false;
  return a.size == 0 || a.zero_filled || std::memcmp(a.bytes, b.bytes, a.size) == 0;
}

}  // namespace

Result<std::unique_ptr<Subquery>> Subquery::make(const BoundQuery& query,
                                                 const ExpressionCompiler& compiler) {
  if (query.plan == nullptr) return Status(code::kInternal, "a subquery that was not planned");
  std::unique_ptr<Subquery> subquery(new Subquery());
  subquery->context_ = compiler.context;
  std::span<const ColumnRef> correlations = query.plan->correlations;
  subquery->outer_.columns = correlations;
  subquery->outer_.values.resize(correlations.size());
  subquery->outer_.parent = compiler.outer;
  subquery->last_values_.resize(correlations.size());
  for (const ColumnRef& column : correlations) {
    Source source;
    source.slot = compiler.layout.find(column);
    if (source.slot >= 0) {
      subquery->depends_on_row_ = true;
    } else {
      for (OuterRow* outer = compiler.outer; outer != nullptr && source.outer == nullptr;
           outer = outer->parent) {
        for (size_t i = 0; i < outer->columns.size(); ++i) {
          if (outer->columns[i] == column) source = {-1, outer, i};
        }
      }
      if (source.outer == nullptr) return Status(code::kInternal, "column without a source");
    }
    subquery->sources_.push_back(source);
  }
  subquery->tables_change_ = query.run_each_time;
  subquery->is_repeatable_ =
      !query.run_each_time && (query.is_deterministic || correlations.empty());
  GW_ASSIGN(subquery->root_,
            make_operator(*query.plan->root, compiler.context, &subquery->outer_));
  return subquery;
}

Status Subquery::begin_run() {
  if (tables_change_) close();
  if (is_open_) return root_->reopen();
  is_open_ = true;
  previous_open_ = nullptr;
  next_open_ = context_->open_subqueries;
  if (next_open_ != nullptr) next_open_->previous_open_ = this;
  context_->open_subqueries = this;
  return root_->open();
}

void Subquery::close() {
  if (!is_open_) return;
  is_open_ = false;
  (previous_open_ != nullptr ? previous_open_->next_open_ : context_->open_subqueries) = next_open_;
  if (next_open_ != nullptr) next_open_->previous_open_ = previous_open_;
  root_->close();
}

void close_subqueries(ExecContext* context) {
  while (context->open_subqueries != nullptr) context->open_subqueries->close();
}

bool Subquery::bind(const Chunk& input, uint32_t row) {
  bool same = ran_ && is_repeatable_ && execution_ == context_->execution;
  execution_ = context_->execution;
  for (size_t i = 0; i < sources_.size(); ++i) {
    const Source& source = sources_[i];
    ValueView value = source.slot >= 0 ? input.columns[static_cast<size_t>(source.slot)]->get(row)
                                       : source.outer->values[source.index];
    outer_.values[i] = value;
    if (is_same(value, last_values_[i])) continue;
    same = false;
    last_values_[i].assign(value);
  }
  return same;
}

}  // namespace godwit
