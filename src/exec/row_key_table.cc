#include "exec/row_key_table.h"

#include <algorithm>
#include <cstring>

#include "base/hash.h"

namespace godwit {

namespace {
constexpr size_t kFirstBuckets = 64;

uint64_t bucket_tag(uint64_t hash) { return hash & 0xFFFFFFFF00000000; }
uint32_t bucket_number(uint64_t bucket) { return static_cast<uint32_t>(bucket) - 1; }
}  // namespace

RowKeyTable::RowKeyTable(std::span<const Collation* const> collations, Nulls nulls)
    : encoder_(collations), nulls_(nulls), single_column_(collations.size() == 1),
      binary_text_(single_column_ && (collations[0] == nullptr || collations[0]->is_binary())),
      integer_mode_(single_column_) {}

void RowKeyTable::clear() {
  std::fill(buckets_.begin(), buckets_.end(), 0);
  count_ = 0;
  null_number_ = kNone;
  integers_.clear();
  entries_.clear();
  bytes_.reset();
  integer_mode_ = single_column_;
}

size_t RowKeyTable::bytes_held() const {
  return buckets_.capacity() * sizeof(Bucket) + integers_.capacity() * sizeof(int64_t) +
         entries_.capacity() * sizeof(Entry) + bytes_.bytes_reserved() + encoder_.bytes_held();
}

void RowKeyTable::find_or_insert(std::span<const Vector* const> columns,
                                 const Selection& selection, uint32_t* numbers) {
  look_up<true>(columns, selection, numbers);
}

void RowKeyTable::find(std::span<const Vector* const> columns, const Selection& selection,
                       uint32_t* numbers) {
  look_up<false>(columns, selection, numbers);
}

template <bool kInsert>
void RowKeyTable::look_up(std::span<const Vector* const> columns, const Selection& selection,
                          uint32_t* numbers) {
  uint32_t i = 0;
  if (integer_mode_) {
    const Vector& column = *columns[0];
    if (column.is_uniform(ValueType::kInteger) && !column.is_constant()) {
      const Vector::Slot* slots = column.slots();
      for (; i < selection.count; ++i) {
        numbers[i] = look_up_integer<kInsert>(slots[selection[i]].integer);
      }
      return;
    }
    for (; i < selection.count; ++i) {
      ValueView value = column.get(selection[i]);
      int64_t key = value.integer;
      if (value.is_null()) {
        numbers[i] = look_up_null<kInsert>();
      } else if (value.is_integer() ||
                 (value.is_real() && real_equals_integer(value.real, &key))) {
        numbers[i] = look_up_integer<kInsert>(key);
      } else if (kInsert) {
        leave_integer_mode();
        break;
      } else {
        numbers[i] = kNone;  // all keys are integers
      }
    }
  }
  if (binary_text_ && columns[0]->is_uniform(ValueType::kText)) {
    const Vector& column = *columns[0];
    for (; i < selection.count; ++i) {
      uint32_t row = column.index(selection[i]);
      numbers[i] = look_up_text<kInsert>({column.slots()[row].bytes, column.sizes()[row]});
    }
    return;
  }
  for (; i < selection.count; ++i) {
    bool has_null;
    std::string_view key = encoder_.encode(columns, selection[i], &has_null);
    numbers[i] = has_null && nulls_ == Nulls::kNeverMatch ? kNone : look_up_bytes<kInsert>(key);
  }
}

template <bool kInsert>
uint32_t RowKeyTable::look_up_null() {
  if (nulls_ == Nulls::kNeverMatch) return kNone;
  if (kInsert && null_number_ == kNone) {
    null_number_ = count_++;
    integers_.push_back(0);
  }
  return null_number_;
}

template <bool kInsert>
uint32_t RowKeyTable::look_up_integer(int64_t key) {
  if (kInsert && (count_ + 1) * 2 > buckets_.size()) [[unlikely]]
    grow();
  if (!kInsert && buckets_.empty()) return kNone;
  uint64_t hash = hash_integer(static_cast<uint64_t>(key));
  size_t at = hash & mask_;
  while (buckets_[at] != 0) {
    if (bucket_tag(buckets_[at]) == bucket_tag(hash)) {
      uint32_t number = bucket_number(buckets_[at]);
      if (integers_[number] == key) return number;
    }
    at = (at + 1) & mask_;
  }
  if (!kInsert) return kNone;
  integers_.push_back(key);
  return add(hash, at);
}

template <bool kInsert>
uint32_t RowKeyTable::look_up_bytes(std::string_view key) {
  if (kInsert && (count_ + 1) * 2 > buckets_.size()) [[unlikely]]
    grow();
  if (!kInsert && buckets_.empty()) return kNone;
  uint64_t hash = hash_key(key);
  size_t at = hash & mask_;
  while (buckets_[at] != 0) {
    if (bucket_tag(buckets_[at]) == bucket_tag(hash)) {
      uint32_t number = bucket_number(buckets_[at]);
      const Entry& entry = entries_[number];
      if (entry.size == key.size() && std::memcmp(entry.bytes, key.data(), key.size()) == 0) {
        return number;
      }
    }
    at = (at + 1) & mask_;
  }
  if (!kInsert) return kNone;
  entries_.push_back({bytes_.copy(key).data(), static_cast<uint32_t>(key.size())});
  return add(hash, at);
}

uint32_t RowKeyTable::add(uint64_t hash, size_t bucket) {
  buckets_[bucket] = bucket_tag(hash) | (count_ + 1);
  return count_++;
}

uint64_t RowKeyTable::hash_of(uint32_t number) const {
  if (integer_mode_) return hash_integer(static_cast<uint64_t>(integers_[number]));
  return hash_key({entries_[number].bytes, entries_[number].size});
}

// A single text is hashed without its header, so that it need not be encoded to be found.
uint64_t RowKeyTable::hash_key(std::string_view key) const {
  if (binary_text_ && key[0] == RowKeyEncoder::kTextTag) {
    key.remove_prefix(RowKeyEncoder::kSizedHeaderBytes);
  }
  return hash_bytes(key);
}

template <bool kInsert>
uint32_t RowKeyTable::look_up_text(std::string_view text) {
  constexpr size_t kHeader = RowKeyEncoder::kSizedHeaderBytes;
  if (!buckets_.empty()) {
    uint64_t hash = hash_bytes(text);
    for (size_t at = hash & mask_; buckets_[at] != 0; at = (at + 1) & mask_) {
      if (bucket_tag(buckets_[at]) != bucket_tag(hash)) continue;
      uint32_t number = bucket_number(buckets_[at]);
      const Entry& entry = entries_[number];
      if (entry.bytes[0] == RowKeyEncoder::kTextTag && entry.size == text.size() + kHeader &&
          (text.empty() || std::memcmp(entry.bytes + kHeader, text.data(), text.size()) == 0)) {
        return number;
      }
    }
  }
  if (!kInsert) return kNone;
  ValueView value = ValueView::of_text(text);
  bool has_null;
  return look_up_bytes<true>(encoder_.encode(std::span<const ValueView>(&value, 1), &has_null));
}

void RowKeyTable::grow() { rehash(buckets_.size() * 2); }

// Gives the table `wanted` buckets, or more if the keys need them.
void RowKeyTable::rehash(size_t wanted) {
  wanted = std::max(wanted, kFirstBuckets);
  while ((count_ + 1) * size_t{2} > wanted) wanted *= 2;
  buckets_.assign(wanted, 0);
  mask_ = wanted - 1;
  for (uint32_t number = 0; number < count_; ++number) {
    if (integer_mode_ && number == null_number_) continue;
    uint64_t hash = hash_of(number);
    size_t at = hash & mask_;
    while (buckets_[at] != 0) at = (at + 1) & mask_;
    buckets_[at] = bucket_tag(hash) | (number + 1);
  }
}

void RowKeyTable::leave_integer_mode() {
  integer_mode_ = false;
  entries_.reserve(count_ + 1);
  for (uint32_t number = 0; number < count_; ++number) {
    ValueView value =
        number == null_number_ ? ValueView::null() : ValueView::of(integers_[number]);
    bool has_null;
    std::string_view key = encoder_.encode(std::span<const ValueView>(&value, 1), &has_null);
    entries_.push_back({bytes_.copy(key).data(), static_cast<uint32_t>(key.size())});
  }
  integers_.clear();
  null_number_ = kNone;
  // The table is cleared and used again many times: it must not grow each time it comes here.
  if (count_ > 0) rehash(buckets_.size());
}

}  // namespace godwit
