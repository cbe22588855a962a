// FTS5 as a virtual table: CREATE VIRTUAL TABLE t USING fts5(column, ..., option = value, ...).
#include <cstring>
#include <new>

#include "modules/fts5_cursor.h"
#include "modules/fts5_tokenizers.h"
#include "modules/modules.h"

namespace godwit::modules {

namespace {

// Bits of a plan's number, as SQLite shows them in EXPLAIN QUERY PLAN. Its text has a letter for each
// argument: M with the column, r, =, <, >.
constexpr int kByRowid = 64, kDescending = 128;

Fts5Table* table_of(sqlite3_vtab* vtab) { return reinterpret_cast<Fts5Table*>(vtab); }
Fts5Cursor* cursor_of(sqlite3_vtab_cursor* cursor) { return reinterpret_cast<Fts5Cursor*>(cursor); }

std::string lower_case(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  }
  return text;
}

// ---- Making --------------------------------------------------------------------------------------

int make_table(sqlite3* db, void* global, int count, const char* const* arguments, sqlite3_vtab** out,
               char** error, bool create) {
  auto table = std::make_unique<Fts5Table>();
  table->config.db = db;
  table->config.global = static_cast<Fts5Global*>(global);
  std::string message;
  int code = table->config.parse(count, arguments, &message);
  if (code == SQLITE_OK) code = table->config.open_tokenizer(&message);
  if (code == SQLITE_OK) {
    code = sqlite3_declare_vtab(db, table->config.declaration().c_str());
  }
  if (code == SQLITE_OK) {
    sqlite3_vtab_config(db, SQLITE_VTAB_CONSTRAINT_SUPPORT, 1);
    sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    if (create) code = table->create();
    if (code != SQLITE_OK) message = sqlite3_errmsg(db);
  }
  if (code == SQLITE_OK) code = table->config.load_settings(&message);
  if (code != SQLITE_OK) {
    if (!message.empty()) *error = sqlite3_mprintf("%s", message.c_str());
    return code;
  }
  *out = &table.release()->base;
  return SQLITE_OK;
}

int create(sqlite3* db, void* global, int count, const char* const* arguments, sqlite3_vtab** out, char** error) {
  return make_table(db, global, count, arguments, out, error, true);
}
int connect(sqlite3* db, void* global, int count, const char* const* arguments, sqlite3_vtab** out, char** error) {
  return make_table(db, global, count, arguments, out, error, false);
}
int disconnect(sqlite3_vtab* vtab) {
  delete table_of(vtab);
  return SQLITE_OK;
}
int destroy(sqlite3_vtab* vtab) {
  int code = table_of(vtab)->drop();
  if (code == SQLITE_OK) delete table_of(vtab);
  return code;
}
int rename(sqlite3_vtab* vtab, const char* name) { return table_of(vtab)->rename(name); }

// ---- Planning ------------------------------------------------------------------------------------

int best_index(sqlite3_vtab* vtab, sqlite3_index_info* info) {
  const Fts5Config& config = table_of(vtab)->config;
  const int columns = config.column_count();
  std::string text;
  int arguments = 0;
  bool has_rank = false, has_rowid = false;
  int matches = 0;
  const auto take = [&](int i, const std::string& letter) {
    text += letter;
    info->aConstraintUsage[i].argvIndex = ++arguments;
    info->aConstraintUsage[i].omit = 1;
  };
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    const bool is_match = constraint.op == SQLITE_INDEX_CONSTRAINT_MATCH;
    const bool is_equal = constraint.op == SQLITE_INDEX_CONSTRAINT_EQ;
    const bool is_query = is_match || (is_equal && constraint.iColumn == columns);
    if (constraint.iColumn > columns && (is_match || is_equal)) {
      // rank: names the function.
      if (constraint.usable == 0) continue;
      if (has_rank) continue;
      has_rank = true;
      take(i, "r");
    } else if (is_query && constraint.iColumn >= 0) {
      if (constraint.usable == 0) {
        // It can only be answered here.
        if (is_match) return SQLITE_CONSTRAINT;
        continue;
      }
      ++matches;
      take(i, "M" + std::to_string(constraint.iColumn));
    } else if (constraint.usable != 0 && is_equal && constraint.iColumn < 0 && !has_rowid) {
      has_rowid = true;
      take(i, "=");
    }
  }
  for (int i = 0; !has_rowid && i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    if (constraint.usable == 0 || constraint.iColumn >= 0) continue;
    const bool is_less = constraint.op == SQLITE_INDEX_CONSTRAINT_LT || constraint.op == SQLITE_INDEX_CONSTRAINT_LE;
    const bool is_greater = constraint.op == SQLITE_INDEX_CONSTRAINT_GT || constraint.op == SQLITE_INDEX_CONSTRAINT_GE;
    if (!is_less && !is_greater) continue;
    if (text.find(is_less ? '<' : '>') != std::string::npos) continue;
    take(i, is_less ? "<" : ">");
    info->aConstraintUsage[i].omit = 0;
  }
  info->idxNum = 0;
  if (info->nOrderBy == 1 && info->aOrderBy[0].iColumn < 0) {
    info->orderByConsumed = 1;
    info->idxNum = kByRowid | (info->aOrderBy[0].desc != 0 ? kDescending : 0);
  }
  const bool has_range = text.find_first_of("<>") != std::string::npos;
  if (has_rowid) {
    info->estimatedCost = matches > 0 ? 100 : 10;
    info->estimatedRows = 1;
    info->idxFlags |= SQLITE_INDEX_SCAN_UNIQUE;
  } else {
    info->estimatedCost = (matches > 0 ? 1000.0 : 1000000.0) * (has_range ? 0.5 : 1);
    info->estimatedRows = (matches > 0 ? 250 : 250000) / (has_range ? 2 : 1);
  }
  for (int i = 1; i < matches; ++i) info->estimatedCost *= 0.4;
  info->idxStr = sqlite3_mprintf("%s", text.c_str());
  info->needToFreeIdxStr = 1;
  return info->idxStr == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}

