// The pages of a database that may be damaged, and the rows on them, for .recover.
//
// Pages come through sqlite_dbpage, which knows the WAL, as long as the library opens the database;
// else from the file itself. Every byte is hostile: numbers are checked against the page, chains against
// the number of pages, and what makes no sense is left out.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "shell_state.h"

namespace godwit::shell {

// A field of a record.
struct Field {
  int type = SQLITE_NULL;
  sqlite3_int64 integer = 0;
  double real = 0;
  std::string bytes;  // text (in UTF-8) or blob
};

struct Row {
  bool has_rowid = false;
  sqlite3_int64 rowid = 0;
  std::vector<Field> fields;
};

class DamagedPages {
 public:
  // False: there is nothing that could be read.
  bool open(ShellState& state);
  ~DamagedPages();

  uint32_t count() const { return count_; }
  uint32_t page_size() const { return page_size_; }
  uint32_t encoding() const { return encoding_; }  // 1 UTF-8, 2 UTF-16le, 3 UTF-16be
  uint32_t header_field(uint32_t offset);          // a big-endian number of page 1; 0: no such page

  enum Kind : uint8_t { kNone = 0, kIndexInterior = 2, kTableInterior = 5, kIndexLeaf = 10, kTableLeaf = 13 };
  // What the page says it is, if its header makes sense.
  Kind kind(uint32_t number);
  std::vector<uint32_t> children(uint32_t number);
  // Calls visit for each row on the page (of leaves, and of interior pages of indexes). Overflow pages
  // that were read are added to `overflow`.
  void rows(uint32_t number, std::vector<uint32_t>* overflow,
            const std::function<void(const Row&)>& visit);
  std::vector<uint32_t> freelist();

 private:
  bool load(uint32_t number);  // into page_
  bool read_from_library(uint32_t number);
  bool read_from_file(uint32_t number);
  void guess_page_size();
  uint32_t score(uint32_t page_size);
  uint32_t header_offset() const { return loaded_ == 1 ? 100 : 0; }
  uint32_t cell_count() const;
  uint32_t cell(uint32_t i) const;  // its offset; 0: there is none
  bool decode_cell(uint32_t offset, Kind kind, std::vector<uint32_t>* overflow, Row* row);
  std::string payload(uint64_t size, uint32_t at, Kind kind, std::vector<uint32_t>* overflow);
  void decode_record(const std::string& record, Row* row) const;
  Field decode_field(uint64_t serial_type, const char* bytes, size_t size) const;

  sqlite3_stmt* library_ = nullptr;
  std::FILE* file_ = nullptr;
  uint32_t count_ = 0;
  uint32_t page_size_ = 0;
  uint32_t usable_ = 0;
  uint32_t encoding_ = 1;
  uint32_t loaded_ = 0;
  std::string page_;
};

}  // namespace godwit::shell
