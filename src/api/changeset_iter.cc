#include "api/changeset_iter.h"

#include <new>

using namespace godwit;
using namespace godwit::api;

int sqlite3_changeset_iter::next() {
  if (code != SQLITE_OK) return code;
  given.clear();
  int result = reader.next();
  has_change = result == SQLITE_ROW;
  if (has_change && inverts) {
    if (table().is_patchset) {
      result = SQLITE_CORRUPT;
    } else {
      reader.change() = inverted(reader.change());
    }
  }
  if (result != SQLITE_ROW && result != SQLITE_DONE) code = result;
  return result;
}

int sqlite3_changeset_iter::give(const Fields& fields, int column, sqlite3_value** value) {
  if (column < 0 || static_cast<size_t>(column) >= table().key.size()) return SQLITE_RANGE;
  *value = nullptr;
  if (static_cast<size_t>(column) >= fields.size()) return SQLITE_OK;
  given.emplace_back(decode_field(fields[static_cast<size_t>(column)]));
  *value = given.back().get();
  return SQLITE_OK;
}

namespace {

int start(sqlite3_changeset_iter** out, std::string bytes, int flags) {
  *out = new (std::nothrow) sqlite3_changeset_iter(std::move(bytes));
  if (*out == nullptr) return SQLITE_NOMEM;
  (*out)->inverts = (flags & SQLITE_CHANGESETSTART_INVERT) != 0;
  return SQLITE_OK;
}

std::string bytes_of(int size, const void* data) {
  return size <= 0 ? std::string()
                   : std::string(static_cast<const char*>(data), static_cast<size_t>(size));
}

int invert(const std::string& bytes, std::string* out) {
  ChangesetReader reader(bytes);
  ChangeTable last;
  int code;
  while ((code = reader.next()) == SQLITE_ROW) {
    if (reader.table().is_patchset) return SQLITE_CORRUPT;
    if (!(reader.table() == last)) {
      last = reader.table();
      last.append_header(out);
    }
    inverted(reader.change()).append(last, out);
  }
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

}  // namespace

int sqlite3changeset_start_v2(sqlite3_changeset_iter** iter, int size, void* data, int flags) {
  if (iter == nullptr) return SQLITE_MISUSE;
  return start(iter, bytes_of(size, data), flags);
}
int sqlite3changeset_start(sqlite3_changeset_iter** iter, int size, void* data) {
  return sqlite3changeset_start_v2(iter, size, data, 0);
}
int sqlite3changeset_start_v2_strm(sqlite3_changeset_iter** iter,
                                   int (*input)(void*, void*, int*), void* context, int flags) {
  if (iter == nullptr || input == nullptr) return SQLITE_MISUSE;
  *iter = nullptr;
  std::string bytes;
  int code = take_bytes(input, context, &bytes);
  return code == SQLITE_OK ? start(iter, std::move(bytes), flags) : code;
}
int sqlite3changeset_start_strm(sqlite3_changeset_iter** iter, int (*input)(void*, void*, int*),
                                void* context) {
  return sqlite3changeset_start_v2_strm(iter, input, context, 0);
}

int sqlite3changeset_next(sqlite3_changeset_iter* iter) {
  return iter == nullptr ? SQLITE_MISUSE : iter->next();
}

int sqlite3changeset_op(sqlite3_changeset_iter* iter, const char** table, int* columns, int* op,
                        int* indirect) {
  if (iter == nullptr || !iter->has_change) return SQLITE_MISUSE;
  if (table != nullptr) *table = iter->table().name.c_str();
  if (columns != nullptr) *columns = static_cast<int>(iter->table().key.size());
  if (op != nullptr) *op = iter->change().op;
  if (indirect != nullptr) *indirect = iter->change().indirect ? 1 : 0;
  return SQLITE_OK;
}

int sqlite3changeset_pk(sqlite3_changeset_iter* iter, unsigned char** key, int* columns) {
  if (iter == nullptr || key == nullptr) return SQLITE_MISUSE;
  *key = const_cast<unsigned char*>(iter->table().key.data());
  if (columns != nullptr) *columns = static_cast<int>(iter->table().key.size());
  return SQLITE_OK;
}

int sqlite3changeset_old(sqlite3_changeset_iter* iter, int column, sqlite3_value** value) {
  if (iter == nullptr || value == nullptr || !iter->has_change ||
      iter->change().op == SQLITE_INSERT) {
    return SQLITE_MISUSE;
  }
  return iter->give(iter->change().old_values, column, value);
}
int sqlite3changeset_new(sqlite3_changeset_iter* iter, int column, sqlite3_value** value) {
  if (iter == nullptr || value == nullptr || !iter->has_change ||
      iter->change().op == SQLITE_DELETE) {
    return SQLITE_MISUSE;
  }
  return iter->give(iter->change().new_values, column, value);
}
int sqlite3changeset_conflict(sqlite3_changeset_iter* iter, int column, sqlite3_value** value) {
  if (iter == nullptr || value == nullptr || iter->conflicting.empty()) return SQLITE_MISUSE;
  return iter->give(iter->conflicting, column, value);
}
int sqlite3changeset_fk_conflicts(sqlite3_changeset_iter* iter, int* count) {
  if (iter == nullptr || count == nullptr || iter->foreign_key_conflicts < 0) return SQLITE_MISUSE;
  *count = iter->foreign_key_conflicts;
  return SQLITE_OK;
}

int sqlite3changeset_finalize(sqlite3_changeset_iter* iter) {
  if (iter == nullptr) return SQLITE_OK;
  int code = iter->code;
  delete iter;
  return code;
}

int sqlite3changeset_invert(int size, const void* data, int* out_size, void** out) {
  if (out_size == nullptr || out == nullptr) return SQLITE_MISUSE;
  *out_size = 0;
  *out = nullptr;
  std::string inverse;
  int code = invert(bytes_of(size, data), &inverse);
  return code == SQLITE_OK ? give_bytes(inverse, out_size, out) : code;
}
int sqlite3changeset_invert_strm(int (*input)(void*, void*, int*), void* input_context,
                                 int (*output)(void*, const void*, int), void* output_context) {
  std::string bytes, inverse;
  int code = take_bytes(input, input_context, &bytes);
  if (code == SQLITE_OK) code = invert(bytes, &inverse);
  return code == SQLITE_OK ? give_bytes(inverse, output, output_context) : code;
}
