// The objects behind the opaque handles of sqlite3.h.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/mutex.h"
#include "api/row_hooks.h"
#include "base/status.h"
#include "engine/connection.h"
#include "engine/statement.h"
#include "plan/authorizer.h"
#include "sqlite3.h"
#include "value/value.h"

namespace godwit::api {

// A pointer that a value carries from one piece of application code to another. SQL sees NULL.
struct PointerValue {
  void* pointer;
  const char* type;
  void (*destroy)(void*);
  PointerValue(void* p, const char* t, void (*d)(void*)) : pointer(p), type(t), destroy(d) {}
  PointerValue(const PointerValue&) = delete;
  PointerValue& operator=(const PointerValue&) = delete;
  ~PointerValue() {
    if (destroy != nullptr) destroy(pointer);
  }
};

// What sqlite3_set_clientdata() attached to a connection, by name.
class ClientData {
 public:
  ~ClientData();
  void* find(const std::string& name) const;
  void set(const std::string& name, void* data, void (*destroy)(void*));

 private:
  struct Entry {
    void* data;
    void (*destroy)(void*);
  };
  std::map<std::string, Entry> entries_;
};

}  // namespace godwit::api

// A value with the NUL-terminated forms that C callers ask for.
struct sqlite3_value {
  godwit::ValueView view;     // borrowed, or of `owner`
  godwit::Value owner;        // sqlite3_value_dup(), and texts made by conversion
  std::string text;           // with a NUL behind it, while has_text
  bool has_text = false;
  uint64_t row = 0;           // of a statement's column: the row that it was read from
  std::vector<uint8_t> text16;  // with two NULs behind it, made when it is asked for
  struct InSet* in_set = nullptr;  // of an IN, for sqlite3_vtab_in_first(); null: none

  void set(const godwit::ValueView& v) {
    view = v;
    has_text = false;
  }
};

// One call of a function of the application.
struct sqlite3_context {
  sqlite3* db = nullptr;
  godwit::FunctionContext* call = nullptr;
  godwit::ValueView* result = nullptr;  // in the call's arena; null: nobody wants it
  void* user_data = nullptr;
  struct AggregateMemory* aggregate = nullptr;
  bool is_unchanged_column = false;  // sqlite3_vtab_nochange()
};

struct sqlite3 {
  // Serializes all calls on the connection and its statements. Recursive: callbacks call back.
  sqlite3_mutex mutex;
  std::unique_ptr<godwit::Connection> connection;  // null: opening failed
  int error_code = SQLITE_OK;                      // extended
  std::string error_message;
  std::vector<uint8_t> error_message16;  // of sqlite3_errmsg16()
  bool extended_codes = false;
  bool is_zombie = false;  // sqlite3_close_v2() with statements alive
  sqlite3_stmt* statements = nullptr;
  int blobs = 0;    // open sqlite3_blob handles
  int backups = 0;  // sqlite3_backup objects that use it
  int (*busy_handler)(void*, int) = nullptr;
  void* busy_context = nullptr;
  unsigned trace_mask = 0;  // SQLITE_TRACE_ bits
  int (*trace)(unsigned, void*, void*, void*) = nullptr;
  void* trace_context = nullptr;
  std::unique_ptr<godwit::Authorizer> authorizer;  // null: none is set
  std::unique_ptr<godwit::api::AppRowObserver> row_observer;
  int (*wal_hook)(void*, sqlite3*, const char*, int) = nullptr;
  void* wal_context = nullptr;
  void (*collation_needed)(void*, sqlite3*, int, const char*) = nullptr;
  void (*collation_needed16)(void*, sqlite3*, int, const void*) = nullptr;
  void* collation_context = nullptr;
  // Of the functions that came before sqlite3_trace_v2().
  void (*legacy_trace)(void*, const char*) = nullptr;
  void* legacy_trace_context = nullptr;
  void (*legacy_profile)(void*, const char*, sqlite3_uint64) = nullptr;
  void* legacy_profile_context = nullptr;
  void* autovacuum_context = nullptr;
  void (*autovacuum_destroy)(void*) = nullptr;
  godwit::api::ClientData client_data;
  // Names that sqlite3_db_filename() gave out, by path (api/filename.h).
  std::map<std::string, std::string> filenames;
  // Of sqlite3_result_pointer(), until no statement runs.
  std::vector<std::unique_ptr<godwit::api::PointerValue>> result_pointers;
  std::vector<void*> extensions;  // shared libraries that were loaded
  struct VirtualConstructor* constructor = nullptr;  // while xCreate or xConnect runs
  int vtab_conflict = 0;                             // while xUpdate runs

  bool is_in_use() const { return statements != nullptr || blobs > 0 || backups > 0; }
};

struct sqlite3_stmt {
  sqlite3* db = nullptr;
  std::unique_ptr<godwit::Statement> statement;
  std::vector<sqlite3_value> columns;  // of the current row, filled as they are asked for
  uint64_t row = 1;  // counts rows: columns of an earlier one are stale
  std::map<const char*, std::vector<uint8_t>> texts16;  // UTF-16 forms of names that were given out
  std::map<int, std::unique_ptr<godwit::api::PointerValue>> pointers;  // by parameter
  unsigned prepare_flags = 0;
  int64_t started_ns = 0;  // of the run at hand, for SQLITE_TRACE_PROFILE
  sqlite3_stmt* next = nullptr;
  sqlite3_stmt* previous = nullptr;
};

namespace godwit::api {

// Not so: a handle that is null, or whose opening failed; SQLite calls that misuse.
inline bool is_usable(const sqlite3* db) { return db != nullptr && db->connection != nullptr; }

// Remembers the outcome of a call, and returns the code that the caller sees.
int report(sqlite3* db, const Status& status);
int report_code(sqlite3* db, int code);

// The name of a database file, followed by what belongs to it; lives as long as the connection.
const char* filename_of(sqlite3* db, const std::string& path);

// Closes a connection whose closing was put off, if nothing of it is in use any more.
void close_if_zombie(sqlite3* db);

// Runs f() -> int; memory that runs out in it becomes SQLITE_NOMEM.
template <typename F>
int guarded(sqlite3* db, F f) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    return report_code(db, SQLITE_NOMEM);
  }
}

// Tells the trace callback that a run of the statement starts or ends, or has a row.
void trace_start(sqlite3_stmt* stmt);
void trace_end(sqlite3_stmt* stmt);
void trace_row(sqlite3_stmt* stmt);

// The value forms of sqlite3_value_*().
const unsigned char* text_of(sqlite3_value* value);
const void* blob_of(sqlite3_value* value);
int bytes_of(sqlite3_value* value);
int type_of(const ValueView& value);
// With two NULs behind; valid until the next call for this value.
const void* text16_of(sqlite3_value* value, bool big_endian);

}  // namespace godwit::api
