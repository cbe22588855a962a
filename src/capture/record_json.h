// SQL functions that show records of captured changes as JSON (data_changes.h).
#pragma once

#include "sqlite3.h"

namespace godwit::capture {

// Returns a result code.
int register_record_functions(sqlite3* db);

}  // namespace godwit::capture
