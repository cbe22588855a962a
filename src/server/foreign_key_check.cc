#include "server/foreign_key_check.h"

#include <algorithm>

namespace godwit::server {
namespace {

bool same_name(const std::string& a, const std::string& b) { return sqlite3_stricmp(a.c_str(), b.c_str()) == 0; }

// "p.a = c.x AND p.b = c.y"
std::string columns_join(const std::vector<std::string>& to, const std::vector<std::string>& from) {
  std::string sql;
  for (size_t i = 0; i < to.size() && i < from.size(); ++i) {
    sql += (i > 0 ? " AND p." : "p.") + double_quoted(to[i]) + " = c." + double_quoted(from[i]);
  }
  return sql;
}

std::string all_set(const std::vector<std::string>& from) {
  std::string sql;
  for (const std::string& column : from) sql += (sql.empty() ? "c." : " AND c.") + double_quoted(column) + " IS NOT NULL";
  return sql;
}

}  // namespace

Status ForeignKeyCheck::load() {
  keys_.clear();
  queries_.clear();
  GW_ASSIGN(const int64_t count, sync::integer_of(db_, "SELECT count(*) FROM main.sqlite_schema WHERE type = 'table' "
                                                       "AND sql LIKE '%references%'"));
  if (count == 0) return Status();
  GW_ASSIGN(sync::Query list, sync::Query::prepare(
                                  db_, "SELECT m.name, f.id, f.\"table\", f.\"from\", f.\"to\" FROM main.sqlite_schema AS m, "
                                       "pragma_foreign_key_list(m.name) AS f WHERE m.type = 'table' ORDER BY m.name, f.id, f.seq"));
  std::string last_child;
  int64_t last_id = -1;
  for (;;) {
    GW_ASSIGN(const bool has_row, list.step());
    if (!has_row) break;
    if (list.text(0) != last_child || list.integer(1) != last_id) {
      last_child = list.text(0);
      last_id = list.integer(1);
      keys_.push_back({last_child, list.text(2), {}, {}});
    }
    keys_.back().from.push_back(list.text(3));
    if (!list.is_null(4)) keys_.back().to.push_back(list.text(4));
  }
  for (Key& key : keys_) GW_TRY(fill_parent_columns(&key));
  return Status();
}

// A key that names no columns is about the parent's primary key.
Status ForeignKeyCheck::fill_parent_columns(Key* key) {
  if (!key->to.empty()) return Status();
  GW_ASSIGN(sync::Query list,
            sync::Query::prepare(db_, "SELECT name FROM pragma_table_info(?1, 'main') WHERE pk > 0 ORDER BY pk"));
  list.bind(1, std::string_view(key->parent));
  for (;;) {
    GW_ASSIGN(const bool has_row, list.step());
    if (!has_row) return Status();
    key->to.push_back(list.text(0));
  }
}

void ForeignKeyCheck::touched(const api::ChangeTable& table, const api::Change& effect) {
  const bool matters = std::any_of(keys_.begin(), keys_.end(), [&](const Key& key) {
    return (effect.op != SQLITE_DELETE && same_name(key.child, table.name)) ||
           (effect.op != SQLITE_INSERT && same_name(key.parent, table.name));
  });
  if (matters) touched_.push_back({table, effect});
}

Result<sync::Query*> ForeignKeyCheck::query(const std::string& sql) {
  auto found = queries_.find(sql);
  if (found == queries_.end()) {
    GW_ASSIGN(sync::Query made, sync::Query::prepare(db_, sql));
    found = queries_.emplace(sql, std::move(made)).first;
  }
  return &found->second;
}

// Whether the row as it is now refers to nothing.
Result<bool> ForeignKeyCheck::is_orphan(const Key& key, const Touched& row, const std::vector<std::string>& names) {
  const api::Fields& values = row.effect.op == SQLITE_INSERT ? row.effect.new_values : row.effect.old_values;
  std::string where;
  for (size_t i = 0; i < names.size() && i < row.table.key.size(); ++i) {
    if (row.table.key[i] != 0) where += "c." + double_quoted(names[i]) + " IS ? AND ";
  }
  GW_ASSIGN(sync::Query * search, query("SELECT 1 FROM main." + double_quoted(key.child) + " AS c WHERE " + where + all_set(key.from) +
                                        " AND NOT EXISTS (SELECT 1 FROM main." + double_quoted(key.parent) + " AS p WHERE " +
                                        columns_join(key.to, key.from) + ")"));
  int number = 1;
  for (size_t i = 0; i < names.size() && i < row.table.key.size(); ++i) {
    if (row.table.key[i] != 0) search->bind_field(number++, values[i]);
  }
  GW_ASSIGN(const bool found, search->step());
  search->reset();
  return found;
}

// Whether rows refer to what the row was, and is no more.
Result<bool> ForeignKeyCheck::has_orphans(const Key& key, const Touched& row, const std::vector<std::string>& names) {
  api::Fields referred;
  bool is_changed = row.effect.op == SQLITE_DELETE, is_known = true;
  for (const std::string& column : key.to) {
    auto at = std::find_if(names.begin(), names.end(), [&](const std::string& name) { return same_name(name, column); });
    const auto i = static_cast<size_t>(at - names.begin());
    if (i >= row.effect.old_values.size()) return false;
    if (row.effect.op == SQLITE_UPDATE) is_changed |= !api::is_undefined(row.effect.new_values[i]);
    is_known &= !api::is_undefined(row.effect.old_values[i]);
    referred.push_back(row.effect.old_values[i]);
  }
  if (!is_changed) return false;
  std::string where;
  for (size_t i = 0; is_known && i < key.from.size(); ++i) where += "c." + double_quoted(key.from[i]) + " = ? AND ";
  GW_ASSIGN(sync::Query * search, query("SELECT 1 FROM main." + double_quoted(key.child) + " AS c WHERE " + where + all_set(key.from) +
                                        " AND NOT EXISTS (SELECT 1 FROM main." + double_quoted(key.parent) + " AS p WHERE " +
                                        columns_join(key.to, key.from) + ") LIMIT 1"));
  for (size_t i = 0; is_known && i < referred.size(); ++i) search->bind_field(static_cast<int>(i) + 1, referred[i]);
  GW_ASSIGN(const bool found, search->step());
  search->reset();
  return found;
}

Status ForeignKeyCheck::check(sync::RowApplier* applier, const Told& told) {
  for (const Touched& row : touched_) {
    const std::vector<std::string>& names = applier->column_names(row.table);
    const api::Fields& values = row.effect.op == SQLITE_INSERT ? row.effect.new_values : row.effect.old_values;
    for (const Key& key : keys_) {
      bool is_broken = false;
      std::string error = "FOREIGN KEY constraint failed";
      if (key.to.size() != key.from.size()) {
        if (row.effect.op == SQLITE_DELETE || !same_name(key.child, row.table.name)) continue;
        is_broken = true;
        error = "foreign key mismatch - \"" + key.child + "\" referencing \"" + key.parent + "\"";
      } else {
        if (row.effect.op != SQLITE_DELETE && same_name(key.child, row.table.name)) {
          GW_ASSIGN(is_broken, is_orphan(key, row, names));
        }
        if (!is_broken && row.effect.op != SQLITE_INSERT && same_name(key.parent, row.table.name)) {
          GW_ASSIGN(is_broken, has_orphans(key, row, names));
        }
      }
      if (!is_broken) continue;
      told(row.table.name, applier->key_json(row.table, values), error);
      break;
    }
  }
  return Status();
}

}  // namespace godwit::server
