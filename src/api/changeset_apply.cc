// Makes the changes of a changeset in a database. Changes that a constraint stops are tried again when
// the others of their table have been made; what still cannot be made is put to the application.
#include <functional>
#include <memory>
#include <new>

#include "api/changeset_iter.h"
#include "api/table_shape.h"
#include "base/utf.h"

using namespace godwit;
using namespace godwit::api;

namespace {

using ConflictFunction = int (*)(void*, int, sqlite3_changeset_iter*);

class Applier {
 public:
  Applier(sqlite3* db, std::string bytes, int flags, ConflictFunction conflict, void* context)
      : db_(db), iter_(std::move(bytes)), flags_(flags), conflict_(conflict), context_(context) {
    iter_.inverts = (flags & SQLITE_CHANGESETAPPLY_INVERT) != 0;
  }

  // `wants`: whether the change at hand is to be made; null: all are.
  int run(const std::function<bool(sqlite3_changeset_iter*)>& wants) {
    const bool makes_savepoint = (flags_ & SQLITE_CHANGESETAPPLY_NOSAVEPOINT) == 0;
    if (makes_savepoint) {
      int code = execute("SAVEPOINT changeset_apply");
      if (code != SQLITE_OK) return code;
    }
    ForeignKeyCounters& counters = *db_->connection->foreign_key_counters();
    const bool deferred_before = counters.defer_all;
    counters.defer_all = true;
    int code = make_all(wants);
    if (code == SQLITE_OK) code = check_foreign_keys();
    // Violations of immediate keys that the application lets pass are forgotten, as in SQLite.
    counters.defer_all = deferred_before;
    if (!deferred_before) counters.postponed = 0;
    if (!makes_savepoint) return code;
    if (code != SQLITE_OK) (void)execute("ROLLBACK TO changeset_apply");
    int released = execute("RELEASE changeset_apply");
    return code != SQLITE_OK ? code : released;
  }
  // What was decided about conflicts.
  const std::string& rebase() const { return rebase_; }
  bool is_patchset() const { return has_table_ && table_.is_patchset; }

 private:
  int execute(const char* sql) { return sqlite3_exec(db_, sql, nullptr, nullptr, nullptr); }

  int make_all(const std::function<bool(sqlite3_changeset_iter*)>& wants) {
    int code;
    while ((code = iter_.next()) == SQLITE_ROW) {
      if (!has_table_ || !(iter_.table() == table_)) {
        int retried = retry_stopped();
        if (retried != SQLITE_OK) return retried;
        table_ = iter_.table();
        has_table_ = true;
        rebase_has_table_ = false;
        is_described_ = describe();
      }
      if (!is_described_ || (wants && !wants(&iter_))) continue;
      const Change change = iter_.change();
      bool is_stopped = false;
      code = make(change, &is_stopped);
      if (code != SQLITE_OK) return code;
      if (is_stopped) stopped_.push_back(change);
    }
    if (code != SQLITE_DONE) return code;
    return retry_stopped();
  }

  // Columns by number; false: the table is not there, or not the one that the changeset is about.
  bool describe() {
    TableShape shape = shape_of_table(db_, "main", table_.name);
    columns_ = std::move(shape.columns);
    return !columns_.empty() && shape.takes(table_.key);
  }

  // Runs a statement built of pieces; *changes receives the rows that it changed.
  class Sql {
   public:
    std::string text;
    void bind(const Field& field) {
      text += "?" + std::to_string(fields_.size() + 1);
      fields_.push_back(&field);
    }
    int run(sqlite3* db, int* changes, Fields* row) const {
      sqlite3_stmt* stmt = nullptr;
      int code = sqlite3_prepare_v2(db, text.c_str(), -1, &stmt, nullptr);
      if (code != SQLITE_OK) return code;
      for (size_t i = 0; i < fields_.size(); ++i) {
        (void)bind_field(stmt, static_cast<int>(i) + 1, *fields_[i]);
      }
      code = sqlite3_step(stmt);
      if (code == SQLITE_ROW && row != nullptr) {
        for (int i = 0; i < sqlite3_column_count(stmt); ++i) {
          row->push_back(encode_field(sqlite3_column_value(stmt, i)));
        }
      }
      code = sqlite3_finalize(stmt);
      if (changes != nullptr) *changes = sqlite3_changes(db);
      return code;
    }

