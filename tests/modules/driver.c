/*
** Runs SQL scripts with modules of an application that log every call, on any library with SQLite's
** interface: tests/suites/modules.sh compares what our library and reference SQLite make of them.
**
**   store(columns...)   keeps its rows in the shadow table NAME_data; writable, with transactions
**   keyed(columns...)   the same WITHOUT ROWID; the columns name the key
**   gen(start, stop)    a table-valued function with hidden columns
**
** vset(name, value) sets how they behave (see struct settings); vlog(0 or 1) turns logging off or on.
** Lines that start with "--" and empty ones are copied; "--reopen" closes the database and opens it
** again, "--load FILE" loads an extension. A line that ends with ';' ends a statement.
*/
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sqlite3.h"

#define COLUMNS_MAX 16

/* How the tables answer. */
static struct settings {
  int take;         /* bits by operator, see op_bit(): which constraints are taken as arguments */
  int omit;         /* whether what is taken need not be checked again */
  int order;        /* orderByConsumed */
  int in;           /* IN at once */
  int unique;       /* SQLITE_INDEX_SCAN_UNIQUE */
  int hex;          /* SQLITE_INDEX_SCAN_HEX */
  int cost;         /* 0: by the number of arguments */
  int rows;
  int refuse;       /* xBestIndex gives SQLITE_CONSTRAINT unless something is taken */
  int fail;         /* number of the method that fails next, see fails() */
  int gap;          /* a wrong answer */
} set = {1, 0, 0, 0, 0, 0, 0, 25, 0, 0, 0};

static int logging = 1;
static int nested; /* inside of xUpdate: which statements have a mark is no matter of the module */
static void say(const char* format, ...) {
  if (!logging) return;
  va_list arguments;
  va_start(arguments, format);
  printf("    ");
  vprintf(format, arguments);
  printf("\n");
  va_end(arguments);
}

typedef struct {
  sqlite3_vtab base;
  sqlite3* db;
  char* schema;
  char* name;
  int columns;
  int keyed;
} store_table;

typedef struct {
  sqlite3_vtab_cursor base;
  sqlite3_stmt* rows;
  int at_end;
} store_cursor;

static char* op_name(int op) {
  static char number[16];
  switch (op) {
    case 2: return "EQ";
    case 4: return "GT";
    case 8: return "LE";
    case 16: return "LT";
    case 32: return "GE";
    case 64: return "MATCH";
    case 65: return "LIKE";
    case 66: return "GLOB";
    case 67: return "REGEXP";
    case 68: return "NE";
    case 69: return "ISNOT";
    case 70: return "ISNOTNULL";
    case 71: return "ISNULL";
    case 72: return "IS";
    case 73: return "LIMIT";
    case 74: return "OFFSET";
  }
  snprintf(number, sizeof number, "%d", op);
  return number;
}

/* 1 EQ and IS, 2 ranges, 4 MATCH to REGEXP, 8 the other tests, 16 LIMIT, 32 OFFSET, 64 functions */
static int op_bit(int op) {
  if (op == 2 || op == 72) return 1;
  if (op <= 32) return 2;
  if (op <= 67) return 4;
  if (op == 73) return 16;
  if (op == 74) return 32;
  return op >= 150 ? 64 : 8;
}

static const char* sql_op(int op) {
  switch (op) {
    case 2: return "=";
    case 4: return ">";
    case 8: return "<=";
    case 16: return "<";
    case 32: return ">=";
    case 65: return "LIKE";
    case 66: return "GLOB";
    case 68: return "<>";
    case 69: return "IS NOT";
    case 70: return "IS NOT";
    case 71: return "IS";
    case 72: return "IS";
  }
  return 0;
}

static int fails(sqlite3_vtab* vtab, int number, const char* what) {
  if (set.fail != number) return 0;
  set.fail = 0;
  if (vtab != 0) {
    sqlite3_free(vtab->zErrMsg);
    vtab->zErrMsg = sqlite3_mprintf("%s was told to fail", what);
  }
  return 1;
}

