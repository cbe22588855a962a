// Records: how a row or an index key is stored.
//
//   +-------------+---------------+-----+---------------+--------+-----+--------+
//   | header size | serial type 0 | ... | serial type n | body 0 | ... | body n |
//   |   varint    |    varint     |     |    varint     |        |     |        |
//   +-------------+---------------+-----+---------------+--------+-----+--------+
//   header size counts itself.
//   serial type: 0 NULL; 1,2,3,4,5,6 integers of 1,2,3,4,6,8 bytes, big-endian two's complement;
//   7 IEEE double, big-endian; 8 the integer 0; 9 the integer 1; 10,11 reserved (corrupt);
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

// Appends or overwrites the encoding of values; see RecordEncoder.
struct RecordLayoutOptions {
  TextEncoding encoding = TextEncoding::kUtf8;
  // Schema format 4 and later store 0 and 1 in the serial type alone (8 and 9).
  bool boolean_serial_types = true;
};

// Encodes values into `out` (cleared first, capacity kept). A real that is an integer of at most
// 48 bits is stored as integer only where `real_as_integer` says so (REAL-affinity columns).
// Errors: kTooBig.
class RecordEncoder {
 public:
  explicit RecordEncoder(RecordLayoutOptions options = {}) : options_(options) {}
  Status encode(std::span<const ValueView> values, std::vector<uint8_t>* out);

 private:
  RecordLayoutOptions options_;
  std::vector<uint64_t> serial_types_;
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
  uint32_t header_position_ = 0;
  uint64_t body_position_ = 0;
  struct Column {
    uint64_t serial_type;
    uint64_t offset;
  };
  std::vector<Column> columns_;  // parsed so far
  uint32_t parsed_ = 0;
  struct ConvertedText;
  std::vector<std::vector<char>> converted_;
};

// Decodes the value with `serial_type` whose body starts at `body` (already bounds-checked).
void decode_serial(uint64_t serial_type, const uint8_t* body, ValueView* value);

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

}  // namespace godwit
