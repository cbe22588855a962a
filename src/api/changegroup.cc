// Several changesets as one: of the changes of a row what they do together is left.
#include "api/changegroup.h"

#include <new>

#include "api/changeset_iter.h"
#include "api/table_shape.h"
#include "base/utf.h"

using namespace godwit;
using namespace godwit::api;

namespace {

// An UPDATE over the row that `values` are.
Fields overlaid(Fields values, const Fields& changed) {
  for (size_t i = 0; i < values.size() && i < changed.size(); ++i) {
    if (!is_undefined(changed[i])) values[i] = changed[i];
  }
  return values;
}

// Two updates: from the oldest values to the newest. None: nothing is left.
std::optional<Change> joined_updates(const ChangeTable& table, const Change& first,
                                     const Change& second) {
  Change both = first;
  both.old_values = overlaid(second.old_values, first.old_values);
  both.new_values = overlaid(first.new_values, second.new_values);
  if (table.is_patchset) return both;
  bool differs = false;
  for (size_t i = 0; i < table.key.size(); ++i) {
    if (table.key[i] != 0 || is_undefined(both.new_values[i])) continue;
    if (both.new_values[i] == both.old_values[i]) {
      both.new_values[i] = both.old_values[i] = undefined_field();
    } else {
      differs = true;
    }
  }
  return differs ? std::optional<Change>(both) : std::nullopt;
}

// A row that goes and comes again is one that changes.
std::optional<Change> replaced(const ChangeTable& table, const Change& gone, const Change& come) {
  Change update = gone;
  update.op = SQLITE_UPDATE;
  update.new_values = come.new_values;
  bool differs = false;
  for (size_t i = 0; i < table.key.size(); ++i) {
    const bool is_same = !is_undefined(gone.old_values[i]) && gone.old_values[i] == come.new_values[i];
    if (table.key[i] != 0 || is_same) update.new_values[i] = undefined_field();
    if (table.key[i] != 0) continue;
    if (is_same) update.old_values[i] = undefined_field();
    differs |= !is_same;
  }
  return differs ? std::optional<Change>(update) : std::nullopt;
}

// As the documentation of sqlite3changegroup_add() has it; combinations that cannot follow each other
// leave the first.
std::optional<Change> joined(const ChangeTable& table, const Change& first, const Change& second) {
  std::optional<Change> both = first;
  if (first.op == SQLITE_INSERT && second.op == SQLITE_UPDATE) {
    both->new_values = overlaid(first.new_values, second.new_values);
  } else if (first.op == SQLITE_INSERT && second.op == SQLITE_DELETE) {
    both = std::nullopt;
  } else if (first.op == SQLITE_UPDATE && second.op == SQLITE_UPDATE) {
    both = joined_updates(table, first, second);
  } else if (first.op == SQLITE_UPDATE && second.op == SQLITE_DELETE) {
    both = second;
    both->old_values = overlaid(second.old_values, first.old_values);
  } else if (first.op == SQLITE_DELETE && second.op == SQLITE_INSERT) {
    both = replaced(table, first, second);
  }
  if (both.has_value()) both->indirect = first.indirect && second.indirect;
  return both;
}

}  // namespace

// SQLITE_SCHEMA: the table has other columns or another key than before, or than the database has;
// SQLITE_ERROR: changesets and patchsets do not mix.
int sqlite3_changegroup::find(const ChangeTable& table, GroupTable** found) {
  if (has_kind && is_patchset != table.is_patchset) return SQLITE_ERROR;
  GroupTable* known = find_known(table.name);
  if (known == nullptr) {
    ChangeTable shaped = table;
    GroupTable described;
    if (db != nullptr) {
      if (sqlite3_txn_state(db, database.c_str()) < 0) return SQLITE_ERROR;
      if (!describe(table.name, &described) || described.table.key.size() < table.key.size()) {
        return SQLITE_SCHEMA;
      }
      shaped.key = described.table.key;
    }
    has_kind = true;
    is_patchset = table.is_patchset;
    tables.push_back(std::make_unique<GroupTable>());
    known = tables.back().get();
    known->table = std::move(shaped);
    known->defaults = std::move(described.defaults);
  }
  has_kind = true;
  is_patchset = known->table.is_patchset = table.is_patchset;
  *found = known;
  if (db == nullptr) return known->table.key == table.key ? SQLITE_OK : SQLITE_SCHEMA;
  TableShape shape;
  shape.key = known->table.key;
  return shape.takes(table.key) ? SQLITE_OK : SQLITE_SCHEMA;
}

GroupTable* sqlite3_changegroup::find_known(std::string_view name) {
  for (auto& known : tables) {
    if (equals_ignore_case(known->table.name, name)) return known.get();
  }
  return nullptr;
}

// What the database knows of a table. False: it has none of this name.
bool sqlite3_changegroup::describe(const std::string& name, GroupTable* table) const {
  TableShape shape = shape_of_table(db, database, name);
  if (!shape.exists()) return false;
  table->table.name = name;
  table->table.key = shape.key;
  std::string sql = "SELECT ";
  for (size_t i = 0; i < shape.defaults.size(); ++i) sql += (i > 0 ? ", " : "") + shape.defaults[i];
  sqlite3_stmt* stmt = nullptr;
  if (sqlite3_prepare_v2(db, sql.c_str(), -1, &stmt, nullptr) == SQLITE_OK &&
      sqlite3_step(stmt) == SQLITE_ROW) {
    for (int i = 0; i < sqlite3_column_count(stmt); ++i) {
      table->defaults.push_back(encode_field(sqlite3_column_value(stmt, i)));
    }
  }
  sqlite3_finalize(stmt);
  table->defaults.resize(shape.key.size(), Field(1, SQLITE_NULL));
  return true;
}