static int run(sqlite3* db, char* sql, char** error) {
  int code = sql == 0 ? SQLITE_NOMEM : sqlite3_exec(db, sql, 0, 0, error);
  sqlite3_free(sql);
  return code;
}

static int make(sqlite3* db, void* aux, int argc, const char* const* argv, sqlite3_vtab** vtab,
                char** error, int create) {
  int keyed = aux != 0;
  sqlite3_str* text = sqlite3_str_new(db);
  int i, code;
  char* sql;
  for (i = 0; i < argc; ++i) sqlite3_str_appendf(text, "%s[%s]", i > 0 ? " " : "", argv[i]);
  sql = sqlite3_str_finish(text);
  say("%s %s", create ? "xCreate" : "xConnect", sql);
  sqlite3_free(sql);
  if (fails(0, create ? 1 : 2, "")) {
    *error = sqlite3_mprintf("the constructor was told to fail");
    return SQLITE_ERROR;
  }
  if (set.fail == 3) {
    set.fail = 0;
    return SQLITE_ERROR;
  }
  text = sqlite3_str_new(db);
  sqlite3_str_appendall(text, "CREATE TABLE x(");
  for (i = 3; i < argc; ++i) sqlite3_str_appendf(text, "%s%s", i > 3 ? "," : "", argv[i]);
  sqlite3_str_appendall(text, keyed ? ") WITHOUT ROWID" : ")");
  sql = sqlite3_str_finish(text);
  if (set.fail == 4) {
    set.fail = 0;
  } else {
    code = sqlite3_declare_vtab(db, sql);
    if (code != SQLITE_OK) say("declare_vtab %d %s", code, sqlite3_errmsg(db));
    if (code != SQLITE_OK) {
      *error = sqlite3_mprintf("%s", sqlite3_errmsg(db));
      sqlite3_free(sql);
      return code;
    }
  }
  sqlite3_free(sql);
  if (create) {
    text = sqlite3_str_new(db);
    sqlite3_str_appendf(text, "CREATE TABLE \"%w\".\"%w_data\"(id INTEGER PRIMARY KEY", argv[1], argv[2]);
    for (i = 3; i < argc; ++i) sqlite3_str_appendf(text, ", c%d", i - 3);
    if (keyed) sqlite3_str_appendall(text, ", UNIQUE(c0)");
    sqlite3_str_appendall(text, ")");
    code = run(db, sqlite3_str_finish(text), error);
    if (code != SQLITE_OK) return code;
  }
  store_table* table = calloc(1, sizeof *table);
  table->db = db;
  table->schema = strdup(argv[1]);
  table->name = strdup(argv[2]);
  table->columns = argc - 3;
  table->keyed = keyed;
  sqlite3_vtab_config(db, SQLITE_VTAB_CONSTRAINT_SUPPORT, 1);
  *vtab = &table->base;
  return SQLITE_OK;
}

static int store_create(sqlite3* db, void* aux, int argc, const char* const* argv,
                        sqlite3_vtab** vtab, char** error) {
  return make(db, aux, argc, argv, vtab, error, 1);
}
static int store_connect(sqlite3* db, void* aux, int argc, const char* const* argv,
                         sqlite3_vtab** vtab, char** error) {
  return make(db, aux, argc, argv, vtab, error, 0);
}

