// The changes that a changegroup holds: at most one of each row.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/changeset.h"
#include "api/handles.h"

namespace godwit::api {

struct GroupTable {
  ChangeTable table;
  Fields defaults;  // of a group with a schema: one per column
  std::vector<std::optional<Change>> changes;  // none: they undid each other
  std::map<std::string, size_t> change_of_key;
};

}  // namespace godwit::api

struct sqlite3_changegroup {
  std::vector<std::unique_ptr<godwit::api::GroupTable>> tables;
  bool has_kind = false;  // is_patchset is settled
  bool is_patchset = false;
  // With a schema: what is added must fit this database.
  sqlite3* db = nullptr;
  std::string database;
  // The change that is being built field by field.
  godwit::api::GroupTable* building = nullptr;
  godwit::api::Change built;

  int find(const godwit::api::ChangeTable& table, godwit::api::GroupTable** found);
  godwit::api::GroupTable* find_known(std::string_view name);
  bool describe(const std::string& name, godwit::api::GroupTable* table) const;
  void add(godwit::api::GroupTable* table, godwit::api::Change change);
  int add(std::string_view bytes);
  std::string output() const;
};