namespace {

// Gives a change of a table with less columns those that it lacks.
void widen(const GroupTable& table, Change* change) {
  const size_t columns = table.table.key.size();
  const bool is_update = change->op == SQLITE_UPDATE;
  for (Fields* fields : {&change->old_values, &change->new_values}) {
    if (fields->empty()) continue;
    const bool has_all = !is_update && (fields == &change->new_values || !table.table.is_patchset);
    while (fields->size() < columns) {
      fields->push_back(has_all ? table.defaults[fields->size()] : undefined_field());
    }
  }
}

}  // namespace

void sqlite3_changegroup::add(GroupTable* table, Change change) {
  if (db != nullptr) widen(*table, &change);
  auto [at, is_new] = table->change_of_key.emplace(change.key(table->table), table->changes.size());
  if (is_new) {
    table->changes.push_back(std::move(change));
    return;
  }
  std::optional<Change>& known = table->changes[at->second];
  known = known.has_value() ? joined(table->table, *known, change) : std::move(change);
}

int sqlite3_changegroup::add(std::string_view bytes) {
  ChangesetReader reader(bytes);
  int code;
  while ((code = reader.next()) == SQLITE_ROW) {
    GroupTable* table = nullptr;
    code = find(reader.table(), &table);
    if (code != SQLITE_OK) return code;
    add(table, reader.change());
  }
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

std::string sqlite3_changegroup::output() const {
  std::string out;
  for (const auto& table : tables) {
    bool has_header = false;
    for (const std::optional<Change>& change : table->changes) {
      if (!change.has_value()) continue;
      if (!has_header) table->table.append_header(&out);
      has_header = true;
      change->append(table->table, &out);
    }
  }
  return out;
}

namespace {

std::string_view view_of(int size, const void* data) {
  return size <= 0 ? std::string_view()
                   : std::string_view(static_cast<const char*>(data), static_cast<size_t>(size));
}

}  // namespace

int sqlite3changegroup_new(sqlite3_changegroup** group) {
  if (group == nullptr) return SQLITE_MISUSE;
  *group = new (std::nothrow) sqlite3_changegroup;
  return *group == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}
void sqlite3changegroup_delete(sqlite3_changegroup* group) { delete group; }

int sqlite3changegroup_add(sqlite3_changegroup* group, int size, void* data) {
  return group == nullptr ? SQLITE_MISUSE : group->add(view_of(size, data));
}
int sqlite3changegroup_add_strm(sqlite3_changegroup* group, int (*input)(void*, void*, int*),
                                void* context) {
  if (group == nullptr || input == nullptr) return SQLITE_MISUSE;
  std::string bytes;
  int code = take_bytes(input, context, &bytes);
  return code == SQLITE_OK ? group->add(bytes) : code;
}
int sqlite3changegroup_output(sqlite3_changegroup* group, int* size, void** data) {
  if (group == nullptr || size == nullptr || data == nullptr) return SQLITE_MISUSE;
  return give_bytes(group->output(), size, data);
}
int sqlite3changegroup_output_strm(sqlite3_changegroup* group,
                                   int (*output)(void*, const void*, int), void* context) {
  if (group == nullptr || output == nullptr) return SQLITE_MISUSE;
  return give_bytes(group->output(), output, context);
}

int sqlite3changegroup_schema(sqlite3_changegroup* group, sqlite3* db, const char* database) {
  if (group == nullptr || !is_usable(db) || database == nullptr) return SQLITE_MISUSE;
  // Only once, and before anything was added.
  if (group->db != nullptr || !group->tables.empty()) return SQLITE_MISUSE;
  group->db = db;
  group->database = database;
  return SQLITE_OK;
}
int sqlite3changegroup_config(sqlite3_changegroup* group, int option, void* argument) {
  if (group == nullptr || option != SQLITE_CHANGEGROUP_CONFIG_PATCHSET || argument == nullptr) {
    return SQLITE_MISUSE;
  }
  int* value = static_cast<int*>(argument);
  if (!group->has_kind && *value >= 0) group->is_patchset = *value > 0;
  *value = group->is_patchset ? 1 : 0;
  return SQLITE_OK;
}
int sqlite3changegroup_add_change(sqlite3_changegroup* group, sqlite3_changeset_iter* iter) {
  if (group == nullptr || iter == nullptr) return SQLITE_MISUSE;
  if (!iter->has_change || iter->inverts) return SQLITE_ERROR;
  GroupTable* table = nullptr;
  int code = group->find(iter->table(), &table);
  if (code == SQLITE_OK) group->add(table, iter->change());
  return code;
}

int sqlite3changeset_concat(int size_a, void* a, int size_b, void* b, int* out_size, void** out) {
  if (out_size == nullptr || out == nullptr) return SQLITE_MISUSE;
  sqlite3_changegroup group;
  int code = group.add(view_of(size_a, a));
  if (code == SQLITE_OK) code = group.add(view_of(size_b, b));
  return code == SQLITE_OK ? give_bytes(group.output(), out_size, out) : code;
}
int sqlite3changeset_concat_strm(int (*input_a)(void*, void*, int*), void* context_a,
                                 int (*input_b)(void*, void*, int*), void* context_b,
                                 int (*output)(void*, const void*, int), void* output_context) {
  sqlite3_changegroup group;
  int code = sqlite3changegroup_add_strm(&group, input_a, context_a);
  if (code == SQLITE_OK) code = sqlite3changegroup_add_strm(&group, input_b, context_b);
  return code == SQLITE_OK ? give_bytes(group.output(), output, output_context) : code;
}