static void log_question(sqlite3_index_info* info) {
  int i;
  sqlite3_str* text = sqlite3_str_new(0);
  for (i = 0; i < info->nConstraint; ++i) {
    sqlite3_value* value = 0;
    int in = sqlite3_vtab_in(info, i, -1);
    int known = sqlite3_vtab_rhs_value(info, i, &value);
    sqlite3_str_appendf(text, " %d:%s%s%s", info->aConstraint[i].iColumn,
                        op_name(info->aConstraint[i].op), in ? "(in)" : "",
                        info->aConstraint[i].usable ? "" : "!");
    if (info->aConstraint[i].op != 73 && info->aConstraint[i].op != 74) {
      const char* collation = sqlite3_vtab_collation(info, i);
      if (strcmp(collation, "BINARY") != 0) sqlite3_str_appendf(text, "/%s", collation);
    }
    if (known == SQLITE_OK) sqlite3_str_appendf(text, "=%s", sqlite3_value_text(value));
  }
  for (i = 0; i < info->nOrderBy; ++i) {
    sqlite3_str_appendf(text, "%s%d%s", i == 0 ? " order " : ",", info->aOrderBy[i].iColumn,
                        info->aOrderBy[i].desc ? "-" : "+");
  }
  if (sqlite3_vtab_distinct(info)) sqlite3_str_appendf(text, " distinct %d", sqlite3_vtab_distinct(info));
  char* all = sqlite3_str_finish(text);
  say("xBestIndex used %llx%s", info->colUsed & 0xff, all ? all : "");
  sqlite3_free(all);
}

static int store_best_index(sqlite3_vtab* vtab, sqlite3_index_info* info) {
  int i, taken = 0;
  sqlite3_str* where = sqlite3_str_new(0);
  store_table* table = (store_table*)vtab;
  log_question(info);
  if (fails(vtab, 5, "xBestIndex")) return SQLITE_ERROR;
  for (i = 0; i < info->nConstraint; ++i) {
    int op = info->aConstraint[i].op;
    if (!info->aConstraint[i].usable || (set.take & op_bit(op)) == 0) continue;
    info->aConstraintUsage[i].argvIndex = ++taken;
    info->aConstraintUsage[i].omit = set.omit;
    if (set.in) sqlite3_vtab_in(info, i, 1);
    if (sql_op(op) != 0 && !(set.in && sqlite3_vtab_in(info, i, -1))) {
      sqlite3_str_appendf(where, " AND %s%d %s ?%d", info->aConstraint[i].iColumn < 0 ? "id+" : "c",
                          info->aConstraint[i].iColumn < 0 ? 0 : info->aConstraint[i].iColumn,
                          sql_op(op), taken);
    }
  }
  if (set.gap) info->aConstraintUsage[0].argvIndex = 2;
  for (i = 0; set.order && i < info->nOrderBy; ++i) {
    sqlite3_str_appendf(where, "%s %s%d%s", i == 0 ? " ORDER BY" : ",",
                        info->aOrderBy[i].iColumn < 0 ? "id+" : "c",
                        info->aOrderBy[i].iColumn < 0 ? 0 : info->aOrderBy[i].iColumn,
                        info->aOrderBy[i].desc ? " DESC" : "");
  }
  info->idxNum = taken;
  info->idxStr = sqlite3_str_finish(where);
  info->needToFreeIdxStr = 1;
  if (set.refuse && taken == 0) return SQLITE_CONSTRAINT;
  info->orderByConsumed = set.order;
  info->estimatedCost = set.cost ? set.cost : 1000.0 / (1 + taken * 10);
  info->estimatedRows = set.rows;
  if (set.unique) info->idxFlags |= SQLITE_INDEX_SCAN_UNIQUE;
  if (set.hex) info->idxFlags |= SQLITE_INDEX_SCAN_HEX;
  (void)table;
  return SQLITE_OK;
}

static void store_free(store_table* table) {
  free(table->schema);
  free(table->name);
  free(table);
}

static int store_disconnect(sqlite3_vtab* vtab) {
  say("xDisconnect %s", ((store_table*)vtab)->name);
  store_free((store_table*)vtab);
  return SQLITE_OK;
}