   private:
    std::vector<const Field*> fields_;
  };

  std::string target() const { return "main." + double_quoted(table_.name); }

  // WHERE the key is that of `values`, and, with `compares`, all other values that are given, too.
  void add_where(const Fields& values, bool compares, Sql* sql) const {
    const char* separator = " WHERE ";
    for (size_t i = 0; i < table_.key.size(); ++i) {
      const bool is_key = table_.key[i] != 0;
      if (!is_key && (!compares || is_undefined(values[i]))) continue;
      sql->text += separator + columns_[i] + (is_key ? " = " : " IS ");
      sql->bind(values[i]);
      separator = " AND ";
    }
  }

  int write(const Change& change, bool compares, int* changes) const {
    Sql sql;
    if (change.op == SQLITE_DELETE) {
      sql.text = "DELETE FROM " + target();
      add_where(change.old_values, compares, &sql);
    } else if (change.op == SQLITE_UPDATE) {
      const char* separator = " SET ";
      sql.text = "UPDATE " + target();
      for (size_t i = 0; i < table_.key.size(); ++i) {
        if (is_undefined(change.new_values[i])) continue;
        sql.text += separator + columns_[i] + " = ";
        sql.bind(change.new_values[i]);
        separator = ", ";
      }
      if (separator[1] == 'S') return SQLITE_OK;
      add_where(change.old_values, compares, &sql);
    } else {
      sql.text = "INSERT INTO " + target() + "(";
      for (size_t i = 0; i < table_.key.size(); ++i) sql.text += (i > 0 ? ", " : "") + columns_[i];
      sql.text += ") VALUES(";
      for (size_t i = 0; i < table_.key.size(); ++i) {
        if (i > 0) sql.text += ", ";
        sql.bind(change.new_values[i]);
      }
      sql.text += ")";
    }
    return sql.run(db_, changes, nullptr);
  }

  // The row under the key of the change; empty: none.
  Fields row_in_the_way(const Change& change) const {
    Sql sql;
    sql.text = "SELECT ";
    for (size_t i = 0; i < table_.key.size(); ++i) sql.text += (i > 0 ? ", " : "") + columns_[i];
    sql.text += " FROM " + target();
    add_where(change.op == SQLITE_INSERT ? change.new_values : change.old_values, false, &sql);
    Fields row;
    (void)sql.run(db_, nullptr, &row);
    return row;
  }

  int ask(int kind, Fields row) {
    iter_.conflicting = std::move(row);
    int answer = conflict_ == nullptr ? SQLITE_CHANGESET_ABORT : conflict_(context_, kind, &iter_);
    iter_.conflicting.clear();
    return answer;
  }

  // *is_stopped: by a constraint; it may succeed later.
  int make(const Change& change, bool* is_stopped) {
    int changes = 0;
    int code = write(change, true, &changes);
    if (code == SQLITE_OK && (change.op == SQLITE_INSERT || changes > 0)) return code;
    if (code != SQLITE_OK && code::primary(code) != SQLITE_CONSTRAINT) return code;
    Fields row = row_in_the_way(change);
    const bool has_row = !row.empty();
    if (code != SQLITE_OK && (change.op != SQLITE_INSERT || !has_row)) {
      *is_stopped = true;
      return SQLITE_OK;
    }
    if ((flags_ & SQLITE_CHANGESETAPPLY_IGNORENOOP) != 0 && changes_nothing(change, row)) {
      return SQLITE_OK;
    }
    const int kind = code != SQLITE_OK ? SQLITE_CHANGESET_CONFLICT
                     : has_row         ? SQLITE_CHANGESET_DATA
                                       : SQLITE_CHANGESET_NOTFOUND;
    const int answer = ask(kind, std::move(row));
    if (answer == SQLITE_CHANGESET_ABORT) return SQLITE_ABORT;
    if (answer != SQLITE_CHANGESET_OMIT &&
        (answer != SQLITE_CHANGESET_REPLACE || kind == SQLITE_CHANGESET_NOTFOUND)) {
      return SQLITE_MISUSE;
    }
    note_decision(change, answer == SQLITE_CHANGESET_REPLACE);
    if (answer == SQLITE_CHANGESET_OMIT) return SQLITE_OK;
    return replace(change, is_stopped);
  }

