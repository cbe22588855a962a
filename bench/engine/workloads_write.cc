// Changes, each on a fresh file, so that every round does the same work.
#include <algorithm>

#include "engine/workload.h"

namespace godwit::bench {
namespace {

const char* const kIndexDefinitions[] = {
    "CREATE INDEX t_a ON t(a)",
    "CREATE INDEX t_b ON t(b)",
    "CREATE INDEX t_c_a ON t(c, a)",
};

void prepare_empty_table(Session& session, int indexes) {
  session.open_scratch_empty();
  session.scratch().exec("CREATE TABLE t(id INTEGER PRIMARY KEY, a INT, b TEXT, c REAL)");
  for (int i = 0; i < indexes; ++i) session.scratch().exec(kIndexDefinitions[i]);
}

uint64_t insert_rows(Session& session, int64_t count) {
  Query query(session.scratch(), "INSERT INTO t(a, b, c) VALUES (?, ?, ?)");
  Numbers numbers(1000000);
  for (int64_t i = 0; i < count; ++i) {
    int64_t number = numbers.next();
    std::string text = "text number " + std::to_string(number);
    query.bind(1, number).bind(2, text).bind(3, static_cast<double>(number) / 8).run();
  }
  return 0;
}

uint64_t insert_batch(Session& session, int64_t count) {
  session.scratch().exec("BEGIN");
  insert_rows(session, count);
  session.scratch().exec("COMMIT");
  return 0;
}

uint64_t verify_new_table(Session& session) {
  return session.scratch().checksum("SELECT * FROM t ORDER BY id");
}

uint64_t verify_plain(Session& session) {
  return session.scratch().checksum("SELECT * FROM plain ORDER BY id");
}

Workload batch_insert(const char* name, int indexes, int64_t count) {
  return {name, count, [count](Session& s) { return insert_batch(s, count); },
          [indexes](Session& s) { prepare_empty_table(s, indexes); }, verify_new_table};
}

constexpr size_t kBlobBytes = 10'000'000;

const std::string& large_blob() {
  static const std::string blob = [] {
    Numbers numbers(256);
    std::string bytes(kBlobBytes, '\0');
    for (char& byte : bytes) byte = static_cast<char>(numbers.next());
    return bytes;
  }();
  return blob;
}

void prepare_blobs(Session& session) {
  large_blob();
  session.open_scratch_empty();
  session.scratch().exec("CREATE TABLE blobs(id INTEGER PRIMARY KEY, data BLOB)");
}

uint64_t write_blob(Session& session) {
  return Query(session.scratch(), "INSERT INTO blobs(data) VALUES (?)").bind_blob(1, large_blob()).run();
}

// One statement on a copy of the data file, in autocommit mode.
Workload statement(const char* name, std::string sql, std::function<uint64_t(Session&)> verify) {
  return {name, 1,
          [sql = std::move(sql)](Session& s) {
            s.scratch().exec(sql);
            return uint64_t{0};
          },
          [](Session& s) { s.open_scratch_copy(); }, std::move(verify)};
}

}  // namespace

std::vector<Workload> write_workloads(int64_t rows) {
  int64_t batch = std::max<int64_t>(rows / 4, 1);
  return {
      batch_insert("batch insert, no index", 0, batch),
      batch_insert("batch insert, 1 index", 1, batch),
      batch_insert("batch insert, 3 indexes", 3, batch),
      {"write a blob of 10 MB", 1, write_blob, prepare_blobs},
      {"read a blob of 10 MB", 1,
       [](Session& s) { return s.scratch().checksum("SELECT data FROM blobs"); },
       [](Session& s) {
         prepare_blobs(s);
         write_blob(s);
       }},
      {"INSERT ... SELECT", 1,
       [](Session& s) {
         s.scratch().exec("INSERT INTO t SELECT * FROM plain");
         return uint64_t{0};
       },
       [](Session& s) {
         s.open_scratch_copy();
         s.scratch().exec("CREATE TABLE t(id INTEGER PRIMARY KEY, a INT, b TEXT, c REAL)");
       },
       verify_new_table},
      statement("UPDATE of all rows", "UPDATE plain SET a = a + 1, c = c * 2", verify_plain),
      statement("UPDATE of an indexed column", "UPDATE item SET code = code + 1",
                [](Session& s) {
                  return s.scratch().checksum("SELECT code, id FROM item ORDER BY code, id");
                }),
      statement("DELETE of half", "DELETE FROM plain WHERE id % 2 = 0", verify_plain),
      statement("CREATE INDEX", "CREATE INDEX plain_a ON plain(a)",
                [](Session& s) {
                  return s.scratch().checksum("SELECT a, id FROM plain WHERE a > 0 ORDER BY a");
                }),
  };
}

}  // namespace godwit::bench
