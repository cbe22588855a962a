// Sessions: which rows of which tables were changed, from the pre-update hook, and the changesets
// made of that.
//
// Of each row only what it was before its first change is kept. A changeset compares that with the
// row as it is now, so that changes which undo each other leave nothing.
#include <cstring>
#include <map>
#include <memory>
#include <new>

#include "api/changeset.h"
#include "api/handles.h"
#include "base/utf.h"

using namespace godwit;
using namespace godwit::api;

namespace {

using Statement_ptr = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)>;

Statement_ptr prepare_text(sqlite3* db, const std::string& sql) {
  sqlite3_stmt* stmt = nullptr;
  (void)sqlite3_prepare_v2(db, sql.c_str(), -1, &stmt, nullptr);
  return Statement_ptr(stmt, sqlite3_finalize);
}

std::string quoted(const std::string& name) {
  std::unique_ptr<char, void (*)(void*)> text(sqlite3_mprintf("\"%w\"", name.c_str()), sqlite3_free);
  return text.get();
}

}  // namespace

namespace godwit::api {

// What a row was before the session's first change of it.
struct SeenRow {
  int op = 0;
  bool indirect = false;
  Fields key;   // one per column, undefined but for the key
  Fields old;   // empty: it was not there
};

struct SessionTable {
  ChangeTable table;
  std::vector<std::string> columns;
  std::vector<int> indexes;  // of these columns among all, generated ones included
  bool is_described = false;
  std::vector<SeenRow> rows;
  std::map<std::string, size_t> row_of_key;

  bool has_rowid_key = false;  // column 0 is the rowid, which no column names

  bool has_key() const {
    for (unsigned char place : table.key) {
      if (place != 0) return true;
    }
    return false;
  }
};

}  // namespace godwit::api

struct sqlite3_session {
  sqlite3* db = nullptr;
  std::string database;
  bool enabled = true;
  bool indirect = false;
  bool attaches_all = false;
  bool records_rowids = false;  // of tables without a primary key
  bool measures_size = false;
  int (*filter)(void*, const char*) = nullptr;
  void* filter_context = nullptr;
  std::vector<std::unique_ptr<SessionTable>> tables;
  sqlite3_session* next = nullptr;  // on the same connection

  SessionTable* find(const char* name) {
    for (auto& table : tables) {
      if (equals_ignore_case(table->table.name, name)) return table.get();
    }
    return nullptr;
  }
  SessionTable* add(const char* name) {
    tables.push_back(std::make_unique<SessionTable>());
    tables.back()->table.name = name;
    return tables.back().get();
  }
  int describe(SessionTable* table);
  void note(int op, SessionTable* table, sqlite3_int64 old_rowid, sqlite3_int64 new_rowid);
  int changes(bool as_patchset, std::string* out);
  int changes_of(SessionTable* table, bool as_patchset, std::string* out);
  int diff(const char* from, const char* name, std::string* error);
};

namespace {

constexpr int kRowidIndex = -1;

// The rowid is recorded as column _rowid_, which must not be another one.
bool names_rowid(const std::vector<std::string>& columns) {
  for (const std::string& column : columns) {
    if (equals_ignore_case(column, "_rowid_")) return true;
  }
  return false;
}

}  // namespace

// Learns the columns and the key of a table. One without a key is recorded only by its rowid, if at all.
int sqlite3_session::describe(SessionTable* table) {
  if (table->is_described) return SQLITE_OK;
  Statement_ptr info = prepare_text(
      db, "PRAGMA " + quoted(database) + ".table_xinfo(" + quoted(table->table.name) + ")");
  if (info == nullptr) return sqlite3_errcode(db);
  int index = 0;
  while (sqlite3_step(info.get()) == SQLITE_ROW) {
    const bool is_hidden = sqlite3_column_int(info.get(), 6) != 0;
    if (!is_hidden) {
      table->columns.emplace_back(
          reinterpret_cast<const char*>(sqlite3_column_text(info.get(), 1)));
      table->table.key.push_back(
          static_cast<unsigned char>(sqlite3_column_int(info.get(), 5)));
      table->indexes.push_back(index);
    }
    ++index;
  }
  table->is_described = index > 0;
  if (records_rowids && table->is_described && !table->has_key() && !names_rowid(table->columns)) {
    table->has_rowid_key = true;
    table->columns.insert(table->columns.begin(), "_rowid_");
    table->table.key.insert(table->table.key.begin(), 1);
    table->indexes.insert(table->indexes.begin(), kRowidIndex);
  }
  return SQLITE_OK;
}

