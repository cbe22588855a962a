#include "modules/modules.h"

namespace godwit::modules {

int register_modules(sqlite3* db) {
  return register_rtree(db);
}

}  // namespace godwit::modules
