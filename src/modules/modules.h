// Modules that come with the library: R-Tree and full-text search (FTS3, FTS5). They see the public C interface
// alone, as extensions do, and keep their content in ordinary tables (shadow tables) of SQLite's names
// and formats, so that files go both ways.
#pragma once

#include "sqlite3.h"

namespace godwit::modules {

// For a connection that is being opened.
int register_modules(sqlite3* db);

int register_rtree(sqlite3* db);
int register_fts3(sqlite3* db);

}  // namespace godwit::modules