namespace {

Fields preupdate_values(sqlite3* db, const SessionTable& table, sqlite3_int64 rowid,
                        int (*get)(sqlite3*, int, sqlite3_value**)) {
  Fields fields;
  for (int index : table.indexes) {
    if (index == kRowidIndex) {
      fields.push_back(encode_integer(rowid));
      continue;
    }
    sqlite3_value* value = nullptr;
    fields.push_back(get(db, index, &value) == SQLITE_OK ? encode_field(value)
                                                         : Field(1, SQLITE_NULL));
  }
  return fields;
}

// Rows with a NULL in their key are not recorded: then false.
bool key_of(const SessionTable& table, const Fields& values, SeenRow* row, std::string* key) {
  row->key.assign(values.size(), undefined_field());
  for (size_t i = 0; i < values.size(); ++i) {
    if (table.table.key[i] == 0) continue;
    if (values[i][0] == SQLITE_NULL) return false;
    row->key[i] = values[i];
    *key += values[i];
  }
  return true;
}

void note_row(SessionTable* table, int op, bool indirect, const Fields& values) {
  SeenRow row;
  std::string key;
  if (!key_of(*table, values, &row, &key)) return;
  auto [found, is_new] = table->row_of_key.emplace(key, table->rows.size());
  if (!is_new) {
    table->rows[found->second].indirect &= indirect;
    return;
  }
  row.op = op;
  row.indirect = indirect;
  if (op != SQLITE_INSERT) row.old = values;
  table->rows.push_back(std::move(row));
}

void preupdate(void* context, sqlite3* db, int op, const char* database, const char* name,
               sqlite3_int64 old_rowid, sqlite3_int64 new_rowid) {
  for (auto* session = static_cast<sqlite3_session*>(context); session != nullptr;
       session = session->next) {
    if (!session->enabled || !equals_ignore_case(session->database, database)) continue;
    SessionTable* table = session->find(name);
    if (table == nullptr && session->attaches_all) {
      if (session->filter != nullptr && session->filter(session->filter_context, name) == 0) continue;
      table = session->add(name);
    }
    if (table == nullptr || session->describe(table) != SQLITE_OK || !table->has_key()) continue;
    session->note(op, table, old_rowid, new_rowid);
  }
  (void)db;
}

}  // namespace

void sqlite3_session::note(int op, SessionTable* table, sqlite3_int64 old_rowid,
                           sqlite3_int64 new_rowid) {
  const bool is_indirect = indirect || sqlite3_preupdate_depth(db) > 0;
  if (op != SQLITE_INSERT) {
    note_row(table, op, is_indirect,
             preupdate_values(db, *table, old_rowid, sqlite3_preupdate_old));
  }
  // A row whose key changes is one that goes and one that comes.
  if (op != SQLITE_DELETE) {
    note_row(table, SQLITE_INSERT, is_indirect,
             preupdate_values(db, *table, new_rowid, sqlite3_preupdate_new));
  }
}

