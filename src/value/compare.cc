// The order of values, and of keys against stored records.
#include <algorithm>
#include <cstring>

#include "base/assert.h"
#include "base/utf.h"
#include "value/record.h"

namespace godwit {

namespace {

int sign(int64_t a, int64_t b) {
  return a < b ? -1 : a > b;
}

int compare_bytes(const char* a, uint32_t size_a, const char* b, uint32_t size_b) {
  uint32_t shared = std::min(size_a, size_b);
  int order = shared == 0 ? 0 : std::memcmp(a, b, shared);
  if (order != 0) return order;
  return size_a < size_b ? -1 : size_a > size_b;
}

// Compares blobs of which at least one is zeros that were never materialized.
int compare_zero_filled(const ValueView& a, const ValueView& b) {
  if (!a.zero_filled) return -compare_zero_filled(b, a);
  if (!b.zero_filled) {
    uint32_t shared = std::min(a.size, b.size);
    for (uint32_t i = 0; i < shared; ++i) {
      if (b.bytes[i] != 0) return -1;
    }
  }
  return a.size < b.size ? -1 : a.size > b.size;
}

int compare_numbers(const ValueView& a, const ValueView& b) {
  if (a.is_integer()) {
    return b.is_integer() ? sign(a.integer, b.integer) : compare_integer_real(a.integer, b.real);
  }
  if (b.is_integer()) return -compare_integer_real(b.integer, a.real);
  return a.real < b.real ? -1 : a.real > b.real;
}

// Rank of the storage class in the order of all values; integers and reals are one class.
int class_rank(ValueType type) {
  constexpr int8_t kRanks[] = {0, 1, 1, 2, 3};
  return kRanks[static_cast<int>(type)];
}

// Text as stored against a text of the key. Only UTF-16 databases need a conversion.
int compare_text_with_stored(const ValueView& key, const ValueView& stored, const KeyInfo& info,
                             const Collation* collation) {
  if (info.encoding == TextEncoding::kUtf8) [[likely]] {
    if (collation->is_binary()) {
      return compare_bytes(key.bytes, key.size, stored.bytes, stored.size);
    }
    return collation->compare(key.text(), stored.text());
  }
  thread_local std::vector<char> converted;
  converted.clear();
  append_utf16_as_utf8(reinterpret_cast<const uint8_t*>(stored.bytes), stored.size,
                       info.encoding == TextEncoding::kUtf16be, &converted);
  return collation->compare(key.text(), {converted.data(), converted.size()});
}

int compare_with_stored(const ValueView& key, const ValueView& stored, const KeyInfo& info,
                        const Collation* collation) {
  if (key.is_text() && stored.is_text()) {
    return compare_text_with_stored(key, stored, info, collation);
  }
  return compare_values(key, stored, collation);
}

}  // namespace

int compare_integer_real(int64_t i, double r) {
  if (r != r) return 1;  // as if NULL
  if (r < -9223372036854775808.0) return 1;
  if (r >= 9223372036854775808.0) return -1;
  int64_t whole = static_cast<int64_t>(r);
  if (i != whole) return i < whole ? -1 : 1;
  // Equal up to the fraction of r, which only exists where doubles hold `whole` exactly.
  double exact = static_cast<double>(whole);
  return exact < r ? -1 : exact > r;
}

int compare_values(const ValueView& a, const ValueView& b, const Collation* collation) {
  int rank = class_rank(a.type);
  int order = rank - class_rank(b.type);
  if (order != 0) return order;
  switch (rank) {
    case 0:
      return 0;
    case 1:
      return compare_numbers(a, b);
    case 2:
      if (collation == nullptr || collation->is_binary()) {
        return compare_bytes(a.bytes, a.size, b.bytes, b.size);
      }
      return collation->compare(a.text(), b.text());
    default:
      if (a.zero_filled || b.zero_filled) return compare_zero_filled(a, b);
      return compare_bytes(a.bytes, a.size, b.bytes, b.size);
  }
}

int compare_key_record(const KeyInfo& info, std::span<const ValueView> key, ByteSpan stored,
                       Status* error) {
  GW_ASSERT(key.size() <= info.columns.size());
  const uint8_t* data = stored.data();
  uint64_t header_size = 0;
  int used = read_varint(data, data + stored.size(), &header_size);
  if (used == 0 || header_size > stored.size()) {
    *error = corrupt("index record header size");
    return 0;
  }
  const uint8_t* header = data + used;
  const uint8_t* header_end = data + header_size;
  uint64_t offset = header_size;
  for (size_t i = 0; i < key.size(); ++i) {
    uint64_t type;
    used = header < header_end ? read_varint(header, header_end, &type) : 0;
    if (used == 0) {
      *error = corrupt("index record has too few columns");
      return 0;
    }
    header += used;
    uint64_t size = type < 12 ? serial_type_size(type) : (type - 12) / 2;
    if (size > stored.size() - offset) {
      *error = corrupt("index record body shorter than its header says");
      return 0;
    }
    const uint8_t* body = data + offset;
    offset += size;
    const KeyColumn& column = info.columns[i];
    const ValueView& wanted = key[i];
    int order;
    if (wanted.is_integer() && type >= 1 && type <= 6) {
      order = sign(wanted.integer, decode_serial_integer(type, body));
    } else {
      ValueView value;
      decode_serial(type, body, &value);
      order = compare_with_stored(wanted, value, info, column.collation);
      if (order != 0 && column.nulls_reversed && (wanted.is_null() || value.is_null())) {
        order = -order;
      }
    }
    if (order != 0) return column.descending ? -order : order;
  }
  return 0;
}

}  // namespace godwit
