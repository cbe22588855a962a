// Records: how a row or an index key is stored.
//
//   +-------------+---------------+-----+---------------+--------+-----+--------+
//   | header size | serial type 0 | ... | serial type n | body 0 | ... | body n |
//   |   varint    |    varint     |     |    varint     |        |     |        |
//   +-------------+---------------+-----+---------------+--------+-----+--------+
//   header size counts itself.
//   serial type: 0 NULL; 1,2,3,4,5,6 integers of 1,2,3,4,6,8 bytes, big-endian two's complement;
//   7 IEEE double, big-endian; 8 the integer 0; 9 the integer 1; 10,11 reserved (read as NULL);
//   N >= 12 even: blob of (N-12)/2 bytes; N >= 13 odd: text of (N-13)/2 bytes.
// Worked example: (5, 'ab', NULL) is 04 01 11 00 05 61 62.
// Source: fileformat2.html, section 2.1.
//
// All bytes read here are hostile.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "value/collation.h"
#include "value/value.h"

namespace godwit {

// Body bytes of a serial type.
inline uint32_t serial_type_size(uint64_t serial_type) {
  constexpr uint8_t kSizes[12] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
  return serial_type < 12 ? kSizes[serial_type] : static_cast<uint32_t>((serial_type - 12) / 2);
}

struct RecordLayoutOptions {
  TextEncoding encoding = TextEncoding::kUtf8;
  // Schema format 4 and later store 0 and 1 in the serial type alone (8 and 9).
  bool boolean_serial_types = true;
};

// Encodes rows. Values are stored as they are: that a REAL column stores a real without fraction as
// an integer (value/affinity.h) is up to the caller.
class RecordEncoder {
 public:
  explicit RecordEncoder(RecordLayoutOptions options = {}) : options_(options) {}
  // *record is good until the next call. Errors: kTooBig above 2^31 - 1 bytes.
  Status encode(std::span<const ValueView> values, ByteSpan* record);
  // Overwrites *out, whose capacity is kept.
  Status encode(std::span<const ValueView> values, std::vector<uint8_t>* out);

 private:
  Status encode_any(std::span<const ValueView> values, std::vector<uint8_t>* out, size_t* size_out);

  RecordLayoutOptions options_;
  std::vector<uint8_t> record_;
  std::vector<uint32_t> serial_types_;
  std::vector<uint8_t> converted_;  // UTF-16 text
};

// Decodes the columns of one record. The header is parsed lazily, up to the last column asked for.
// Reused row after row: reset() allocates nothing once the column capacity has been reached.
class RecordDecoder {
 public:
  explicit RecordDecoder(TextEncoding encoding = TextEncoding::kUtf8) : encoding_(encoding) {}

  // `record` must stay valid while values are read. Errors: kCorrupt for a header that cannot be.
  Status reset(ByteSpan record);
  // Columns in the record: parses the whole header.
  Result<uint32_t> column_count();
  // The value of column `index`; NULL with *missing set when the record is shorter (the caller
  // supplies the default). Views point into the record, or, for UTF-16 text, into this decoder
  // until the next reset().
  Status column(uint32_t index, ValueView* value, bool* missing);

 private:
  Status parse_to(uint32_t index);

  TextEncoding encoding_;
  ByteSpan record_;
  uint32_t header_size_ = 0;
  uint32_t header_position_ = 0;  // of the first serial type not parsed
  uint32_t body_position_ = 0;    // of its value
  struct Column {
    uint32_t serial_type;
    uint32_t offset;
  };
  std::vector<Column> columns_;  // parsed so far; size() is capacity, parsed_ the count
  uint32_t parsed_ = 0;
  std::vector<std::vector<char>> converted_;  // UTF-16 text as UTF-8, by column
};

// Decodes the value with `serial_type` whose body starts at `body` (already bounds-checked). Text
// and blobs are views of the body; text stays in the encoding it is stored in.
inline void decode_serial(uint64_t serial_type, const uint8_t* body, ValueView* value);

// The big-endian integer of a serial type 1 to 6.
inline int64_t decode_serial_integer(uint64_t serial_type, const uint8_t* body);

// How the columns of an index key (or of a sort) compare.
struct KeyColumn {
  const Collation* collation = nullptr;  // never null in use
  bool descending = false;
  // NULLs sort first by default (and last when descending); true reverses that.
  bool nulls_reversed = false;
};
struct KeyInfo {
  std::vector<KeyColumn> columns;  // every column that takes part in the order
  // Columns whose equality makes two entries of a UNIQUE index duplicates.
  uint32_t unique_columns = 0;
  TextEncoding encoding = TextEncoding::kUtf8;
};

// Compares two values: NULL < numbers < text < blob. Integers and reals compare exactly.
int compare_values(const ValueView& a, const ValueView& b, const Collation* collation);
// Exact comparison beyond 2^53; NaN does not occur in stored values.
int compare_integer_real(int64_t i, double r);

// Compares `key` (a prefix of the columns is allowed) with the encoded record `stored`.
// <0, 0, >0 as key sorts before, equal on all columns of key, after. `error` is set to kCorrupt for
// a record that cannot be.
int compare_key_record(const KeyInfo& info, std::span<const ValueView> key, ByteSpan stored,
                       Status* error);

inline int64_t decode_serial_integer(uint64_t serial_type, const uint8_t* body) {
  switch (serial_type) {
    case 1:
      return static_cast<int8_t>(body[0]);
    case 2:
      return static_cast<int16_t>(load_be16(body));
    case 3:
      return static_cast<int32_t>(static_cast<uint32_t>(body[0]) << 24 |
                                  static_cast<uint32_t>(body[1]) << 16 |
                                  static_cast<uint32_t>(body[2]) << 8) >>
             8;
    case 4:
      return static_cast<int32_t>(load_be32(body));
    case 5:
      return static_cast<int64_t>(static_cast<int16_t>(load_be16(body))) * (int64_t{1} << 32) +
             load_be32(body + 2);
    default:
      return static_cast<int64_t>(load_be64(body));
  }
}

inline void decode_serial(uint64_t serial_type, const uint8_t* body, ValueView* value) {
  if (serial_type >= 12) {
    *value = ValueView::of_text({reinterpret_cast<const char*>(body), (serial_type - 12) / 2});
    if ((serial_type & 1) == 0) value->type = ValueType::kBlob;
    return;
  }
  switch (serial_type) {
    case 1:
    case 2:
    case 3:
    case 4:
    case 5:
    case 6:
      *value = ValueView::of(decode_serial_integer(serial_type, body));
      return;
    case 7: {
      double real;
      uint64_t bits = load_be64(body);
      std::memcpy(&real, &bits, 8);
      // SQL has no NaN: one that is found in a file reads as NULL.
      *value = real == real ? ValueView::of(real) : ValueView::null();
      return;
    }
    case 8:
    case 9:
      *value = ValueView::of(static_cast<int64_t>(serial_type - 8));
      return;
    default:
      *value = ValueView::null();
  }
}

}  // namespace godwit
