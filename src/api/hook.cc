// Hooks, settings of a connection, and what it tells of its schema.
#include <cstdarg>
#include <cstring>
#include <new>

#include "api/handles.h"
#include "base/utf.h"

using namespace godwit;
using namespace godwit::api;

void* sqlite3_commit_hook(sqlite3* db, int (*hook)(void*), void* context) {
  if (!is_usable(db)) return nullptr;
  std::lock_guard lock(db->mutex);
  void* before = db->connection->hooks().commit_context;
  db->connection->set_commit_hook(hook, context);
  return before;
}

void* sqlite3_rollback_hook(sqlite3* db, void (*hook)(void*), void* context) {
  if (!is_usable(db)) return nullptr;
  std::lock_guard lock(db->mutex);
  void* before = db->connection->hooks().rollback_context;
  db->connection->set_rollback_hook(hook, context);
  return before;
}

void sqlite3_progress_handler(sqlite3* db, int steps, int (*handler)(void*), void* context) {
  if (!is_usable(db)) return;
  std::lock_guard lock(db->mutex);
  db->connection->set_progress_hook(steps, steps > 0 ? handler : nullptr, context);
}

int sqlite3_txn_state(sqlite3* db, const char* name) {
  if (!is_usable(db)) return -1;
  std::lock_guard lock(db->mutex);
  Connection& connection = *db->connection;
  int only = name == nullptr ? -1 : connection.find_database(name);
  if (name != nullptr && only < 0) return -1;
  int state = SQLITE_TXN_NONE;
  for (size_t i = 0; i < connection.databases().size(); ++i) {
    const AttachedDatabase& database = connection.databases()[i];
    if (database.btree == nullptr || (only >= 0 && static_cast<int>(i) != only)) continue;
    Pager& pager = database.btree->pager();
    state = std::max(state, pager.is_writing()   ? SQLITE_TXN_WRITE
                            : pager.is_reading() ? SQLITE_TXN_READ
                                                 : SQLITE_TXN_NONE);
  }
  return state;
}

namespace {

// Null: not a setting that this library has.
bool* setting_of(ConnectionSettings& settings, int number) {
  switch (number) {
    case SQLITE_DBCONFIG_ENABLE_FKEY: return &settings.foreign_keys;
    case SQLITE_DBCONFIG_WRITABLE_SCHEMA: return &settings.writable_schema;
    case SQLITE_DBCONFIG_LEGACY_ALTER_TABLE: return &settings.legacy_alter_table;
    case SQLITE_DBCONFIG_DQS_DML: return &settings.double_quoted_strings_dml;
    case SQLITE_DBCONFIG_DQS_DDL: return &settings.double_quoted_strings_ddl;
    case SQLITE_DBCONFIG_TRUSTED_SCHEMA: return &settings.trusted_schema;
    case SQLITE_DBCONFIG_REVERSE_SCANORDER: return &settings.reverse_unordered_selects;
    case SQLITE_DBCONFIG_ENABLE_TRIGGER: return &settings.triggers;
    case SQLITE_DBCONFIG_ENABLE_VIEW: return &settings.views;
    case SQLITE_DBCONFIG_DEFENSIVE: return &settings.defensive;
    case SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE: return &settings.no_checkpoint_on_close;
    case SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION: return &settings.load_extension;
    case SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER: return &settings.fts3_tokenizer;
    case SQLITE_DBCONFIG_ENABLE_QPSG: return &settings.stable_plans;
    case SQLITE_DBCONFIG_TRIGGER_EQP: return &settings.explains_triggers;
    case SQLITE_DBCONFIG_RESET_DATABASE: return &settings.reset_database;
    case SQLITE_DBCONFIG_LEGACY_FILE_FORMAT: return &settings.legacy_file_format;
    case SQLITE_DBCONFIG_STMT_SCANSTATUS: return &settings.scan_status;
    case SQLITE_DBCONFIG_ENABLE_ATTACH_CREATE: return &settings.attach_creates;
    case SQLITE_DBCONFIG_ENABLE_ATTACH_WRITE: return &settings.attach_writes;
    case SQLITE_DBCONFIG_ENABLE_COMMENTS: return &settings.comments;
    default: return nullptr;
  }
}

int change_setting(Connection& connection, int number, va_list arguments) {
  if (number == SQLITE_DBCONFIG_LOOKASIDE) return SQLITE_OK;  // there is no such memory
  if (number == SQLITE_DBCONFIG_MAINDBNAME) {
    connection.rename_main(va_arg(arguments, const char*));
    return SQLITE_OK;
  }
  if (number == SQLITE_DBCONFIG_FP_DIGITS) {
    int value = va_arg(arguments, int);
    int* in_force = va_arg(arguments, int*);
    int& digits = connection.settings.fp_digits;
    if (value > 3 && value < 24) digits = value;
    if (in_force != nullptr) *in_force = digits;
    return SQLITE_OK;
  }
  bool* setting = setting_of(connection.settings, number);
  if (setting == nullptr) return SQLITE_ERROR;
  int value = va_arg(arguments, int);
  int* in_force = va_arg(arguments, int*);
  if (value >= 0 && *setting != (value != 0)) {
    *setting = value != 0;
    connection.forget_statements();
    connection.invalidate_statements();
  }
  if (number == SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE) {
    for (AttachedDatabase& database : connection.databases()) {
      if (database.btree != nullptr) database.btree->pager().set_checkpoint_on_close(!*setting);
    }
  }
  if (in_force != nullptr) *in_force = *setting ? 1 : 0;
  return SQLITE_OK;
}

}  // namespace