// ---- Reading -------------------------------------------------------------------------------------

int open_cursor(sqlite3_vtab* vtab, sqlite3_vtab_cursor** out) {
  auto* cursor = new (std::nothrow) Fts5Cursor(table_of(vtab));
  if (cursor == nullptr) return SQLITE_NOMEM;
  *out = &cursor->base;
  return SQLITE_OK;
}
int close_cursor(sqlite3_vtab_cursor* cursor) {
  delete cursor_of(cursor);
  return SQLITE_OK;
}

// A bound of rowids; `is_upper`: rounded down.
int64_t rowid_bound(sqlite3_value* value, bool is_upper) {
  const int type = sqlite3_value_numeric_type(value);
  if (type == SQLITE_INTEGER) return sqlite3_value_int64(value);
  return is_upper ? INT64_MAX : INT64_MIN;
}

int filter(sqlite3_vtab_cursor* base, int plan, const char* text, int, sqlite3_value** values) {
  Fts5Cursor* cursor = cursor_of(base);
  const int columns = cursor->table()->config.column_count();
  Fts5Request request;
  request.descends = (plan & kDescending) != 0;
  int argument = 0;
  for (const char* at = text; *at != '\0';) {
    const char letter = *at++;
    sqlite3_value* value = values[argument++];
    if (letter == 'M') {
      char* end = nullptr;
      const long column = std::strtol(at, &end, 10);
      at = end;
      request.matches.push_back({column == columns ? -1 : static_cast<int>(column), std::string(fts5_text(value)), false});
    } else if (letter == 'r') {
      if (sqlite3_value_type(value) != SQLITE_NULL) request.rank = std::string(fts5_text(value));
    } else if (letter == '=') {
      const int type = sqlite3_value_numeric_type(value);
      const int64_t rowid = sqlite3_value_int64(value);
      const bool is_integer = type == SQLITE_INTEGER ||
                              (type == SQLITE_FLOAT && sqlite3_value_double(value) == static_cast<double>(rowid));
      if (is_integer) request.rowid = rowid;
      request.is_empty |= !is_integer;
    } else if (letter == '<') {
      request.greatest = rowid_bound(value, true);
    } else {
      request.least = rowid_bound(value, false);
    }
  }
  return cursor->start(request);
}

int next(sqlite3_vtab_cursor* cursor) { return cursor_of(cursor)->next(); }
int at_end(sqlite3_vtab_cursor* cursor) { return cursor_of(cursor)->at_end() ? 1 : 0; }
int rowid(sqlite3_vtab_cursor* cursor, sqlite3_int64* id) {
  *id = cursor_of(cursor)->rowid();
  return SQLITE_OK;
}
int column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int index) {
  return cursor_of(cursor)->column(context, index);
}

void call_function(sqlite3_context* context, int count, sqlite3_value** values) {
  auto* entry = static_cast<Fts5FunctionEntry*>(sqlite3_user_data(context));
  const int64_t id = sqlite3_value_int64(values[0]);
  auto found = entry->global->cursors.find(id);
  if (found == entry->global->cursors.end() || found->second->at_end()) {
    const std::string message = formatted("no such cursor: %lld", static_cast<long long>(id));
    return sqlite3_result_error(context, message.c_str(), -1);
  }
  call_fts5_function(entry, found->second, context, count - 1, values + 1);
}

int find_function(sqlite3_vtab* vtab, int, const char* name, void (**function)(sqlite3_context*, int, sqlite3_value**),
                  void** context) {
  Fts5FunctionEntry* entry = table_of(vtab)->config.global->find_function(name);
  if (entry == nullptr) return 0;
  *function = call_function;
  *context = entry;
  return 1;
}

