// The list of VFSes: sqlite3_vfs_find() and its kin.
#include "api/vfs_registry.h"

#include <cstring>
#include <mutex>

using namespace godwit;
using namespace godwit::api;

namespace {

// Guarded by `mutex`: the VFSes linked by pNext, the default one first.
struct Registry {
  std::mutex mutex;
  sqlite3_vfs* first = native_vfs();
};

Registry& registry() {
  static auto* list = new Registry;  // never destroyed: threads may outlive main()
  return *list;
}

void unlink(Registry& list, sqlite3_vfs* vfs) {
  for (sqlite3_vfs** place = &list.first; *place != nullptr; place = &(*place)->pNext) {
    if (*place != vfs) continue;
    *place = vfs->pNext;
    return;
  }
}

}  // namespace

namespace godwit::api {

Vfs* find_vfs(const std::string& name) {
  sqlite3_vfs* vfs = sqlite3_vfs_find(name.empty() ? nullptr : name.c_str());
  if (vfs == nullptr) return nullptr;
  return vfs == native_vfs() ? default_vfs() : adapt_vfs(vfs);
}

}  // namespace godwit::api

sqlite3_vfs* sqlite3_vfs_find(const char* name) {
  Registry& list = registry();
  std::lock_guard lock(list.mutex);
  for (sqlite3_vfs* vfs = list.first; vfs != nullptr; vfs = vfs->pNext) {
    if (name == nullptr || std::strcmp(vfs->zName, name) == 0) return vfs;
  }
  return nullptr;
}

int sqlite3_vfs_register(sqlite3_vfs* vfs, int make_default) {
  if (vfs == nullptr) return SQLITE_MISUSE;
  Registry& list = registry();
  std::lock_guard lock(list.mutex);
  unlink(list, vfs);
  if (make_default != 0 || list.first == nullptr) {
    vfs->pNext = list.first;
    list.first = vfs;
  } else {
    vfs->pNext = list.first->pNext;
    list.first->pNext = vfs;
  }
  return SQLITE_OK;
}

int sqlite3_vfs_unregister(sqlite3_vfs* vfs) {
  Registry& list = registry();
  std::lock_guard lock(list.mutex);
  unlink(list, vfs);
  return SQLITE_OK;
}
