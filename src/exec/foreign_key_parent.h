// Whether the parent of a row exists: a seek in the parent's unique index, or by its rowid.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/arena.h"
#include "base/status.h"
#include "btree/btree.h"
#include "plan/bound_foreign_key.h"
#include "value/value.h"

namespace godwit {

class ForeignKeyParent {
 public:
  explicit ForeignKeyParent(const BoundReference& reference) : reference_(&reference) {}
  const BoundReference& reference() const { return *reference_; }

  // `key`: the child's values in the order of BoundReference::child_columns, none of them NULL. They
  // are compared as values of the parent's columns.
  Result<bool> exists(Btree* btree, std::span<const ValueView> key);
  void close();

 private:
  Status open(Btree* btree);

  const BoundReference* reference_;
  Btree* btree_ = nullptr;  // whose cursor is open
  std::unique_ptr<Cursor> cursor_;
  std::vector<ValueView> key_;
  Arena bytes_;
};

}  // namespace godwit
