// Changesets and patchsets, the formats of SQLite's session extension (session.html):
//
//   table    'T' (changeset) or 'P' (patchset), varint: columns, a byte per column: its place in the
//            primary key or 0, name, NUL; then the changes of the table
//   change   operation (SQLITE_INSERT, _UPDATE, _DELETE), indirect (0 or 1), records
//   record   a field per column: 0 undefined, 1 integer and 2 real (8 bytes, big-endian), 3 text and
//            4 blob (varint: bytes, then these), 5 NULL
//
//              INSERT       UPDATE                             DELETE
//   changeset  new record   old record, new record             old record
//   patchset   new record   one record: key, changed columns   the fields of the key alone
//
// A field is kept in its encoded form: equal fields are equal strings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sqlite3.h"

namespace godwit::api {

using Field = std::string;
using Fields = std::vector<Field>;

inline constexpr char kUndefinedField = '\0';
inline const Field& undefined_field() {
  static const Field field(1, kUndefinedField);
  return field;
}
inline bool is_undefined(const Field& field) { return field.empty() || field[0] == '\0'; }

Field encode_field(sqlite3_value* value);
Field encode_integer(int64_t value);
Field encode_real(double value);
Field encode_bytes(int type, std::string_view bytes);  // SQLITE_TEXT or SQLITE_BLOB
// Null: the field is undefined. The caller frees it with sqlite3_value_free().
sqlite3_value* decode_field(const Field& field);
int bind_field(sqlite3_stmt* stmt, int number, const Field& field);

struct ChangeTable {
  std::string name;
  bool is_patchset = false;
  std::vector<unsigned char> key;  // per column: its place in the primary key, from 1; 0: none

  bool operator==(const ChangeTable&) const = default;
  void append_header(std::string* out) const;
};

struct Change {
  int op = 0;
  bool indirect = false;
  Fields old_values;  // one per column, empty for INSERT; patchsets: of UPDATE and DELETE the key
  Fields new_values;  // one per column, empty for DELETE

  void append(const ChangeTable& table, std::string* out) const;
  std::string key(const ChangeTable& table) const;
};

// Reads a changeset that is in memory, which may be damaged.
class ChangesetReader {
 public:
  explicit ChangesetReader(std::string_view bytes) : bytes_(bytes) {}
  // SQLITE_ROW: change() is the next change, of table(). SQLITE_DONE or SQLITE_CORRUPT.
  int next();
  const ChangeTable& table() const { return table_; }
  ChangeTable& table() { return table_; }
  const Change& change() const { return change_; }
  Change& change() { return change_; }

 private:
  bool read_byte(unsigned char* byte);
  bool read_varint(uint64_t* value);
  bool read_field(Field* field);
  bool read_record(Fields* fields);
  bool read_key(Fields* fields);
  bool read_table(bool is_patchset);
  bool read_change(int op);

  std::string_view bytes_;
  size_t at_ = 0;
  bool has_table_ = false;
  ChangeTable table_;
  Change change_;
};

// The change that undoes `change`. Only changesets have what it needs.
Change inverted(const Change& change);

// A copy in memory that the caller frees with sqlite3_free().
int give_bytes(const std::string& bytes, int* size, void** data);
int give_bytes(const std::string& bytes, int (*output)(void*, const void*, int), void* context);
int take_bytes(int (*input)(void*, void*, int*), void* context, std::string* bytes);

}  // namespace godwit::api
