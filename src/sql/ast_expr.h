// Expressions as the parser leaves them: names unresolved, parentheses dropped, constants still
// text. `node->as<BinaryExpr>()` goes from the common head to the node that its kind names.
//
// All nodes live in one Arena and own nothing; string_views point into the SQL text or the arena,
// so a tree lives as long as both do. The height of a tree is limited (ParseLimits::expr_depth,
// never above 1,000), so recursive walks are safe.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/assert.h"

namespace godwit::ast {

struct Select;
struct WindowDef;
struct OrderTerm;

// Bytes of the SQL text.
struct SourceRange {
  uint32_t offset = 0;
  uint32_t length = 0;

  uint32_t end() const { return offset + length; }
  std::string_view of(std::string_view sql) const { return sql.substr(offset, length); }
};

enum class Quote : uint8_t { kNone, kDouble, kBracket, kBacktick, kSingle };

// An identifier: unquoted text, and where it stands (quotes included). Absent: text.data() == null.
struct Name {
  std::string_view text;
  SourceRange range;
  Quote quote = Quote::kNone;

  bool present() const { return text.data() != nullptr; }
  explicit operator bool() const { return present(); }
};

enum class ExprKind : uint8_t {
  kLiteral,   // LiteralExpr
  kColumn,    // ColumnExpr
  kBind,      // BindExpr
  kUnary,     // UnaryExpr
  kBinary,    // BinaryExpr
  kBetween,   // BetweenExpr
  kLike,      // LikeExpr
  kIn,        // InExpr
  kCase,      // CaseExpr
  kCast,      // CastExpr
  kCollate,   // CollateExpr
  kFunction,  // FunctionExpr
  kExists,    // ExistsExpr
  kSubquery,  // SubqueryExpr
  kRow,       // RowExpr
  kRaise,     // RaiseExpr
};

struct Expr {
  ExprKind kind;
  // Levels of the tree below and including this node; subqueries count too.
  uint16_t height = 1;
  // The text of the expression, the parentheses around it included: what names a result column.
  SourceRange range;

  template <typename T>
  T* as() {
    GW_ASSERT(kind == T::kKind);
    return static_cast<T*>(this);
  }
  template <typename T>
  const T* as() const {
    GW_ASSERT(kind == T::kKind);
    return static_cast<const T*>(this);
  }
  template <typename T>
  T* try_as() {
    return kind == T::kKind ? static_cast<T*>(this) : nullptr;
  }
  template <typename T>
  const T* try_as() const {
    return kind == T::kKind ? static_cast<const T*>(this) : nullptr;
  }

