// x IN (a, b, ...).
//
// Where no member depends on the row, the members are put into a set once per execution (once at
// all, if they are constants). Else they are compared one after the other, each only for the rows
// that no earlier member matched.
#include "exec/compare_kernels.h"
#include "exec/comparand.h"
#include "exec/member_set.h"

namespace godwit {

namespace {

bool depends_on_row(const BoundExpr& expr) {
  if (expr.kind == ExprKind::kColumn || expr.has_subquery || !expr.is_deterministic) return true;
  for (const BoundExpr* arg : expr.args) {
    if (depends_on_row(*arg)) return true;
  }
  return false;
}

class InSetExpression final : public Expression {
 public:
  InSetExpression(bool negated, ExpressionPtr subject, const BoundExpr& expr,
                  std::vector<ExpressionPtr> members, bool constant, ExecContext* context)
      : negated_(negated), subject_(std::move(subject)), members_(std::move(members)),
        constant_(constant), context_(context),
        set_({expr.compare_collation == nullptr ? binary_collation() : expr.compare_collation},
             {expr.compare_affinity}) {}

  Status evaluate(const Chunk& input, const Selection& selection, const Vector** result) override {
    GW_TRY(look_up(input, selection));
    Truth* truths = truths_.reserve(input.rows);
    if (negated_) for_each_row(selection, [&](uint32_t row) { truths[row] = negate(truths[row]); });
    write_truths(truths, selection, input.rows, &result_);
    *result = &result_;
    return Status();
  }

  Status filter(const Chunk& input, const Selection& selection, bool wanted, uint16_t* rows,
                uint32_t* count) override {
    GW_TRY(look_up(input, selection));
    Truth* truths = truths_.reserve(input.rows);
    Truth asked = wanted != negated_ ? Truth::kTrue : Truth::kFalse;
    uint32_t found = 0;
    for_each_row(selection, [&](uint32_t row) {
      rows[found] = static_cast<uint16_t>(row);
      found += truths[row] == asked;
    });
    *count = found;
    return Status();
  }

 private:
  Status look_up(const Chunk& input, const Selection& selection) {
    if (!built_ || (!constant_ && execution_ != context_->execution)) [[unlikely]]
      GW_TRY(build());
    const Vector* subject;
    GW_TRY(subject_->evaluate(input, selection, &subject));
    set_.look_up(std::span<const Vector* const>(&subject, 1), selection, input.rows,
                 truths_.reserve(input.rows));
    return Status();
  }

  Status build() {
    set_.clear();
    for (ExpressionPtr& member : members_) {
      const Vector* value;
      GW_TRY(member->evaluate(single_row_chunk(), kFirstRow, &value));
      set_.add(std::span<const Vector* const>(&value, 1), kFirstRow, 1);
    }
    built_ = true;
    execution_ = context_->execution;
    return Status();
  }

  bool negated_;
  ExpressionPtr subject_;
  std::vector<ExpressionPtr> members_;
  bool constant_;
  bool built_ = false;
  uint64_t execution_ = 0;
  ExecContext* context_;
  MemberSet set_;
  TruthBuffer truths_;
  Vector result_;
};

class InListExpression final : public Expression {
 public:
  InListExpression(bool negated, const BoundExpr& expr, ExpressionPtr subject,
                   std::vector<Comparand> members)
      : negated_(negated),
        collation_(expr.compare_collation == nullptr ? binary_collation() : expr.compare_collation),
        subject_(std::move(subject)), subject_affinity_(expr.compare_affinity),
        members_(std::move(members)) {}

  Status evaluate(const Chunk& input, const Selection& selection, const Vector** result) override {
    Truth* truths = truths_.reserve(input.rows);
    GW_TRY(decide(input, selection, truths));
    if (negated_) for_each_row(selection, [&](uint32_t row) { truths[row] = negate(truths[row]); });
    write_truths(truths, selection, input.rows, &result_);
    *result = &result_;
    return Status();
  }

 private:
  Status decide(const Chunk& input, const Selection& selection, Truth* truths) {
    const Vector* subject;
    GW_TRY(subject_->evaluate(input, selection, &subject));
    subject = subject_affinity_.convert(subject, selection, input.rows);
    for_each_row(selection, [&](uint32_t row) { truths[row] = Truth::kFalse; });
    uint16_t* open_rows = open_.reserve(selection.count);
    Selection open{open_rows, select_all_or_none(selection, true, open_rows)};
    for (Comparand& member : members_) {
      const Vector* value;
      GW_TRY(member.evaluate(input, open, &value));
      compare_booleans(CompareOp::kEq, *subject, *value, collation_, open, input.rows, &equal_);
      uint32_t left = 0;
      for (uint32_t i = 0; i < open.count; ++i) {
        uint16_t row = open_rows[i];
        bool unknown = equal_.is_null(row);
        bool found = !unknown && equal_.slots()[equal_.index(row)].integer != 0;
        if (found) {
          truths[row] = Truth::kTrue;
        } else {
          if (unknown) truths[row] = Truth::kUnknown;
          open_rows[left++] = row;
        }
      }
      open.count = left;
      if (left == 0) break;
    }
    return Status();
  }

  bool negated_;
  const Collation* collation_;
  ExpressionPtr subject_;
  ComparisonAffinity subject_affinity_;
  std::vector<Comparand> members_;
  RowBuffer open_;
  TruthBuffer truths_;
  Vector equal_, result_;
};

}  // namespace

Result<ExpressionPtr> compile_in_list(const BoundExpr& expr, const ExpressionCompiler& compiler) {
  std::span<BoundExpr* const> member_exprs = expr.args.subspan(1);
  if (member_exprs.empty()) {
    // x IN () is false even for NULL.
    return make_constant(ValueView::boolean(expr.negated));
  }
  GW_ASSIGN(ExpressionPtr subject, compiler.compile(*expr.args[0]));
  bool varies = false;
  bool constant = true;
  for (const BoundExpr* member : member_exprs) {
    varies |= depends_on_row(*member);
    constant &= member->is_constant;
  }
  if (!varies) {
    std::vector<ExpressionPtr> members;
    GW_TRY(compiler.compile_all(member_exprs, &members));
    return ExpressionPtr(std::make_unique<InSetExpression>(expr.negated, std::move(subject), expr,
                                                           std::move(members), constant,
                                                           compiler.context));
  }
  std::vector<Comparand> members;
  for (const BoundExpr* member : member_exprs) {
    GW_ASSIGN(Comparand operand, Comparand::compile(*member, expr.compare_affinity, compiler));
    members.push_back(std::move(operand));
  }
  return ExpressionPtr(std::make_unique<InListExpression>(expr.negated, expr, std::move(subject),
                                                          std::move(members)));
}

}  // namespace godwit
