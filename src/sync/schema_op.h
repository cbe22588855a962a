// Runs a schema statement of an op stream (capture/op_stream.h) on a database that may have what it makes
// already, or not have what it drops.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "sqlite3.h"

namespace godwit::sync {

struct SchemaResult {
  bool changed = false;
  std::string error;  // empty: the schema is as the statement wants it
  bool is_refused() const { return !error.empty(); }
};

// Only CREATE, DROP, ALTER and PRAGMA user_version/application_id are run, and one statement of them.
// An object that exists with the same text, a column that exists, and an object to be dropped that is not
// there, are well. Errors are those of the machine (kBusy, kFull ...); what SQL says is in the result.
Result<SchemaResult> run_schema_op(sqlite3* db, std::string_view sql);

}  // namespace godwit::sync
