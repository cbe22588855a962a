// Bound trees: what a statement means, after names, types, affinities and collations are resolved.
//
// The binder (plan/bind_*.cc) makes them from syntax trees; the planner turns queries into plan
// nodes (plan/plan_node.h); the executor compiles the same BoundExpr trees against the layout of
// its chunks. All nodes live in the statement's arena.
//
// Sources. Everything that has columns gets a SourceId that is unique in the statement: each table,
// view or subquery in a FROM clause, the output of each aggregation, of each projection. A column is
// always (source, column); an expression does not know in which chunk slot the value will be. A
// column of a source that does not belong to the query itself makes the query correlated.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/arena.h"
#include "catalog/schema.h"
#include "value/collation.h"
#include "value/value.h"

namespace godwit {

struct ScalarFunction;     // function/function.h
struct AggregateFunction;  // function/function.h
struct QueryPlan;          // plan/plan_node.h
class VirtualTable;        // function/virtual_table.h

using SourceId = uint32_t;  // 1.. ; 0: none

struct ColumnRef {
  static constexpr int32_t kRowid = -1;
  SourceId source = 0;
  int32_t column = 0;  // of the table or subquery; kRowid
  friend bool operator==(const ColumnRef&, const ColumnRef&) = default;
};

enum class ExprKind : uint8_t {
  kConstant,     // constant
  kParameter,    // parameter: number from 1
  kColumn,       // column
  kUnary,        // unary; args[0]
  kBinary,       // arithmetic, bits, concatenation: binary; args[0], args[1]
  kCompare,      // compare; args[0], args[1]; compare_affinity and compare_collation
  kAnd,          // args: two or more, evaluated left to right; see lazy
  kOr,           // likewise
  kIsNull,       // args[0]; negated: NOTNULL
  kIsTruth,      // args[0] IS [NOT] TRUE / FALSE: truth, negated
  kBetween,      // args[0] BETWEEN args[1] AND args[2]; args[0] evaluated once; negated
  kInList,       // args[0] IN (args[1..]); compare_affinity, compare_collation; negated
  kInQuery,      // args: the left side (several: a row value) IN query; negated
  kExists,       // query; negated
  kScalarQuery,  // query: first column of its first row, or NULL; row_columns > 1: a row value
  kCase,         // args: [operand] (when then)+ [else]; see has_operand, has_else
  kCast,         // args[0] to cast_affinity
  kFunction,     // function, args
  kRow,          // a row value: args; only under kCompare, kInQuery, kBetween, or in assignments
  kRaise,        // RAISE() inside a trigger: conflict, args[0] the message (none for IGNORE)
};

// kAsReal is the planner's: an integer becomes a real, anything else stays as it is.
enum class UnaryOp : uint8_t { kNot, kNegate, kPlus, kBitNot, kAsReal };
enum class BinaryOp : uint8_t {
  kAdd, kSubtract, kMultiply, kDivide, kRemainder, kBitAnd, kBitOr, kShiftLeft, kShiftRight, kConcat,
};
enum class CompareOp : uint8_t { kEq, kNe, kLt, kLe, kGt, kGe, kIs, kIsNot };

struct BoundQuery;

struct BoundExpr {
  ExprKind kind = ExprKind::kConstant;
  // The affinity and collation this expression has as an operand (datatype3.html). kNone: none.
  Affinity affinity = Affinity::kNone;
  bool collation_is_explicit = false;    // by a COLLATE operator: wins over columns'
  const Collation* collation = nullptr;  // null: none of its own (BINARY in the end)

  // Properties of the whole tree.
  bool is_constant = false;       // no columns, parameters, subqueries or impure functions in it
  bool is_deterministic = true;   // same inputs, same result within one statement
  bool has_subquery = false;

