// What is done to pending changes just before they are sent for the first time: the application's
// transform hook, whose outcome shows in the rows here at once; and, where an UPDATE shall win over a
// DELETE, old records that are whole, so that the other side can make the row anew.
// Threads: as the connection.
#pragma once

#include <utility>
#include <vector>

#include "api/changeset.h"
#include "base/status.h"
#include "sqlite3.h"
#include "sync/replica.h"
#include "sync/row_applier.h"

namespace godwit::sync {

// Makes the row what it was before the change. kConstraint: other rows are in the way.
Status undo_change(RowApplier* applier, const api::ChangeTable& table, const api::Change& change);

class Transformer {
 public:
  Transformer(sqlite3* db, const ReplicaOptions& options);
  // Changes between two of the schema.
  Status prepare(std::vector<std::pair<api::ChangeTable, api::Change>>* changes);

 private:
  Status transform(const api::ChangeTable& table, api::Change* change, bool* is_kept);
  Status rewrite(const api::ChangeTable& table, const std::string& row, api::Change* change);

  const ReplicaOptions& options_;
  RowApplier applier_;
};

}  // namespace godwit::sync
