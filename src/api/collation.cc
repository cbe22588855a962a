// Collations of the application.
#include <new>

#include "api/handles.h"
#include "api/utf16.h"

using namespace godwit;
using namespace godwit::api;

namespace {

using Compare = int (*)(void*, int, const void*, int, const void*);

struct AppCollation {
  Compare compare;
  void* context;
  void (*destroy)(void*);
  int encoding;
};

int compare_utf8(void* data, std::string_view a, std::string_view b) {
  auto* app = static_cast<AppCollation*>(data);
  return app->compare(app->context, static_cast<int>(a.size()), a.data(),
                      static_cast<int>(b.size()), b.data());
}

int compare_utf16(void* data, std::string_view a, std::string_view b) {
  auto* app = static_cast<AppCollation*>(data);
  bool big_endian = app->encoding == SQLITE_UTF16BE;
  std::vector<uint8_t> left, right;
  append_utf8_as_utf16(a, big_endian, &left);
  append_utf8_as_utf16(b, big_endian, &right);
  return app->compare(app->context, static_cast<int>(left.size()), left.data(),
                      static_cast<int>(right.size()), right.data());
}

void destroy_collation(void* data) {
  auto* app = static_cast<AppCollation*>(data);
  if (app->destroy != nullptr) app->destroy(app->context);
  delete app;
}

}  // namespace

int sqlite3_create_collation_v2(sqlite3* db, const char* name, int encoding, void* context,
                                Compare compare, void (*destroy)(void*)) {
  if (db == nullptr || db->connection == nullptr || name == nullptr) return SQLITE_MISUSE;
  encoding &= ~SQLITE_UTF16_ALIGNED;
  if (encoding == 0) encoding = SQLITE_UTF16;
  std::lock_guard lock(db->mutex);
  if (encoding < SQLITE_UTF8 || encoding > SQLITE_UTF16) return report_code(db, SQLITE_MISUSE);
  return guarded(db, [&] {
    if (compare == nullptr) {
      return report(db, db->connection->set_collation(name, nullptr, nullptr, nullptr));
    }
    auto app = std::make_unique<AppCollation>(AppCollation{compare, context, destroy, encoding});
    Status status = db->connection->set_collation(
        name, encoding == SQLITE_UTF8 ? compare_utf8 : compare_utf16, app.get(), destroy_collation);
    if (status.ok()) app.release();
    return report(db, status);
  });
}

int sqlite3_create_collation(sqlite3* db, const char* name, int encoding, void* context,
                             Compare compare) {
  return sqlite3_create_collation_v2(db, name, encoding, context, compare, nullptr);
}

int sqlite3_create_collation16(sqlite3* db, const void* name, int encoding, void* context,
                               Compare compare) {
  if (name == nullptr) return SQLITE_MISUSE;
  return sqlite3_create_collation_v2(db, utf16_to_utf8(name).c_str(), encoding, context, compare, nullptr);
}
