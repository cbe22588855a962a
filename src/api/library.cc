// What the library says of itself.
#include "function/compile_options.h"
#include "sqlite3.h"

extern "C" {
const char sqlite3_version[] = SQLITE_VERSION;
}

const char* sqlite3_libversion() { return sqlite3_version; }
const char* sqlite3_sourceid() { return godwit::kSqliteSourceId.data(); }
int sqlite3_libversion_number() { return SQLITE_VERSION_NUMBER; }
int sqlite3_threadsafe() { return 1; }
int sqlite3_initialize() { return SQLITE_OK; }
int sqlite3_shutdown() { return SQLITE_OK; }
