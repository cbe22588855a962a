// The databases of one engine, and the data file that both engines copy.
#include <filesystem>

#include "engine/workload.h"

namespace godwit::bench {
namespace {

// Enough cache for everything: the rows compare engines, not the kernel's page cache.
constexpr const char* kSettings =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -131072;"
    "PRAGMA busy_timeout = 10000;";

constexpr const char* kSchema =
    "CREATE TABLE item(id INTEGER PRIMARY KEY, code INT, kind INT, owner INT, name TEXT,"
    "                  price REAL, note TEXT);"
    "CREATE TABLE plain(id INTEGER PRIMARY KEY, a INT, b TEXT, c REAL);"
    "CREATE TABLE link(id INTEGER PRIMARY KEY, item INT, code INT);"
    "CREATE TABLE left_side(a INT, b INT);"
    "CREATE TABLE right_side(a INT, b INT);";

constexpr const char* kIndexes =
    "CREATE INDEX item_code ON item(code);"
    "CREATE INDEX item_owner_price ON item(owner, price);"
    "CREATE INDEX link_item ON link(item);";

std::string series(int64_t count) {
  return "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT " +
         std::to_string(count) + ") ";
}

}  // namespace

void create_dataset(const Engine& engine, const std::string& path, int64_t rows) {
  Connection connection(engine, path);
  connection.exec(kSettings);
  connection.exec(kSchema);
  connection.exec("BEGIN");
  // Multiplication by a prime shuffles codes; no row repeats one.
  std::string many = std::to_string(rows);
  std::string owners = std::to_string(rows / 10 + 1);
  connection.exec(series(rows) + "INSERT INTO item SELECT i, i * 7919 % " + many +
                  ", i * 31 % 10, i * 7907 % " + owners +
                  ", 'name ' || (i * 104729 % 1000), (i * 15485863 % 100000) / 8.0,"
                  " 'a note about item ' || i || ' that nobody reads' FROM n");
  connection.exec(series(rows) + "INSERT INTO plain SELECT i, i * 7919 % " + many +
                  ", 'text ' || i, i / 4.0 FROM n");
  connection.exec(series(rows) + "INSERT INTO link SELECT i, i * 7919 % " + many +
                  " + 1, i * 104729 % " + many + " FROM n");
  connection.exec(series(2000) + "INSERT INTO left_side SELECT i * 7 % 1000, i FROM n");
  connection.exec(series(2000) + "INSERT INTO right_side SELECT i * 13 % 1000, i FROM n");
  connection.exec(kIndexes);
  connection.exec("COMMIT");
}

Session::Session(const Engine& engine, std::string folder, std::string dataset, int64_t rows)
    : engine_(engine), folder_(std::move(folder)), dataset_(std::move(dataset)), rows_(rows) {
  std::filesystem::create_directories(folder_);
}

std::unique_ptr<Connection> Session::open(const std::string& path) {
  auto connection = std::make_unique<Connection>(engine_, path);
  connection->exec(kSettings);
  return connection;
}

Connection& Session::data() {
  if (!data_) {
    std::string path = folder_ + "/data.db";
    std::filesystem::copy_file(dataset_, path);
    data_ = open(path);
  }
  return *data_;
}

void Session::open_scratch_copy() {
  remove_scratch();
  std::filesystem::copy_file(dataset_, folder_ + "/scratch.db");
  scratch_ = open(folder_ + "/scratch.db");
}

void Session::open_scratch_empty() {
  remove_scratch();
  scratch_ = open(folder_ + "/scratch.db");
}

std::unique_ptr<Connection> Session::scratch_again() {
  return open(folder_ + "/scratch.db");
}

void Session::remove_scratch() {
  scratch_.reset();
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
    std::filesystem::remove(folder_ + "/scratch.db" + suffix);
  }
}

const std::string& Session::closed_copy() {
  if (closed_copy_.empty()) {
    closed_copy_ = folder_ + "/closed.db";
    std::filesystem::copy_file(dataset_, closed_copy_);
  }
  return closed_copy_;
}

const std::string& Session::closed_tables() {
  if (!closed_tables_.empty()) return closed_tables_;
  closed_tables_ = folder_ + "/tables.db";
  Connection connection(engine_, closed_tables_);
  connection.exec("BEGIN");
  for (int i = 0; i < 500; ++i) {
    const std::string name = "t" + std::to_string(i);
    connection.exec("CREATE TABLE " + name + "(id INTEGER PRIMARY KEY, a INT, b TEXT NOT NULL, c REAL)");
    connection.exec("CREATE INDEX " + name + "_a ON " + name + "(a)");
  }
  connection.exec("COMMIT");
  return closed_tables_;
}

}  // namespace godwit::bench