static int store_destroy(sqlite3_vtab* vtab) {
  store_table* table = (store_table*)vtab;
  char* error = 0;
  say("xDestroy %s", table->name);
  if (fails(vtab, 6, "xDestroy")) return SQLITE_ERROR;
  int code = run(table->db, sqlite3_mprintf("DROP TABLE \"%w\".\"%w_data\"", table->schema, table->name), &error);
  if (error) say("DROP: %s", error);
  sqlite3_free(error);
  if (code == SQLITE_OK) store_free(table);
  return code;
}

static int store_open(sqlite3_vtab* vtab, sqlite3_vtab_cursor** cursor) {

  if (fails(vtab, 7, "xOpen")) return SQLITE_ERROR;
  *cursor = calloc(1, sizeof(store_cursor));
  return SQLITE_OK;
}

static int store_close(sqlite3_vtab_cursor* cursor) {

  sqlite3_finalize(((store_cursor*)cursor)->rows);
  free(cursor);
  return SQLITE_OK;
}

static void describe(sqlite3_str* text, sqlite3_value* value) {
  switch (sqlite3_value_type(value)) {
    case SQLITE_NULL: sqlite3_str_appendall(text, " NULL"); break;
    case SQLITE_TEXT: sqlite3_str_appendf(text, " '%s'", sqlite3_value_text(value)); break;
    case SQLITE_BLOB: sqlite3_str_appendf(text, " x%d", sqlite3_value_bytes(value)); break;
    case SQLITE_FLOAT: sqlite3_str_appendf(text, " %!g", sqlite3_value_double(value)); break;
    default: sqlite3_str_appendf(text, " %s", sqlite3_value_text(value));
  }
}

static int store_next(sqlite3_vtab_cursor* base) {
  store_cursor* cursor = (store_cursor*)base;
  if (fails(base->pVtab, 8, "xNext")) return SQLITE_ERROR;
  cursor->at_end = sqlite3_step(cursor->rows) != SQLITE_ROW;
  return SQLITE_OK;
}

static int store_filter(sqlite3_vtab_cursor* base, int number, const char* plan, int argc,
                        sqlite3_value** argv) {
  store_cursor* cursor = (store_cursor*)base;
  store_table* table = (store_table*)base->pVtab;
  sqlite3_str* text = sqlite3_str_new(0);
  int i;
  for (i = 0; i < argc; ++i) {
    sqlite3_value* member = 0;
    if (set.in && sqlite3_vtab_in_first(argv[i], &member) != SQLITE_ERROR) {
      sqlite3_str_appendall(text, " {");
      while (member) {
        describe(text, member);
        if (sqlite3_vtab_in_next(argv[i], &member) != SQLITE_OK) break;
      }
      sqlite3_str_appendall(text, " }");
    } else {
      describe(text, argv[i]);
    }
  }
  char* all = sqlite3_str_finish(text);
  say("xFilter %d \"%s\"%s", number, plan ? plan : "(null)", all ? all : "");
  sqlite3_free(all);
  if (fails(base->pVtab, 9, "xFilter")) return SQLITE_ERROR;
  sqlite3_finalize(cursor->rows);
  cursor->rows = 0;
  char* sql = sqlite3_mprintf("SELECT id, * FROM \"%w\".\"%w_data\" WHERE 1%s", table->schema, table->name,
                              plan ? plan : "");
  int code = sqlite3_prepare_v2(table->db, sql, -1, &cursor->rows, 0);
  sqlite3_free(sql);
  if (code != SQLITE_OK) return code;
  for (i = 0; i < argc && i < sqlite3_bind_parameter_count(cursor->rows); ++i) {
    sqlite3_bind_value(cursor->rows, i + 1, argv[i]);
  }
  return store_next(base);
}

static int store_eof(sqlite3_vtab_cursor* cursor) { return ((store_cursor*)cursor)->at_end; }

static int store_column(sqlite3_vtab_cursor* base, sqlite3_context* context, int column) {
  if (fails(base->pVtab, 10, "xColumn")) return SQLITE_ERROR;
  if (set.fail == 11) {
    set.fail = 0;
    sqlite3_result_error(context, "the column is broken", -1);
    return SQLITE_OK;
  }
  sqlite3_result_value(context, sqlite3_column_value(((store_cursor*)base)->rows, column + 2));
  return SQLITE_OK;
}

