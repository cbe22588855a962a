// What a connection keeps for its application, and functions that older programs call.
#include <cstdlib>
#include <cstring>
#include <new>

#include "api/handles.h"
#include "api/utf16.h"
#include "os/vfs.h"

using namespace godwit;
using namespace godwit::api;

extern "C" {
char* sqlite3_temp_directory = nullptr;
char* sqlite3_data_directory = nullptr;
}

namespace {
// Before any file can be opened.
[[maybe_unused]] const bool directory_is_known =
    (temporary_directory_choice = &sqlite3_temp_directory) != nullptr;
}  // namespace

namespace godwit::api {

ClientData::~ClientData() {
  for (auto& [name, entry] : entries_) {
    if (entry.destroy != nullptr) entry.destroy(entry.data);
  }
}

void* ClientData::find(const std::string& name) const {
  auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : found->second.data;
}

void ClientData::set(const std::string& name, void* data, void (*destroy)(void*)) {
  auto found = entries_.find(name);
  if (found != entries_.end()) {
    Entry before = found->second;
    entries_.erase(found);
    if (before.destroy != nullptr) before.destroy(before.data);
  }
  if (data != nullptr) entries_.emplace(name, Entry{data, destroy});
}

}  // namespace godwit::api

void* sqlite3_get_clientdata(sqlite3* db, const char* name) {
  if (db == nullptr || name == nullptr) return nullptr;
  std::lock_guard lock(db->mutex);
  return db->client_data.find(name);
}

int sqlite3_set_clientdata(sqlite3* db, const char* name, void* data, void (*destroy)(void*)) {
  if (db == nullptr || name == nullptr) return SQLITE_MISUSE;
  std::lock_guard lock(db->mutex);
  try {
    db->client_data.set(name, data, destroy);
    return SQLITE_OK;
  } catch (const std::bad_alloc&) {
    if (destroy != nullptr) destroy(data);
    return SQLITE_NOMEM;
  }
}

int sqlite3_set_errmsg(sqlite3* db, int code, const char* message) {
  if (!is_usable(db)) return SQLITE_MISUSE;
  std::lock_guard lock(db->mutex);
  return guarded(db, [&] {
    (void)report_code(db, code);
    if (message != nullptr) db->error_message = message;
    return SQLITE_OK;
  });
}

int sqlite3_system_errno(sqlite3* db) {
  return db == nullptr ? 0 : code::primary(db->error_code) == SQLITE_CANTOPEN ? ENOENT : 0;
}

// Caches are not shared in SQLite's way, so nobody ever waits for an unlock.
int sqlite3_unlock_notify(sqlite3* db, void (*notify)(void**, int), void* context) {
  if (!is_usable(db)) return SQLITE_MISUSE;
  std::lock_guard lock(db->mutex);
  if (notify != nullptr) notify(&context, 1);
  return SQLITE_OK;
}
int sqlite3_enable_shared_cache(int) { return SQLITE_OK; }

int sqlite3_autovacuum_pages(sqlite3* db,
                             unsigned (*pages)(void*, const char*, unsigned, unsigned, unsigned),
                             void* context, void (*destroy)(void*)) {
  if (!is_usable(db)) {
    if (destroy != nullptr) destroy(context);
    return SQLITE_MISUSE;
  }
  std::lock_guard lock(db->mutex);
  if (db->autovacuum_destroy != nullptr) db->autovacuum_destroy(db->autovacuum_context);
  db->autovacuum_context = context;
  db->autovacuum_destroy = destroy;
  if (pages == nullptr) {
    db->connection->set_vacuum_limit(nullptr);
    return SQLITE_OK;
  }
  db->connection->set_vacuum_limit(
      [pages, context](const std::string& name, uint32_t count, uint32_t free, uint32_t size) {
        return pages(context, name.c_str(), count, free, size);
      });
  return SQLITE_OK;
}

// ---- Collations on demand ----------------------------------------------------------------------

namespace {

void ask_for_collation(void* self, const std::string& name) {
  auto* db = static_cast<sqlite3*>(self);
  if (db->collation_needed != nullptr) {
    db->collation_needed(db->collation_context, db, SQLITE_UTF8, name.c_str());
  } else if (db->collation_needed16 != nullptr) {
    std::vector<uint8_t> utf16;
    append_utf8_as_utf16(name, false, &utf16);
    utf16.insert(utf16.end(), 2, 0);
    db->collation_needed16(db->collation_context, db, SQLITE_UTF16LE, utf16.data());
  }
}

int set_collation_needed(sqlite3* db, void* context, void (*needed)(void*, sqlite3*, int, const char*),
                         void (*needed16)(void*, sqlite3*, int, const void*)) {
  if (!is_usable(db)) return SQLITE_MISUSE;
  std::lock_guard lock(db->mutex);
  db->collation_needed = needed;
  db->collation_needed16 = needed16;
  db->collation_context = context;
  const bool is_wanted = needed != nullptr || needed16 != nullptr;
  db->connection->set_collation_needed_hook(is_wanted ? ask_for_collation : nullptr, db);
  return SQLITE_OK;
}

}  // namespace

int sqlite3_collation_needed(sqlite3* db, void* context,
                             void (*needed)(void*, sqlite3*, int, const char*)) {
  return set_collation_needed(db, context, needed, nullptr);
}
int sqlite3_collation_needed16(sqlite3* db, void* context,
                               void (*needed)(void*, sqlite3*, int, const void*)) {
  return set_collation_needed(db, context, nullptr, needed);
}

// ---- Pointers in values ------------------------------------------------------------------------