  // For sqlite3rebaser_configure(): what the row would have become, or, deleted, what it was.
  void note_decision(const Change& change, bool replaces) {
    if (!rebase_has_table_) table_.append_header(&rebase_);
    rebase_has_table_ = true;
    Change decision;
    decision.indirect = replaces;
    decision.op = change.op == SQLITE_DELETE ? SQLITE_DELETE : SQLITE_INSERT;
    Fields values = change.op == SQLITE_DELETE ? change.old_values : change.new_values;
    for (size_t i = 0; change.op == SQLITE_UPDATE && i < values.size(); ++i) {
      if (table_.key[i] != 0) values[i] = change.old_values[i];
    }
    (change.op == SQLITE_DELETE ? decision.old_values : decision.new_values) = std::move(values);
    decision.append(table_, &rebase_);
  }

  // The database is already as the change would leave it.
  static bool changes_nothing(const Change& change, const Fields& row) {
    if (change.op == SQLITE_DELETE || row.empty()) return change.op == SQLITE_DELETE && row.empty();
    for (size_t i = 0; i < row.size(); ++i) {
      if (!is_undefined(change.new_values[i]) && change.new_values[i] != row[i]) return false;
    }
    return true;
  }

  int replace(const Change& change, bool* is_stopped) {
    int code = SQLITE_OK;
    if (change.op == SQLITE_INSERT) {
      Change removal{SQLITE_DELETE, false, change.new_values, {}};
      code = write(removal, false, nullptr);
    }
    if (code == SQLITE_OK) code = write(change, false, nullptr);
    if (code::primary(code) != SQLITE_CONSTRAINT) return code;
    *is_stopped = true;
    return SQLITE_OK;
  }

  // Again and again, as long as some succeed.
  int retry_stopped() {
    std::vector<Change> left;
    left.swap(stopped_);
    for (bool progresses = true; progresses && !left.empty();) {
      progresses = false;
      std::vector<Change> again;
      for (Change& change : left) {
        int changes = 0;
        int code = write(change, true, &changes);
        if (code == SQLITE_OK) {
          progresses = true;
        } else if (code::primary(code) == SQLITE_CONSTRAINT) {
          again.push_back(std::move(change));
        } else {
          return code;
        }
      }
      left.swap(again);
    }
    for (Change& change : left) {
      // The application looks at the change that is left over, not at the one that was read last.
      ChangeTable read_table = std::exchange(iter_.reader.table(), table_);
      std::swap(iter_.reader.change(), change);
      const bool had_change = std::exchange(iter_.has_change, true);
      const int answer = ask(SQLITE_CHANGESET_CONSTRAINT, {});
      iter_.has_change = had_change;
      std::swap(iter_.reader.change(), change);
      iter_.reader.table() = std::move(read_table);
      if (answer == SQLITE_CHANGESET_OMIT) {
        note_decision(change, false);
        continue;
      }
      return answer == SQLITE_CHANGESET_ABORT ? SQLITE_ABORT : SQLITE_MISUSE;
    }
    return SQLITE_OK;
  }

  // Violations that are left are one conflict.
  int check_foreign_keys() {
    ForeignKeyCounters& counters = *db_->connection->foreign_key_counters();
    if (counters.may_commit()) return SQLITE_OK;
    iter_.foreign_key_conflicts = static_cast<int>(counters.deferred + counters.postponed);
    iter_.has_change = false;
    const int answer = ask(SQLITE_CHANGESET_FOREIGN_KEY, {});
    iter_.foreign_key_conflicts = -1;
    return answer == SQLITE_CHANGESET_OMIT ? SQLITE_OK : SQLITE_CONSTRAINT;
  }

