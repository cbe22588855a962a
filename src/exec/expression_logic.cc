// AND, OR, IS NULL, IS TRUE.
//
// As a condition (filter), AND looks at its right side only in the rows where the left side is true,
// and OR only where it is not. As a value, SQLite evaluates all sides, so that errors in them are
// seen; but when some have subqueries, those are evaluated last, and only in rows that are still
// undecided. Both are done in the same way here.
#include "exec/expression_node.h"
#include "value/cast.h"

namespace godwit {

namespace {

class LogicExpression final : public Expression {
 public:
  LogicExpression(bool is_and, std::vector<ExpressionPtr> args, uint32_t eager_args)
      : decisive_(is_and ? Truth::kFalse : Truth::kTrue),
        args_(std::move(args)),
        eager_args_(eager_args) {}

  Status evaluate(const Chunk& input, const Selection& selection, const Vector** result) override {
    Truth* truths = truths_.reserve(input.rows);
    Truth* side = side_.reserve(input.rows);
    Selection open = selection;
    for (uint32_t i = 0; i < args_.size(); ++i) {
      if (i > 0 && i >= eager_args_) {
        open = undecided(open, truths);
        if (open.count == 0) break;
      }
      const Vector* value;
      GW_TRY(args_[i]->evaluate(input, open, &value));
      read_truths(*value, open, i == 0 ? truths : side);
      if (i > 0) combine(open, side, truths);
    }
    write_truths(truths, selection, input.rows, &result_);
    *result = &result_;
    return Status();
  }

  Status filter(const Chunk& input, const Selection& selection, bool wanted, uint16_t* rows,
                uint32_t* count) override {
    // AND is true where all are; it is false where one is. OR the other way round.
    bool all = wanted != (decisive_ == Truth::kTrue);
    return all ? filter_all(input, selection, wanted, rows, count)
               : filter_any(input, selection, wanted, rows, count);
  }

 private:
  Status filter_all(const Chunk& input, const Selection& selection, bool wanted, uint16_t* rows,
                    uint32_t* count) {
    Selection left = selection;
    for (ExpressionPtr& arg : args_) {
      uint32_t passed = 0;
      GW_TRY(arg->filter(input, left, wanted, rows, &passed));
      left = {rows, passed};
      if (passed == 0) break;
    }
    *count = left.count;
    return Status();
  }

  Status filter_any(const Chunk& input, const Selection& selection, bool wanted, uint16_t* rows,
                    uint32_t* count) {
    uint16_t* rest = rest_.reserve(selection.count);
    uint16_t* found = found_.reserve(selection.count);
    Selection left = selection;
    for (ExpressionPtr& arg : args_) {
      uint32_t found_count = 0;
      GW_TRY(arg->filter(input, left, wanted, found, &found_count));
      left.count = subtract_rows(left, found, found_count, rest);
      left.rows = rest;
      if (left.count == 0) break;
    }
    *count = subtract_rows(selection, rest, left.count, rows);
    return Status();
  }

  Selection undecided(const Selection& open, const Truth* truths) {
    uint16_t* rows = rest_.reserve(open.count);
    uint32_t count = 0;
    for_each_row(open, [&](uint32_t row) {
      rows[count] = static_cast<uint16_t>(row);
      count += truths[row] != decisive_;
    });
    return {rows, count};
  }

  void combine(const Selection& open, const Truth* side, Truth* truths) {
    for_each_row(open, [&](uint32_t row) {
      if (truths[row] == decisive_ || side[row] == decisive_) {
        truths[row] = decisive_;
      } else if (side[row] == Truth::kUnknown) {
        truths[row] = Truth::kUnknown;
      }
    });
  }

  Truth decisive_;  // the value of one side that decides the result
  std::vector<ExpressionPtr> args_;
  uint32_t eager_args_;  // the first so many are evaluated for all rows
  Vector result_;
  TruthBuffer truths_, side_;
  RowBuffer rest_, found_;
};

// Exchanges true and false.
class NotExpression final : public Expression {
 public:
  explicit NotExpression(ExpressionPtr arg) : arg_(std::move(arg)) {}

