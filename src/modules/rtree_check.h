// Whether the shadow tables of an R-Tree fit together.
#pragma once

#include <string>

#include "sqlite3.h"

namespace godwit::modules {

// *problems: one per line, empty if all is well.
int check_rtree(sqlite3* db, const std::string& database, const std::string& name,
                std::string* problems);

// SQL functions rtreecheck(), rtreenode(), rtreedepth().
int register_rtree_functions(sqlite3* db);

}  // namespace godwit::modules