 protected:
  explicit Expr(ExprKind k) : kind(k) {}
};

// Gives each node its kind.
template <ExprKind K>
struct ExprBase : Expr {
  static constexpr ExprKind kKind = K;
  ExprBase() : Expr(K) {}
};

enum class LiteralKind : uint8_t {
  kNull,
  kInteger,  // digits or 0x digits, separators removed; may exceed 64 bits
  kReal,     // digits, point and exponent, separators removed
  kString,   // the string's value, quotes undone
  kBlob,     // the bytes
  kCurrentTime,
  kCurrentDate,
  kCurrentTimestamp,
};

struct LiteralExpr : ExprBase<ExprKind::kLiteral> {
  LiteralKind literal = LiteralKind::kNull;
  std::string_view text;  // by kind, see above; empty for kNull and kCurrent*
};

// [[schema.]table.]column. An unqualified name in double quotes (column.quote) may turn out to be a
// string, and the unqualified names TRUE and FALSE may turn out to be constants: the binder
// decides.
struct ColumnExpr : ExprBase<ExprKind::kColumn> {
  Name schema;
  Name table;
  Name column;
};

// ?, ?NNN, :a, @a, $a: `number` is the parameter's index, `name` its text with the prefix
// (empty for a plain ?).
struct BindExpr : ExprBase<ExprKind::kBind> {
  std::string_view name;
  int32_t number = 0;
};

enum class UnaryOp : uint8_t { kMinus, kPlus, kBitNot, kNot, kIsNull, kNotNull };

struct UnaryExpr : ExprBase<ExprKind::kUnary> {
  UnaryOp op = UnaryOp::kMinus;
  Expr* operand = nullptr;
};

enum class BinaryOp : uint8_t {
  kOr,
  kAnd,
  kEqual,
  kNotEqual,
  kIs,     // also IS NOT DISTINCT FROM
  kIsNot,  // also IS DISTINCT FROM
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kBitAnd,
  kBitOr,
  kShiftLeft,
  kShiftRight,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,
  kConcat,
  kArrow,      // ->
  kLongArrow,  // ->>
};

struct BinaryExpr : ExprBase<ExprKind::kBinary> {
  BinaryOp op = BinaryOp::kOr;
  Expr* left = nullptr;
  Expr* right = nullptr;
};

struct BetweenExpr : ExprBase<ExprKind::kBetween> {
  bool negated = false;
  Expr* operand = nullptr;
  Expr* low = nullptr;
  Expr* high = nullptr;
};

enum class LikeOp : uint8_t { kLike, kGlob, kRegexp, kMatch };

struct LikeExpr : ExprBase<ExprKind::kLike> {
  LikeOp op = LikeOp::kLike;
  bool negated = false;
  std::string_view word;  // the operator as written: names the function in "no such function"
  Expr* operand = nullptr;
  Expr* pattern = nullptr;
  Expr* escape = nullptr;  // may be null
};

enum class InSource : uint8_t { kList, kSelect, kTable };

struct InExpr : ExprBase<ExprKind::kIn> {
  bool negated = false;
  InSource source = InSource::kList;
  Expr* operand = nullptr;
  std::span<Expr*>
      list;  // kList: the values (may be empty); kTable: arguments, if is_table_function
  Select* select = nullptr;        // kSelect
  Name schema;                     // kTable
  Name table;                      // kTable
  bool is_table_function = false;  // kTable: name(...) and not name
};

struct CaseBranch {
  Expr* when = nullptr;
  Expr* then = nullptr;
};

struct CaseExpr : ExprBase<ExprKind::kCase> {
  Expr* operand = nullptr;  // may be null
  std::span<CaseBranch> branches;
  Expr* otherwise = nullptr;  // may be null
};

struct CastExpr : ExprBase<ExprKind::kCast> {
  Expr* operand = nullptr;
  std::string_view type;  // as written; may be empty
};

struct CollateExpr : ExprBase<ExprKind::kCollate> {
  Expr* operand = nullptr;
  Name collation;
};

struct FunctionExpr : ExprBase<ExprKind::kFunction> {
  Name name;
  bool distinct = false;
  bool star = false;  // f(*)
  std::span<Expr*> arguments;
  std::span<OrderTerm> order_by;  // inside the call, for aggregates
  Expr* filter = nullptr;         // FILTER (WHERE ...)
  Name over_name;                 // OVER name
  WindowDef* over = nullptr;      // OVER (...)

  bool has_over() const { return over != nullptr || over_name.present(); }
};

struct ExistsExpr : ExprBase<ExprKind::kExists> {
  Select* select = nullptr;
};

struct SubqueryExpr : ExprBase<ExprKind::kSubquery> {
  Select* select = nullptr;
};

// (a, b, ...): at least two values.
struct RowExpr : ExprBase<ExprKind::kRow> {
  std::span<Expr*> values;
};

enum class RaiseAction : uint8_t { kIgnore, kRollback, kAbort, kFail };

struct RaiseExpr : ExprBase<ExprKind::kRaise> {
  RaiseAction action = RaiseAction::kIgnore;
  Expr* message = nullptr;  // null for kIgnore
};

}  // namespace godwit::ast
