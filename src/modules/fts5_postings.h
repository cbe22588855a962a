// The rows of a term, with positions in them, as segments have them.
//
// A position list is a sequence of varints: a position, counted from the one before, plus 2; 1 and a
// column number where the next column begins. With detail=columns the positions are column numbers;
// with detail=none there are no lists.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace godwit::modules {

// A place in a row: column << 32 | token.
using Fts5Place = int64_t;
inline Fts5Place place_of(int column, int token) { return static_cast<int64_t>(column) << 32 | token; }
inline int column_of(Fts5Place place) { return static_cast<int>(place >> 32); }
inline int token_of(Fts5Place place) { return static_cast<int>(place & 0x7fffffff); }

struct Fts5Posting {
  int64_t rowid = 0;
  size_t offset = 0, size = 0;  // of the position list in Fts5Postings::bytes
  bool is_deletion = false;     // what older segments say of the row does not count
  bool has_content = false;     // the term is in the row
};

struct Fts5Postings {
  std::vector<Fts5Posting> rows;  // by rowid
  std::string bytes;

  std::string_view list(const Fts5Posting& row) const {
    return std::string_view(bytes).substr(row.offset, row.size);
  }
  void add(const Fts5Posting& row, std::string_view list_bytes) {
    rows.push_back(row);
    rows.back().offset = bytes.size();
    rows.back().size = list_bytes.size();
    bytes += list_bytes;
  }
};

inline void append_fts5_varint(uint64_t value, std::string* out) {
  uint8_t buffer[10];
  out->append(reinterpret_cast<char*>(buffer), static_cast<size_t>(write_varint(buffer, value)));
}

// Reads varints; false at the end, also in the midst of one.
class Fts5VarintReader {
 public:
  explicit Fts5VarintReader(std::string_view bytes, size_t at = 0) : bytes_(bytes), at_(at) {}
  bool next(uint64_t* value) {
    if (at_ >= bytes_.size()) return false;
    const auto* start = reinterpret_cast<const uint8_t*>(bytes_.data());
    const int used = read_varint(start + at_, start + bytes_.size(), value);
    if (used <= 0) return false;
    at_ += static_cast<size_t>(used);
    return true;
  }
  size_t at() const { return at_; }
  void skip(size_t count) { at_ += count; }

 private:
  std::string_view bytes_;
  size_t at_;
};

// Positions of a list in detail=full; columns, as places of token 0, in detail=columns.
inline void decode_places(std::string_view list, bool has_columns_alone, std::vector<Fts5Place>* places) {
  Fts5VarintReader reader(list);
  uint64_t value;
  int64_t column = 0, position = 0;
  while (reader.next(&value)) {
    if (value == 1 && !has_columns_alone) {
      if (!reader.next(&value)) return;
      column = static_cast<int64_t>(value & 0xffff);
      position = 0;
      continue;
    }
    if (value < 2) return;
    position += static_cast<int64_t>((value - 2) & 0x7fffffff);
    if (position > 0x7fffffff) return;
    places->push_back(has_columns_alone ? place_of(static_cast<int>(position & 0xffff), 0)
                                        : column << 32 | position);
  }
}

}  // namespace godwit::modules
