#include "plan/like_range.h"

#include <algorithm>
#include <string>

#include "plan/expr_tree.h"

namespace godwit {
namespace {

char to_upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }
char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// Numbers match by their text, but are not among the texts of an index. A column of TEXT affinity
// has none; elsewhere the pattern must begin like no number's text does ("Inf" is one).
bool excludes_numbers(const BoundExpr& column, char first) {
  if (column.affinity == Affinity::kText) return true;
  char c = to_lower(first);
  return c >= 'a' && c <= 'z' && c != 'i';
}

}  // namespace

bool find_like_range(const BoundExpr& expr, PlanContext& context, LikeRange* range) {
  if (expr.kind != ExprKind::kFunction || expr.args.size() != 2 || context.hooks == nullptr) return false;
  bool is_like = context.hooks->is_builtin_like(*expr.function);
  if (!is_like && !context.hooks->is_builtin_glob(*expr.function)) return false;
  const BoundExpr& pattern = *expr.args[0];
  const BoundExpr& column = *expr.args[1];
  if (pattern.kind != ExprKind::kConstant || !pattern.constant.is_text()) return false;
  if (column.kind != ExprKind::kColumn) return false;
  std::string_view text = pattern.constant.text();
  std::string prefix(text.substr(0, std::min(text.find_first_of(is_like ? "%_" : "*?["), text.size())));
  if (prefix.empty() || !excludes_numbers(column, prefix[0])) return false;
  // The bound behind the last character must be text in every encoding.
  if (static_cast<unsigned char>(prefix.back()) >= 0x7f) return false;
  bool ignores_case = is_like && !context.hooks->case_sensitive_like();
  std::string lower = prefix, upper = prefix;
  if (ignores_case) {
    std::ranges::transform(lower, lower.begin(), to_upper);
    std::ranges::transform(upper, upper.begin(), to_lower);
  }
  ++upper.back();
  Arena* arena = context.arena;
  range->column = &column;
  range->collation = ignores_case ? nocase_collation() : binary_collation();
  range->lower = make_constant(arena, ValueView::of_text(arena->copy(lower)));
  range->upper = make_constant(arena, ValueView::of_text(arena->copy(upper)));
  return true;
}

}  // namespace godwit
