#include "exec/row_sorter.h"

#include <algorithm>
#include <cstring>

#include "base/utf.h"
#include "value/record.h"

namespace godwit {

namespace {

// Classes of values in the top two bits of a prefix, in SQL's order.
constexpr uint64_t kNumberClass = uint64_t{1} << 62;
constexpr uint64_t kTextClass = uint64_t{2} << 62;
constexpr uint64_t kBlobClass = uint64_t{3} << 62;

// Doubles as integers of the same order, without the two lowest bits of precision.
uint64_t number_prefix(double value) {
  if (value == 0) value = 0;  // -0.0 equals 0.0
  uint64_t bits;
  std::memcpy(&bits, &value, 8);
  bits = (bits >> 63) != 0 ? ~bits : bits | uint64_t{1} << 63;
  return kNumberClass | bits >> 2;
}

uint64_t bytes_prefix(const char* bytes, size_t size) {
  uint64_t word = 0;
  std::memcpy(&word, bytes, std::min<size_t>(size, 8));
  return __builtin_bswap64(word) >> 2;
}

uint64_t text_prefix(std::string_view text, const Collation& collation) {
  switch (collation.kind) {
    case Collation::Kind::kBinary:
      return kTextClass | bytes_prefix(text.data(), text.size());
    case Collation::Kind::kRtrim:
      while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
      return kTextClass | bytes_prefix(text.data(), text.size());
    case Collation::Kind::kNoCase: {
      char folded[8];
      size_t size = 0;
      for (; size < 8 && size < text.size() && text[size] != '\0'; ++size) {
        folded[size] = ascii_lower(text[size]);
      }
      return kTextClass | bytes_prefix(folded, size);
    }
    default:
      return kTextClass;
  }
}

// What clear() keeps of the entries, so that small sorts stop allocating.
constexpr size_t kEntriesKept = 16 * kChunkRowsMax;

// Numbers below this survive number_prefix() without loss.
constexpr int64_t kExactInteger = int64_t{1} << 51;

}  // namespace

int compare_key_values(const SortKey& key, const ValueView& a, const ValueView& b) {
  if (a.is_null() || b.is_null()) {
    if (a.is_null() && b.is_null()) return 0;
    return a.is_null() == key.nulls_first ? -1 : 1;
  }
  int order = compare_values(a, b, key.collation);
  return key.descending ? -order : order;
}

int compare_rows(std::span<const SortKey> keys, const ColumnStore& a_store, uint32_t a,
                 const ColumnStore& b_store, uint32_t b) {
  for (const SortKey& key : keys) {
    int order = compare_key_values(key, a_store.get(a, key.column), b_store.get(b, key.column));
    if (order != 0) return order;
  }
  return 0;
}

RowSorter::RowSorter(size_t columns, std::vector<SortKey> keys)
    : keys_(std::move(keys)), store_(columns) {}

void RowSorter::clear() {
  store_.clear();
  if (entries_.capacity() > kEntriesKept) entries_ = std::vector<Entry>();
  entries_.clear();
  limit_ = -1;
  has_cutoff_ = false;
  prefix_is_exact_ = true;
}

uint64_t RowSorter::prefix_of(const ValueView& value) const {
  const SortKey& key = keys_[0];
  uint64_t prefix = 0;
  switch (value.type) {
    case ValueType::kNull:
      return key.nulls_first ? 0 : UINT64_MAX;
    case ValueType::kInteger:
      prefix = number_prefix(static_cast<double>(value.integer));
      break;
    case ValueType::kReal:
      prefix = number_prefix(value.real);
      break;
    case ValueType::kText:
      prefix = text_prefix(value.text(), *key.collation);
      break;
    case ValueType::kBlob:
      prefix = kBlobClass | (value.zero_filled ? 0 : bytes_prefix(value.bytes, value.size));
      break;
  }
  return key.descending ? ~prefix : prefix;
}

void RowSorter::note_prefix_types(const Vector& vector, const Selection& selection) {
  if (!vector.is_uniform(ValueType::kInteger)) {
    prefix_is_exact_ = false;
    return;
  }
  for (uint32_t i = 0; i < selection.count; ++i) {
    int64_t value = vector.slots()[vector.index(selection[i])].integer;
    if (value >= kExactInteger || value <= -kExactInteger) prefix_is_exact_ = false;
  }
}

void RowSorter::append(std::span<const Vector* const> columns, const Selection& selection) {
  if (limit_ == 0) return;
  if (keys_.empty()) {
    uint32_t row = store_.size();
    store_.append(columns, selection);
    for (uint32_t i = 0; i < selection.count; ++i) entries_.push_back({0, row + i});
    return;
  }
  const Vector& key = *columns[keys_[0].column];
  if (prefix_is_exact_) note_prefix_types(key, selection);
  if (kept_.size() < selection.count) kept_.resize(selection.count);
  uint32_t row = store_.size();
  uint32_t kept = 0;
  for (uint32_t i = 0; i < selection.count; ++i) {
    uint64_t prefix = prefix_of(key.get(selection[i]));
    if (has_cutoff_ && prefix > cutoff_) continue;
    entries_.push_back({prefix, row + kept});
    kept_[kept++] = static_cast<uint16_t>(selection[i]);
  }
  store_.append(columns, {kept_.data(), kept});
  // Dropping pays when it halves what is kept.
  constexpr int64_t kSlack = 4 * kChunkRowsMax;
  if (limit_ > 0 && static_cast<int64_t>(entries_.size()) > limit_ + std::max(limit_, kSlack)) {
    drop_excess();
  }
}

bool RowSorter::comes_before(const Entry& a, const Entry& b) const {
  if (a.prefix != b.prefix) return a.prefix < b.prefix;
  std::span<const SortKey> keys = keys_;
  if (prefix_is_exact_ && !keys.empty()) keys = keys.subspan(1);
  int order = compare_rows(keys, store_, a.row, store_, b.row);
  return order != 0 ? order < 0 : a.row < b.row;
}

// Keeps the first limit_ rows only.
void RowSorter::drop_excess() {
  store_.finish();
  auto before = [this](const Entry& a, const Entry& b) { return comes_before(a, b); };
  std::nth_element(entries_.begin(), entries_.begin() + (limit_ - 1), entries_.end(), before);
  entries_.resize(static_cast<size_t>(limit_));
  cutoff_ = entries_.back().prefix;
  has_cutoff_ = true;

  // Rows move to a fresh store in the order in which they came, so that the sort stays stable.
  std::sort(entries_.begin(), entries_.end(),
            [](const Entry& a, const Entry& b) { return a.row < b.row; });
  ColumnStore kept(store_.column_count());
  std::vector<const Vector*> columns(store_.column_count());
  std::vector<uint16_t> rows;
  for (size_t i = 0; i < entries_.size();) {
    uint32_t block = entries_[i].row / ColumnStore::kBlockRows;
    rows.clear();
    for (; i < entries_.size() && entries_[i].row / ColumnStore::kBlockRows == block; ++i) {
      rows.push_back(static_cast<uint16_t>(entries_[i].row % ColumnStore::kBlockRows));
    }
    for (size_t c = 0; c < columns.size(); ++c) columns[c] = store_.block_column(block, c);
    kept.append(columns, {rows.data(), static_cast<uint32_t>(rows.size())});
  }
  for (size_t i = 0; i < entries_.size(); ++i) entries_[i].row = static_cast<uint32_t>(i);
  std::swap(store_, kept);
}

void RowSorter::sort() {
  store_.finish();
  if (!keys_.empty()) {
    std::sort(entries_.begin(), entries_.end(),
              [this](const Entry& a, const Entry& b) { return comes_before(a, b); });
  }
  if (limit_ >= 0 && static_cast<int64_t>(entries_.size()) > limit_) {
    entries_.resize(static_cast<size_t>(limit_));
  }
}

}  // namespace godwit
