// What the FTS3 index stores: varints with the lowest bits first, and doclists.
//
//   doclist   docid, places, 0, difference to the next docid, places, 0, ...
//   places    [1, column,] position + 2 (the first of a column), difference + 2, ...
//
// A row without places is a deletion. With order=desc the docids descend.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace godwit::modules {

void append_fts3_varint(uint64_t value, std::string* out);

class Fts3Reader {
 public:
  explicit Fts3Reader(std::string_view bytes) : bytes_(bytes) {}
  bool next(uint64_t* value);
  bool take(uint64_t size, std::string_view* bytes);
  bool at_end() const { return at_ >= bytes_.size(); }
  size_t offset() const { return at_; }

 private:
  std::string_view bytes_;
  size_t at_ = 0;
};

// Column in the upper half, position in the lower.
using Fts3Place = uint64_t;
inline Fts3Place fts3_place(int column, int64_t position) {
  return static_cast<uint64_t>(column) << 32 | static_cast<uint32_t>(position);
}
inline int fts3_column(Fts3Place place) { return static_cast<int>(place >> 32); }
inline int64_t fts3_position(Fts3Place place) { return static_cast<int64_t>(place & 0xffffffff); }

// `places` ascend.
void append_fts3_places(const std::vector<Fts3Place>& places, std::string* out);
bool decode_fts3_places(std::string_view list, std::vector<Fts3Place>* places);

struct Fts3Row {
  int64_t docid;
  std::string_view list;  // without the final 0; empty: deleted
};

// The rows point into the doclist. False if it is malformed.
bool read_fts3_doclist(std::string_view doclist, bool descends, std::vector<Fts3Row>* rows);
void append_fts3_row(const Fts3Row& row, bool descends, bool is_first, int64_t last_docid, std::string* out);

}  // namespace godwit::modules
