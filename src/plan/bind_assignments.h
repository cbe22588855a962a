// The SET clause of UPDATE and of ON CONFLICT DO UPDATE.
#pragma once

#include <vector>

#include "plan/bind_dml.h"

namespace godwit {

class AssignmentBinder {
 public:
  AssignmentBinder(const DmlContext& context, const Table& table)
      : context_(context), table_(table) {}

  // Binds the values in the binder's innermost scope.
  Status bind(const ast::Assignment& assignment);

  // Whether the names are those of columns that can be assigned.
  Status check_names(const ast::Assignment& assignment) const {
    for (const ast::Name& name : assignment.columns) GW_TRY(resolve(name).status());
    return Status();
  }

  // Table columns (ColumnRef::kRowid: the rowid), each once, and the value of each.
  const std::vector<int32_t>& columns() const { return columns_; }
  const std::vector<BoundExpr*>& values() const { return values_; }

 private:
  Result<int32_t> resolve(const ast::Name& name) const;
  Result<bool> may_assign(const ast::Assignment& assignment) const;
  void assign(int32_t column, BoundExpr* value);
  Status bind_row(const ast::Assignment& assignment);

  const DmlContext& context_;
  const Table& table_;
  std::vector<int32_t> columns_;
  std::vector<BoundExpr*> values_;
};

}  // namespace godwit
