// Physical plans: trees of nodes that the executor turns into operators, one for one.
//
// A node produces chunks whose slot i holds the column output[i]. Expressions in nodes are
// BoundExpr trees over columns of the node's input (its child's output; for Access nodes the
// child's output plus the columns of the source that is being added); a column that the input does
// not have belongs to an enclosing query and is read from the outer row (QueryPlan::correlations).
//
// A FROM clause is a chain of Access nodes over a SingleRow: each takes the rows of its child and
// extends every one with the matching rows of one source, in that source's order. That is the
// nested loop of SQLite, so rows come in SQLite's order; how the matching rows are found (scan,
// rowid, index, hash table) is the node's method.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "plan/bound.h"

namespace godwit {

enum class PlanKind : uint8_t {
  kSingleRow,  // one row without columns
  kAccess,     // AccessNode
  kFilter,     // FilterNode
  kProject,    // ProjectNode
  kAggregate,  // AggregateNode
  kDistinct,   // DistinctNode
  kSort,       // SortNode
  kLimit,      // LimitNode
  kValues,     // ValuesNode
  kUnionAll,   // SetNode: children one after the other
  kSetOperation,  // SetNode: merges two children that are sorted by `order`, as its rows are
  kRecursive,  // RecursiveNode
  kWindow,     // WindowNode
};

struct PlanNode {
  PlanKind kind = PlanKind::kSingleRow;
  PlanNode* child = nullptr;
  std::span<ColumnRef> output;
  bool is_laid_out = false;  // `output` is final: the root of a plan that may be shared
  double rows = 1;  // estimate of the rows produced in all
  double cost = 0;
};

enum class AccessMethod : uint8_t {
  kTableScan,     // the whole table tree, forwards or backwards; WITHOUT ROWID: its primary index
  kRowidLookup,   // equal[0]: the rowid
  kRowidRange,    // lower/upper on the rowid
  kIndexSeek,     // equal.. on leading columns of `index`, then lower/upper on the next one
  kIndexScan,     // the whole `index`, because it covers or gives the order
  kQuery,         // rows of `input` (a subquery), produced once, kept when scanned again
  kHash,          // rows of `input`, in a hash table on hash_keys, probed with equal..
  kVirtual,       // source->virtual_table, filtered as virtual_plan says
  kOr,            // union of the rowids found by `branches` (multi-index OR), each row once
  kRecursiveQueue,  // the rows of the current step of a recursive CTE
};

// A key of a seek. Its expression is over the child's output (or outer rows).
struct SeekKey {
  BoundExpr* expr = nullptr;   // a value; or a kInList / kInQuery whose members are tried in order
  bool is_in = false;
  bool null_matches = false;   // IS: a NULL key finds NULLs; else a NULL key finds nothing
  bool as_set = false;         // is_in: the members are not tried one by one (VirtualCursor::take_set())
  Affinity affinity = Affinity::kNone;  // applied to the key before the seek
};

// What a virtual table answered to best_index(): the cursor's filter() gets the number, the text and
// the values of AccessNode::equal.
struct VirtualPlan {
  int number = 0;
  std::string_view text;
  bool shows_number_as_hex = false;
  bool order_consumed = false;
  std::span<bool> omit;  // for each key: it need not be checked again
  std::span<bool> sets;  // for each key: it is the set of an IN
  bool takes_offset = false;  // the cursor leaves out the rows before OFFSET
};

struct AccessNode : PlanNode {
  BoundSource* source = nullptr;
  AccessMethod method = AccessMethod::kTableScan;
  JoinType join = JoinType::kInner;
  const Index* index = nullptr;
  bool covering = false;      // the index holds every column that is needed: no look-up in the table
  bool descending = false;    // walk backwards
  std::span<SeekKey> equal;
  BoundExpr* lower = nullptr;
  BoundExpr* upper = nullptr;
  bool lower_inclusive = false, upper_inclusive = false;
  Affinity range_affinity = Affinity::kNone;
  // kIndexSeek: the range is that of a LIKE or GLOB pattern. Blobs match too: after the texts between
  // the bounds come the blobs between the same bytes.
  bool is_like_range = false;
  // kQuery, kHash: produces the rows of the source: its output are columns of source->id.
  PlanNode* input = nullptr;
  std::span<BoundExpr*> hash_keys;            // kHash, over input's output; pairs with equal
  std::span<const Collation*> hash_collations;
  // kOr: each a seek on the same source, not covering; their child is this node's.
  std::span<AccessNode*> branches;
  const VirtualPlan* virtual_plan = nullptr;  // kVirtual
  // Columns of the source that on, filter and the nodes above use. `output` is what is needed above
  // of the child's output, then of these (kQuery: all of both). For kQuery and kHash they are found by
  // (source->id, column) in input's output.
  std::span<int32_t> columns;
  // For outer joins: what decides whether a row matches. Rows of the left side without a match are
  // extended with NULLs (kLeft, kFull); rows of this source that never matched come last, with
  // NULLs on the left (kRight, kFull). For inner joins: null, all is in filter.
  BoundExpr* on = nullptr;
  // What the extended rows, NULL-extended ones included, must also satisfy.
  BoundExpr* filter = nullptr;
  // Only the first match of each left row counts (the results do not depend on the others).
  bool first_match_only = false;
};

struct FilterNode : PlanNode {
  BoundExpr* condition = nullptr;
  // The condition reads no row: unless it is true, the child is not run at all.
  bool is_gate = false;
};

struct ProjectNode : PlanNode {
  std::span<BoundExpr*> exprs;  // slot i
};

enum class AggregateMethod : uint8_t {
  kSingle,  // no GROUP BY: one row always
  kSorted,  // the input comes in group-key order: groups stream out
  kHash,    // any order; groups come out in key order (as SQLite's sorter gives them)
};

struct AggregateNode : PlanNode {
  AggregateMethod method = AggregateMethod::kHash;
  const BoundCore* core = nullptr;  // group_by, aggregates, bare_columns
  // min()/max() over an index: the first row that is not NULL decides, stop there.
  bool first_row_only = false;
  std::span<bool> descending;       // kHash: directions of the keys; empty: all ascending
};

struct DistinctNode : PlanNode {
  std::span<const Collation*> collations;  // rows come out in first-seen order
  uint32_t columns = 0;                    // the first so many columns decide
  bool adjacent = false;                   // equal rows come one after the other
};

struct SortNode : PlanNode {
  std::span<OrderTerm> terms;
  // Sorted already on so many leading terms: only ties need sorting.
  uint32_t presorted_terms = 0;
  // ORDER BY ... LIMIT: only so many rows (limit + offset) matter; null: all.
  BoundExpr* limit = nullptr;
  BoundExpr* offset = nullptr;
};

struct LimitNode : PlanNode {
  BoundExpr* limit = nullptr;
  BoundExpr* offset = nullptr;
};

struct ValuesNode : PlanNode {
  std::span<std::span<BoundExpr*>> rows_exprs;
};

struct SetNode : PlanNode {
  SetOp operation = SetOp::kUnionAll;
  std::span<PlanNode*> children;
  // kSetOperation: by which rows are equal, one a column (UNION ALL: none); and the order of the rows
  // and of both children, by output_column. Equal rows are neighbours in it.
  std::span<const Collation*> collations;
  std::span<OrderTerm> order;
};

struct RecursiveNode : PlanNode {
  const BoundQuery* query = nullptr;
  PlanNode* initial = nullptr;
  std::span<PlanNode*> steps;
  bool distinct = false;  // UNION: rows seen before are dropped
  std::span<OrderTerm> order;  // order of the queue; empty: first in, first out
};

// Adds the columns (window->output, i) of each window to the rows of the child, which come sorted by
// the windows' partition and then their order. `output`: those of both that are needed above.
struct WindowNode : PlanNode {
  // They differ in nothing but the frame. At least one; in the order in which SQLite computes them.
  std::span<BoundWindow*> windows;
};

// The plan of a query. Its root's output is (query.output, 0 .. column_count-1); that of a query in
// FROM may leave out columns that nobody uses.
struct QueryPlan {
  PlanNode* root = nullptr;
  const BoundQuery* query = nullptr;
  // Columns of enclosing queries that the caller passes in before each run.
  std::span<ColumnRef> correlations;
};

}  // namespace godwit
