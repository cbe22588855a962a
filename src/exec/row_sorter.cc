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

// The bytes that the first prefix of a binary text surely holds.
constexpr size_t kTextPrefixBytes = 7;

// A text after those bytes: seven more, and in the last byte its size, so that texts which end where
// others have NUL bytes come first. Texts with equal results are equal, unless they are longer.
uint64_t rest_of_text(std::string_view text) {
  const size_t rest = text.size() <= kTextPrefixBytes ? 0 : text.size() - kTextPrefixBytes;
  uint64_t word = 0;
  if (rest > 0) std::memcpy(&word, text.data() + kTextPrefixBytes, std::min<size_t>(rest, 7));
  return __builtin_bswap64(word) | std::min<size_t>(text.size(), 2 * kTextPrefixBytes + 1);
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

uint64_t RowSorter::prefix_of(const SortKey& key, const ValueView& value) {
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
    uint64_t prefix = prefix_of(keys_[0], key.get(selection[i]));
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

// Calls visit(begin, end) for each run of more than one entry with equal prefixes.
template <typename Entry, typename Visit>
void for_each_run(Entry* begin, Entry* end, Visit visit) {
  for (Entry* run = begin; run != end;) {
    Entry* next = run + 1;
    while (next != end && next->prefix == run->prefix) ++next;
    if (next - run > 1) visit(run, next);
    run = next;
  }
}

// The entries are equal on the keys before `key`, and have prefixes of that one.
void RowSorter::sort_by_key(Entry* begin, Entry* end, size_t key) {
  std::sort(begin, end, [](const Entry& a, const Entry& b) { return a.prefix < b.prefix; });
  for_each_run(begin, end, [&](Entry* a, Entry* b) { sort_equal_prefixes(a, b, key); });
}

void RowSorter::sort_equal_prefixes(Entry* begin, Entry* end, size_t key) {
  const SortKey& sort_key = keys_[key];
  bool equal = true;
  bool text = sort_key.collation != nullptr && sort_key.collation->is_binary();
  for (Entry* entry = begin; entry != end && (equal || text); ++entry) {
    ValueView value = store_.get(entry->row, sort_key.column);
    text &= value.is_text();
    equal &= value.is_null() || (value.is_integer() && value.integer < kExactInteger &&
                                 value.integer > -kExactInteger);
  }
  if (equal) return sort_equal_keys(begin, end, key);
  if (text) return sort_by_rest_of_text(begin, end, key);
  sort_by_values(begin, end, key);
}

void RowSorter::sort_by_rest_of_text(Entry* begin, Entry* end, size_t key) {
  const SortKey& sort_key = keys_[key];
  for (Entry* entry = begin; entry != end; ++entry) {
    uint64_t rest = rest_of_text(store_.get(entry->row, sort_key.column).text());
    entry->prefix = sort_key.descending ? ~rest : rest;
  }
  std::sort(begin, end, [](const Entry& a, const Entry& b) { return a.prefix < b.prefix; });
  for_each_run(begin, end, [&](Entry* a, Entry* b) {
    uint64_t rest = sort_key.descending ? ~a->prefix : a->prefix;
    if ((rest & 0xff) <= 2 * kTextPrefixBytes) return sort_equal_keys(a, b, key);
    sort_by_values(a, b, key);
  });
}

// The entries are equal on `key` too.
void RowSorter::sort_equal_keys(Entry* begin, Entry* end, size_t key) {
  if (key + 1 == keys_.size()) {
    std::sort(begin, end, [](const Entry& a, const Entry& b) { return a.row < b.row; });
    return;
  }
  const SortKey& next = keys_[key + 1];
  for (Entry* entry = begin; entry != end; ++entry) {
    entry->prefix = prefix_of(next, store_.get(entry->row, next.column));
  }
  sort_by_key(begin, end, key + 1);
}

void RowSorter::sort_by_values(Entry* begin, Entry* end, size_t key) {
  std::span<const SortKey> keys = std::span<const SortKey>(keys_).subspan(key);
  std::sort(begin, end, [&](const Entry& a, const Entry& b) {
    int order = compare_rows(keys, store_, a.row, store_, b.row);
    return order != 0 ? order < 0 : a.row < b.row;
  });
}

void RowSorter::sort() {
  store_.finish();
  if (!keys_.empty() && !entries_.empty()) {
    sort_by_key(entries_.data(), entries_.data() + entries_.size(), 0);
  }
  if (limit_ >= 0 && static_cast<int64_t>(entries_.size()) > limit_) {
    entries_.resize(static_cast<size_t>(limit_));
  }
}

}  // namespace godwit
