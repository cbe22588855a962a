// x IN (SELECT ...), also for row values.
//
// The result of a subquery that does not depend on the row is held as a set. One that does is run
// row by row and stopped at the first match; but when a second row asks with the same outer values,
// its result is put into a set too.
#include "exec/expression_row.h"
#include "exec/member_set.h"
#include "exec/subquery.h"
#include "value/record.h"

namespace godwit {

namespace {

struct InColumn {
  const Collation* collation;
  ComparisonAffinity subject, member;
  InColumn(const Collation* c, Affinity affinity) : collation(c), subject(affinity), member(affinity) {}
};

class InQueryExpression final : public Expression {
 public:
  InQueryExpression(bool negated, std::unique_ptr<RowExpression> subject,
                    std::unique_ptr<Subquery> query, std::vector<const Collation*> collations,
                    std::vector<Affinity> affinities)
      : negated_(negated), subject_(std::move(subject)), query_(std::move(query)),
        set_(collations, affinities), subjects_(collations.size()), members_(collations.size()),
        converted_(collations.size()) {
    for (size_t i = 0; i < collations.size(); ++i) {
      columns_.push_back(std::make_unique<InColumn>(collations[i], affinities[i]));
    }
  }

  Status evaluate(const Chunk& input, const Selection& selection, const Vector** result) override {
    *result = &result_;
    GW_TRY(decide(input, selection));
    Truth* truths = truths_.reserve(input.rows);
    if (negated_) for_each_row(selection, [&](uint32_t row) { truths[row] = negate(truths[row]); });
    write_truths(truths, selection, input.rows, &result_);
    return Status();
  }

  Status filter(const Chunk& input, const Selection& selection, bool wanted, uint16_t* rows,
                uint32_t* count) override {
    GW_TRY(decide(input, selection));
    const Truth* truths = truths_.reserve(input.rows);
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
  Status decide(const Chunk& input, const Selection& selection) {
    Truth* truths = truths_.reserve(input.rows);
    if (selection.count == 0) return Status();
    GW_TRY(subject_->evaluate(input, selection, subjects_.data()));
    if (!query_->depends_on_row()) {
      if (!query_->bind(input, selection[0]) || !set_is_built_) GW_TRY(build_set());
      set_.look_up(subjects_, selection, input.rows, truths);
      return Status();
    }
    for (size_t c = 0; c < columns_.size(); ++c) {
      converted_[c] = columns_[c]->subject.convert(subjects_[c], selection, input.rows);
    }
    for (uint32_t i = 0; i < selection.count; ++i) {
      uint16_t row = static_cast<uint16_t>(selection[i]);
      if (!query_->bind(input, row)) {
        set_is_built_ = false;
        GW_TRY(search(row, &truths[row]));
        continue;
      }
      if (!set_is_built_) GW_TRY(build_set());
      set_.look_up(subjects_, Selection{&row, 1}, input.rows, truths);
    }
    return Status();
  }

  Status build_set() {
    set_.clear();
    set_is_built_ = false;
    GW_TRY(query_->run(0, [this](const Chunk& chunk) -> Result<bool> {
      set_.add(std::span(chunk.columns).first(columns_.size()), chunk.selection, chunk.rows);
      return true;
    }));
    set_is_built_ = true;
    return Status();
  }

  Status search(uint32_t row, Truth* truth) {
    *truth = Truth::kFalse;
    return query_->run(0, [this, row, truth](const Chunk& chunk) -> Result<bool> {
      for (size_t c = 0; c < columns_.size(); ++c) {
        members_[c] = columns_[c]->member.convert(chunk.columns[c], chunk.selection, chunk.rows);
      }
      for (uint32_t i = 0; i < chunk.selection.count; ++i) {
        Truth equal = compare(row, chunk.selection[i]);
        if (equal == Truth::kFalse) continue;
        *truth = equal;
        if (equal == Truth::kTrue) return false;
      }
      return true;
    });
  }

  Truth compare(uint32_t row, uint32_t member_row) const {
    Truth all = Truth::kTrue;
    for (size_t c = 0; c < columns_.size(); ++c) {
      ValueView x = converted_[c]->get(row);
      ValueView y = members_[c]->get(member_row);
      if (x.is_null() || y.is_null()) {
        all = Truth::kUnknown;
      } else if (compare_values(x, y, columns_[c]->collation) != 0) {
        return Truth::kFalse;
      }
    }
    return all;
  }

  bool negated_;
  std::unique_ptr<RowExpression> subject_;
  std::unique_ptr<Subquery> query_;
  std::vector<std::unique_ptr<InColumn>> columns_;
  MemberSet set_;
  bool set_is_built_ = false;
  std::vector<const Vector*> subjects_;   // as the left side gives them
  std::vector<const Vector*> members_;    // of the subquery's chunk, converted
  std::vector<const Vector*> converted_;  // the left side, converted
  TruthBuffer truths_;
  Vector result_;
};

}  // namespace

Result<ExpressionPtr> compile_in_query(const BoundExpr& expr, const ExpressionCompiler& compiler) {
  std::unique_ptr<RowExpression> subject;
  if (expr.args.size() == 1) {
    GW_ASSIGN(subject, compile_row(*expr.args[0], compiler));
  } else {
    GW_ASSIGN(subject, compile_columns(expr.args, compiler));
  }
  GW_ASSIGN(auto query, Subquery::make(*expr.query, compiler));
  std::vector<const Collation*> collations;
  std::vector<Affinity> affinities;
  for (uint32_t i = 0; i < subject->column_count(); ++i) {
    collations.push_back(row_collation(expr, i));
    affinities.push_back(row_affinity(expr, i));
  }
  return ExpressionPtr(std::make_unique<InQueryExpression>(
      expr.negated, std::move(subject), std::move(query), std::move(collations),
      std::move(affinities)));
}

}  // namespace godwit
