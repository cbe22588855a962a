// Any bytes are opened as a database, alone or with a rollback journal or a WAL beside them, read
// through every table and index, checked, and written to, without a crash.
//
// Input: one byte that says what stands behind the database (0 nothing, 1 a journal, 2 a WAL), the
// length of the database in 4 bytes (big-endian), the database, the other file.
#include "base/bytes.h"
#include "engine/connection.h"
#include "engine/statement.h"
#include "os/memory/memory_vfs.h"
#include "tests/fuzz/driver.h"

namespace {

using namespace godwit;

constexpr size_t kHeaderBytes = 5;
// Enough to meet every structure, few enough that one input does not take seconds.
constexpr int kRowsMax = 2000;

void run(Connection* connection, std::string_view sql) {
  auto statement = connection->prepare(sql, nullptr);
  if (!statement.ok() || *statement == nullptr) return;
  for (int i = 0; i < kRowsMax; ++i) {
    auto more = (*statement)->step();
    if (!more.ok() || !*more) return;
    for (int c = 0; c < (*statement)->column_count(); ++c) (void)(*statement)->column(c);
  }
}

std::string pack(char kind, const std::vector<uint8_t>& database, const std::vector<uint8_t>& other) {
  std::string input(kHeaderBytes, kind);
  store_be32(reinterpret_cast<uint8_t*>(input.data()) + 1, static_cast<uint32_t>(database.size()));
  input.append(database.begin(), database.end());
  input.append(other.begin(), other.end());
  return input;
}

std::string make_seed(const char* settings, char kind) {
  MemoryVfs vfs;
  ConnectOptions options;
  options.vfs = &vfs;
  auto connection = Connection::open("seed.db", options);
  std::string script = std::string(settings) +
                       "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c);"
                       "CREATE INDEX tb ON t(b, c DESC);"
                       "CREATE TABLE w(k TEXT PRIMARY KEY, v) WITHOUT ROWID;"
                       "INSERT INTO t VALUES(1,'one',1.5),(2,'two',x'00ff'),(3,NULL,zeroblob(3000));"
                       "INSERT INTO t SELECT a+10, b||a, c FROM t;"
                       "INSERT INTO t SELECT a+100, b||a, c FROM t;"
                       "INSERT INTO w SELECT b||a, c FROM t WHERE b IS NOT NULL;"
                       "DELETE FROM t WHERE a % 3 = 0;";
  size_t position = 0;
  while (position < script.size()) {
    size_t tail = 0;
    auto statement = (*connection)->prepare(std::string_view(script).substr(position), &tail);
    if (statement.ok() && *statement != nullptr) {
      for (;;) {
        auto more = (*statement)->step();
        if (!more.ok() || !*more) break;
      }
    }
    if (tail == 0) break;
    position += tail;
  }
  return pack(kind, vfs.content("seed.db"), kind == 2 ? vfs.content("seed.db-wal") : std::vector<uint8_t>());
}

}  // namespace

std::vector<std::string> fuzz_seeds() {
  return {
      make_seed("PRAGMA page_size=512;", 0),
      make_seed("PRAGMA page_size=1024; PRAGMA auto_vacuum=1;", 0),
      make_seed("PRAGMA encoding='UTF-16le'; PRAGMA page_size=512;", 0),
      make_seed("PRAGMA page_size=512; PRAGMA journal_mode=wal;", 2),
      make_seed("PRAGMA page_size=512;", 1),
  };
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < kHeaderBytes) return 0;
  ByteSpan input(data, size);
  size_t database_size = std::min<size_t>(load_be32(data + 1), size - kHeaderBytes);
  MemoryVfs vfs;
  vfs.set_content("fuzz.db", input.subspan(kHeaderBytes, database_size));
  ByteSpan other = input.subspan(kHeaderBytes + database_size);
  if (data[0] == 1) vfs.set_content("fuzz.db-journal", other);
  if (data[0] == 2) vfs.set_content("fuzz.db-wal", other);
  ConnectOptions options;
  options.vfs = &vfs;
  auto opened = Connection::open("fuzz.db", options);
  if (!opened.ok()) return 0;
  Connection* connection = opened->get();
  run(connection, "PRAGMA integrity_check(10)");
  for (const char* sql :
       {"SELECT * FROM sqlite_schema", "SELECT * FROM t", "SELECT count(*), sum(a) FROM t",
        "SELECT * FROM t WHERE b > 'o' ORDER BY b", "SELECT * FROM w", "SELECT b, c FROM t INDEXED BY tb",
        "SELECT * FROM t WHERE a = 11", "INSERT INTO t SELECT a + 1000, b, c FROM t",
        "UPDATE t SET b = b || 'x', c = zeroblob(700) WHERE a < 200", "DELETE FROM w WHERE v IS NULL",
        "DELETE FROM t WHERE a % 2", "CREATE TABLE n(x)", "DROP TABLE w", "PRAGMA quick_check(10)"}) {
    run(connection, sql);
  }
  return 0;
}
