// Hooks that see the rows a statement changes.
#include <new>

#include "api/handles.h"
#include "api/row_hooks.h"
#include "value/affinity.h"

using namespace godwit;
using namespace godwit::api;

namespace godwit::api {

namespace {

int code_of(RowChangeKind kind) {
  switch (kind) {
    case RowChangeKind::kInsert: return SQLITE_INSERT;
    case RowChangeKind::kUpdate: return SQLITE_UPDATE;
    case RowChangeKind::kDelete: return SQLITE_DELETE;
  }
  return 0;
}

}  // namespace

AppRowObserver::AppRowObserver(sqlite3* db) : db_(db) {}
AppRowObserver::~AppRowObserver() = default;

const char* AppRowObserver::database_name(const RowChange& change) const {
  return db_->connection->databases()[static_cast<size_t>(change.table->database)].name.c_str();
}

void AppRowObserver::before_change(const RowChange& change) {
  if (preupdate == nullptr) return;
  const RowChange* outer = current_;
  current_ = &change;
  old_values_.clear();
  new_values_.clear();
  const Rowid old_key = change.old_rowid;
  const Rowid new_key =
      change.kind == RowChangeKind::kUpdate ? change.new_rowid : change.old_rowid;
  preupdate(preupdate_context, db_, code_of(change.kind), database_name(change),
            change.table->name.c_str(), old_key, new_key);
  current_ = outer;
}

void AppRowObserver::after_change(const RowChange& change) {
  if (update == nullptr || change.table->without_rowid) return;
  update(update_context, code_of(change.kind), database_name(change), change.table->name.c_str(),
         change.new_rowid);
}

int AppRowObserver::value(bool is_old, int column, sqlite3_value** value) {
  if (current_ == nullptr) return SQLITE_MISUSE;
  const RowChange& change = *current_;
  if (change.kind == (is_old ? RowChangeKind::kInsert : RowChangeKind::kDelete)) {
    return SQLITE_MISUSE;
  }
  const Table& table = *change.table;
  const size_t count = table.columns.size();
  if (column < 0 || static_cast<size_t>(column) >= count) return SQLITE_RANGE;
  if (table.columns[static_cast<size_t>(column)].generated == Generated::kVirtual) {
    return SQLITE_RANGE;
  }
  auto& values = is_old ? old_values_ : new_values_;
  if (values.empty()) values.resize(count);
  sqlite3_value& out = values[static_cast<size_t>(column)];
  const auto& row = is_old ? change.old_values : change.new_values;
  ValueView view = row[static_cast<size_t>(column)];
  if (column == table.rowid_column) {
    view = ValueView::of(is_old ? change.old_rowid : change.new_rowid);
  } else if (table.columns[static_cast<size_t>(column)].affinity == Affinity::kReal) {
    // As in SQLite an inserted row is shown as it is stored: whole numbers as integers.
    if (change.kind == RowChangeKind::kInsert) {
      view = stored_form(Affinity::kReal, view);
    } else if (view.is_integer()) {
      view = ValueView::of(static_cast<double>(view.integer));
    }
  }
  out.set(view);
  *value = &out;
  return SQLITE_OK;
}

// The connection calls nobody while there is no hook.
void AppRowObserver::install(sqlite3* db) {
  const bool is_wanted = update != nullptr || preupdate != nullptr;
  db->connection->set_row_observer(is_wanted ? this : nullptr);
}

namespace {

AppRowObserver& observer_of(sqlite3* db) {
  if (db->row_observer == nullptr) db->row_observer = std::make_unique<AppRowObserver>(db);
  return *db->row_observer;
}

int preupdate_value(sqlite3* db, bool is_old, int column, sqlite3_value** value) {
  if (!is_usable(db) || value == nullptr) return SQLITE_MISUSE;
  return guarded(db, [&] {
    int code = db->row_observer == nullptr ? SQLITE_MISUSE
                                           : db->row_observer->value(is_old, column, value);
    return report_code(db, code);
  });
}

const RowChange* change_of(sqlite3* db) {
  return is_usable(db) && db->row_observer != nullptr ? db->row_observer->current() : nullptr;
}

}  // namespace

}  // namespace godwit::api

void* sqlite3_update_hook(sqlite3* db,
                          void (*hook)(void*, int, char const*, char const*, sqlite3_int64),
                          void* context) {
  if (!is_usable(db)) return nullptr;
  std::lock_guard lock(db->mutex);
  AppRowObserver& observer = observer_of(db);
  void* before = observer.update_context;
  observer.update = hook;
  observer.update_context = context;
  observer.install(db);
  return before;
}

void* sqlite3_preupdate_hook(sqlite3* db,
                             void (*hook)(void*, sqlite3*, int, char const*, char const*,
                                          sqlite3_int64, sqlite3_int64),
                             void* context) {
  if (!is_usable(db)) return nullptr;
  std::lock_guard lock(db->mutex);
  AppRowObserver& observer = observer_of(db);
  void* before = observer.preupdate_context;
  observer.preupdate = hook;
  observer.preupdate_context = context;
  observer.install(db);
  return before;
}

int sqlite3_preupdate_old(sqlite3* db, int column, sqlite3_value** value) {
  return preupdate_value(db, true, column, value);
}
int sqlite3_preupdate_new(sqlite3* db, int column, sqlite3_value** value) {
  return preupdate_value(db, false, column, value);
}
int sqlite3_preupdate_count(sqlite3* db) {
  const RowChange* change = change_of(db);
  return change == nullptr ? 0 : static_cast<int>(change->table->columns.size());
}
int sqlite3_preupdate_depth(sqlite3* db) {
  const RowChange* change = change_of(db);
  return change == nullptr ? 0 : static_cast<int>(change->depth);
}
int sqlite3_preupdate_blobwrite(sqlite3* db) {
  const RowChange* change = change_of(db);
  return change == nullptr ? -1 : change->blob_column;
}
