// Callbacks of the R-Tree module, which this library does not have: the functions are there because
// extensions are linked against them, and fail.
#include "api/handles.h"

using namespace godwit;
using namespace godwit::api;

namespace {

int refuse(sqlite3* db) {
  if (!is_usable(db)) return SQLITE_MISUSE;
  std::lock_guard lock(db->mutex);
  return report(db, Status::not_implemented("R-Tree"));
}

}  // namespace

int sqlite3_rtree_geometry_callback(sqlite3* db, const char*,
                                    int (*)(sqlite3_rtree_geometry*, int, sqlite3_rtree_dbl*, int*),
                                    void*) {
  return refuse(db);
}

int sqlite3_rtree_query_callback(sqlite3* db, const char*, int (*)(sqlite3_rtree_query_info*), void*,
                                 void (*)(void*)) {
  return refuse(db);
}