static int store_rowid(sqlite3_vtab_cursor* base, sqlite3_int64* rowid) {
  *rowid = sqlite3_column_int64(((store_cursor*)base)->rows, 0);
  return SQLITE_OK;
}

static int store_update(sqlite3_vtab* vtab, int argc, sqlite3_value** argv, sqlite3_int64* rowid) {
  store_table* table = (store_table*)vtab;
  sqlite3_str* text = sqlite3_str_new(0);
  sqlite3_stmt* change = 0;
  char* key = table->keyed ? "c0" : "id";
  int i, code;
  for (i = 0; i < argc; ++i) describe(text, argv[i]);
  char* all = sqlite3_str_finish(text);
  say("xUpdate on conflict %d:%s", sqlite3_vtab_on_conflict(table->db), all);
  sqlite3_free(all);
  if (fails(vtab, 12, "xUpdate")) return SQLITE_ERROR;
  if (set.fail == 13) {
    set.fail = 0;
    sqlite3_free(vtab->zErrMsg);
    vtab->zErrMsg = sqlite3_mprintf("a constraint of %s", table->name);
    return SQLITE_CONSTRAINT;
  }
  text = sqlite3_str_new(0);
  int is_delete = argc == 1;
  int is_insert = !is_delete && sqlite3_value_type(argv[0]) == SQLITE_NULL;
  if (is_delete) {
    sqlite3_str_appendf(text, "DELETE FROM \"%w\".\"%w_data\" WHERE %s = ?1", table->schema, table->name, key);
  } else if (is_insert) {
    sqlite3_str_appendf(text, "INSERT%s INTO \"%w\".\"%w_data\" VALUES(?%d",
                        sqlite3_vtab_on_conflict(table->db) == SQLITE_REPLACE ? " OR REPLACE" : "",
                        table->schema, table->name, table->keyed ? 99 : 2);
    for (i = 2; i < argc; ++i) sqlite3_str_appendf(text, ", ?%d", i + 1);
    sqlite3_str_appendall(text, ")");
  } else {
    sqlite3_str_appendf(text, "UPDATE \"%w\".\"%w_data\" SET %s = ?2", table->schema, table->name, key);
    for (i = 2; i < argc; ++i) sqlite3_str_appendf(text, ", c%d = ?%d", i - 2, i + 1);
    sqlite3_str_appendf(text, " WHERE %s = ?1", key);
  }
  char* sql = sqlite3_str_finish(text);
  code = sqlite3_prepare_v2(table->db, sql, -1, &change, 0);
  sqlite3_free(sql);
  if (code != SQLITE_OK) {
    say("prepare: %s", sqlite3_errmsg(table->db));
    return code;
  }
  for (i = 0; i < argc; ++i) sqlite3_bind_value(change, i + 1, argv[i]);
  ++nested;
  sqlite3_step(change);
  code = sqlite3_finalize(change);
  --nested;
  if (code != SQLITE_OK) {
    sqlite3_free(vtab->zErrMsg);
    vtab->zErrMsg = sqlite3_mprintf("%s", sqlite3_errmsg(table->db));
  }
  if (is_insert) *rowid = sqlite3_last_insert_rowid(table->db);
  return code;
}

#define METHOD(function, text, number)                           \
  static int function(sqlite3_vtab* vtab) {                      \
    say("%s %s", text, ((store_table*)vtab)->name);              \
    return fails(vtab, number, text) ? SQLITE_ERROR : SQLITE_OK; \
  }
