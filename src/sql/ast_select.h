// SELECT and what stands inside it: WITH, compound chains, FROM, windows, ORDER BY.
#pragma once

#include "sql/ast_expr.h"

namespace godwit::ast {

enum class NullsOrder : uint8_t { kDefault, kFirst, kLast };

// A term of ORDER BY, and a column of an index or of a key.
struct OrderTerm {
  Expr* expr = nullptr;
  bool descending = false;
  bool explicit_direction = false;  // ASC or DESC was written
  NullsOrder nulls = NullsOrder::kDefault;
};

enum class FrameUnit : uint8_t { kRange, kRows, kGroups };
enum class FrameBoundKind : uint8_t {
  kUnboundedPreceding,
  kPreceding,
  kCurrentRow,
  kFollowing,
  kUnboundedFollowing,
};
enum class FrameExclude : uint8_t { kNoOthers, kCurrentRow, kGroup, kTies };

struct FrameBound {
  FrameBoundKind kind = FrameBoundKind::kUnboundedPreceding;
  Expr* expr = nullptr;  // kPreceding, kFollowing
};

struct WindowDef {
  Name name;  // of a WINDOW clause; absent in OVER (...)
  Name base;  // the window that this one extends; may be absent
  std::span<Expr*> partition_by;
  std::span<OrderTerm> order_by;
  bool has_frame = false;  // otherwise the fields below hold the default frame
  FrameUnit unit = FrameUnit::kRange;
  FrameBound start;
  FrameBound end{FrameBoundKind::kCurrentRow, nullptr};
  FrameExclude exclude = FrameExclude::kNoOthers;
  bool has_exclude = false;
};

enum class Materialized : uint8_t { kAny, kYes, kNo };

struct CommonTable {
  Name name;
  std::span<Name> columns;
  Materialized materialized = Materialized::kAny;
  Select* select = nullptr;
};

struct With {
  bool recursive = false;
  std::span<CommonTable> tables;
};

enum class JoinKind : uint8_t { kFirst, kComma, kInner, kCross, kLeft, kRight, kFull };
enum class FromKind : uint8_t { kTable, kTableFunction, kSubquery, kJoin };
enum class IndexHint : uint8_t { kNone, kIndexedBy, kNotIndexed };

// One item of a FROM clause, with the operator that joins it to everything on its left. Joins
// associate to the left; a parenthesized join is an item of its own (kJoin).
struct FromItem {
  FromKind kind = FromKind::kTable;
  JoinKind join = JoinKind::kFirst;
  bool natural = false;
  IndexHint index_hint = IndexHint::kNone;
  Name schema;                 // kTable, kTableFunction
  Name table;                  // kTable, kTableFunction
  Name alias;                  // may be absent
  Name index;                  // kIndexedBy
  std::span<Expr*> arguments;  // kTableFunction
  Select* select = nullptr;    // kSubquery
  std::span<FromItem> items;   // kJoin
  Expr* on = nullptr;          // may be null
  std::span<Name> using_columns;
};

enum class ResultColumnKind : uint8_t { kExpr, kStar, kTableStar };

struct ResultColumn {
  ResultColumnKind kind = ResultColumnKind::kExpr;
  Expr* expr = nullptr;  // kExpr; its range is the text that names the column when alias is absent
  Name alias;            // may be absent
  Name table;            // kTableStar
};

enum class Distinctness : uint8_t { kNone, kDistinct, kAll };

// One SELECT or VALUES of a compound.
struct SelectCore {
  bool is_values = false;
  Distinctness distinct = Distinctness::kNone;
  std::span<ResultColumn> columns;
  std::span<FromItem> from;  // empty without FROM
  Expr* where = nullptr;
  std::span<Expr*> group_by;
  Expr* having = nullptr;
  std::span<WindowDef*> windows;
  // VALUES: all rows one after the other, value_columns each.
  std::span<Expr*> values;
  uint32_t value_columns = 0;

  size_t value_rows() const { return value_columns == 0 ? 0 : values.size() / value_columns; }
};

enum class CompoundOp : uint8_t { kUnion, kUnionAll, kExcept, kIntersect };

// cores[0] operators[0] cores[1] operators[1] ... (left-associative), ORDER BY and LIMIT on the
// whole.
struct Select {
  With* with = nullptr;
  std::span<SelectCore*> cores;
  std::span<CompoundOp> operators;  // one less than cores
  std::span<OrderTerm> order_by;
  Expr* limit = nullptr;
  Expr* offset = nullptr;
  SourceRange range;
  uint16_t height = 0;  // of the highest expression in it

  bool is_values() const { return cores.size() == 1 && cores[0]->is_values; }
};

}  // namespace godwit::ast
