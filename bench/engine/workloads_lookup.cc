// Statements that touch few rows: what a server runs thousands of times a second.
#include "engine/workload.h"

namespace godwit::bench {
namespace {

constexpr int64_t kLookups = 20000;
constexpr int64_t kRanges = 1000;
constexpr int64_t kPrepares = 2000;
constexpr int64_t kOpens = 100;
constexpr int64_t kOpensOfMany = 20;

uint64_t prepare_statements(Session& session) {
  static const std::string statements[] = {
      "SELECT name, price FROM item WHERE id = ?",
      "SELECT i.name, count(*) FROM link l JOIN item i ON i.id = l.item WHERE i.kind = ? "
      "GROUP BY i.name ORDER BY 2 DESC LIMIT 10",
      "INSERT INTO plain(a, b, c) VALUES (?, ?, ?)",
      "UPDATE item SET price = price + ? WHERE code BETWEEN ? AND ?",
  };
  Connection& data = session.data();
  for (int64_t i = 0; i < kPrepares; ++i) Query query(data, statements[i % 4]);
  return 0;
}

// The same statements with a comment that makes each text a new one, for no cache to know.
uint64_t prepare_new_texts(Session& session) {
  static const std::string statements[] = {
      "SELECT name, price FROM item WHERE id = ? --",
      "SELECT i.name, count(*) FROM link l JOIN item i ON i.id = l.item WHERE i.kind = ? "
      "GROUP BY i.name ORDER BY 2 DESC LIMIT 10 --",
      "INSERT INTO plain(a, b, c) VALUES (?, ?, ?) --",
      "UPDATE item SET price = price + ? WHERE code BETWEEN ? AND ? --",
  };
  Connection& data = session.data();
  for (int64_t i = 0; i < kPrepares; ++i) Query query(data, statements[i % 4] + std::to_string(i));
  return 0;
}

// Runs `sql` with one random number bound, `count` times.
uint64_t look_up(Session& session, const char* sql, int64_t count) {
  Query query(session.data(), sql);
  Numbers numbers(session.rows());
  uint64_t checksum = 0;
  for (int64_t i = 0; i < count; ++i) checksum = query.bind(1, numbers.next()).run(checksum);
  return checksum;
}

uint64_t look_up_in_transaction(Session& session, const char* sql, int64_t count) {
  session.data().exec("BEGIN");
  uint64_t checksum = look_up(session, sql, count);
  session.data().exec("COMMIT");
  return checksum;
}

// Runs `sql` with a random range of `width` numbers bound, `count` times.
uint64_t look_up_ranges(Session& session, const char* sql, int64_t width, int64_t count) {
  Query query(session.data(), sql);
  Numbers numbers(session.rows());
  uint64_t checksum = 0;
  for (int64_t i = 0; i < count; ++i) {
    int64_t first = numbers.next();
    checksum = query.bind(1, first).bind(2, first + width - 1).run(checksum);
  }
  return checksum;
}

uint64_t open_and_ask(Session& session, const std::string& path, int64_t times, const char* sql) {
  uint64_t checksum = 0;
  for (int64_t i = 0; i < times; ++i) {
    Connection connection(session.engine(), path);
    checksum = fold(checksum, connection.checksum(sql));
  }
  return checksum;
}

uint64_t open_databases(Session& session) {
  return open_and_ask(session, session.closed_copy(), kOpens, "SELECT name FROM item WHERE id = 1");
}

uint64_t open_many_tables(Session& session) {
  return open_and_ask(session, session.closed_tables(), kOpensOfMany, "SELECT count(*) FROM t499");
}

}  // namespace

std::vector<Workload> lookup_workloads(int64_t) {
  constexpr const char* kPoint = "SELECT name, price FROM item WHERE id = ?";
  constexpr const char* kIndexed = "SELECT id, name FROM item WHERE code = ?";
  return {
      {"prepare", kPrepares, prepare_statements},
      {"prepare a new text", kPrepares, prepare_new_texts},
      {"point select", kLookups, [](Session& s) { return look_up(s, kPoint, kLookups); }},
      {"point select in a transaction", kLookups,
       [](Session& s) { return look_up_in_transaction(s, kPoint, kLookups); }},
      {"secondary index lookup", kLookups,
       [](Session& s) { return look_up(s, kIndexed, kLookups); }},
      {"index range of 50, table lookups", kRanges,
       [](Session& s) {
         return look_up_ranges(s, "SELECT id, name FROM item WHERE code BETWEEN ? AND ?", 50,
                               kRanges);
       }},
      {"covering index range of 500", kRanges,
       [](Session& s) {
         return look_up_ranges(s, "SELECT owner, price FROM item WHERE owner BETWEEN ? AND ?", 50,
                               kRanges);
       }},
      {"open a database", kOpens, open_databases},
      {"open a database of 500 tables", kOpensOfMany, open_many_tables,
       [](Session& s) { s.closed_tables(); }},
  };
}

}  // namespace godwit::bench
