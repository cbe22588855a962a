// A position in a changeset, as the application sees it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/changeset.h"
#include "api/handles.h"

struct sqlite3_changeset_iter {
  explicit sqlite3_changeset_iter(std::string content)
      : bytes(std::move(content)), reader(bytes) {}

  // SQLITE_ROW, SQLITE_DONE or an error, which stays.
  int next();
  const godwit::api::ChangeTable& table() const { return reader.table(); }
  const godwit::api::Change& change() const { return reader.change(); }
  // Gives out a value that lives until the next change.
  int give(const godwit::api::Fields& fields, int column, sqlite3_value** value);

  std::string bytes;
  godwit::api::ChangesetReader reader;
  bool inverts = false;
  bool has_change = false;
  int code = SQLITE_OK;
  // While a conflict is being decided: the row in the way (empty: none), and open foreign keys.
  godwit::api::Fields conflicting;
  int foreign_key_conflicts = -1;
  std::vector<std::unique_ptr<sqlite3_value>> given;
};
