// The decoding loops: see row_decoder.h.
#include "exec/row_decoder.h"

#include <array>
#include <cstring>

#include "base/utf.h"

namespace godwit {

namespace {

constexpr uint32_t kPrefetchDistance = 8;

// Body bytes by serial type, for types of one byte.
constexpr std::array<uint8_t, 128> kSerialSizes = [] {
  std::array<uint8_t, 128> sizes{};
  constexpr uint8_t kFixed[12] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
  for (uint32_t type = 0; type < 128; ++type) {
    sizes[type] = type < 12 ? kFixed[type] : static_cast<uint8_t>((type - 12) / 2);
  }
  return sizes;
}();

// The integer in the `size` (1..8) bytes before `end`. Reads kLeadBytes bytes before `end`, so that
// one load serves all sizes.
inline int64_t load_integer_before(const uint8_t* end, uint32_t size) {
  uint32_t shift = 64 - 8 * size;
  return static_cast<int64_t>(load_be64(end - 8) << shift) >> shift;
}

inline void set_tag(uint8_t* tags, uint32_t& types, uint32_t row, ValueType type) {
  tags[row] = static_cast<uint8_t>(type);
  types |= ColumnBuilder::mask_of(type);
}

}  // namespace

Status RowDecoder::decode(std::span<LeafEntry> entries, const Selection& rows,
                          std::span<const DecodeColumn> columns, Cursor* cursor, Arena* arena) {
  while (!columns.empty() && columns.front().position == DecodeColumn::kRowidPosition) {
    ColumnBuilder& target = *columns.front().target;
    for (uint32_t i = 0; i < rows.count; ++i) {
      uint32_t row = rows[i];
      if (entries[row].overflow == kNullEntry) [[unlikely]] {
        target.put_null(row);
      } else {
        target.put_integer(row, entries[row].rowid);
      }
    }
    columns = columns.subspan(1);
  }
  if (columns.empty()) return Status();

  columns_ = columns;
  targets_.resize(columns.size());
  for (size_t i = 0; i < columns.size(); ++i) {
    ColumnBuilder& target = *columns[i].target;
    targets_[i] = {target.slots(), target.sizes(), target.tags(), 0,
                   static_cast<uint32_t>(columns[i].position), columns[i].real_affinity};
  }
  header_bytes_ = columns.back().position + 1;
  short_header_mask_ =
      header_bytes_ > 8 ? 0 : uint64_t{0x8080808080808080} << (8 * (8 - header_bytes_));
  for (uint32_t i = 0; i < rows.count; ++i) {
    uint32_t row = rows[i];
    LeafEntry& entry = entries[row];
    // Rows of look-ups are anywhere, mostly not in the cache.
    if (i + kPrefetchDistance < rows.count) {
      __builtin_prefetch(entries[rows[i + kPrefetchDistance]].payload.local);
    }
    if (entry.overflow == kNullEntry) [[unlikely]] {
      store_nulls(row);
      continue;
    }
    Outcome outcome = decode_row(entry, row, arena);
    if (outcome == Outcome::kNeedsOverflow) {
      GW_TRY(read_overflow(entry, cursor, arena));
      outcome = decode_row(entry, row, arena);
    }
    if (outcome != Outcome::kDone) [[unlikely]]
      return corrupt("record shorter than its header says");
  }
  for (size_t i = 0; i < columns.size(); ++i) columns[i].target->add_types(targets_[i].types);
  return Status();
}

RowDecoder::Outcome RowDecoder::decode_row(const LeafEntry& entry, uint32_t row, Arena* arena) {
  const uint8_t* record = entry.payload.local;
  const uint64_t local_size = entry.payload.local_size;
  const Outcome too_short =
      entry.payload.is_complete() ? Outcome::kCorrupt : Outcome::kNeedsOverflow;
  uint64_t header_size;
  int used = read_varint(record, record + local_size, &header_size);
  if (used == 0 || header_size > local_size) [[unlikely]] return too_short;

  const uint8_t* header = record + used;
  const uint8_t* const header_end = record + header_size;
  if (short_header_mask_ != 0 && header + 8 <= record + local_size &&
      header_end - header >= header_bytes_ && (load_be64(header) & short_header_mask_) == 0)
      [[likely]] {
    return decode_short(entry, header, header_size, row, arena);
  }
  uint64_t body = header_size;  // offset of the value of column `index`
  uint32_t index = 0;
  for (size_t i = 0; i < targets_.size(); ++i) {
    Target& target = targets_[i];
    if (index > target.position) [[unlikely]] {
      repeat(target, targets_[i - 1], row);
      continue;
    }
    uint64_t serial_type = 0;
    uint64_t size = 0;
    do {
      body += size;
      if (header >= header_end) {
        store_missing(i, row);
        return Outcome::kDone;
      }
      serial_type = *header;
      if (serial_type < 0x80) [[likely]] {
        ++header;
        size = kSerialSizes[serial_type];
      } else {
        used = read_varint(header, header_end, &serial_type);
        if (used == 0 || serial_type > UINT32_MAX) return Outcome::kCorrupt;
        header += used;
        size = serial_type_size(serial_type);
      }
    } while (index++ < target.position);
    if (body + size > local_size) [[unlikely]] {
      return body + size > entry.payload.size ? Outcome::kCorrupt : too_short;
    }
    store(target, row, serial_type, record + body, arena);
    body += size;
  }
  return Outcome::kDone;
}

// The rest of decode_row() where the serial types up to the last column wanted are all there, each of
// one byte: the most common case.
RowDecoder::Outcome RowDecoder::decode_short(const LeafEntry& entry, const uint8_t* types,
                                             uint64_t body, uint32_t row, Arena* arena) {
  const uint64_t local_size = entry.payload.local_size;
  uint32_t index = 0;
  for (size_t i = 0; i < targets_.size(); ++i) {
    Target& target = targets_[i];
    if (index > target.position) [[unlikely]] {
      repeat(target, targets_[i - 1], row);
      continue;
    }
    for (; index < target.position; ++index) body += kSerialSizes[types[index]];
    const uint8_t serial_type = types[index++];
    const uint64_t end = body + kSerialSizes[serial_type];
    if (end > local_size) [[unlikely]] {
      return end > entry.payload.size ? Outcome::kCorrupt : Outcome::kNeedsOverflow;
    }
    store(target, row, serial_type, entry.payload.local + body, arena);
    body = end;
  }
  return Outcome::kDone;
}

// The column before, once more.
inline void RowDecoder::repeat(Target& target, const Target& same, uint32_t row) {
  target.slots[row] = same.slots[row];
  target.sizes[row] = same.sizes[row];
  set_tag(target.tags, target.types, row, static_cast<ValueType>(same.tags[row]));
}

inline void RowDecoder::store(Target& target, uint32_t row, uint64_t serial_type,
                              const uint8_t* body, Arena* arena) {
  if (serial_type >= 12) {
    const char* bytes = reinterpret_cast<const char*>(body);
    uint32_t size = static_cast<uint32_t>((serial_type - 12) / 2);
    if ((serial_type & 1) == 0) {
      set_tag(target.tags, target.types, row, ValueType::kBlob);
    } else {
      set_tag(target.tags, target.types, row, ValueType::kText);
      if (encoding_ != TextEncoding::kUtf8) [[unlikely]] {
        converted_.clear();
        append_utf16_as_utf8(body, size, encoding_ == TextEncoding::kUtf16be, &converted_);
        std::string_view text = arena->copy({converted_.data(), converted_.size()});
        bytes = text.data();
        size = static_cast<uint32_t>(text.size());
      }
    }
    target.slots[row].bytes = bytes;
    target.sizes[row] = size;
    return;
  }
  if (serial_type == 7) {
    uint64_t bits = load_be64(body);
    double real;
    std::memcpy(&real, &bits, 8);
    // SQL has no NaN: one that is found in a file reads as NULL.
    target.slots[row].real = real;
    set_tag(target.tags, target.types, row, real == real ? ValueType::kReal : ValueType::kNull);
    return;
  }
  if (serial_type == 0 || serial_type > 9) {
    set_tag(target.tags, target.types, row, ValueType::kNull);
    return;
  }
  uint32_t size = kSerialSizes[serial_type];
  int64_t integer = serial_type >= 8 ? static_cast<int64_t>(serial_type - 8)
                                     : load_integer_before(body + size, size);
  if (target.real_affinity) {
    target.slots[row].real = static_cast<double>(integer);
    set_tag(target.tags, target.types, row, ValueType::kReal);
  } else {
    target.slots[row].integer = integer;
    set_tag(target.tags, target.types, row, ValueType::kInteger);
  }
}

void RowDecoder::store_missing(size_t first, uint32_t row) {
  for (size_t i = first; i < targets_.size(); ++i) {
    Target& target = targets_[i];
    const ValueView& value = columns_[i].missing;
    target.slots[row].integer = value.integer;
    target.sizes[row] = value.size;
    set_tag(target.tags, target.types, row, value.type);
  }
}

void RowDecoder::store_nulls(uint32_t row) {
  for (Target& target : targets_) set_tag(target.tags, target.types, row, ValueType::kNull);
}

Status RowDecoder::read_overflow(LeafEntry& entry, Cursor* cursor, Arena* arena) {
  GW_TRY(cursor->read_overflow(entry, &overflow_));
  if (overflow_.size() != entry.payload.size) return corrupt("overflow chain of a wrong length");
  auto* copy = static_cast<uint8_t*>(arena->allocate(kLeadBytes + overflow_.size(), 1));
  std::memcpy(copy + kLeadBytes, overflow_.data(), overflow_.size());
  entry.payload.local = copy + kLeadBytes;
  entry.payload.local_size = entry.payload.size;
  return Status();
}

}  // namespace godwit
