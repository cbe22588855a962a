// The authorizer of the application.
#include "plan/authorizer.h"

#include <new>
#include <string>

#include "api/handles.h"

using namespace godwit;
using namespace godwit::api;

namespace {

using AskFunction = int (*)(void*, int, const char*, const char*, const char*, const char*);

class AppAuthorizer final : public Authorizer {
 public:
  AppAuthorizer(AskFunction function, void* context) : function_(function), context_(context) {}

  int ask(const AuthQuestion& question) override {
    // The application sees texts with a NUL behind them.
    std::string texts[4];
    const char* arguments[4];
    const std::string_view views[4] = {question.first, question.second, question.database,
                                       question.inner};
    for (int i = 0; i < 4; ++i) {
      texts[i] = views[i];
      arguments[i] = views[i].data() == nullptr ? nullptr : texts[i].c_str();
    }
    return function_(context_, static_cast<int>(question.action), arguments[0], arguments[1],
                     arguments[2], arguments[3]);
  }

 private:
  AskFunction function_;
  void* context_;
};

}  // namespace

int sqlite3_set_authorizer(sqlite3* db, AskFunction function, void* context) {
  if (!is_usable(db)) return SQLITE_MISUSE;
  std::lock_guard lock(db->mutex);
  return guarded(db, [&] {
    std::unique_ptr<Authorizer> authorizer;
    if (function != nullptr) authorizer = std::make_unique<AppAuthorizer>(function, context);
    db->connection->set_authorizer(authorizer.get());
    db->authorizer = std::move(authorizer);
    return SQLITE_OK;
  });
}
