#include "exec/tree_directory.h"

#include "value/record.h"

namespace godwit {

void TreeDirectory::prepare(Btree* btree, PageNumber root, const KeyInfo* key_info,
                            size_t memory_budget_bytes) {
  btree_ = btree;
  root_ = root;
  key_info_ = key_info;
  budget_ = memory_budget_bytes;
  // Keys that descend would need other starts.
  const bool is_fit = key_info == nullptr || !key_info->columns[0].descending;
  next_decision_ = is_fit ? kLookUpsMin : kNever;
}

void TreeDirectory::clear() {
  look_ups_ = 0;
  if (!knows_size_) return;
  knows_size_ = false;
  next_decision_ = kLookUpsMin;
  release();
}

void TreeDirectory::release() {
  is_ready_ = false;
  if (cursor_ != nullptr) cursor_->invalidate();
  places_ = {};
  keys_ = {};
  images_ = {};
  starts_ = {};
}

Status TreeDirectory::decide() {
  next_decision_ = kNever;
  if (cursor_ == nullptr) {
    const TreeKind kind = key_info_ == nullptr ? TreeKind::kTable : TreeKind::kIndex;
    GW_ASSIGN(cursor_, Cursor::open(btree_, root_, kind, key_info_, false));
  }
  if (!knows_size_) {
    knows_size_ = true;
    GW_ASSIGN(size_, cursor_->estimated_count());
    cursor_->invalidate();
    if (size_ > budget_ / sizeof(Place)) return Status();
    next_decision_ = size_ / kEntriesPerLookUp;
    if (look_ups_ < next_decision_) return Status();
    next_decision_ = kNever;
  }
  // Pages that no look-up asks for may be damaged: that is no error of this run.
  auto is_read = read_tree();
  is_ready_ = is_read.ok() && *is_read && make_starts() && cursor_->first().ok();
  keys_ = {};
  if (!is_ready_) release();
  return Status();
}

Result<bool> TreeDirectory::read_tree() {
  places_.reserve(size_ + size_ / 8);
  keys_.reserve(size_ + size_ / 8);
  GW_TRY(cursor_->first());
  size_t image_bytes = 0;
  constexpr uint32_t kBatch = 128;
  LeafEntry entries[kBatch];
  for (;;) {
    PageImageRef image;
    GW_ASSIGN(uint32_t count, cursor_->next_batch(entries, kBatch, &image));
    if (count == 0) return true;
    if (!take({entries, count})) return false;
    if (images_.empty() || images_.back().get() != image.get()) {
      image_bytes += image->size();
      images_.push_back(std::move(image));
    }
    if (image_bytes + places_.size() * sizeof(Place) > budget_) return false;
  }
}

// Takes over the entries that a key can find. False: one is not fit for it.
bool TreeDirectory::take(std::span<const LeafEntry> entries) {
  for (const LeafEntry& entry : entries) {
    // What is on other pages would not be held.
    if (!entry.payload.is_complete()) return false;
    bool is_null;
    int64_t key;
    if (!key_of(entry, &is_null, &key)) return false;
    if (is_null) continue;
    places_.push_back({entry.payload.local, entry.payload.size});
    keys_.push_back(key);
  }
  return true;
}

bool TreeDirectory::key_of(const LeafEntry& entry, bool* is_null, int64_t* key) const {
  *is_null = false;
  if (key_info_ == nullptr) {
    *key = entry.rowid;
    return true;
  }
  const uint8_t* record = entry.payload.local;
  const uint32_t size = entry.payload.size;
  if (size < 2 || record[0] > 0x7f || record[0] < 2 || record[0] > size) return false;
  const uint8_t type = record[1];
  *is_null = type == 0;
  if (*is_null) return true;
  if (type == 7 || type > 9 || record[0] + serial_type_size(type) > size) return false;
  *key = type >= 8 ? type - 8 : decode_serial_integer(type, record + record[0]);
  return true;
}

// False: too many holes, or keys out of order.
bool TreeDirectory::make_starts() {
  if (keys_.empty() || keys_.back() < keys_.front()) return false;
  low_ = keys_.front();
  const uint64_t last = static_cast<uint64_t>(keys_.back()) - static_cast<uint64_t>(low_);
  if (last >= keys_.size() * kHolesMax + kLookUpsMin) return false;
  range_ = last + 1;
  starts_.resize(range_ + 1);
  uint64_t next = 0;  // of starts_
  for (size_t i = 0; i < keys_.size(); ++i) {
    const uint64_t offset = static_cast<uint64_t>(keys_[i]) - static_cast<uint64_t>(low_);
    if (offset > last || offset + 1 < next) return false;
    while (next <= offset) starts_[next++] = static_cast<uint32_t>(i);
  }
  starts_[next] = static_cast<uint32_t>(keys_.size());
  return true;
}

}  // namespace godwit