METHOD(store_begin, "xBegin", 14)
METHOD(store_sync, "xSync", 15)
METHOD(store_commit, "xCommit", 16)
METHOD(store_rollback, "xRollback", 17)
#define MARK(function, text, number)                             \
  static int function(sqlite3_vtab* vtab, int mark) {            \
    if (!nested) say("%s %s %d", text, ((store_table*)vtab)->name, mark); \
    return fails(vtab, number, text) ? SQLITE_ERROR : SQLITE_OK; \
  }
MARK(store_savepoint, "xSavepoint", 18)
MARK(store_release, "xRelease", 19)
MARK(store_rollback_to, "xRollbackTo", 20)

static void half(sqlite3_context* context, int argc, sqlite3_value** argv) {
  (void)argc;
  sqlite3_result_double(context, sqlite3_value_double(argv[0]) / 2);
}
static void plain_half(sqlite3_context* context, int argc, sqlite3_value** argv) {
  (void)argc;
  (void)argv;
  sqlite3_result_text(context, "plain", -1, SQLITE_STATIC);
}
static void matches(sqlite3_context* context, int argc, sqlite3_value** argv) {
  (void)argc;
  sqlite3_result_int(context, sqlite3_value_int(argv[0]) == sqlite3_value_int(argv[1]));
}
static int store_find_function(sqlite3_vtab* vtab, int argc, const char* name,
                               void (**function)(sqlite3_context*, int, sqlite3_value**), void** aux) {
  (void)vtab;
  (void)argc;
  *aux = 0;
  if (strcmp(name, "half") == 0) {
    *function = half;
    return 1;
  }
  if (strcmp(name, "match") == 0) {
    *function = matches;
    return 1;
  }
  if (strcmp(name, "near") == 0) {
    *function = matches;
    return SQLITE_INDEX_CONSTRAINT_FUNCTION + 3;
  }
  return 0;
}

static int store_rename(sqlite3_vtab* vtab, const char* name) {
  store_table* table = (store_table*)vtab;
  char* error = 0;
  say("xRename %s to %s", table->name, name);
  if (fails(vtab, 21, "xRename")) return SQLITE_ERROR;
  int code = run(table->db, sqlite3_mprintf("ALTER TABLE \"%w\".\"%w_data\" RENAME TO \"%w_data\"", table->schema,
                                            table->name, name), &error);
  if (error) say("ALTER: %s", error);
  sqlite3_free(error);
  return code;
}

static int store_shadow_name(const char* name) { return strcmp(name, "data") == 0; }

static int store_integrity(sqlite3_vtab* vtab, const char* schema, const char* name, int flags,
                           char** error) {
  say("xIntegrity %s.%s %d", schema, name, flags);
  if (fails(vtab, 22, "xIntegrity")) *error = sqlite3_mprintf("%s is in disorder", name);
  return SQLITE_OK;
}

static sqlite3_module store_module = {
    4,            store_create,  store_connect,       store_best_index, store_disconnect, store_destroy,
    store_open,   store_close,   store_filter,        store_next,       store_eof,        store_column,
    store_rowid,  store_update,  store_begin,         store_sync,       store_commit,     store_rollback,
    store_find_function, store_rename, store_savepoint, store_release, store_rollback_to,
    store_shadow_name, store_integrity};

/* ---- gen ------------------------------------------------------------------------------------- */

typedef struct {
  sqlite3_vtab_cursor base;
  sqlite3_int64 value, stop;
} gen_cursor;