// ---- Changing ------------------------------------------------------------------------------------

int change_row(Fts5Table* table, sqlite3_value** values, sqlite3_int64* rowid) {
  const Fts5Config& config = table->config;
  const bool is_update = sqlite3_value_type(values[0]) == SQLITE_INTEGER;
  const bool is_replace = sqlite3_vtab_on_conflict(config.db) == SQLITE_REPLACE;
  sqlite3_value* wanted = values[1];
  if (sqlite3_value_type(wanted) != SQLITE_NULL && sqlite3_value_numeric_type(wanted) != SQLITE_INTEGER) {
    return SQLITE_MISMATCH;
  }
  if (config.content == Fts5Content::kNone && is_update) {
    return table->fail("cannot UPDATE contentless fts5 table: " + config.name);
  }
  const int64_t old_rowid = sqlite3_value_int64(values[0]);
  const bool has_wanted = sqlite3_value_type(wanted) != SQLITE_NULL;
  const bool keeps_rowid = is_update && has_wanted && sqlite3_value_int64(wanted) == old_rowid;
  int code = SQLITE_OK;
  if (has_wanted && !keeps_rowid && is_replace && config.content == Fts5Content::kOwn) {
    code = table->remove(sqlite3_value_int64(wanted), nullptr);
  }
  // A row that cannot be stored must stay what it is.
  if (code == SQLITE_OK && is_update && !keeps_rowid && has_wanted) {
    bool has = false;
    code = table->has_row(sqlite3_value_int64(wanted), &has);
    if (code == SQLITE_OK && has) return table->fail("constraint failed", SQLITE_CONSTRAINT_PRIMARYKEY);
  }
  if (code == SQLITE_OK && is_update) code = table->remove(old_rowid, nullptr);
  int64_t stored = 0;
  if (code == SQLITE_OK) code = table->store_content(wanted, values + 2, false, &stored);
  if (code == SQLITE_OK) code = table->insert(stored, values + 2);
  *rowid = stored;
  return code;
}

// values: old rowid, new rowid, columns, the table's own column, rank.
int change(Fts5Table* table, int count, sqlite3_value** values, sqlite3_int64* rowid) {
  const Fts5Config& config = table->config;
  int code = table->refresh_settings();
  if (code != SQLITE_OK) return code;
  if (count == 1) {
    if (config.content == Fts5Content::kNone) {
      return table->fail("cannot DELETE from contentless fts5 table: " + config.name);
    }
    return table->remove(sqlite3_value_int64(values[0]), nullptr);
  }
  sqlite3_value* command = values[2 + config.column_count()];
  if (sqlite3_value_type(values[0]) == SQLITE_NULL && sqlite3_value_type(command) != SQLITE_NULL) {
    return table->command(std::string(fts5_text(command)), values[1], values + 2, values[3 + config.column_count()]);
  }
  return change_row(table, values, rowid);
}

int update(sqlite3_vtab* vtab, int count, sqlite3_value** values, sqlite3_int64* rowid) {
  Fts5Table* table = table_of(vtab);
  table->begin_change();
  int code = change(table, count, values, rowid);
  table->end_change();
  return code;
}

int begin(sqlite3_vtab*) { return SQLITE_OK; }
int sync(sqlite3_vtab* vtab) { return table_of(vtab)->flush(); }
int commit(sqlite3_vtab*) { return SQLITE_OK; }
int rollback(sqlite3_vtab* vtab) {
  table_of(vtab)->forget();
  return SQLITE_OK;
}
int savepoint(sqlite3_vtab* vtab, int) {
  return table_of(vtab)->is_writing() ? SQLITE_OK : table_of(vtab)->flush();
}
int release(sqlite3_vtab*, int) { return SQLITE_OK; }
int rollback_to(sqlite3_vtab* vtab, int) {
  if (!table_of(vtab)->is_writing()) table_of(vtab)->forget();
  return SQLITE_OK;
}

int shadow_name(const char* suffix) {
  for (const char* name : {"config", "content", "data", "docsize", "idx"}) {
    if (sqlite3_stricmp(suffix, name) == 0) return 1;
  }
  return 0;
}

int integrity(sqlite3_vtab* vtab, const char* database, const char* name, int, char** error) {
  int code = table_of(vtab)->check_content(false);
  if ((code & 0xff) == SQLITE_CORRUPT) {
    *error = sqlite3_mprintf("malformed inverted index for FTS5 table %s.%s", database, name);
  } else if (code != SQLITE_OK) {
    *error = sqlite3_mprintf("unable to validate the inverted index for FTS5 table %s.%s: %s", database, name,
                             sqlite3_errstr(code));
  }
  return SQLITE_OK;
}

