// Constraints: what the terms of a FROM clause say about one column (or indexed expression) of one
// source, in a form that an access path can use: column op value.
//
// One term may give several constraints: `a.x = b.y` one on each side, BETWEEN two. Some come from
// no single term: a=b AND b=5 gives a=5 (only where a and b compare alike). A path that uses a
// constraint with `exact` need not evaluate the constraint's part of its term again.
#pragma once

#include "plan/from_clause.h"
#include "plan/log_est.h"

namespace godwit {

enum class ConstraintOp : uint8_t { kEq, kIs, kIsNull, kIn, kLt, kLe, kGt, kGe };

inline bool is_lower(ConstraintOp op) { return op == ConstraintOp::kGt || op == ConstraintOp::kGe; }
inline bool is_upper(ConstraintOp op) { return op == ConstraintOp::kLt || op == ConstraintOp::kLe; }
inline bool is_range(ConstraintOp op) { return op >= ConstraintOp::kLt; }

struct Constraint {
  ConstraintOp op = ConstraintOp::kEq;
  uint8_t source = 0;              // index in the FROM clause
  bool exact = true;
  bool is_like = false;            // a bound that LIKE or GLOB gave: see AccessNode::is_like_range
  uint8_t parts_of_term = 1;       // BETWEEN: 2, the term is done when both are used
  uint16_t term = 0;               // index in FromClause::terms
  int32_t column = 0;              // of the table; kRowid; IndexColumn::kExpression: see `left`
  const BoundExpr* left = nullptr;
  BoundExpr* value = nullptr;      // null: kIsNull; kIn: the whole IN expression
  SourceMask prerequisites = 0;    // sources that must stand before
  Affinity affinity = Affinity::kNone;
  const Collation* collation = nullptr;
  LogEst in_count = 0;             // kIn: how many members
};

// The constraints of from->terms.
ArenaVector<Constraint> derive_constraints(FromClause* from);

// Null stands for BINARY.
bool same_collation(const Collation* a, const Collation* b);

}  // namespace godwit