static int gen_connect(sqlite3* db, void* aux, int argc, const char* const* argv,
                       sqlite3_vtab** vtab, char** error) {
  (void)aux;
  (void)error;
  say("gen xConnect %d [%s] [%s] [%s]", argc, argv[0], argv[1], argv[2]);
  *vtab = calloc(1, sizeof(sqlite3_vtab));
  sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
  return sqlite3_declare_vtab(db, "CREATE TABLE x(value INT, start HIDDEN, stop HIDDEN)");
}
static int gen_disconnect(sqlite3_vtab* vtab) {
  say("gen xDisconnect");
  free(vtab);
  return SQLITE_OK;
}
static int gen_open(sqlite3_vtab* vtab, sqlite3_vtab_cursor** cursor) {
  (void)vtab;
  *cursor = calloc(1, sizeof(gen_cursor));
  return SQLITE_OK;
}
static int gen_close(sqlite3_vtab_cursor* cursor) {
  free(cursor);
  return SQLITE_OK;
}
static int gen_best_index(sqlite3_vtab* vtab, sqlite3_index_info* info) {
  int i, at[2] = {-1, -1}, unusable = 0;
  log_question(info);
  for (i = 0; i < info->nConstraint; ++i) {
    int argument = info->aConstraint[i].iColumn - 1;
    if (argument < 0 || info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    if (!info->aConstraint[i].usable) unusable = 1;
    else at[argument] = i;
  }
  if (at[0] < 0 || at[1] < 0) {
    if (unusable) return SQLITE_CONSTRAINT;
    vtab->zErrMsg = sqlite3_mprintf("gen() needs two arguments");
    return SQLITE_ERROR;
  }
  for (i = 0; i < 2; ++i) {
    info->aConstraintUsage[at[i]].argvIndex = i + 1;
    info->aConstraintUsage[at[i]].omit = 1;
  }
  info->estimatedCost = 5;
  info->estimatedRows = 10;
  return SQLITE_OK;
}
static int gen_filter(sqlite3_vtab_cursor* base, int number, const char* plan, int argc,
                      sqlite3_value** argv) {
  gen_cursor* cursor = (gen_cursor*)base;
  (void)number;
  (void)plan;
  (void)argc;
  cursor->value = sqlite3_value_int64(argv[0]);
  cursor->stop = sqlite3_value_int64(argv[1]);
  return SQLITE_OK;
}
static int gen_next(sqlite3_vtab_cursor* cursor) {
  ((gen_cursor*)cursor)->value++;
  return SQLITE_OK;
}
static int gen_eof(sqlite3_vtab_cursor* base) {
  gen_cursor* cursor = (gen_cursor*)base;
  return cursor->value > cursor->stop;
}
static int gen_column(sqlite3_vtab_cursor* base, sqlite3_context* context, int column) {
  gen_cursor* cursor = (gen_cursor*)base;
  if (column == 0 && cursor->value == 13) {
    sqlite3_result_error(context, "thirteen", -1);
    return SQLITE_OK;
  }
  sqlite3_result_int64(context, column == 0 ? cursor->value : column == 1 ? -1 : cursor->stop);
  return SQLITE_OK;
}
static int gen_rowid(sqlite3_vtab_cursor* base, sqlite3_int64* rowid) {
  *rowid = ((gen_cursor*)base)->value;
  return SQLITE_OK;
}
static sqlite3_module gen_module = {
    0,        0,         gen_connect, gen_best_index, gen_disconnect, 0, gen_open, gen_close, gen_filter,
    gen_next, gen_eof,   gen_column,  gen_rowid,      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

/* ---- Scripts --------------------------------------------------------------------------------- */

static void vset(sqlite3_context* context, int argc, sqlite3_value** argv) {
  static const char* const names[] = {"take", "omit", "order", "in", "unique", "hex",
                                      "cost", "rows", "refuse", "fail", "gap"};
  const char* name = (const char*)sqlite3_value_text(argv[0]);
  int* fields = (int*)&set;
  size_t i;
  (void)argc;
  for (i = 0; i < sizeof names / sizeof *names; ++i) {
    if (strcmp(names[i], name) == 0) fields[i] = sqlite3_value_int(argv[1]);
  }
  sqlite3_result_null(context);
}
static void vlog(sqlite3_context* context, int argc, sqlite3_value** argv) {
  (void)argc;
  logging = sqlite3_value_int(argv[0]);
  sqlite3_result_null(context);
}
static void vdrop(sqlite3_context* context, int argc, sqlite3_value** argv) {
  (void)argc;
  sqlite3_result_int(context, sqlite3_create_module(sqlite3_context_db_handle(context),
                                                    (const char*)sqlite3_value_text(argv[0]), 0, 0));
}

static void gone(void* aux) { say("the module is gone (%s)", (const char*)aux); }

static sqlite3* open_db(const char* path) {
  sqlite3* db = 0;
  if (sqlite3_open(path, &db) != SQLITE_OK) exit(1);
  sqlite3_extended_result_codes(db, 1);
  sqlite3_create_module_v2(db, "store", &store_module, 0, 0);
  sqlite3_create_module_v2(db, "keyed", &store_module, "keyed", gone);
  sqlite3_create_module(db, "gen", &gen_module, 0);
  sqlite3_create_function(db, "vset", 2, SQLITE_UTF8, 0, vset, 0, 0);
  sqlite3_create_function(db, "vlog", 1, SQLITE_UTF8, 0, vlog, 0, 0);
  sqlite3_create_function(db, "vdrop", 1, SQLITE_UTF8, 0, vdrop, 0, 0);
  sqlite3_create_function(db, "half", 1, SQLITE_UTF8, 0, plain_half, 0, 0);
  sqlite3_create_function(db, "near", 2, SQLITE_UTF8, 0, plain_half, 0, 0);
  return db;
}

static void run_statement(sqlite3* db, const char* sql) {
  static int number;
  sqlite3_stmt* statement = 0;
  /* No two texts are the same, so that none is compiled already. */
  char* text = sqlite3_mprintf("/* %d */ %s", ++number, sql);
  int code = sqlite3_prepare_v2(db, text, -1, &statement, 0);
  int changes = sqlite3_total_changes(db);
  while (code == SQLITE_OK && statement && (code = sqlite3_step(statement)) == SQLITE_ROW) {
    int i;
    for (i = 0; i < sqlite3_column_count(statement); ++i) {
      const char* text = (const char*)sqlite3_column_text(statement, i);
      printf("%s%s", i > 0 ? "|" : "", text ? text : "NULL");
    }
    printf("\n");
    code = SQLITE_OK;
  }
  if (code == SQLITE_OK || code == SQLITE_DONE) {
    if (sqlite3_total_changes(db) != changes) {
      printf("changes %d, last rowid %lld\n", sqlite3_changes(db), sqlite3_last_insert_rowid(db));
    }
    sqlite3_finalize(statement);
    sqlite3_free(text);
    return;
  }
  printf("error %d: %s\n", code, sqlite3_errmsg(db));
  sqlite3_finalize(statement);
  sqlite3_free(text);
}

int main(int argc, char** argv) {
  char line[4096], statement[65536] = "";
  const char* path = argc > 2 ? argv[2] : ":memory:";
  FILE* script = fopen(argv[1], "r");
  if (script == 0) return 1;
  setvbuf(stdout, 0, _IOLBF, 0);
  sqlite3* db = open_db(path);
  while (fgets(line, sizeof line, script)) {
    printf("%s", line);
    if (strncmp(line, "--reopen", 8) == 0) {
      printf("close %d\n", sqlite3_close(db));
      db = open_db(path);
      continue;
    }
    if (strncmp(line, "--load ", 7) == 0) {
      char* error = 0;
      line[strcspn(line, "\n")] = 0;
      sqlite3_enable_load_extension(db, 1);
      int code = sqlite3_load_extension(db, line + 7, 0, &error);
      if (code != SQLITE_OK) printf("load %d: %s\n", code, error ? error : "");
      sqlite3_free(error);
      continue;
    }
    if (statement[0] == 0 && (line[0] == '\n' || strncmp(line, "--", 2) == 0)) continue;
    strcat(statement, line);
    if (!sqlite3_complete(statement)) continue;
    run_statement(db, statement);
    statement[0] = 0;
  }
  printf("close %d\n", sqlite3_close(db));
  fclose(script);
  return 0;
}