int sqlite3_db_config(sqlite3* db, int number, ...) {
  if (!is_usable(db)) return SQLITE_MISUSE;
  std::lock_guard lock(db->mutex);
  va_list arguments;
  va_start(arguments, number);
  int code = guarded(db, [&] { return change_setting(*db->connection, number, arguments); });
  va_end(arguments);
  return code;
}

// ---- Columns of tables --------------------------------------------------------------------------------

namespace {

const Table* find_table(Connection& connection, const char* database, const char* name) {
  for (const auto& entry : connection.catalog().databases) {
    if (entry.schema == nullptr) continue;
    if (database != nullptr && !equals_ignore_case(entry.name, database)) continue;
    const Table* table = entry.schema->find_table(name);
    if (table != nullptr && table->kind == TableKind::kVirtual) {
      auto described = connection.virtual_tables().describe(*table);
      return described.ok() ? *described : nullptr;
    }
    if (table != nullptr) return table;
  }
  return nullptr;
}

int32_t find_column(const Table& table, const char* name) {
  int32_t column = table.find_column(name);
  if (column >= 0 || table.without_rowid) return column;
  for (const char* rowid : {"rowid", "_rowid_", "oid"}) {
    if (equals_ignore_case(rowid, name)) return table.rowid_column;
  }
  return -2;
}

}  // namespace

int sqlite3_table_column_metadata(sqlite3* db, const char* database, const char* table_name,
                                  const char* column_name, char const** type,
                                  char const** collation, int* not_null, int* primary_key,
                                  int* autoincrement) {
  if (!is_usable(db) || table_name == nullptr) return SQLITE_MISUSE;
  std::lock_guard lock(db->mutex);
  return guarded(db, [&] {
    Status loaded = db->connection->ensure_schema();
    if (!loaded.ok()) return report(db, loaded);
    const Table* table = find_table(*db->connection, database, table_name);
    if (table == nullptr || table->kind == TableKind::kView) {
      return report(db, Status::error("no such table column: " + std::string(table_name) + "." +
                                      (column_name == nullptr ? "" : column_name)));
    }
    if (column_name == nullptr) return report(db, Status());
    int32_t number = find_column(*table, column_name);
    if (number < -1) {
      return report(db, Status::error("no such table column: " + std::string(table_name) + "." +
                                      column_name));
    }
    // -1: the rowid of a table where no column stands for it.
    const Column* column = number < 0 ? nullptr : &table->columns[static_cast<size_t>(number)];
    const char* declared = column == nullptr                  ? "INTEGER"
                           : column->declared_type.empty()    ? nullptr
                                                              : column->declared_type.c_str();
    if (type != nullptr) *type = declared;
    if (collation != nullptr) {
      *collation = column == nullptr ? "BINARY" : column->collation->name.c_str();
    }
    if (not_null != nullptr) *not_null = column != nullptr && column->not_null;
    if (primary_key != nullptr) {
      *primary_key = column == nullptr || column->primary_key_position > 0;
    }
    if (autoincrement != nullptr) {
      *autoincrement = table->autoincrement && number == table->rowid_column && column != nullptr;
    }
    return report(db, Status());
  });
}

// ---- sqlite3_get_table ---------------------------------------------------------------------------------

namespace {

struct TableTexts {
  std::vector<char*> texts;
  int rows = 0;
  int columns = 0;
  bool mixed = false;  // statements with different numbers of columns
  bool out_of_memory = false;

  void add(const char* text) {
    char* copy = nullptr;
    if (text != nullptr) {
      size_t bytes = std::strlen(text) + 1;
      copy = static_cast<char*>(sqlite3_malloc64(bytes));
      if (copy == nullptr) {
        out_of_memory = true;
        return;
      }
      std::memcpy(copy, text, bytes);
    }
    texts.push_back(copy);
  }
};

int add_row(void* context, int count, char** values, char** names) {
  auto* table = static_cast<TableTexts*>(context);
  if (table->columns == 0) {
    table->columns = count;
    for (int i = 0; i < count; ++i) table->add(names[i]);
  } else if (table->columns != count) {
    table->mixed = true;
    return 1;
  }
  for (int i = 0; i < count; ++i) table->add(values[i]);
  ++table->rows;
  return table->out_of_memory ? 1 : 0;
}

}  // namespace

int sqlite3_get_table(sqlite3* db, const char* sql, char*** table, int* rows, int* columns,
                      char** error) {
  if (!is_usable(db) || table == nullptr) return SQLITE_MISUSE;
  *table = nullptr;
  TableTexts all;
  int code = sqlite3_exec(db, sql, add_row, &all, error);
  if (all.mixed) {
    code = SQLITE_ERROR;
    if (error != nullptr) {
      sqlite3_free(*error);
      *error = sqlite3_mprintf("sqlite3_get_table() called with two or more incompatible queries");
    }
  }
  if (all.out_of_memory) code = SQLITE_NOMEM;
  // In front of the texts: how many there are, for sqlite3_free_table().
  char** out = nullptr;
  if (code == SQLITE_OK) {
    out = static_cast<char**>(sqlite3_malloc64((all.texts.size() + 1) * sizeof(char*)));
    if (out == nullptr) code = SQLITE_NOMEM;
  }
  if (code != SQLITE_OK) {
    for (char* text : all.texts) sqlite3_free(text);
    return code;
  }
  out[0] = reinterpret_cast<char*>(all.texts.size());
  std::copy(all.texts.begin(), all.texts.end(), out + 1);
  *table = out + 1;
  if (rows != nullptr) *rows = all.rows;
  if (columns != nullptr) *columns = all.columns;
  return SQLITE_OK;
}

void sqlite3_free_table(char** table) {
  if (table == nullptr) return;
  auto count = reinterpret_cast<size_t>(table[-1]);
  for (size_t i = 0; i < count; ++i) sqlite3_free(table[i]);
  sqlite3_free(table - 1);
}
