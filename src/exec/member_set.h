// The right side of an IN, held as a set: x IN set is true, false, or (because of NULLs) unknown.
//
// One column: unknown if x is NULL, or if it was not found and the set has a NULL. Several columns
// (row values): unknown if it was not found but some member would be equal if NULLs were the right
// values. An empty set gives false, whatever x is.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "exec/expression_node.h"
#include "exec/row_key_table.h"
#include "exec/vector_affinity.h"

namespace godwit {

class MemberSet {
 public:
  MemberSet(std::vector<const Collation*> collations, std::vector<Affinity> affinities);

  void clear();
  bool empty() const { return empty_; }
  // Adds the rows of `columns`; applies the affinities.
  void add(std::span<const Vector* const> columns, const Selection& selection, uint32_t rows);
  // truths[row] for each selected row; applies the affinities.
  void look_up(std::span<const Vector* const> columns, const Selection& selection, uint32_t rows,
               Truth* truths);

 private:
  struct Column {
    const Collation* collation;
    ComparisonAffinity member_affinity, subject_affinity;
    Column(const Collation* c, Affinity a) : collation(c), member_affinity(a), subject_affinity(a) {}
  };

  void keep_rows(std::span<const Vector* const> columns, const Selection& selection);
  bool may_equal_some(std::span<const Vector* const> columns, uint32_t row) const;

  std::vector<std::unique_ptr<Column>> columns_;
  RowKeyTable table_;
  std::vector<const Vector*> converted_;
  std::vector<uint32_t> numbers_;
  bool empty_ = true;
  bool has_null_ = false;
  std::vector<Value> kept_;  // several columns: all members, row after row
};

}  // namespace godwit