  sqlite3* db_;
  sqlite3_changeset_iter iter_;
  std::string rebase_;
  bool rebase_has_table_ = false;
  int flags_;
  ConflictFunction conflict_;
  void* context_;
  bool has_table_ = false;
  bool is_described_ = false;
  ChangeTable table_;
  std::vector<std::string> columns_;  // in quotes
  std::vector<Change> stopped_;
};

using Wants = std::function<bool(sqlite3_changeset_iter*)>;

struct ApplyRequest {
  ConflictFunction conflict;
  void* context;
  void** rebase = nullptr;
  int* rebase_size = nullptr;
  int flags = 0;
};

int apply(sqlite3* db, std::string bytes, const Wants& wants, const ApplyRequest& request) {
  if (!is_usable(db)) return SQLITE_MISUSE;
  std::lock_guard lock(db->mutex);
  return guarded(db, [&] {
    Applier applier(db, std::move(bytes), request.flags, request.conflict, request.context);
    const int code = code::primary(applier.run(wants));
    if (code != SQLITE_OK || request.rebase == nullptr || request.rebase_size == nullptr ||
        applier.is_patchset()) {
      return code;
    }
    return give_bytes(applier.rebase(), request.rebase_size, request.rebase);
  });
}

Wants by_table(int (*filter)(void*, const char*), void* context) {
  if (filter == nullptr) return nullptr;
  // Asked once for each table.
  return [=, last = std::string(), wanted = false](sqlite3_changeset_iter* iter) mutable {
    if (last != iter->table().name) {
      last = iter->table().name;
      wanted = filter(context, last.c_str()) != 0;
    }
    return wanted;
  };
}

Wants by_change(int (*filter)(void*, sqlite3_changeset_iter*), void* context) {
  if (filter == nullptr) return nullptr;
  return [=](sqlite3_changeset_iter* iter) { return filter(context, iter) != 0; };
}

std::string copied(int size, const void* data) {
  return size <= 0 ? std::string()
                   : std::string(static_cast<const char*>(data), static_cast<size_t>(size));
}

int apply_stream(sqlite3* db, int (*input)(void*, void*, int*), void* input_context,
                 const Wants& wants, const ApplyRequest& request) {
  std::string bytes;
  int code = take_bytes(input, input_context, &bytes);
  return code == SQLITE_OK ? apply(db, std::move(bytes), wants, request) : code;
}

}  // namespace

int sqlite3changeset_apply(sqlite3* db, int size, void* data, int (*filter)(void*, const char*),
                           ConflictFunction conflict, void* context) {
  return apply(db, copied(size, data), by_table(filter, context), {conflict, context});
}
int sqlite3changeset_apply_v2(sqlite3* db, int size, void* data, int (*filter)(void*, const char*),
                              ConflictFunction conflict, void* context, void** rebase, int* rebase_size,
                              int flags) {
  return apply(db, copied(size, data), by_table(filter, context),
               {conflict, context, rebase, rebase_size, flags});
}
int sqlite3changeset_apply_v3(sqlite3* db, int size, void* data,
                              int (*filter)(void*, sqlite3_changeset_iter*),
                              ConflictFunction conflict, void* context, void** rebase, int* rebase_size,
                              int flags) {
  return apply(db, copied(size, data), by_change(filter, context),
               {conflict, context, rebase, rebase_size, flags});
}

int sqlite3changeset_apply_strm(sqlite3* db, int (*input)(void*, void*, int*), void* input_context,
                                int (*filter)(void*, const char*), ConflictFunction conflict,
                                void* context) {
  return apply_stream(db, input, input_context, by_table(filter, context), {conflict, context});
}
int sqlite3changeset_apply_v2_strm(sqlite3* db, int (*input)(void*, void*, int*),
                                   void* input_context, int (*filter)(void*, const char*),
                                   ConflictFunction conflict, void* context, void** rebase, int* rebase_size,
                                   int flags) {
  return apply_stream(db, input, input_context, by_table(filter, context),
                      {conflict, context, rebase, rebase_size, flags});
}
int sqlite3changeset_apply_v3_strm(sqlite3* db, int (*input)(void*, void*, int*),
                                   void* input_context,
                                   int (*filter)(void*, sqlite3_changeset_iter*),
                                   ConflictFunction conflict, void* context, void** rebase, int* rebase_size,
                                   int flags) {
  return apply_stream(db, input, input_context, by_change(filter, context),
                      {conflict, context, rebase, rebase_size, flags});
}
