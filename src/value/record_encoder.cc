#include <bit>
#include <cstring>

#include "base/utf.h"
#include "value/record.h"

namespace godwit {

namespace {

constexpr uint64_t kRecordBytesMax = 0x7FFFFFFF;

uint32_t serial_type_of_integer(int64_t value, bool boolean_serial_types) {
  if (boolean_serial_types && (value == 0 || value == 1)) return 8 + static_cast<uint32_t>(value);
  uint64_t magnitude = static_cast<uint64_t>(value < 0 ? ~value : value);
  if (magnitude <= 0x7F) return 1;
  if (magnitude <= 0x7FFF) return 2;
  if (magnitude <= 0x7FFFFF) return 3;
  if (magnitude <= 0x7FFFFFFF) return 4;
  if (magnitude <= 0x7FFFFFFFFFFF) return 5;
  return 6;
}

// Bytes of the integer types by bytes needed: 5 and 7 do not exist.
constexpr uint8_t kIntegerBytes[9] = {0, 1, 2, 3, 4, 6, 6, 8, 8};
constexpr uint8_t kTypeOfBytes[9] = {0, 1, 2, 3, 4, 5, 5, 6, 6};

// Rows whose header consists of single bytes and that are not long are encoded in one pass. Returns the
// size, 0 if this is no such row. Writes up to 8 bytes more.
constexpr size_t kShortColumnsMax = 64;
constexpr size_t kShortRecordMax = 1 + kShortColumnsMax * (1 + 57) + 8;

size_t encode_short(std::span<const ValueView> values, bool boolean_serial_types, uint8_t* out) {
  constexpr uint32_t kShortBytesMax = 57;  // of a text whose serial type is one byte
  const size_t count = values.size();
  if (count > kShortColumnsMax) return 0;
  uint8_t* type = out;
  uint8_t* body = out + 1 + count;
  *type++ = static_cast<uint8_t>(1 + count);
  for (const ValueView& v : values) {
    switch (v.type) {
      case ValueType::kNull:
        *type++ = 0;
        break;
      case ValueType::kInteger: {
        const uint64_t integer = static_cast<uint64_t>(v.integer);
        if (integer <= 1 && boolean_serial_types) {
          *type++ = static_cast<uint8_t>(8 + integer);
          break;
        }
        const uint64_t magnitude = v.integer < 0 ? ~integer : integer;
        const uint32_t needed = (72 - static_cast<uint32_t>(__builtin_clzll(magnitude | 1))) / 8;
        const uint32_t size = kIntegerBytes[needed];
        *type++ = kTypeOfBytes[needed];
        store_be64(body, integer << (64 - 8 * size));
        body += size;
        break;
      }
      case ValueType::kReal:
        if (v.real != v.real) {
          *type++ = 0;
          break;
        }
        *type++ = 7;
        store_be64(body, std::bit_cast<uint64_t>(v.real));
        body += 8;
        break;
      default:
        if (v.size > kShortBytesMax || v.zero_filled) return 0;
        *type++ = static_cast<uint8_t>((v.type == ValueType::kText ? 13 : 12) + 2 * v.size);
        if (v.size != 0) std::memcpy(body, v.bytes, v.size);
        body += v.size;
    }
  }
  return static_cast<size_t>(body - out);
}

uint8_t* write_integer(uint8_t* out, int64_t value, uint32_t size) {
  uint8_t whole[8];
  store_be64(whole, static_cast<uint64_t>(value));
  std::memcpy(out, whole + 8 - size, size);
  return out + size;
}

// The header size counts its own varint.
uint32_t header_size_with_itself(uint32_t types_size) {
  uint32_t own = 1;
  while (static_cast<uint32_t>(varint_size(types_size + own)) > own) ++own;
  return types_size + own;
}

}  // namespace

Status RecordEncoder::encode(std::span<const ValueView> values, ByteSpan* record) {
  if (record_.size() < kShortRecordMax) record_.resize(kShortRecordMax);
  if (options_.encoding == TextEncoding::kUtf8) {
    size_t size = encode_short(values, options_.boolean_serial_types, record_.data());
    if (size != 0) {
      *record = ByteSpan(record_.data(), size);
      return {};
    }
  }
  size_t size = 0;
  GW_TRY(encode_any(values, &record_, &size));
  *record = ByteSpan(record_.data(), size);
  return {};
}

Status RecordEncoder::encode(std::span<const ValueView> values, std::vector<uint8_t>* out) {
  ByteSpan record;
  GW_TRY(encode(values, &record));
  out->assign(record.begin(), record.end());
  return {};
}

// `out` gets larger when it has to.
Status RecordEncoder::encode_any(std::span<const ValueView> values, std::vector<uint8_t>* out,
                                 size_t* size_out) {
  const bool utf16 = options_.encoding != TextEncoding::kUtf8;
  const bool big_endian = options_.encoding == TextEncoding::kUtf16be;
  if (serial_types_.size() < values.size()) serial_types_.resize(values.size());
  converted_.clear();
  uint64_t types_size = 0, body_size = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const ValueView& v = values[i];
    uint64_t type = 0;
    switch (v.type) {
      case ValueType::kNull:
        break;
      case ValueType::kInteger:
        type = serial_type_of_integer(v.integer, options_.boolean_serial_types);
        break;
      case ValueType::kReal:
        type = v.real == v.real ? 7 : 0;
        break;
      case ValueType::kText:
        if (utf16) {
          size_t start = converted_.size();
          append_utf8_as_utf16(v.text(), big_endian, &converted_);
          type = 13 + 2 * static_cast<uint64_t>(converted_.size() - start);
        } else {
          type = 13 + 2 * static_cast<uint64_t>(v.size);
        }
        break;
      case ValueType::kBlob:
        type = 12 + 2 * static_cast<uint64_t>(v.size);
        break;
    }
    if (type > UINT32_MAX) return Status(code::kTooBig);
    serial_types_[i] = static_cast<uint32_t>(type);
    types_size += static_cast<uint64_t>(varint_size(type));
    body_size += serial_type_size(type);
    if (types_size + body_size > kRecordBytesMax - kVarintBytesMax) return Status(code::kTooBig);
  }

  uint32_t header_size = header_size_with_itself(static_cast<uint32_t>(types_size));
  size_t total = header_size + body_size;
  *size_out = total;
  if (out->size() < total) out->resize(total);
  uint8_t* header = out->data();
  uint8_t* body = out->data() + header_size;
  const uint8_t* converted = converted_.data();
  header += write_varint(header, header_size);
  for (size_t i = 0; i < values.size(); ++i) {
    const ValueView& v = values[i];
    uint32_t type = serial_types_[i];
    header += write_varint(header, type);
    uint32_t size = serial_type_size(type);
    if (size == 0) continue;
    if (type < 7) {
      body = write_integer(body, v.integer, size);
      continue;
    }
    if (type == 7) {
      uint64_t bits;
      std::memcpy(&bits, &v.real, 8);
      store_be64(body, bits);
    } else if (v.zero_filled) {
      std::memset(body, 0, size);
    } else if (utf16 && v.is_text()) {
      std::memcpy(body, converted, size);
      converted += size;
    } else {
      std::memcpy(body, v.bytes, size);
    }
    body += size;
  }
  return Status();
}

}  // namespace godwit