int sqlite3_session::changes(bool as_patchset, std::string* out) {
  for (auto& table : tables) {
    if (table->rows.empty()) continue;
    int code = changes_of(table.get(), as_patchset, out);
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

namespace {

// What of `row` is left when it is `now` (empty: not there). False: nothing.
bool change_between(const ChangeTable& table, const SeenRow& row, Fields now, Change* change) {
  change->indirect = row.indirect;
  if (row.old.empty()) {
    if (now.empty()) return false;
    change->op = SQLITE_INSERT;
    change->new_values = std::move(now);
    return true;
  }
  change->old_values = row.old;
  if (now.empty()) {
    change->op = SQLITE_DELETE;
    return true;
  }
  change->op = SQLITE_UPDATE;
  bool differs = false;
  for (size_t i = 0; i < now.size(); ++i) {
    const bool is_same = now[i] == row.old[i];
    differs |= !is_same;
    if (is_same && table.key[i] == 0) change->old_values[i] = undefined_field();
    if (is_same) now[i] = undefined_field();
  }
  change->new_values = std::move(now);
  return differs;
}

}  // namespace

int sqlite3_session::changes_of(SessionTable* table, bool as_patchset, std::string* out) {
  table->table.is_patchset = as_patchset;
  std::string columns, where;
  for (size_t i = 0; i < table->columns.size(); ++i) {
    columns += (i > 0 ? ", " : "") + quoted(table->columns[i]);
    if (table->table.key[i] == 0) continue;
    where += (where.empty() ? "" : " AND ") + quoted(table->columns[i]) + " = ?" +
             std::to_string(i + 1);
  }
  Statement_ptr select = prepare_text(db, "SELECT " + columns + " FROM " + quoted(database) + "." +
                                              quoted(table->table.name) + " WHERE " + where);
  if (select == nullptr) return sqlite3_errcode(db);
  bool has_header = false;
  for (const SeenRow& row : table->rows) {
    for (size_t i = 0; i < row.key.size(); ++i) {
      if (table->table.key[i] != 0) (void)bind_field(select.get(), static_cast<int>(i) + 1, row.key[i]);
    }
    Fields now;
    int code = sqlite3_step(select.get());
    for (int i = 0; code == SQLITE_ROW && i < sqlite3_column_count(select.get()); ++i) {
      now.push_back(encode_field(sqlite3_column_value(select.get(), i)));
    }
    code = sqlite3_reset(select.get());
    if (code != SQLITE_OK) return code;
    Change change;
    if (!change_between(table->table, row, std::move(now), &change)) continue;
    if (!has_header) table->table.append_header(out);
    has_header = true;
    change.append(table->table, out);
  }
  return SQLITE_OK;
}

// Notes what would make the table of database `from` the session's table.
int sqlite3_session::diff(const char* from, const char* name, std::string* error) {
  SessionTable* table = find(name);
  if (table == nullptr) table = add(name);
  int code = describe(table);
  if (code != SQLITE_OK) return code;
  SessionTable other;
  other.table.name = name;
  std::string own = std::exchange(database, from);
  code = describe(&other);
  database = own;
  if (code != SQLITE_OK) return code;
  if (other.columns != table->columns || other.table.key != table->table.key) {
    *error = "table schemas do not match";
    return SQLITE_SCHEMA;
  }
  if (!table->has_key()) return SQLITE_OK;
  std::string columns, same_key, differs;
  for (size_t i = 0; i < table->columns.size(); ++i) {
    const std::string column = quoted(table->columns[i]);
    columns += (i > 0 ? ", " : "") + ("a." + column);
    std::string& terms = table->table.key[i] != 0 ? same_key : differs;
    const bool is_key = table->table.key[i] != 0;
    terms += (terms.empty() ? "" : is_key ? " AND " : " OR ");
    terms += "a." + column + (is_key ? " = b." : " IS NOT b.") + column;
  }
  const std::string ours = quoted(database) + "." + quoted(name);
  const std::string theirs = quoted(from) + "." + quoted(name);
  const std::string missing = " WHERE NOT EXISTS (SELECT 1 FROM ";
  struct Pass {
    int op;
    std::string sql;
  };
  std::vector<Pass> passes = {
      {SQLITE_INSERT, "SELECT " + columns + " FROM " + ours + " a" + missing + theirs + " b WHERE " +
                          same_key + ")"},
      {SQLITE_DELETE, "SELECT " + columns + " FROM " + theirs + " a" + missing + ours + " b WHERE " +
                          same_key + ")"}};
  if (!differs.empty()) {
    passes.push_back({SQLITE_UPDATE, "SELECT " + columns + " FROM " + theirs + " a, " + ours +
                                         " b WHERE " + same_key + " AND (" + differs + ")"});
  }
  for (const Pass& pass : passes) {
    Statement_ptr rows = prepare_text(db, pass.sql);
    if (rows == nullptr) return sqlite3_errcode(db);
    while (sqlite3_step(rows.get()) == SQLITE_ROW) {
      Fields values;
      for (int i = 0; i < sqlite3_column_count(rows.get()); ++i) {
        values.push_back(encode_field(sqlite3_column_value(rows.get(), i)));
      }
      note_row(table, pass.op, indirect, values);
    }
  }
  return SQLITE_OK;
}

// ---- The interface -----------------------------------------------------------------------------

int sqlite3session_create(sqlite3* db, const char* database, sqlite3_session** out) {
  if (!is_usable(db) || database == nullptr || out == nullptr) return SQLITE_MISUSE;
  *out = nullptr;
  auto* session = new (std::nothrow) sqlite3_session;
  if (session == nullptr) return SQLITE_NOMEM;
  std::lock_guard lock(db->mutex);
  session->db = db;
  session->database = database;
  session->next = static_cast<sqlite3_session*>(sqlite3_preupdate_hook(db, preupdate, session));
  *out = session;
  return SQLITE_OK;
}

void sqlite3session_delete(sqlite3_session* session) {
  if (session == nullptr) return;
  sqlite3* db = session->db;
  {
    std::lock_guard lock(db->mutex);
    auto* first = static_cast<sqlite3_session*>(sqlite3_preupdate_hook(db, nullptr, nullptr));
    sqlite3_session** link = &first;
    while (*link != nullptr && *link != session) link = &(*link)->next;
    if (*link != nullptr) *link = session->next;
    if (first != nullptr) (void)sqlite3_preupdate_hook(db, preupdate, first);
  }
  delete session;
}

int sqlite3session_attach(sqlite3_session* session, const char* table) {
  if (session == nullptr) return SQLITE_MISUSE;
  std::lock_guard lock(session->db->mutex);
  return guarded(session->db, [&] {
    if (table == nullptr) {
      session->attaches_all = true;
    } else if (session->find(table) == nullptr) {
      session->add(table);
    }
    return SQLITE_OK;
  });
}

void sqlite3session_table_filter(sqlite3_session* session, int (*filter)(void*, const char*),
                                 void* context) {
  if (session == nullptr) return;
  session->attaches_all = true;
  session->filter = filter;
  session->filter_context = context;
}

int sqlite3session_enable(sqlite3_session* session, int enable) {
  if (session == nullptr) return 0;
  if (enable >= 0) session->enabled = enable != 0;
  return session->enabled ? 1 : 0;
}
int sqlite3session_indirect(sqlite3_session* session, int indirect) {
  if (session == nullptr) return 0;
  if (indirect >= 0) session->indirect = indirect != 0;
  return session->indirect ? 1 : 0;
}
int sqlite3session_isempty(sqlite3_session* session) {
  if (session == nullptr) return 1;
  for (auto& table : session->tables) {
    if (!table->rows.empty()) return 0;
  }
  return 1;
}
sqlite3_int64 sqlite3session_memory_used(sqlite3_session* session) {
  if (session == nullptr) return 0;
  size_t bytes = sizeof(sqlite3_session);
  for (auto& table : session->tables) {
    bytes += sizeof(SessionTable);
    for (const SeenRow& row : table->rows) {
      bytes += sizeof(SeenRow);
      for (const Field& field : row.key) bytes += sizeof(Field) + field.size();
      for (const Field& field : row.old) bytes += sizeof(Field) + field.size();
    }
  }
  return static_cast<sqlite3_int64>(bytes);
}

namespace {

// All values are read in one transaction.
int make_changes(sqlite3_session* session, bool as_patchset, std::string* out) {
  if (session == nullptr) return SQLITE_MISUSE;
  std::lock_guard lock(session->db->mutex);
  return guarded(session->db, [&] {
    const bool opens = sqlite3_get_autocommit(session->db) != 0;
    if (opens) (void)sqlite3_exec(session->db, "SAVEPOINT changeset", nullptr, nullptr, nullptr);
    int code = session->changes(as_patchset, out);
    if (opens) (void)sqlite3_exec(session->db, "RELEASE changeset", nullptr, nullptr, nullptr);
    return code;
  });
}

}  // namespace

int sqlite3session_changeset(sqlite3_session* session, int* size, void** data) {
  if (size == nullptr || data == nullptr) return SQLITE_MISUSE;
  std::string bytes;
  int code = make_changes(session, false, &bytes);
  return code == SQLITE_OK ? give_bytes(bytes, size, data) : code;
}
int sqlite3session_patchset(sqlite3_session* session, int* size, void** data) {
  if (size == nullptr || data == nullptr) return SQLITE_MISUSE;
  std::string bytes;
  int code = make_changes(session, true, &bytes);
  return code == SQLITE_OK ? give_bytes(bytes, size, data) : code;
}
int sqlite3session_changeset_strm(sqlite3_session* session,
                                  int (*output)(void*, const void*, int), void* context) {
  std::string bytes;
  int code = make_changes(session, false, &bytes);
  return code == SQLITE_OK ? give_bytes(bytes, output, context) : code;
}
int sqlite3session_patchset_strm(sqlite3_session* session, int (*output)(void*, const void*, int),
                                 void* context) {
  std::string bytes;
  int code = make_changes(session, true, &bytes);
  return code == SQLITE_OK ? give_bytes(bytes, output, context) : code;
}
sqlite3_int64 sqlite3session_changeset_size(sqlite3_session* session) {
  std::string bytes;
  return make_changes(session, false, &bytes) == SQLITE_OK
             ? static_cast<sqlite3_int64>(bytes.size())
             : 0;
}

int sqlite3session_diff(sqlite3_session* session, const char* from, const char* table,
                        char** error) {
  if (error != nullptr) *error = nullptr;
  if (session == nullptr || from == nullptr || table == nullptr) return SQLITE_MISUSE;
  std::lock_guard lock(session->db->mutex);
  return guarded(session->db, [&] {
    std::string text;
    int code = session->diff(from, table, &text);
    if (code != SQLITE_OK && error != nullptr && !text.empty()) {
      *error = sqlite3_mprintf("%s", text.c_str());
    }
    return code;
  });
}

int sqlite3session_object_config(sqlite3_session* session, int option, void* argument) {
  if (session == nullptr || argument == nullptr) return SQLITE_MISUSE;
  bool* setting = option == SQLITE_SESSION_OBJCONFIG_SIZE    ? &session->measures_size
                  : option == SQLITE_SESSION_OBJCONFIG_ROWID ? &session->records_rowids
                                                             : nullptr;
  if (setting == nullptr) return SQLITE_MISUSE;
  int* value = static_cast<int*>(argument);
  if (*value >= 0) {
    if (!session->tables.empty()) return SQLITE_MISUSE;
    *setting = *value != 0;
  }
  *value = *setting ? 1 : 0;
  return SQLITE_OK;
}

int sqlite3session_config(int option, void* argument) {
  if (option != SQLITE_SESSION_CONFIG_STRMSIZE || argument == nullptr) return SQLITE_MISUSE;
  *static_cast<int*>(argument) = 1024;
  return SQLITE_OK;
}
