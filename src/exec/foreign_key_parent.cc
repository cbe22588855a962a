#include "exec/foreign_key_parent.h"

#include "value/affinity.h"

namespace godwit {

Status ForeignKeyParent::open(Btree* btree) {
  const Table& parent = *reference_->parent;
  const Index* index = reference_->parent_index;
  if (index == nullptr) {
    GW_ASSIGN(cursor_, Cursor::open(btree, parent.root, TreeKind::kTable, nullptr, false));
  } else {
    GW_ASSIGN(cursor_,
              Cursor::open(btree, index->root, TreeKind::kIndex, &index->key_info, false));
  }
  btree_ = btree;
  return Status();
}

Result<bool> ForeignKeyParent::exists(Btree* btree, std::span<const ValueView> key) {
  if (reference_->parent == nullptr) return false;
  if (btree != btree_) GW_TRY(open(btree));
  bytes_.reset();
  int order = 0;
  if (reference_->parent_index == nullptr) {
    ValueView rowid = key[0];
    apply_affinity(Affinity::kInteger, &rowid, &bytes_);
    if (!rowid.is_integer()) return false;
    GW_TRY(cursor_->seek_rowid(rowid.integer, &order));
  } else {
    key_.assign(key.begin(), key.end());
    for (size_t i = 0; i < key_.size(); ++i) {
      size_t column = static_cast<size_t>(reference_->parent_columns[i]);
      apply_affinity(reference_->parent->columns[column].affinity, &key_[i], &bytes_);
    }
    GW_TRY(cursor_->seek_key(key_, &order));
  }
  return !cursor_->at_end() && order == 0;
}

void ForeignKeyParent::close() {
  if (cursor_ != nullptr) cursor_->invalidate();
}

}  // namespace godwit
