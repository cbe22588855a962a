// One SQLite-compatible library loaded at run time, and thin owners of its handles. The functions
// come from dlsym with a scope of their own (RTLD_LOCAL | RTLD_DEEPBIND), so that two libraries
// which export the same names live in one process without calling into each other.
//
// Errors are thrown as `EngineError`: the runner catches them per benchmark row.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "sqlite3.h"

namespace godwit::bench {

class EngineError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The library's functions, under their names without the prefix.
class Engine {
 public:
  // `name` appears in reports and file names. The library stays loaded until the process ends.
  Engine(std::string name, const std::string& library_path);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  const std::string& name() const { return name_; }

  decltype(&sqlite3_libversion) libversion;
  decltype(&sqlite3_open_v2) open_v2;
  decltype(&sqlite3_close) close;
  decltype(&sqlite3_errmsg) errmsg;
  decltype(&sqlite3_exec) exec;
  decltype(&sqlite3_prepare_v2) prepare_v2;
  decltype(&sqlite3_finalize) finalize;
  decltype(&sqlite3_step) step;
  decltype(&sqlite3_reset) reset;
  decltype(&sqlite3_bind_int64) bind_int64;
  decltype(&sqlite3_bind_double) bind_double;
  decltype(&sqlite3_bind_text) bind_text;
  decltype(&sqlite3_bind_blob) bind_blob;
  decltype(&sqlite3_column_count) column_count;
  decltype(&sqlite3_column_type) column_type;
  decltype(&sqlite3_column_int64) column_int64;
  decltype(&sqlite3_column_double) column_double;
  decltype(&sqlite3_column_text) column_text;
  decltype(&sqlite3_column_blob) column_blob;
  decltype(&sqlite3_column_bytes) column_bytes;

 private:
  std::string name_;
};

// An open database. Must outlive its queries.
class Connection {
 public:
  Connection(const Engine& engine, const std::string& path);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  const Engine& engine() const { return engine_; }
  sqlite3* handle() const { return handle_; }

  void exec(const std::string& sql);
  // Runs a query once and folds its rows into a checksum.
  uint64_t checksum(const std::string& sql);
  [[noreturn]] void fail(const std::string& what) const;

 private:
  const Engine& engine_;
  sqlite3* handle_ = nullptr;
};

// A prepared statement. Text is bound without a copy: it must live until the statement is reset.
class Query {
 public:
  Query(Connection& connection, std::string_view sql);
  ~Query();
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  Query& bind(int parameter, int64_t value);
  Query& bind(int parameter, double value);
  Query& bind(int parameter, std::string_view value);
  Query& bind_blob(int parameter, std::string_view value);

  // Steps to the end, folds every value of every row into `checksum`, and resets.
  uint64_t run(uint64_t checksum = 0);

 private:
  uint64_t fold_row(uint64_t checksum) const;

  Connection& connection_;
  const Engine& engine_;
  sqlite3_stmt* statement_ = nullptr;
  int columns_ = 0;
};

// Folds `value` into `checksum`; depends on the order.
inline uint64_t fold(uint64_t checksum, uint64_t value) {
  checksum = (checksum ^ value) * 0x9e3779b97f4a7c15u;
  return checksum ^ (checksum >> 29);
}

}  // namespace godwit::bench