  Status evaluate(const Chunk& input, const Selection& selection, const Vector** result) override {
    const Vector* value;
    GW_TRY(arg_->evaluate(input, selection, &value));
    *result = &result_;
    if (value->is_constant()) {
      if (selection.count > 0) {
        result_.set_constant_value(truth_value(negate(truth_of(value->get(0)))));
      }
      return Status();
    }
    Truth* truths = truths_.reserve(input.rows);
    read_truths(*value, selection, truths);
    for_each_row(selection, [&](uint32_t row) { truths[row] = negate(truths[row]); });
    write_truths(truths, selection, input.rows, &result_);
    return Status();
  }

  Status filter(const Chunk& input, const Selection& selection, bool wanted, uint16_t* rows,
                uint32_t* count) override {
    return arg_->filter(input, selection, !wanted, rows, count);
  }

 private:
  ExpressionPtr arg_;
  Vector result_;
  TruthBuffer truths_;
};

class IsNullExpression final : public Expression {
 public:
  IsNullExpression(ExpressionPtr arg, bool negated) : arg_(std::move(arg)), negated_(negated) {}

  Status evaluate(const Chunk& input, const Selection& selection, const Vector** result) override {
    const Vector* value;
    GW_TRY(arg_->evaluate(input, selection, &value));
    *result = &result_;
    if (value->is_uniform()) {
      result_.set_constant_value(
          ValueView::boolean((value->type() == ValueType::kNull) != negated_));
      return Status();
    }
    result_.begin(input.rows);
    result_.set_form(Vector::Form::kUniform, ValueType::kInteger);
    Vector::Slot* slots = result_.slots();
    const uint8_t* tags = value->tags();
    for_each_row(selection, [&](uint32_t row) { slots[row].integer = (tags[row] == 0) != negated_; });
    return Status();
  }

  Status filter(const Chunk& input, const Selection& selection, bool wanted, uint16_t* rows,
                uint32_t* count) override {
    const Vector* value;
    GW_TRY(arg_->evaluate(input, selection, &value));
    bool want_null = wanted != negated_;
    if (value->is_uniform()) {
      *count = select_all_or_none(selection, (value->type() == ValueType::kNull) == want_null, rows);
      return Status();
    }
    const uint8_t* tags = value->tags();
    uint32_t found = 0;
    for_each_row(selection, [&](uint32_t row) {
      rows[found] = static_cast<uint16_t>(row);
      found += (tags[row] == 0) == want_null;
    });
    *count = found;
    return Status();
  }

 private:
  ExpressionPtr arg_;
  bool negated_;
  Vector result_;
};

// x IS TRUE and its kin: never NULL.
class IsTruthExpression final : public Expression {
 public:
  IsTruthExpression(ExpressionPtr arg, bool truth, bool negated)
      : arg_(std::move(arg)), truth_(truth), negated_(negated) {}

  Status evaluate(const Chunk& input, const Selection& selection, const Vector** result) override {
    const Vector* value;
    GW_TRY(arg_->evaluate(input, selection, &value));
    Truth* truths = truths_.reserve(input.rows);
    read_truths(*value, selection, truths);
    Truth asked = truth_ ? Truth::kTrue : Truth::kFalse;
    for_each_row(selection, [&](uint32_t row) {
      truths[row] = (truths[row] == asked) != negated_ ? Truth::kTrue : Truth::kFalse;
    });
    write_truths(truths, selection, input.rows, &result_);
    *result = &result_;
    return Status();
  }

  Status filter(const Chunk& input, const Selection& selection, bool wanted, uint16_t* rows,
                uint32_t* count) override {
    if (wanted != negated_) return arg_->filter(input, selection, truth_, rows, count);
    uint16_t* found = found_.reserve(selection.count);
    uint32_t found_count = 0;
    GW_TRY(arg_->filter(input, selection, truth_, found, &found_count));
    *count = subtract_rows(selection, found, found_count, rows);
    return Status();
  }

