#include "modules/modules.h"

#include "modules/fts5_global.h"

namespace godwit::modules {

int register_modules(sqlite3* db) {
  int code = register_rtree(db);
  if (code == SQLITE_OK) code = register_fts3(db);
  return code == SQLITE_OK ? register_fts5(db) : code;
}

}  // namespace godwit::modules
