// Whether rows that a push has touched leave a foreign key without its parent. Looks at these rows
// only, when all of the push is applied, so it matters neither in which order they came, nor how large
// the tables are, nor what was broken before.
// Threads: as the connection.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "api/changeset.h"
#include "base/status.h"
#include "sqlite3.h"
#include "sync/row_applier.h"

namespace godwit::server {

class ForeignKeyCheck {
 public:
  explicit ForeignKeyCheck(sqlite3* db) : db_(db) {}

  // Reads the schema. To be called again when that has changed.
  Status load();
  bool has_keys() const { return !keys_.empty(); }
  void touched(const api::ChangeTable& table, const api::Change& effect);
  // Tells of each row that breaks a key: table, key (JSON), error.
  using Told = std::function<void(const std::string& table, const std::string& key, const std::string& error)>;
  Status check(sync::RowApplier* applier, const Told& told);

 private:
  struct Key {
    std::string child, parent;
    std::vector<std::string> from, to;
  };
  struct Touched {
    api::ChangeTable table;
    api::Change effect;
  };

  Status fill_parent_columns(Key* key);
  Result<bool> is_orphan(const Key& key, const Touched& row, const std::vector<std::string>& names);
  Result<bool> has_orphans(const Key& key, const Touched& row, const std::vector<std::string>& names);
  Result<sync::Query*> query(const std::string& sql);

  sqlite3* db_;
  std::vector<Key> keys_;
  std::vector<Touched> touched_;
  std::map<std::string, sync::Query> queries_;
};

}  // namespace godwit::server