 private:
  ExpressionPtr arg_;
  bool truth_;
  bool negated_;
  Vector result_;
  TruthBuffer truths_;
  RowBuffer found_;
};

}  // namespace

Truth truth_of(const ValueView& value) {
  switch (value.type) {
    case ValueType::kNull: return Truth::kUnknown;
    case ValueType::kInteger: return static_cast<Truth>(value.integer != 0);
    default: return static_cast<Truth>(value_to_real(value) != 0.0);
  }
}

void read_truths(const Vector& vector, const Selection& selection, Truth* truths) {
  if (vector.is_constant()) {
    if (selection.count == 0) return;
    Truth truth = truth_of(vector.get(0));
    for_each_row(selection, [&](uint32_t row) { truths[row] = truth; });
    return;
  }
  const Vector::Slot* slots = vector.slots();
  if (vector.is_uniform(ValueType::kInteger)) {
    for_each_row(selection,
                 [&](uint32_t row) { truths[row] = static_cast<Truth>(slots[row].integer != 0); });
    return;
  }
  for_each_row(selection, [&](uint32_t row) { truths[row] = truth_of(vector.get(row)); });
}

uint32_t filter_truths(const Vector& vector, const Selection& selection, bool wanted,
                       uint16_t* rows) {
  if (selection.count == 0) return 0;
  Truth asked = wanted ? Truth::kTrue : Truth::kFalse;
  if (vector.is_constant()) {
    return select_all_or_none(selection, truth_of(vector.get(0)) == asked, rows);
  }
  uint32_t count = 0;
  if (vector.is_uniform(ValueType::kInteger)) {
    const Vector::Slot* slots = vector.slots();
    for_each_row(selection, [&](uint32_t row) {
      rows[count] = static_cast<uint16_t>(row);
      count += (slots[row].integer != 0) == wanted;
    });
    return count;
  }
  for_each_row(selection, [&](uint32_t row) {
    rows[count] = static_cast<uint16_t>(row);
    count += truth_of(vector.get(row)) == asked;
  });
  return count;
}

void write_truths(const Truth* truths, const Selection& selection, uint32_t rows, Vector* result) {
  static_assert(static_cast<int>(ValueType::kInteger) == 1);
  result->begin(rows);
  result->set_form(Vector::Form::kNullable, ValueType::kInteger);
  Vector::Slot* slots = result->slots();
  uint8_t* tags = result->tags();
  uint8_t unknown = 0;
  for_each_row(selection, [&](uint32_t row) {
    slots[row].integer = truths[row] == Truth::kTrue;
    tags[row] = truths[row] != Truth::kUnknown;
    unknown |= truths[row] == Truth::kUnknown;
  });
  if (unknown == 0) result->set_form(Vector::Form::kUniform, ValueType::kInteger);
}

Result<ExpressionPtr> compile_and_or(const BoundExpr& expr, const ExpressionCompiler& compiler) {
  std::vector<BoundExpr*> order(expr.args.begin(), expr.args.end());
  auto subqueries =
      std::stable_partition(order.begin(), order.end(), [](BoundExpr* e) { return !e->has_subquery; });
  auto eager = expr.lazy ? 0 : static_cast<uint32_t>(subqueries - order.begin());
  std::vector<ExpressionPtr> args;
  GW_TRY(compiler.compile_all(order, &args));
  return ExpressionPtr(
      std::make_unique<LogicExpression>(expr.kind == ExprKind::kAnd, std::move(args), eager));
}

Result<ExpressionPtr> compile_is_null(const BoundExpr& expr, const ExpressionCompiler& compiler) {
  GW_ASSIGN(ExpressionPtr arg, compiler.compile(*expr.args[0]));
  return ExpressionPtr(std::make_unique<IsNullExpression>(std::move(arg), expr.negated));
}

Result<ExpressionPtr> compile_is_truth(const BoundExpr& expr, const ExpressionCompiler& compiler) {
  GW_ASSIGN(ExpressionPtr arg, compiler.compile(*expr.args[0]));
  return ExpressionPtr(
      std::make_unique<IsTruthExpression>(std::move(arg), expr.truth, expr.negated));
}

Result<ExpressionPtr> compile_not(const BoundExpr& expr, const ExpressionCompiler& compiler) {
  GW_ASSIGN(ExpressionPtr arg, compiler.compile(*expr.args[0]));
  return ExpressionPtr(std::make_unique<NotExpression>(std::move(arg)));
}

}  // namespace godwit
