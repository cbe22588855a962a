#include "tests/sim/session.h"

#include <dlfcn.h>

#include "engine/statement.h"

namespace godwit::sim {
namespace {

std::string to_text(const ValueView& value) {
  if (value.is_integer()) return std::to_string(value.integer);
  if (value.is_text() || value.is_blob()) return std::string(value.text());
  return std::string();
}

// The few functions of SQLite's C API that are needed, from the library that was loaded.
struct ReferenceApi {
  int (*open)(const char*, void**) = nullptr;
  int (*close)(void*) = nullptr;
  int (*prepare)(void*, const char*, int, void**, const char**) = nullptr;
  int (*step)(void*) = nullptr;
  int (*finalize)(void*) = nullptr;
  int (*column_count)(void*) = nullptr;
  const unsigned char* (*column_text)(void*, int) = nullptr;
  int (*extended_errcode)(void*) = nullptr;
  const char* (*errmsg)(void*) = nullptr;
};
ReferenceApi reference;

class ReferenceSession : public Session {
 public:
  explicit ReferenceSession(void* database) : database_(database) {}
  ~ReferenceSession() override { reference.close(database_); }
  int run(const std::string& sql, std::vector<SqlRow>* rows) override {
    void* statement = nullptr;
    int rc = reference.prepare(database_, sql.c_str(), -1, &statement, nullptr);
    while (rc == code::kOk && (rc = reference.step(statement)) == code::kRow) {
      rc = code::kOk;
      if (rows == nullptr) continue;
      SqlRow& row = rows->emplace_back();
      for (int i = 0; i < reference.column_count(statement); ++i) {
        const unsigned char* text = reference.column_text(statement, i);
        row.emplace_back(text == nullptr ? "" : reinterpret_cast<const char*>(text));
      }
    }
    if (rc != code::kDone && rc != code::kOk) {
      rc = reference.extended_errcode(database_);
      message_ = reference.errmsg(database_);
    } else {
      rc = code::kOk;
    }
    reference.finalize(statement);
    return rc;
  }
  std::string message() const override { return message_; }

 private:
  void* database_;
  std::string message_;
};

}  // namespace

std::unique_ptr<GodwitSession> GodwitSession::open(Vfs* vfs, const std::string& path, int* code) {
  ConnectOptions options;
  options.vfs = vfs;
  auto opened = Connection::open(path, options);
  *code = opened.ok() ? code::kOk : opened.status().code();
  if (!opened.ok()) return nullptr;
  auto session = std::make_unique<GodwitSession>();
  session->connection_ = std::move(*opened);
  return session;
}

int GodwitSession::run(const std::string& sql, std::vector<SqlRow>* rows) {
  auto fail = [this](const Status& status) {
    message_ = status.message();
    return status.code();
  };
  auto prepared = connection_->prepare(sql, nullptr);
  if (!prepared.ok()) return fail(prepared.status());
  std::unique_ptr<Statement> statement = std::move(*prepared);
  int result = code::kOk;
  for (;;) {
    auto more = statement->step();
    if (!more.ok()) result = fail(more.status());
    if (!more.ok() || !*more) break;
    if (rows == nullptr) continue;
    SqlRow& row = rows->emplace_back();
    for (int i = 0; i < statement->column_count(); ++i) row.push_back(to_text(statement->column(i)));
  }
  (void)statement->reset();
  connection_->finalize(std::move(statement));
  return result;
}

bool load_reference(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return false;
  bool complete = true;
  auto load = [&](auto* function, const char* name) {
    void* symbol = dlsym(library, name);
    complete = complete && symbol != nullptr;
    *reinterpret_cast<void**>(function) = symbol;
  };
  load(&reference.open, "sqlite3_open");
  load(&reference.close, "sqlite3_close");
  load(&reference.prepare, "sqlite3_prepare_v2");
  load(&reference.step, "sqlite3_step");
  load(&reference.finalize, "sqlite3_finalize");
  load(&reference.column_count, "sqlite3_column_count");
  load(&reference.column_text, "sqlite3_column_text");
  load(&reference.extended_errcode, "sqlite3_extended_errcode");
  load(&reference.errmsg, "sqlite3_errmsg");
  return complete;
}

std::unique_ptr<Session> open_reference(const std::string& path, int* code) {
  void* database = nullptr;
  *code = reference.open(path.c_str(), &database);
  if (*code != code::kOk) {
    reference.close(database);
    return nullptr;
  }
  return std::make_unique<ReferenceSession>(database);
}

}  // namespace godwit::sim