const sqlite3_module kFts5Module = {
    4,        create,   connect,  best_index, disconnect,    destroy,   open_cursor, close_cursor, filter,
    next,     at_end,   column,   rowid,      update,        begin,     sync,        commit,       rollback,
    find_function, rename, savepoint, release, rollback_to, shadow_name, integrity,
};

// ---- fts5_api ------------------------------------------------------------------------------------

Fts5Global* global_of(fts5_api* api) { return reinterpret_cast<Fts5Global*>(api); }

int create_tokenizer(fts5_api* api, const char* name, void* context, fts5_tokenizer* methods, void (*destroy)(void*)) {
  auto entry = std::make_shared<Fts5TokenizerEntry>();
  entry->context = context;
  entry->methods = *methods;
  entry->destroy = destroy;
  global_of(api)->tokenizers[lower_case(name)] = std::move(entry);
  return SQLITE_OK;
}
int create_tokenizer_v2(fts5_api* api, const char* name, void* context, fts5_tokenizer_v2* methods,
                        void (*destroy)(void*)) {
  if (methods->iVersion > 2) return SQLITE_ERROR;
  auto entry = std::make_shared<Fts5TokenizerEntry>();
  entry->context = context;
  entry->methods_v2 = *methods;
  entry->is_v2 = true;
  entry->destroy = destroy;
  global_of(api)->tokenizers[lower_case(name)] = std::move(entry);
  return SQLITE_OK;
}
int find_tokenizer(fts5_api* api, const char* name, void** context, fts5_tokenizer* methods) {
  *methods = fts5_tokenizer{};
  Fts5TokenizerEntry* entry = global_of(api)->find_tokenizer(name == nullptr ? "unicode61" : name);
  if (entry == nullptr || entry->is_v2) return SQLITE_ERROR;
  *context = entry->context;
  *methods = entry->methods;
  return SQLITE_OK;
}
int find_tokenizer_v2(fts5_api* api, const char* name, void** context, fts5_tokenizer_v2** methods) {
  *methods = nullptr;
  Fts5TokenizerEntry* entry = global_of(api)->find_tokenizer(name == nullptr ? "unicode61" : name);
  if (entry == nullptr || !entry->is_v2) return SQLITE_ERROR;
  *context = entry->context;
  *methods = &entry->methods_v2;
  return SQLITE_OK;
}
int create_function(fts5_api* api, const char* name, void* context, fts5_extension_function function,
                    void (*destroy)(void*)) {
  auto entry = std::make_shared<Fts5FunctionEntry>();
  entry->global = global_of(api);
  entry->name = name;
  entry->context = context;
  entry->function = function;
  entry->destroy = destroy;
  global_of(api)->functions[lower_case(name)] = std::move(entry);
  return sqlite3_overload_function(global_of(api)->db, name, -1);
}

// fts5(?): the API, for the application.
void fts5_function(sqlite3_context* context, int, sqlite3_value** values) {
  auto** out = static_cast<fts5_api**>(sqlite3_value_pointer(values[0], "fts5_api_ptr"));
  if (out != nullptr) *out = &static_cast<Fts5Global*>(sqlite3_user_data(context))->api;
}
void fts5_source_id(sqlite3_context* context, int, sqlite3_value**) {
  sqlite3_result_text(context, "fts5: godwit", -1, SQLITE_STATIC);
}

}  // namespace

Fts5TokenizerEntry* Fts5Global::find_tokenizer(const std::string& name) const {
  auto found = tokenizers.find(lower_case(name));
  return found == tokenizers.end() ? nullptr : found->second.get();
}

Fts5FunctionEntry* Fts5Global::find_function(const std::string& name) const {
  auto found = functions.find(lower_case(name));
  return found == functions.end() ? nullptr : found->second.get();
}

int register_fts5(sqlite3* db) {
  auto* global = new (std::nothrow) Fts5Global;
  if (global == nullptr) return SQLITE_NOMEM;
  global->db = db;
  global->api = {3, create_tokenizer, find_tokenizer, create_function, create_tokenizer_v2, find_tokenizer_v2};
  int code = sqlite3_create_module_v2(db, "fts5", &kFts5Module, global,
                                      [](void* pointer) { delete static_cast<Fts5Global*>(pointer); });
  if (code == SQLITE_OK) code = add_fts5_tokenizers(&global->api);
  if (code == SQLITE_OK) code = add_fts5_functions(&global->api);
  if (code == SQLITE_OK) {
    code = sqlite3_create_function(db, "fts5", 1, SQLITE_UTF8, global, fts5_function, nullptr, nullptr);
  }
  if (code == SQLITE_OK) {
    code = sqlite3_create_function(db, "fts5_source_id", 0, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                                   global, fts5_source_id, nullptr, nullptr);
  }
  return code == SQLITE_OK ? register_fts5_vocabulary(db, global) : code;
}

}  // namespace godwit::modules