namespace {

// Marks the NULL that stands for a pointer.
constexpr uint8_t kPointerSubtype = 'p';

ValueView pointer_view(const PointerValue& pointer) {
  ValueView view;
  view.bytes = reinterpret_cast<const char*>(&pointer);
  view.subtype = kPointerSubtype;
  return view;
}

}  // namespace

int sqlite3_bind_pointer(sqlite3_stmt* stmt, int number, void* pointer, const char* type,
                         void (*destroy)(void*)) {
  if (stmt == nullptr) {
    if (destroy != nullptr) destroy(pointer);
    return SQLITE_MISUSE;
  }
  std::lock_guard lock(stmt->db->mutex);
  return guarded(stmt->db, [&] {
    auto value = std::make_unique<PointerValue>(pointer, type == nullptr ? "" : type, destroy);
    Status status = stmt->statement->bind(number, pointer_view(*value));
    if (status.ok()) stmt->pointers[number] = std::move(value);
    return report(stmt->db, status);
  });
}

void sqlite3_result_pointer(sqlite3_context* context, void* pointer, const char* type,
                            void (*destroy)(void*)) {
  auto value = std::make_unique<PointerValue>(pointer, type == nullptr ? "" : type, destroy);
  if (context == nullptr || context->result == nullptr) return;
  *context->result = pointer_view(*value);
  context->db->result_pointers.push_back(std::move(value));
}

void* sqlite3_value_pointer(sqlite3_value* value, const char* type) {
  if (value == nullptr || type == nullptr) return nullptr;
  const ValueView& view = value->view;
  if (!view.is_null() || view.subtype != kPointerSubtype || view.bytes == nullptr) return nullptr;
  const auto* pointer = reinterpret_cast<const PointerValue*>(view.bytes);
  return std::strcmp(pointer->type, type) == 0 ? pointer->pointer : nullptr;
}

int sqlite3_value_frombind(sqlite3_value* value) {
  return value != nullptr && (value->view.reserved & kFromBind) != 0 ? 1 : 0;
}

// ---- Functions of older programs ---------------------------------------------------------------

namespace {

// Texts of statements come with the values of their parameters, those of triggers as they are.
int trace_as_before(unsigned event, void* self, void* stmt, void* detail) {
  auto* db = static_cast<sqlite3*>(self);
  if (event == SQLITE_TRACE_STMT && db->legacy_trace != nullptr) {
    const char* text = static_cast<const char*>(detail);
    if (std::strncmp(text, "--", 2) == 0) {
      db->legacy_trace(db->legacy_trace_context, text);
    } else {
      char* expanded = sqlite3_expanded_sql(static_cast<sqlite3_stmt*>(stmt));
      db->legacy_trace(db->legacy_trace_context, expanded);
      sqlite3_free(expanded);
    }
  }
  if (event == SQLITE_TRACE_PROFILE && db->legacy_profile != nullptr) {
    db->legacy_profile(db->legacy_profile_context, sqlite3_sql(static_cast<sqlite3_stmt*>(stmt)),
                       static_cast<sqlite3_uint64>(*static_cast<sqlite3_int64*>(detail)));
  }
  return 0;
}

void install_legacy_trace(sqlite3* db) {
  unsigned mask = 0;
  if (db->legacy_trace != nullptr) mask |= SQLITE_TRACE_STMT;
  if (db->legacy_profile != nullptr) mask |= SQLITE_TRACE_PROFILE;
  (void)sqlite3_trace_v2(db, mask, mask == 0 ? nullptr : trace_as_before, db);
}

}  // namespace

void* sqlite3_trace(sqlite3* db, void (*trace)(void*, const char*), void* context) {
  if (!is_usable(db)) return nullptr;
  std::lock_guard lock(db->mutex);
  void* before = db->legacy_trace_context;
  db->legacy_trace = trace;
  db->legacy_trace_context = context;
  install_legacy_trace(db);
  return before;
}

void* sqlite3_profile(sqlite3* db, void (*profile)(void*, const char*, sqlite3_uint64),
                      void* context) {
  if (!is_usable(db)) return nullptr;
  std::lock_guard lock(db->mutex);
  void* before = db->legacy_profile_context;
  db->legacy_profile = profile;
  db->legacy_profile_context = context;
  install_legacy_trace(db);
  return before;
}

int sqlite3_expired(sqlite3_stmt* stmt) {
  if (stmt == nullptr) return 1;
  return stmt->statement->catalog_version() != stmt->db->connection->catalog_version() ? 1 : 0;
}

int sqlite3_transfer_bindings(sqlite3_stmt* from, sqlite3_stmt* to) {
  if (from == nullptr || to == nullptr || from->db != to->db) return SQLITE_MISUSE;
  std::lock_guard lock(from->db->mutex);
  const int count = from->statement->parameter_count();
  if (count != to->statement->parameter_count()) return SQLITE_ERROR;
  for (int number = 1; number <= count; ++number) {
    Status status = to->statement->bind(number, from->statement->parameter(number));
    if (!status.ok()) return report(to->db, status);
  }
  to->pointers = std::move(from->pointers);
  from->pointers.clear();
  from->statement->clear_bindings();
  return SQLITE_OK;
}

int sqlite3_global_recover() { return SQLITE_OK; }
void sqlite3_thread_cleanup() {}

int sqlite3_stmt_explain(sqlite3_stmt* stmt, int mode) {
  if (stmt == nullptr) return SQLITE_MISUSE;
  if (mode < 0 || mode > 2) return SQLITE_ERROR;
  std::lock_guard lock(stmt->db->mutex);
  if (stmt->statement->is_busy()) return SQLITE_BUSY;
  return guarded(stmt->db, [&] {
    stmt->columns.clear();
    return report(stmt->db, stmt->statement->set_explain(static_cast<ast::Explain>(mode)));
  });
}
