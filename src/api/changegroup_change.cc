// Changes that an application builds field by field and adds to a changegroup.
#include <cstring>

#include "api/changegroup.h"

using namespace godwit;
using namespace godwit::api;

namespace {

int refuse_change(char** error, const std::string& text) {
  if (error != nullptr) *error = sqlite3_mprintf("%s", text.c_str());
  return SQLITE_ERROR;
}

// Empty: the change may be added; else what is wrong with it.
std::string fault_of_update(const ChangeTable& table, const Change& change) {
  for (size_t i = 0; i < table.key.size(); ++i) {
    const Field& old = change.old_values[i];
    const Field& value = change.new_values[i];
    if (table.key[i] != 0) {
      if (is_undefined(old)) return "undefined value in PK of old.* record";
      if (old[0] == SQLITE_NULL) return "null value in PK of old.* record";
      if (!is_undefined(value)) return "defined value in PK of new.* record";
    } else if (!table.is_patchset && is_undefined(old) != is_undefined(value)) {
      return "column " + std::to_string(i) +
             (is_undefined(old) ? " - old.* value is undefined but new.* is defined"
                                : " - old.* value is defined but new.* is undefined");
    }
  }
  return std::string();
}

std::string fault_of_change(const ChangeTable& table, const Change& change) {
  if (change.op == SQLITE_UPDATE) return fault_of_update(table, change);
  const bool needs_key_only = table.is_patchset && change.op == SQLITE_DELETE;
  const Fields& values = change.op == SQLITE_INSERT ? change.new_values : change.old_values;
  for (size_t i = 0; i < table.key.size(); ++i) {
    if (needs_key_only && table.key[i] == 0) continue;
    if (is_undefined(values[i])) return "column " + std::to_string(i) + " is undefined";
    if (table.key[i] != 0 && values[i][0] == SQLITE_NULL) return "null value in PK";
  }
  return std::string();
}

int set_field(sqlite3_changegroup* group, int is_new, int column, Field field) {
  if (group == nullptr || group->building == nullptr) return SQLITE_MISUSE;
  Fields& fields = is_new != 0 ? group->built.new_values : group->built.old_values;
  if (fields.empty()) return SQLITE_ERROR;
  if (column < 0 || static_cast<size_t>(column) >= fields.size()) return SQLITE_RANGE;
  fields[static_cast<size_t>(column)] = std::move(field);
  return SQLITE_OK;
}

}  // namespace

int sqlite3changegroup_change_begin(sqlite3_changegroup* group, int op, const char* table,
                                    int indirect, char** error) {
  if (error != nullptr) *error = nullptr;
  if (group == nullptr || table == nullptr || group->building != nullptr) return SQLITE_MISUSE;
  if (op != SQLITE_INSERT && op != SQLITE_UPDATE && op != SQLITE_DELETE) return SQLITE_ERROR;
  GroupTable* found = group->find_known(table);
  if (found == nullptr) {
    if (group->db != nullptr && sqlite3_txn_state(group->db, group->database.c_str()) < 0) {
      return SQLITE_ERROR;
    }
    auto described = std::make_unique<GroupTable>();
    if (group->db == nullptr || !group->describe(table, described.get())) {
      return refuse_change(error, std::string("no such table: ") + table);
    }
    group->tables.push_back(std::move(described));
    found = group->tables.back().get();
  }
  found->table.is_patchset = group->is_patchset;
  const size_t columns = found->table.key.size();
  group->building = found;
  group->built = Change{op, indirect != 0, {}, {}};
  if (op != SQLITE_INSERT) group->built.old_values.assign(columns, undefined_field());
  if (op != SQLITE_DELETE) group->built.new_values.assign(columns, undefined_field());
  return SQLITE_OK;
}

int sqlite3changegroup_change_int64(sqlite3_changegroup* group, int is_new, int column,
                                    sqlite3_int64 value) {
  return set_field(group, is_new, column, encode_integer(value));
}
int sqlite3changegroup_change_null(sqlite3_changegroup* group, int is_new, int column) {
  return set_field(group, is_new, column, Field(1, SQLITE_NULL));
}
int sqlite3changegroup_change_double(sqlite3_changegroup* group, int is_new, int column,
                                     double value) {
  return set_field(group, is_new, column, encode_real(value));
}
int sqlite3changegroup_change_text(sqlite3_changegroup* group, int is_new, int column,
                                   const char* text, int size) {
  if (text == nullptr) size = 0;
  const size_t bytes = size < 0 ? std::strlen(text) : static_cast<size_t>(size);
  return set_field(group, is_new, column, encode_bytes(SQLITE_TEXT, std::string_view(text, bytes)));
}
int sqlite3changegroup_change_blob(sqlite3_changegroup* group, int is_new, int column,
                                   const void* blob, int size) {
  const size_t bytes = blob == nullptr || size < 0 ? 0 : static_cast<size_t>(size);
  return set_field(group, is_new, column,
                   encode_bytes(SQLITE_BLOB, std::string_view(static_cast<const char*>(blob), bytes)));
}

int sqlite3changegroup_change_finish(sqlite3_changegroup* group, int discard, char** error) {
  if (error != nullptr) *error = nullptr;
  if (group == nullptr) return SQLITE_MISUSE;
  GroupTable* table = std::exchange(group->building, nullptr);
  if (table == nullptr || discard != 0) return SQLITE_OK;
  Change change = std::move(group->built);
  const std::string fault = fault_of_change(table->table, change);
  if (!fault.empty()) return refuse_change(error, "invalid change: " + fault);
  if (table->table.is_patchset && change.op != SQLITE_INSERT) {
    for (size_t i = 0; i < change.old_values.size(); ++i) {
      if (table->table.key[i] == 0) change.old_values[i] = undefined_field();
    }
  }
  group->has_kind = true;
  group->add(table, std::move(change));
  return SQLITE_OK;
}
