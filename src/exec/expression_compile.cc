// Compilation of bound trees, and the entry points of evaluation.
#include "exec/expression_node.h"

namespace godwit {

int Layout::find(const ColumnRef& column) const {
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] == column) return static_cast<int>(i);
  }
  return -1;
}

Status Expression::filter(const Chunk& input, const Selection& selection, bool wanted,
                          uint16_t* rows, uint32_t* count) {
  const Vector* value;
  GW_TRY(evaluate(input, selection, &value));
  *count = filter_truths(*value, selection, wanted, rows);
  return Status();
}

namespace {

Result<ExpressionPtr> compile_binary(const BoundExpr& expr, const ExpressionCompiler& compiler) {
  switch (expr.binary) {
    case BinaryOp::kConcat: return compile_concat(expr, compiler);
    case BinaryOp::kBitAnd:
    case BinaryOp::kBitOr:
    case BinaryOp::kShiftLeft:
    case BinaryOp::kShiftRight: return compile_bits(expr, compiler);
    default: return compile_arithmetic(expr, compiler);
  }
}

Result<ExpressionPtr> compile_node(const BoundExpr& expr, const ExpressionCompiler& compiler) {
  switch (expr.kind) {
    case ExprKind::kConstant: return make_constant(expr.constant);
    case ExprKind::kParameter: return compile_parameter(expr, compiler);
    case ExprKind::kColumn: return compile_column(expr, compiler);
    case ExprKind::kUnary: return compile_unary(expr, compiler);
    case ExprKind::kBinary: return compile_binary(expr, compiler);
    case ExprKind::kCompare: return compile_compare(expr, compiler);
    case ExprKind::kAnd:
    case ExprKind::kOr: return compile_and_or(expr, compiler);
    case ExprKind::kIsNull: return compile_is_null(expr, compiler);
    case ExprKind::kIsTruth: return compile_is_truth(expr, compiler);
    case ExprKind::kBetween: return compile_between(expr, compiler);
    case ExprKind::kInList: return compile_in_list(expr, compiler);
    case ExprKind::kInQuery: return compile_in_query(expr, compiler);
    case ExprKind::kExists: return compile_exists(expr, compiler);
    case ExprKind::kScalarQuery: return compile_scalar_query(expr, compiler);
    case ExprKind::kCase: return compile_case(expr, compiler);
    case ExprKind::kCast: return compile_cast(expr, compiler);
    case ExprKind::kFunction: return compile_function(expr, compiler);
    case ExprKind::kRaise: return compile_raise(expr, compiler);
    case ExprKind::kRow: break;
  }
  return Status::error("row value misused");
}

// A tree without columns, parameters and subqueries: evaluated when the first row asks for it, so
// that an error in it occurs only then, and never again.
class FoldedExpression final : public Expression {
 public:
  explicit FoldedExpression(ExpressionPtr inner) : inner_(std::move(inner)) {}

  Status evaluate(const Chunk& input, const Selection& selection, const Vector** result) override {
    if (!done_) [[unlikely]] {
      if (selection.count == 0) {
        *result = &result_;
        return Status();
      }
      GW_TRY(fold());
    }
    (void)input;
    *result = &result_;
    return Status();
  }

 private:
  Status fold() {
    ValueView value;
    GW_TRY(evaluate_scalar(inner_.get(), &value));
    value_.assign(value);
    result_.set_constant_value(value_);
    inner_.reset();
    done_ = true;
    return Status();
  }

  ExpressionPtr inner_;
  Value value_;
  Vector result_;
  bool done_ = false;
};

}  // namespace

Result<ExpressionPtr> ExpressionCompiler::compile(const BoundExpr& expr) const {
  GW_ASSIGN(ExpressionPtr node, compile_node(expr, *this));
  if (expr.is_constant && expr.kind != ExprKind::kConstant) {
    return ExpressionPtr(std::make_unique<FoldedExpression>(std::move(node)));
  }
  return node;
}

Status ExpressionCompiler::compile_all(std::span<BoundExpr* const> exprs,
                                       std::vector<ExpressionPtr>* out) const {
  out->reserve(out->size() + exprs.size());
  for (const BoundExpr* expr : exprs) {
    GW_ASSIGN(ExpressionPtr node, compile(*expr));
    out->push_back(std::move(node));
  }
  return Status();
}

Result<ExpressionPtr> compile_expression(const BoundExpr& expr, const Layout& layout,
                                         ExecContext* context, OuterRow* outer,
                                         PureUse pure_use) {
  return ExpressionCompiler{layout, context, outer, pure_use}.compile(expr);
}

Result<uint32_t> filter_rows(Expression* condition, const Chunk& input, const Selection& selection,
                             uint16_t* rows) {
  uint32_t count = 0;
  GW_TRY(condition->filter(input, selection, true, rows, &count));
  return count;
}

const Chunk& single_row_chunk() {
  static const Chunk chunk = [] {
    Chunk one;
    one.rows = 1;
    one.selection = kFirstRow;
    return one;
  }();
  return chunk;
}

Status evaluate_scalar(Expression* expression, ValueView* value) {
  const Vector* result;
  GW_TRY(expression->evaluate(single_row_chunk(), kFirstRow, &result));
  *value = result->get(0);
  return Status();
}

Status fold_constant(const BoundExpr& expr, ExecContext* context, Value* value) {
  GW_ASSERT(expr.is_constant);
  Layout none;
  GW_ASSIGN(ExpressionPtr node, compile_expression(expr, none, context, nullptr));
  ValueView view;
  GW_TRY(evaluate_scalar(node.get(), &view));
  value->assign(view);
  return Status();
}

}  // namespace godwit
