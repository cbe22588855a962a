// From records to vectors: the columns that a query uses, of many rows at once, straight from the
// bytes of leaf pages into the slots of vectors.
//
// A record's header is walked once a row, up to the last column wanted. What is not wanted costs one
// table look-up. Decoding may be done in two steps with different columns and fewer rows (columns
// of a filter first, the others for the rows that passed).
//
// Bytes of text and blobs are borrowed from the page or, for payloads with overflow pages and text
// of UTF-16 databases, from the arena that is passed in. Records are hostile: kCorrupt.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/arena.h"
#include "base/status.h"
#include "btree/btree.h"
#include "exec/column_builder.h"
#include "value/record.h"
#include "vector/vector.h"

namespace godwit {

// One column to decode.
struct DecodeColumn {
  static constexpr int32_t kRowidPosition = -1;
  int32_t position = 0;       // in the record; kRowidPosition: the entry's rowid
  bool real_affinity = false; // integers are reals that were stored compactly
  ValueView missing;          // the value in records that end before this column
  ColumnBuilder* target = nullptr;
};

class RowDecoder {
 public:
  // An entry with this in LeafEntry::overflow is no record: all its columns are NULL.
  static constexpr PageNumber kNullEntry = UINT32_MAX;
  // Decoding may read (and ignore) so many bytes before the first byte of a payload.
  static constexpr uint32_t kLeadBytes = 8;

  explicit RowDecoder(TextEncoding encoding) : encoding_(encoding) {}

  // Decodes `columns` (ascending by position) of entries[r] into row r of their targets, for every
  // row in `rows`. Entries whose overflow had to be read are completed in place. `cursor`: of the
  // tree that the entries are from.
  Status decode(std::span<LeafEntry> entries, const Selection& rows,
                std::span<const DecodeColumn> columns, Cursor* cursor, Arena* arena);

 private:
  struct Target {
    Vector::Slot* slots;
    uint32_t* sizes;
    uint8_t* tags;
    uint32_t types;
    uint32_t position;
    bool real_affinity;
  };
  enum class Outcome : uint8_t { kDone, kNeedsOverflow, kCorrupt };

  Outcome decode_row(const LeafEntry& entry, uint32_t row, Arena* arena);
  Outcome decode_short(const LeafEntry& entry, const uint8_t* types, uint64_t body, uint32_t row,
                       Arena* arena);
  static void repeat(Target& target, const Target& same, uint32_t row);
  void store(Target& target, uint32_t row, uint64_t serial_type, const uint8_t* body, Arena* arena);
  void store_missing(size_t first, uint32_t row);
  void store_nulls(uint32_t row);
  Status read_overflow(LeafEntry& entry, Cursor* cursor, Arena* arena);

  TextEncoding encoding_;
  std::vector<Target> targets_;
  std::span<const DecodeColumn> columns_;  // of targets_
  int32_t header_bytes_ = 0;               // to the last column wanted, if each takes one
  uint64_t short_header_mask_ = 0;         // high bits of the first header_bytes_ of 8; 0: too many
  std::vector<uint8_t> overflow_;
  std::vector<char> converted_;
};

}  // namespace godwit
