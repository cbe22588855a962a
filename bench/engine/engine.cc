// Loading of a library, and the owners of connections and statements.
#include "engine/engine.h"

#include <dlfcn.h>

#include <bit>
#include <cstring>

namespace godwit::bench {
namespace {

template <typename Function>
void load(void* library, const char* symbol, Function& function) {
  void* address = dlsym(library, symbol);
  if (address == nullptr) throw EngineError(std::string("no function ") + symbol);
  function = reinterpret_cast<Function>(address);
}

uint64_t fold_bytes(uint64_t checksum, const unsigned char* bytes, size_t size) {
  checksum = fold(checksum, size);
  for (; size >= 8; bytes += 8, size -= 8) {
    uint64_t word;
    std::memcpy(&word, bytes, 8);
    checksum = fold(checksum, word);
  }
  uint64_t rest = 0;
  if (size > 0) std::memcpy(&rest, bytes, size);
  return fold(checksum, rest);
}

}  // namespace

Engine::Engine(std::string name, const std::string& library_path) : name_(std::move(name)) {
  void* library = dlopen(library_path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (library == nullptr) throw EngineError(dlerror());
  load(library, "sqlite3_libversion", libversion);
  load(library, "sqlite3_open_v2", open_v2);
  load(library, "sqlite3_close", close);
  load(library, "sqlite3_errmsg", errmsg);
  load(library, "sqlite3_exec", exec);
  load(library, "sqlite3_prepare_v2", prepare_v2);
  load(library, "sqlite3_finalize", finalize);
  load(library, "sqlite3_step", step);
  load(library, "sqlite3_reset", reset);
  load(library, "sqlite3_bind_int64", bind_int64);
  load(library, "sqlite3_bind_double", bind_double);
  load(library, "sqlite3_bind_text", bind_text);
  load(library, "sqlite3_bind_blob", bind_blob);
  load(library, "sqlite3_column_count", column_count);
  load(library, "sqlite3_column_type", column_type);
  load(library, "sqlite3_column_int64", column_int64);
  load(library, "sqlite3_column_double", column_double);
  load(library, "sqlite3_column_text", column_text);
  load(library, "sqlite3_column_blob", column_blob);
  load(library, "sqlite3_column_bytes", column_bytes);
}

Connection::Connection(const Engine& engine, const std::string& path) : engine_(engine) {
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  if (engine_.open_v2(path.c_str(), &handle_, flags, nullptr) != SQLITE_OK) {
    std::string message = engine_.errmsg(handle_);
    engine_.close(handle_);
    throw EngineError("open: " + message);
  }
}

Connection::~Connection() {
  engine_.close(handle_);
}

void Connection::exec(const std::string& sql) {
  if (engine_.exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail(sql);
}

uint64_t Connection::checksum(const std::string& sql) {
  return Query(*this, sql).run();
}

void Connection::fail(const std::string& what) const {
  throw EngineError(std::string(engine_.errmsg(handle_)) + " in: " + what.substr(0, 100));
}

Query::Query(Connection& connection, std::string_view sql)
    : connection_(connection), engine_(connection.engine()) {
  int code = engine_.prepare_v2(connection.handle(), sql.data(), static_cast<int>(sql.size()),
                                &statement_, nullptr);
  if (code != SQLITE_OK) connection.fail(std::string(sql));
  columns_ = engine_.column_count(statement_);
}

Query::~Query() {
  engine_.finalize(statement_);
}

Query& Query::bind(int parameter, int64_t value) {
  engine_.bind_int64(statement_, parameter, value);
  return *this;
}

Query& Query::bind(int parameter, double value) {
  engine_.bind_double(statement_, parameter, value);
  return *this;
}

Query& Query::bind(int parameter, std::string_view value) {
  engine_.bind_text(statement_, parameter, value.data(), static_cast<int>(value.size()),
                    SQLITE_STATIC);
  return *this;
}

Query& Query::bind_blob(int parameter, std::string_view value) {
  engine_.bind_blob(statement_, parameter, value.data(), static_cast<int>(value.size()),
                    SQLITE_STATIC);
  return *this;
}

uint64_t Query::run(uint64_t checksum) {
  int code;
  while ((code = engine_.step(statement_)) == SQLITE_ROW) checksum = fold_row(checksum);
  if (code != SQLITE_DONE) {
    std::string message = engine_.errmsg(connection_.handle());
    engine_.reset(statement_);
    throw EngineError("step: " + message);
  }
  engine_.reset(statement_);
  return checksum;
}

uint64_t Query::fold_row(uint64_t checksum) const {
  for (int column = 0; column < columns_; ++column) {
    switch (engine_.column_type(statement_, column)) {
      case SQLITE_INTEGER:
        checksum =
            fold(checksum, static_cast<uint64_t>(engine_.column_int64(statement_, column)));
        break;
      case SQLITE_FLOAT:
        checksum =
            fold(checksum, std::bit_cast<uint64_t>(engine_.column_double(statement_, column)));
        break;
      case SQLITE_BLOB: {
        const void* blob = engine_.column_blob(statement_, column);
        checksum = fold_bytes(checksum, static_cast<const unsigned char*>(blob),
                              static_cast<size_t>(engine_.column_bytes(statement_, column)));
        break;
      }
      case SQLITE_NULL:
        checksum = fold(checksum, 0x6e756c6cu);
        break;
      default: {
        const unsigned char* text = engine_.column_text(statement_, column);
        checksum = fold_bytes(checksum, text,
                              static_cast<size_t>(engine_.column_bytes(statement_, column)));
      }
    }
  }
  return checksum;
}

}  // namespace godwit::bench
