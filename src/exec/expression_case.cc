// CASE, and coalesce() with ifnull(): branches are evaluated for the rows that take them
// alone.
#include "exec/comparand.h"
#include "exec/compare_kernels.h"
#include "exec/expression_node.h"

namespace godwit {

namespace {

// result[row] = value of expr, for the selected rows.
Status merge_branch(Expression* expr, const Chunk& input, const Selection& selection,
                    Vector* result) {
  if (selection.count == 0) return Status();
  const Vector* value;
  GW_TRY(expr->evaluate(input, selection, &value));
  for_each_row(selection, [&](uint32_t row) { result->set(row, value->get(row)); });
  return Status();
}

class CaseExpression final : public Expression {
 public:
  struct Branch {
    ExpressionPtr condition;  // CASE WHEN condition
    // CASE operand WHEN value
    Comparand value;
    ComparisonAffinity operand_affinity;
    const Collation* collation = nullptr;
    ExpressionPtr then;
  };

  CaseExpression(ExpressionPtr operand, std::vector<std::unique_ptr<Branch>> branches,
                 ExpressionPtr otherwise)
      : operand_(std::move(operand)), branches_(std::move(branches)),
        otherwise_(std::move(otherwise)) {}

  Status evaluate(const Chunk& input, const Selection& selection, const Vector** result) override {
    const Vector* operand = nullptr;
    if (operand_ != nullptr) GW_TRY(operand_->evaluate(input, selection, &operand));
    result_.begin(input.rows);
    *result = &result_;
    uint16_t* rest = rest_.reserve(selection.count);
    uint16_t* taken = taken_.reserve(selection.count);
    Selection open = selection;
    for (std::unique_ptr<Branch>& branch : branches_) {
      if (open.count == 0) return Status();
      uint32_t count = 0;
      GW_TRY(find_rows(branch.get(), operand, input, open, taken, &count));
      if (count == 0) continue;
      GW_TRY(merge_branch(branch->then.get(), input, {taken, count}, &result_));
      open.count = subtract_rows(open, taken, count, rest);
      open.rows = rest;
    }
    if (otherwise_ != nullptr) return merge_branch(otherwise_.get(), input, open, &result_);
    for_each_row(open, [&](uint32_t row) { result_.set(row, ValueView::null()); });
    return Status();
  }

 private:
  Status find_rows(Branch* branch, const Vector* operand, const Chunk& input,
                   const Selection& open, uint16_t* rows, uint32_t* count) {
    if (operand == nullptr) return branch->condition->filter(input, open, true, rows, count);
    const Vector* value;
    GW_TRY(branch->value.evaluate(input, open, &value));
    *count = compare_filter(CompareOp::kEq,
                            *branch->operand_affinity.convert(operand, open, input.rows), *value,
                            branch->collation, open, true, rows);
    return Status();
  }

  ExpressionPtr operand_;
  std::vector<std::unique_ptr<Branch>> branches_;
  ExpressionPtr otherwise_;
  RowBuffer rest_, taken_;
  Vector result_;
};

// The first argument that is not NULL.
class CoalesceExpression final : public Expression {
 public:
  explicit CoalesceExpression(std::vector<ExpressionPtr> args) : args_(std::move(args)) {}

  Status evaluate(const Chunk& input, const Selection& selection, const Vector** result) override {
    const Vector* first;
    GW_TRY(args_[0]->evaluate(input, selection, &first));
    if (first->has_no_nulls()) {
      *result = first;
      return Status();
    }
    result_.begin(input.rows);
    *result = &result_;
    uint16_t* rest = rest_.reserve(selection.count);
    Selection open = take_values(*first, selection, rest);
    for (size_t i = 1; i < args_.size() && open.count > 0; ++i) {
      const Vector* value;
      GW_TRY(args_[i]->evaluate(input, open, &value));
      open = take_values(*value, open, rest);
    }
    for_each_row(open, [&](uint32_t row) { result_.set(row, ValueView::null()); });
    return Status();
  }

 private:
  Selection take_values(const Vector& value, const Selection& open, uint16_t* rest) {
    uint32_t left = 0;
    for_each_row(open, [&](uint32_t row) {
      ValueView v = value.get(row);
      if (v.is_null()) {
        rest[left++] = static_cast<uint16_t>(row);
      } else {
        result_.set(row, v);
      }
    });
    return {rest, left};
  }

  std::vector<ExpressionPtr> args_;
  RowBuffer rest_;
  Vector result_;
};

}  // namespace

Result<ExpressionPtr> compile_case(const BoundExpr& expr, const ExpressionCompiler& compiler) {
  size_t at = 0;
  ExpressionPtr operand;
  if (expr.has_operand) {
    GW_ASSIGN(operand, compiler.compile(*expr.args[at++]));
  }
  size_t end = expr.args.size() - (expr.has_else ? 1 : 0);
  std::vector<std::unique_ptr<CaseExpression::Branch>> branches;
  for (; at + 1 < end; at += 2) {
    auto branch = std::make_unique<CaseExpression::Branch>();
    if (expr.has_operand) {
      size_t i = branches.size();
      Affinity affinity = i < expr.affinities.size() ? expr.affinities[i] : Affinity::kNone;
      branch->collation = i < expr.collations.size() ? expr.collations[i] : nullptr;
      if (branch->collation == nullptr) branch->collation = binary_collation();
      branch->operand_affinity.set(affinity);
      GW_ASSIGN(branch->value, Comparand::compile(*expr.args[at], affinity, compiler));
    } else {
      GW_ASSIGN(branch->condition, compiler.compile(*expr.args[at]));
    }
    GW_ASSIGN(branch->then, compiler.compile(*expr.args[at + 1]));
    branches.push_back(std::move(branch));
  }
  ExpressionPtr otherwise;
  if (expr.has_else) {
    GW_ASSIGN(otherwise, compiler.compile(*expr.args.back()));
  }
  return ExpressionPtr(std::make_unique<CaseExpression>(std::move(operand), std::move(branches),
                                                        std::move(otherwise)));
}

Result<ExpressionPtr> compile_coalesce(const BoundExpr& expr, const ExpressionCompiler& compiler) {
  std::vector<ExpressionPtr> args;
  GW_TRY(compiler.compile_all(expr.args, &args));
  return ExpressionPtr(std::make_unique<CoalesceExpression>(std::move(args)));
}

}  // namespace godwit
