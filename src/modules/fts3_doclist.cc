#include "modules/fts3_doclist.h"

namespace godwit::modules {

void append_fts3_varint(uint64_t value, std::string* out) {
  while (value >= 0x80) {
    out->push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out->push_back(static_cast<char>(value));
}

bool Fts3Reader::next(uint64_t* value) {
  *value = 0;
  for (int shift = 0; shift < 70 && at_ < bytes_.size(); shift += 7) {
    const auto byte = static_cast<uint8_t>(bytes_[at_++]);
    *value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

bool Fts3Reader::take(uint64_t size, std::string_view* bytes) {
  if (size > bytes_.size() - at_) return false;
  *bytes = bytes_.substr(at_, size);
  at_ += size;
  return true;
}

void append_fts3_places(const std::vector<Fts3Place>& places, std::string* out) {
  int column = 0;
  int64_t last = 0;
  for (Fts3Place place : places) {
    if (fts3_column(place) != column) {
      column = fts3_column(place);
      last = 0;
      append_fts3_varint(1, out);
      append_fts3_varint(static_cast<uint64_t>(column), out);
    }
    append_fts3_varint(static_cast<uint64_t>(fts3_position(place) - last + 2), out);
    last = fts3_position(place);
  }
}

bool decode_fts3_places(std::string_view list, std::vector<Fts3Place>* places) {
  Fts3Reader reader(list);
  uint64_t column = 0, position = 0, value = 0;
  while (!reader.at_end()) {
    if (!reader.next(&value) || value == 0) return false;
    if (value == 1) {
      if (!reader.next(&column) || column > 0x7fff) return false;
      position = 0;
      continue;
    }
    position += value - 2;
    if (position > 0x7fffffff) return false;
    places->push_back(fts3_place(static_cast<int>(column), static_cast<int64_t>(position)));
  }
  return true;
}

bool read_fts3_doclist(std::string_view doclist, bool descends, std::vector<Fts3Row>* rows) {
  Fts3Reader reader(doclist);
  uint64_t docid = 0, value = 0;
  bool is_first = true;
  while (!reader.at_end()) {
    if (!reader.next(&value)) return false;
    docid = is_first || !descends ? docid + value : docid - value;
    is_first = false;
    const size_t start = reader.offset();
    size_t end = start;
    do {
      end = reader.offset();
      if (!reader.next(&value)) return false;
      // The number of a column may be any.
      uint64_t column = 0;
      if (value == 1 && !reader.next(&column)) return false;
    } while (value != 0);
    rows->push_back({static_cast<int64_t>(docid), doclist.substr(start, end - start)});
  }
  return true;
}

void append_fts3_row(const Fts3Row& row, bool descends, bool is_first, int64_t last_docid, std::string* out) {
  const auto docid = static_cast<uint64_t>(row.docid), last = static_cast<uint64_t>(last_docid);
  append_fts3_varint(is_first ? docid : descends ? last - docid : docid - last, out);
  out->append(row.list);
  out->push_back('\0');
}

}  // namespace godwit::modules
