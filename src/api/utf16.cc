// The UTF-16 forms of the interface: texts in the byte order of the machine (taken as little-endian),
// turned into UTF-8 on the way in and back on the way out.
#include <cstring>
#include <new>
#include <string>

#include "api/handles.h"
#include "api/utf16.h"

using namespace godwit;
using namespace godwit::api;

namespace {

// Bytes of UTF-16 that the text takes.
size_t size_as_utf16(std::string_view utf8) {
  std::vector<uint8_t> utf16;
  append_utf8_as_utf16(utf8, false, &utf16);
  return utf16.size();
}

int prepare16(sqlite3* db, const void* sql, int bytes, sqlite3_stmt** stmt, const void** tail) {
  if (stmt == nullptr) return SQLITE_MISUSE;
  *stmt = nullptr;
  if (db == nullptr || sql == nullptr) return SQLITE_MISUSE;
  return guarded(db, [&] {
    size_t size = utf16_size(sql);
    if (bytes >= 0) size = std::min(size, static_cast<size_t>(bytes));
    std::string utf8 = utf16_to_utf8(sql, static_cast<int64_t>(size));
    const char* rest = nullptr;
    int code = sqlite3_prepare_v2(db, utf8.c_str(), -1, stmt, &rest);
    if (tail != nullptr) {
      size_t used = rest == nullptr ? utf8.size() : static_cast<size_t>(rest - utf8.c_str());
      *tail = static_cast<const char*>(sql) + size_as_utf16(std::string_view(utf8).substr(0, used));
    }
    return code;
  });
}

void release(void* data, void (*destroy)(void*)) {
  if (destroy != SQLITE_STATIC && destroy != reinterpret_cast<sqlite3_destructor_type>(-1)) {
    destroy(data);
  }
}

// UTF-16 forms of texts that the statement or connection gave out; they live as long as it does.
const void* keep16(std::map<const char*, std::vector<uint8_t>>* kept, const char* text) {
  if (text == nullptr) return nullptr;
  std::vector<uint8_t>& utf16 = (*kept)[text];
  utf16.clear();
  append_utf8_as_utf16(text, false, &utf16);
  utf16.insert(utf16.end(), 2, 0);
  return utf16.data();
}

}  // namespace

int sqlite3_open16(const void* filename, sqlite3** db) {
  std::string utf8 = filename == nullptr ? "" : utf16_to_utf8(filename);
  return sqlite3_open(utf8.c_str(), db);
}

int sqlite3_prepare16(sqlite3* db, const void* sql, int bytes, sqlite3_stmt** stmt,
                      const void** tail) {
  return prepare16(db, sql, bytes, stmt, tail);
}
int sqlite3_prepare16_v2(sqlite3* db, const void* sql, int bytes, sqlite3_stmt** stmt,
                         const void** tail) {
  return prepare16(db, sql, bytes, stmt, tail);
}
int sqlite3_prepare16_v3(sqlite3* db, const void* sql, int bytes, unsigned int, sqlite3_stmt** stmt,
                         const void** tail) {
  return prepare16(db, sql, bytes, stmt, tail);
}

int sqlite3_complete16(const void* sql) {
  return sql == nullptr ? 0 : sqlite3_complete(utf16_to_utf8(sql).c_str());
}

const void* sqlite3_errmsg16(sqlite3* db) {
  if (db == nullptr) return nullptr;
  std::lock_guard lock(db->mutex);
  db->error_message16.clear();
  append_utf8_as_utf16(sqlite3_errmsg(db), false, &db->error_message16);
  db->error_message16.insert(db->error_message16.end(), 2, 0);
  return db->error_message16.data();
}

int sqlite3_bind_text16(sqlite3_stmt* stmt, int number, const void* text, int bytes,
                        void (*destroy)(void*)) {
  if (stmt == nullptr) return SQLITE_MISUSE;
  int code;
  if (text == nullptr) {
    code = sqlite3_bind_null(stmt, number);
  } else {
    std::string utf8 = utf16_to_utf8(text, bytes);
    code = sqlite3_bind_text64(stmt, number, utf8.data(), utf8.size(), SQLITE_TRANSIENT,
                               SQLITE_UTF8);
  }
  release(const_cast<void*>(text), destroy);
  return code;
}

const void* sqlite3_column_text16(sqlite3_stmt* stmt, int index) {
  return sqlite3_value_text16(sqlite3_column_value(stmt, index));
}
int sqlite3_column_bytes16(sqlite3_stmt* stmt, int index) {
  return sqlite3_value_bytes16(sqlite3_column_value(stmt, index));
}
const void* sqlite3_column_name16(sqlite3_stmt* stmt, int index) {
  return stmt == nullptr ? nullptr : keep16(&stmt->texts16, sqlite3_column_name(stmt, index));
}
const void* sqlite3_column_decltype16(sqlite3_stmt* stmt, int index) {
  return stmt == nullptr ? nullptr : keep16(&stmt->texts16, sqlite3_column_decltype(stmt, index));
}
const void* sqlite3_column_database_name16(sqlite3_stmt* stmt, int index) {
  return stmt == nullptr ? nullptr
                         : keep16(&stmt->texts16, sqlite3_column_database_name(stmt, index));
}
const void* sqlite3_column_table_name16(sqlite3_stmt* stmt, int index) {
  return stmt == nullptr ? nullptr
                         : keep16(&stmt->texts16, sqlite3_column_table_name(stmt, index));
}
const void* sqlite3_column_origin_name16(sqlite3_stmt* stmt, int index) {
  return stmt == nullptr ? nullptr
                         : keep16(&stmt->texts16, sqlite3_column_origin_name(stmt, index));
}
