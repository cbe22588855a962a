// FTS3 and FTS4 as virtual tables: CREATE VIRTUAL TABLE t USING fts4(column, ..., option=value, ...).
//
// The hidden columns are the table's own (a query, a command, the argument of functions), docid and the
// language.
#include <cstdlib>
#include <cstring>
#include <new>

#include "modules/fts3_cursor.h"
#include "modules/modules.h"

namespace godwit::modules {

namespace {

// Numbers of plans, as SQLite shows them in EXPLAIN QUERY PLAN; of a query the column is added.
constexpr int kScan = 0, kByDocid = 1, kByQuery = 2;
constexpr int kWithLanguage = 0x10000, kFromDocid = 0x20000, kToDocid = 0x40000;

Fts3Table* fts3_table(sqlite3_vtab* vtab) { return reinterpret_cast<Fts3Table*>(vtab); }
Fts3Cursor* fts3_cursor(sqlite3_vtab_cursor* cursor) { return reinterpret_cast<Fts3Cursor*>(cursor); }

// ---- Making --------------------------------------------------------------------------------------

int make_fts3_table(sqlite3* db, int count, const char* const* arguments, sqlite3_vtab** out, char** error, bool create) {
  auto table = std::make_unique<Fts3Table>();
  table->config.db = db;
  const char* syntax = std::getenv("GODWIT_FTS3_SYNTAX");
  table->uses_standard_syntax = syntax != nullptr && std::strcmp(syntax, "standard") == 0;
  std::string message;
  int code = table->config.parse(count, arguments, &message);
  if (code == SQLITE_OK) {
    sqlite3_vtab_config(db, SQLITE_VTAB_CONSTRAINT_SUPPORT, 1);
    sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    if (create) code = table->create();
    if (code == SQLITE_OK) code = table->load();
    if (code != SQLITE_OK) message = sqlite3_errmsg(db);
    if (code == SQLITE_OK) code = sqlite3_declare_vtab(db, table->config.declaration().c_str());
  }
  if (code != SQLITE_OK) {
    if (!message.empty()) *error = sqlite3_mprintf("%s", message.c_str());
    return code;
  }
  *out = &table.release()->base;
  return SQLITE_OK;
}

int create_fts3(sqlite3* db, void*, int count, const char* const* arguments, sqlite3_vtab** out, char** error) {
  return make_fts3_table(db, count, arguments, out, error, true);
}
int connect_fts3(sqlite3* db, void*, int count, const char* const* arguments, sqlite3_vtab** out, char** error) {
  return make_fts3_table(db, count, arguments, out, error, false);
}
int disconnect_fts3(sqlite3_vtab* vtab) {
  delete fts3_table(vtab);
  return SQLITE_OK;
}
int destroy_fts3(sqlite3_vtab* vtab) {
  int code = fts3_table(vtab)->drop();
  if (code == SQLITE_OK) delete fts3_table(vtab);
  return code;
}
int rename_fts3(sqlite3_vtab* vtab, const char* name) { return fts3_table(vtab)->rename(name); }

// ---- Planning ------------------------------------------------------------------------------------

struct Fts3Plan {
  int number = kScan;
  double cost = 5000000;
  int match = -1, language = -1, from = -1, to = -1;
};

// False: MATCH needs what is not known here.
bool plan_fts3(const Fts3Config& config, sqlite3_index_info* info, Fts3Plan* plan) {
  const int columns = config.column_count();
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    const bool is_match = constraint.op == SQLITE_INDEX_CONSTRAINT_MATCH;
    if (constraint.usable == 0) {
      if (is_match) return false;
      continue;
    }
    const bool is_docid = constraint.iColumn < 0 || constraint.iColumn == columns + 1;
    const bool is_equal = constraint.op == SQLITE_INDEX_CONSTRAINT_EQ;
    if (plan->match < 0 && is_equal && is_docid) {
      plan->number = kByDocid;
      plan->cost = 1;
      plan->match = i;
    }
    // A query counts more than a row that is known.
    if (is_match && constraint.iColumn >= 0 && constraint.iColumn <= columns) {
      plan->number = kByQuery + constraint.iColumn;
      plan->cost = 2;
      plan->match = i;
    }
    if (is_equal && constraint.iColumn == columns + 2) plan->language = i;
    if (!is_docid) continue;
    if (constraint.op == SQLITE_INDEX_CONSTRAINT_GE || constraint.op == SQLITE_INDEX_CONSTRAINT_GT) plan->from = i;
    if (constraint.op == SQLITE_INDEX_CONSTRAINT_LE || constraint.op == SQLITE_INDEX_CONSTRAINT_LT) plan->to = i;
  }
  return true;
}

int best_fts3_index(sqlite3_vtab* vtab, sqlite3_index_info* info) {
  const Fts3Config& config = fts3_table(vtab)->config;
  Fts3Plan plan;
  if (!plan_fts3(config, info, &plan)) {
    // It can only be answered here.
    info->idxNum = kScan;
    info->estimatedCost = 1e50;
    info->estimatedRows = int64_t{1} << 50;
    return SQLITE_OK;
  }
  int arguments = 0;
  const auto take = [&](int i, int bit) {
    if (i < 0) return;
    plan.number |= bit;
    info->aConstraintUsage[i].argvIndex = ++arguments;
  };
  if (plan.number == kByDocid) info->idxFlags |= SQLITE_INDEX_SCAN_UNIQUE;
  if (plan.match >= 0) {
    take(plan.match, 0);
    info->aConstraintUsage[plan.match].omit = 1;
  }
  if (plan.language >= 0) {
    take(plan.language, kWithLanguage);
    info->aConstraintUsage[plan.language].omit = plan.number % kWithLanguage >= kByQuery ? 1 : 0;
  }
  take(plan.from, kFromDocid);
  take(plan.to, kToDocid);
  info->idxNum = plan.number;
  info->estimatedCost = plan.cost;
  if (info->nOrderBy == 1) {
    const auto& order = info->aOrderBy[0];
    if (order.iColumn < 0 || order.iColumn == config.column_count() + 1) {
      info->idxStr = const_cast<char*>(order.desc != 0 ? "DESC" : "ASC");
      info->orderByConsumed = 1;
    }
  }
  return SQLITE_OK;
}

// ---- Reading -------------------------------------------------------------------------------------

int open_fts3(sqlite3_vtab* vtab, sqlite3_vtab_cursor** out) {
  auto* cursor = new (std::nothrow) Fts3Cursor(fts3_table(vtab));
  if (cursor == nullptr) return SQLITE_NOMEM;
  *out = &cursor->base;
  return SQLITE_OK;
}
int close_fts3(sqlite3_vtab_cursor* cursor) {
  delete fts3_cursor(cursor);
  return SQLITE_OK;
}

int64_t docid_bound(sqlite3_value* value, int64_t otherwise) {
  return sqlite3_value_numeric_type(value) == SQLITE_INTEGER ? sqlite3_value_int64(value) : otherwise;
}

int filter_fts3(sqlite3_vtab_cursor* base, int plan, const char* text, int, sqlite3_value** values) {
  Fts3Cursor* cursor = fts3_cursor(base);
  const Fts3Config& config = cursor->table()->config;
  Fts3Request request;
  request.descends = text == nullptr ? config.descends : text[0] == 'D';
  const int kind = plan & 0xffff;
  int argument = kind == kScan ? 0 : 1;
  if (kind == kByDocid) {
    request.docid = values[0];
  } else if (kind >= kByQuery) {
    request.is_empty = sqlite3_value_type(values[0]) == SQLITE_NULL;
    request.query = std::string(fts3_text(values[0]));
    request.column = kind - kByQuery == config.column_count() ? -1 : kind - kByQuery;
  }
  if ((plan & kWithLanguage) != 0) request.language = sqlite3_value_int(values[argument++]);
  if ((plan & kFromDocid) != 0) request.least = docid_bound(values[argument++], INT64_MIN);
  if ((plan & kToDocid) != 0) request.greatest = docid_bound(values[argument++], INT64_MAX);
  return cursor->start(request);
}

int next_fts3(sqlite3_vtab_cursor* cursor) { return fts3_cursor(cursor)->next(); }
int fts3_at_end(sqlite3_vtab_cursor* cursor) { return fts3_cursor(cursor)->at_end() ? 1 : 0; }
int fts3_rowid(sqlite3_vtab_cursor* cursor, sqlite3_int64* rowid) {
  *rowid = fts3_cursor(cursor)->docid();
  return SQLITE_OK;
}
int fts3_column_value(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int index) {
  return fts3_cursor(cursor)->column(context, index);
}

int find_fts3(sqlite3_vtab*, int, const char* name, Fts3Function* function, void**) {
  *function = find_fts3_function(name);
  return *function == nullptr ? 0 : 1;
}

// ---- Changing ------------------------------------------------------------------------------------

int update_fts3(sqlite3_vtab* vtab, int count, sqlite3_value** values, sqlite3_int64* rowid) {
  return fts3_table(vtab)->change(count, values, rowid);
}
int begin_fts3(sqlite3_vtab*) { return SQLITE_OK; }
int sync_fts3(sqlite3_vtab* vtab) { return fts3_table(vtab)->flush(); }
int commit_fts3(sqlite3_vtab*) { return SQLITE_OK; }
int rollback_fts3(sqlite3_vtab* vtab) {
  fts3_table(vtab)->forget();
  return SQLITE_OK;
}
int savepoint_fts3(sqlite3_vtab* vtab, int) {
  return fts3_table(vtab)->is_writing() ? SQLITE_OK : fts3_table(vtab)->flush();
}
int release_fts3(sqlite3_vtab*, int) { return SQLITE_OK; }
int rollback_fts3_to(sqlite3_vtab* vtab, int) {
  if (!fts3_table(vtab)->is_writing()) fts3_table(vtab)->forget();
  return SQLITE_OK;
}

int is_fts3_shadow(const char* suffix) {
  for (const char* name : {"content", "docsize", "segdir", "segments", "stat"}) {
    if (sqlite3_stricmp(suffix, name) == 0) return 1;
  }
  return 0;
}

int check_fts3(sqlite3_vtab* vtab, const char* database, const char* name, int, char** error) {
  bool is_good = true;
  const int version = fts3_table(vtab)->config.version;
  int code = fts3_table(vtab)->check(&is_good);
  if (code == SQLITE_ERROR || (code == SQLITE_OK && !is_good)) {
    *error = sqlite3_mprintf("unable to validate the inverted index for FTS%d table %s.%s: %s", version, database, name,
                             sqlite3_errstr(code));
    if (code == SQLITE_OK) {
      sqlite3_free(*error);
      *error = sqlite3_mprintf("malformed inverted index for FTS%d table %s.%s", version, database, name);
    }
  }
  return SQLITE_OK;
}

// fts3_tokenizer(name[, methods]) gives and takes pointers to C structures of tokenizers.
void fts3_tokenizer_function(sqlite3_context* context, int count, sqlite3_value** values) {
  if (count == 2) {
    if (sqlite3_value_frombind(values[1]) == 0) return sqlite3_result_error(context, "fts3tokenize disabled", -1);
    return sqlite3_result_error(context, "not implemented: FTS3 tokenizers of the application", -1);
  }
  std::shared_ptr<const Fts3Tokenizer> tokenizer;
  std::string error;
  if (open_fts3_tokenizer(std::string(fts3_text(values[0])), {}, &tokenizer, &error) != SQLITE_OK) {
    return sqlite3_result_error(context, error.c_str(), -1);
  }
  if (sqlite3_value_frombind(values[0]) == 0) return;
  sqlite3_result_error(context, "not implemented: pointers to FTS3 tokenizers", -1);
}

const sqlite3_module kFts3Module = {
    4,           create_fts3,  connect_fts3, best_fts3_index, disconnect_fts3, destroy_fts3,     open_fts3,
    close_fts3,  filter_fts3,  next_fts3,    fts3_at_end,     fts3_column_value, fts3_rowid,     update_fts3,
    begin_fts3,  sync_fts3,    commit_fts3,  rollback_fts3,   find_fts3,       rename_fts3,      savepoint_fts3,
    release_fts3, rollback_fts3_to, is_fts3_shadow, check_fts3,
};

}  // namespace

int register_fts3(sqlite3* db) {
  for (const char* name : {"fts3", "fts4"}) {
    int code = sqlite3_create_module(db, name, &kFts3Module, nullptr);
    if (code != SQLITE_OK) return code;
  }
  constexpr struct {
    const char* name;
    int arguments;
  } kFunctions[] = {{"snippet", -1}, {"offsets", 1}, {"matchinfo", 1}, {"matchinfo", 2}, {"optimize", 1}};
  for (const auto& function : kFunctions) {
    int code = sqlite3_overload_function(db, function.name, function.arguments);
    if (code != SQLITE_OK) return code;
  }
  for (int arguments : {1, 2}) {
    int code = sqlite3_create_function(db, "fts3_tokenizer", arguments, SQLITE_UTF8 | SQLITE_DIRECTONLY, nullptr,
                                       fts3_tokenizer_function, nullptr, nullptr);
    if (code != SQLITE_OK) return code;
  }
  int code = register_fts3_auxiliary(db);
  return code == SQLITE_OK ? register_fts3_tokenize(db) : code;
}

}  // namespace godwit::modules
