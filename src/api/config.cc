// Settings of the whole library, its error log, and the figures that it keeps.
#include <atomic>
#include <cstdarg>
#include <cstring>
#include <new>

#include "api/config.h"
#include "api/handles.h"
#include "api/memory.h"
#include "function/compile_options.h"

using namespace godwit;
using namespace godwit::api;

namespace {

std::atomic<bool> initialized{false};
void (*log_function)(void*, int, const char*) = nullptr;
void* log_context = nullptr;
std::atomic<bool> global_uri{true};

// What an application that asks for the allocator gets.
void* default_malloc(int bytes) { return sqlite3_malloc(bytes); }
void* default_realloc(void* memory, int bytes) { return sqlite3_realloc(memory, bytes); }
int default_size(void* memory) { return static_cast<int>(sqlite3_msize(memory)); }
int round_up(int bytes) { return (bytes + 7) & ~7; }
int nothing(void*) { return SQLITE_OK; }
void nothing_either(void*) {}

int mutex_nothing() { return SQLITE_OK; }
int mutex_held(sqlite3_mutex*) { return 1; }

constexpr sqlite3_mem_methods kDefaultMemory = {default_malloc, sqlite3_free,   default_realloc,
                                                default_size,   round_up,       nothing,
                                                nothing_either, nullptr};
constexpr sqlite3_mutex_methods kMutexes = {
    mutex_nothing,     mutex_nothing,       sqlite3_mutex_alloc, sqlite3_mutex_free,
    sqlite3_mutex_enter, sqlite3_mutex_try, sqlite3_mutex_leave, mutex_held, mutex_held};

// Bytes of this library's own before each page of a page cache: it has none of SQLite's kind.
constexpr int kPageCacheHeader = 0;

int configure(int option, va_list arguments) {
  switch (option) {
    case SQLITE_CONFIG_MALLOC:
      memory_methods = *va_arg(arguments, sqlite3_mem_methods*);
      return SQLITE_OK;
    case SQLITE_CONFIG_GETMALLOC:
      *va_arg(arguments, sqlite3_mem_methods*) =
          memory_methods.xMalloc != nullptr ? memory_methods : kDefaultMemory;
      return SQLITE_OK;
    case SQLITE_CONFIG_GETMUTEX:
      *va_arg(arguments, sqlite3_mutex_methods*) = kMutexes;
      return SQLITE_OK;
    case SQLITE_CONFIG_LOG:
      log_function = va_arg(arguments, void (*)(void*, int, const char*));
      log_context = va_arg(arguments, void*);
      return SQLITE_OK;
    case SQLITE_CONFIG_URI:
      global_uri = va_arg(arguments, int) != 0;
      return SQLITE_OK;
    case SQLITE_CONFIG_PCACHE_HDRSZ:
      *va_arg(arguments, int*) = kPageCacheHeader;
      return SQLITE_OK;
    case SQLITE_CONFIG_ROWID_IN_VIEW:
      *va_arg(arguments, int*) = 0;
      return SQLITE_OK;
    // Accepted: what they tune works otherwise here.
    case SQLITE_CONFIG_SINGLETHREAD:
    case SQLITE_CONFIG_MULTITHREAD:
    case SQLITE_CONFIG_SERIALIZED:
    case SQLITE_CONFIG_PAGECACHE:
    case SQLITE_CONFIG_MEMSTATUS:
    case SQLITE_CONFIG_MUTEX:
    case SQLITE_CONFIG_LOOKASIDE:
    case SQLITE_CONFIG_PCACHE2:
    case SQLITE_CONFIG_COVERING_INDEX_SCAN:
    case SQLITE_CONFIG_MMAP_SIZE:
    case SQLITE_CONFIG_PMASZ:
    case SQLITE_CONFIG_STMTJRNL_SPILL:
    case SQLITE_CONFIG_SMALL_MALLOC:
    case SQLITE_CONFIG_MEMDB_MAXSIZE:
    // No longer used in SQLite either.
    case SQLITE_CONFIG_PCACHE:
    case SQLITE_CONFIG_GETPCACHE:
      return SQLITE_OK;
    default:
      return SQLITE_ERROR;
  }
}

}  // namespace

namespace godwit::api {

void mark_initialized() { initialized.store(true, std::memory_order_relaxed); }
bool uses_uris() { return global_uri.load(std::memory_order_relaxed); }

void log_error(int code, const char* message) {
  if (log_function != nullptr) log_function(log_context, code, message);
}
bool has_log() { return log_function != nullptr; }

}  // namespace godwit::api

int sqlite3_initialize() {
  mark_initialized();
  return SQLITE_OK;
}
int sqlite3_shutdown() {
  initialized.store(false, std::memory_order_relaxed);
  return SQLITE_OK;
}
int sqlite3_os_init() { return SQLITE_OK; }
int sqlite3_os_end() { return SQLITE_OK; }

int sqlite3_config(int option, ...) {
  const bool any_time = option == SQLITE_CONFIG_LOG || option == SQLITE_CONFIG_PCACHE_HDRSZ;
  if (initialized.load(std::memory_order_relaxed) && !any_time) return SQLITE_MISUSE;
  va_list arguments;
  va_start(arguments, option);
  int code = configure(option, arguments);
  va_end(arguments);
  return code;
}