  // Which of the fields below count is said at ExprKind.
  UnaryOp unary = UnaryOp::kNot;
  BinaryOp binary = BinaryOp::kAdd;
  CompareOp compare = CompareOp::kEq;
  bool negated = false;
  bool truth = false;
  bool has_operand = false;
  bool has_else = false;
  // kAnd, kOr made of a comparison of row values: not only as a condition, as a value too, later args
  // count only in rows that earlier ones leave open.
  bool lazy = false;
  // Applied to both operands before comparing: kNumeric, kText, or kNone/kBlob: as they are.
  Affinity compare_affinity = Affinity::kNone;
  // The collation of the comparison; never null for kCompare, kInList, kBetween (the lower one).
  const Collation* compare_collation = nullptr;
  // kBetween: the comparison with the upper bound has its own.
  Affinity high_affinity = Affinity::kNone;
  const Collation* high_collation = nullptr;
  // kInQuery (and kCase with operand: per WHEN): one per column of the left side (per WHEN).
  std::span<const Collation*> collations;
  std::span<Affinity> affinities;
  Affinity cast_affinity = Affinity::kNone;
  ConflictAction conflict = ConflictAction::kDefault;
  int32_t parameter = 0;
  uint32_t row_columns = 1;
  ColumnRef column;
  ValueView constant;
  const ScalarFunction* function = nullptr;
  std::span<BoundExpr*> args;
  BoundQuery* query = nullptr;
  // The table of a kColumn that is a real table's column (for decltype and column metadata).
  const Table* table = nullptr;
  std::string_view text;  // source text, for names and messages; may be empty
};

enum class JoinType : uint8_t { kInner, kCross, kLeft, kRight, kFull };

// One entry of a FROM clause.
struct BoundSource {
  enum class Kind : uint8_t { kTable, kQuery, kVirtual, kRecursive };
  Kind kind = Kind::kTable;
  SourceId id = 0;
  std::string_view name;         // alias or table name, as EXPLAIN QUERY PLAN shows it
  const Table* table = nullptr;  // kTable, kVirtual
  VirtualTable* virtual_table = nullptr;  // kVirtual
  const Table* view = nullptr;   // kQuery: the view that it is
  BoundQuery* query = nullptr;   // kQuery: subquery, view, CTE. A CTE used twice shares one query.
  bool materialized_hint = false;      // CTE AS MATERIALIZED
  bool not_materialized_hint = false;
  bool is_common_table = false;
  // kTable: the expressions of VIRTUAL generated columns over this source, by column; null for all
  // others. Empty: the table has none.
  std::span<BoundExpr*> generated;
  // How this source is joined to what stands before it (first source: kInner), and the ON terms
  // (USING and NATURAL are lowered to equalities). ON terms of inner joins stay here too; the
  // planner moves them to WHERE where no outer join forbids it.
  JoinType join = JoinType::kInner;
  BoundExpr* on = nullptr;
  const Index* indexed_by = nullptr;   // INDEXED BY name
  bool not_indexed = false;
  // Only whether it has a match counts, not how many (exists_join.cc); nothing above reads it.
  bool only_exists = false;
  uint32_t column_count = 0;
  std::span<bool> used_columns;        // by the statement, so that only these are decoded
  // UPDATE of a virtual table: columns that are only written back as they are. Empty: none.
  std::span<bool> unchanged_columns;
  bool rowid_used = false;
  std::span<std::string_view> column_names;
};

struct OrderTerm {
  BoundExpr* expr = nullptr;
  const Collation* collation = nullptr;  // never null
  bool descending = false;
  bool nulls_first = true;     // in force (default: first when ascending, last when descending)
  int32_t output_column = -1;  // the term is this result column (expr is its expression too)
};

struct BoundAggregate {
  const AggregateFunction* function = nullptr;
  std::span<BoundExpr*> args;
  BoundExpr* filter = nullptr;
  bool distinct = false;
  bool is_count_star = false;
  bool is_min = false, is_max = false;    // single-argument min()/max(): they choose the bare row
  const Collation* collation = nullptr;   // of DISTINCT, min, max; never null
  std::span<OrderTerm> order_by;          // aggregates with ORDER BY inside
};

struct ResultColumn {
  BoundExpr* expr = nullptr;
  std::string_view name;  // as sqlite3_column_name gives it
};

struct BoundWindow;  // window functions, plan/bound_window.h

// One SELECT core: FROM, WHERE, GROUP BY, HAVING, result columns; or VALUES.
//
// Evaluation: sources -> where -> [aggregation -> having] -> [windows] -> results -> distinct.
// If is_aggregate, everything after the aggregation (having, results, ORDER BY terms) refers to
// columns of aggregate_output: first the group keys, then the aggregates, then the bare columns, in
// the order of these three lists.
struct BoundCore {
  enum class Kind : uint8_t { kSelect, kValues };
  Kind kind = Kind::kSelect;
  std::span<BoundSource*> sources;
  BoundExpr* where = nullptr;
  bool is_aggregate = false;
  bool has_group_by = false;
  SourceId aggregate_output = 0;
  std::span<BoundExpr*> group_by;  // in terms of the sources
  std::span<const Collation*> group_collations;
  std::span<BoundAggregate*> aggregates;
  std::span<BoundExpr*> bare_columns;  // in terms of the sources; from one row of each group
  BoundExpr* having = nullptr;
  std::span<BoundWindow*> windows;
  bool distinct = false;
  SourceId output = 0;  // (output, i) is result column i
  std::span<ResultColumn> results;
  std::span<std::span<BoundExpr*>> values;  // kValues: rows
  // All of them are kConstant: walks over expressions leave them out, for there may be many.
  bool values_are_constant = false;
  uint32_t number = 0;  // select number
};

enum class SetOp : uint8_t { kUnionAll, kUnion, kIntersect, kExcept };

// A whole query: cores joined by set operators from left to right, then ORDER BY and LIMIT.
struct BoundQuery {
  std::span<BoundCore*> cores;  // at least one
  std::span<SetOp> operators;   // cores.size() - 1
  // With which collation column i is compared by set operators and DISTINCT; affinity of column i
  // as its users see it.
  std::span<const Collation*> column_collations;
  std::span<Affinity> column_affinities;
  // For a query of one core, terms are any expression over the core's scope; for a compound one,
  // each is a result column (output_column >= 0).
  std::span<OrderTerm> order_by;
  BoundExpr* limit = nullptr;  // no columns; may hold parameters and uncorrelated subqueries
  BoundExpr* offset = nullptr;
  SourceId output = 0;  // (output, i) is column i as the query's user sees it
  uint32_t column_count = 0;
  // Columns of enclosing queries that this one reads, deeper nestings included. Empty: uncorrelated.
  std::span<ColumnRef> correlations;
  // Recursive CTE: cores[0..initial_cores) are the initial select, the rest the recursive terms.
  bool is_recursive = false;
  uint32_t initial_cores = 0;
  SourceId recursive_source = 0;  // the queue, as the recursive terms see it
  std::string_view name;          // CTE or view name, for EXPLAIN QUERY PLAN; may be empty
  bool is_deterministic = true;   // false: do not flatten, duplicate or reorder
  // Its tables change between two rows that ask for it, so that no result may be used again.
  bool run_each_time = false;
  uint32_t reference_count = 1;   // sources that share it (CTEs)
  const QueryPlan* plan = nullptr;  // set by the planner
};

}  // namespace godwit