void sqlite3_log(int code, const char* format, ...) {
  if (!has_log()) return;
  va_list arguments;
  va_start(arguments, format);
  char* text = sqlite3_vmprintf(format, arguments);
  va_end(arguments);
  if (text == nullptr) return;
  log_error(code, text);
  sqlite3_free(text);
}

int sqlite3_compileoption_used(const char* name) {
  return name != nullptr && is_compile_option_used(name) ? 1 : 0;
}
const char* sqlite3_compileoption_get(int number) {
  auto options = compile_options();
  if (number < 0 || static_cast<size_t>(number) >= options.size()) return nullptr;
  return options[static_cast<size_t>(number)].data();
}

// ---- Figures -----------------------------------------------------------------------------------

int sqlite3_db_status64(sqlite3* db, int figure, sqlite3_int64* now, sqlite3_int64* highwater,
                        int reset) {
  if (!is_usable(db) || now == nullptr || highwater == nullptr) return SQLITE_MISUSE;
  if (figure < 0 || figure > SQLITE_DBSTATUS_MAX) return SQLITE_ERROR;
  std::lock_guard lock(db->mutex);
  *now = *highwater = 0;
  if (figure == SQLITE_DBSTATUS_STMT_USED) {
    for (sqlite3_stmt* stmt = db->statements; stmt != nullptr; stmt = stmt->next) {
      *now += static_cast<sqlite3_int64>(stmt->statement->memory_used() + sizeof(sqlite3_stmt));
    }
  }
  if (figure == SQLITE_DBSTATUS_DEFERRED_FKS) {
    *now = db->connection->foreign_key_counters()->may_commit() ? 0 : 1;
  }
  for (AttachedDatabase& database : db->connection->databases()) {
    if (database.schema != nullptr && figure == SQLITE_DBSTATUS_SCHEMA_USED) {
      *now += static_cast<sqlite3_int64>(sizeof(Schema) +
                                         database.schema->tables.size() * sizeof(Table) +
                                         database.schema->indexes.size() * sizeof(Index));
    }
    if (database.btree == nullptr) continue;
    Pager& pager = database.btree->pager();
    switch (figure) {
      case SQLITE_DBSTATUS_CACHE_USED:
      case SQLITE_DBSTATUS_CACHE_USED_SHARED:
        *now += sqlite3_int64{pager.cached_pages()} * pager.page_size();
        break;
      case SQLITE_DBSTATUS_CACHE_MISS:
        *now += static_cast<sqlite3_int64>(pager.figures().misses);
        if (reset != 0) pager.figures().misses = 0;
        break;
      case SQLITE_DBSTATUS_CACHE_WRITE:
        *now += static_cast<sqlite3_int64>(pager.figures().writes);
        if (reset != 0) pager.figures().writes = 0;
        break;
      case SQLITE_DBSTATUS_CACHE_SPILL:
        *now += static_cast<sqlite3_int64>(pager.figures().spills);
        if (reset != 0) pager.figures().spills = 0;
        break;
      default:
        break;
    }
  }
  return SQLITE_OK;
}

int sqlite3_db_status(sqlite3* db, int figure, int* now, int* highwater, int reset) {
  if (now == nullptr || highwater == nullptr) return SQLITE_MISUSE;
  sqlite3_int64 wide_now = 0, wide_highwater = 0;
  int code = sqlite3_db_status64(db, figure, &wide_now, &wide_highwater, reset);
  if (code != SQLITE_OK) return code;
  *now = static_cast<int>(wide_now & 0x7fffffff);
  *highwater = static_cast<int>(wide_highwater & 0x7fffffff);
  return SQLITE_OK;
}

int sqlite3_stmt_status(sqlite3_stmt* stmt, int figure, int reset) {
  if (stmt == nullptr) return 0;
  std::lock_guard lock(stmt->db->mutex);
  Statement::Counters& counters = stmt->statement->counters();
  int* counter = figure == SQLITE_STMTSTATUS_VM_STEP     ? &counters.steps
                 : figure == SQLITE_STMTSTATUS_REPREPARE ? &counters.recompilations
                 : figure == SQLITE_STMTSTATUS_RUN       ? &counters.runs
                                                         : nullptr;
  if (figure == SQLITE_STMTSTATUS_MEMUSED) return static_cast<int>(stmt->statement->memory_used());
  if (counter == nullptr) return 0;
  int value = *counter;
  if (reset != 0) *counter = 0;
  return value;
}

// ---- For tests ---------------------------------------------------------------------------------

int sqlite3_test_control(int operation, ...) {
  va_list arguments;
  va_start(arguments, operation);
  int result = 0;
  switch (operation) {
    case SQLITE_TESTCTRL_ALWAYS:
      result = va_arg(arguments, int);
      break;
    case SQLITE_TESTCTRL_BYTEORDER:
      result = 123410;  // little-endian
      break;
    case SQLITE_TESTCTRL_ISINIT:
      result = initialized.load(std::memory_order_relaxed) ? SQLITE_OK : SQLITE_ERROR;
      break;
    case SQLITE_TESTCTRL_PENDING_BYTE:
      result = 0x40000000;
      break;
    default:
      break;
  }
  va_end(arguments);
  return result;
}
