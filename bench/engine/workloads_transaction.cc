// Many small transactions: what a commit costs, how long the slowest ones take, and what readers
// notice of a writer beside them.
#include <atomic>
#include <chrono>
#include <exception>
#include <thread>

#include "engine/workload.h"

namespace godwit::bench {
namespace {

constexpr int64_t kTransactions = 2000;
constexpr int64_t kSyncedTransactions = 300;
constexpr int64_t kTailTransactions = 10000;
constexpr int64_t kReads = 10000;  // of each reader

void prepare_commits(Session& session) {
  session.open_scratch_empty();
  session.scratch().exec("CREATE TABLE t(id INTEGER PRIMARY KEY, a INT, b TEXT, c REAL)");
  session.scratch().exec("CREATE INDEX t_a ON t(a)");
}

void prepare_rollback_journal(Session& session) {
  session.open_scratch_empty();
  session.scratch().exec("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL");
  session.scratch().exec("CREATE TABLE t(id INTEGER PRIMARY KEY, a INT, b TEXT, c REAL)");
}

uint64_t commit_inserts(Session& session, int64_t count) {
  using Clock = std::chrono::steady_clock;
  Query query(session.scratch(), "INSERT INTO t(a, b, c) VALUES (?, ?, ?)");
  Numbers numbers(1000000);
  session.latencies().reserve(static_cast<size_t>(count));
  auto before = Clock::now();
  for (int64_t i = 0; i < count; ++i) {
    int64_t number = numbers.next();
    std::string text = "text number " + std::to_string(number);
    query.bind(1, number).bind(2, text).bind(3, static_cast<double>(number) / 8).run();
    auto after = Clock::now();
    session.latencies().push_back(std::chrono::duration<double>(after - before).count());
    before = after;
  }
  return 0;
}

uint64_t commit_updates(Session& session, int64_t count) {
  Query query(session.scratch(), "UPDATE plain SET c = c + ?, b = ? WHERE id = ?");
  Numbers numbers(session.rows());
  for (int64_t i = 0; i < count; ++i) {
    query.bind(1, 0.5).bind(2, std::string_view("changed")).bind(3, numbers.next()).run();
  }
  return 0;
}

uint64_t verify_inserts(Session& session) {
  return session.scratch().checksum("SELECT * FROM t ORDER BY id");
}

uint64_t verify_updates(Session& session) {
  return session.scratch().checksum("SELECT * FROM plain ORDER BY id");
}

// Commits changes to the table that the others read, though not to the column, until told to stop.
void write_until(const std::atomic<bool>& done, Connection& connection) {
  Query query(connection, "UPDATE item SET price = price + 1 WHERE id = ?");
  Numbers numbers(1000);
  while (!done.load(std::memory_order_relaxed)) query.bind(1, numbers.next()).run();
}

// Readers with a connection and a thread each; timed until the last one is through.
uint64_t read_in_threads(Session& session, int reader_count, bool has_writer) {
  std::vector<std::unique_ptr<Connection>> connections;
  for (int i = 0; i < reader_count; ++i) connections.push_back(session.scratch_again());
  std::vector<uint64_t> checksums(connections.size(), 0);
  std::vector<std::exception_ptr> errors(connections.size() + 1);
  auto guarded = [&](int i, auto work) {
    try {
      work();
    } catch (...) {
      errors[static_cast<size_t>(i)] = std::current_exception();
    }
  };
  std::atomic<bool> done = false;
  std::thread writer;
  if (has_writer) {
    writer = std::thread(
        [&] { guarded(reader_count, [&] { write_until(done, session.scratch()); }); });
  }
  std::vector<std::thread> readers;
  for (int i = 0; i < reader_count; ++i) {
    readers.emplace_back([&, i] {
      guarded(i, [&] {
        size_t own = static_cast<size_t>(i);
        Query query(*connections[own], "SELECT name FROM item WHERE id = ?");
        Numbers numbers(session.rows());
        for (int64_t k = 0; k < kReads; ++k) {
          checksums[own] = query.bind(1, numbers.next()).run(checksums[own]);
        }
      });
    });
  }
  for (std::thread& reader : readers) reader.join();
  done = true;
  if (has_writer) writer.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  uint64_t checksum = 0;
  for (uint64_t value : checksums) checksum = fold(checksum, value);
  return checksum;
}

Workload tail(const char* name, double quantile) {
  Workload workload{name, kTailTransactions,
                    [](Session& s) { return commit_inserts(s, kTailTransactions); }, prepare_commits,
                    verify_inserts};
  workload.quantile = quantile;
  return workload;
}

Workload readers(const char* name, int count, bool has_writer) {
  return {name, count * kReads,
          [count, has_writer](Session& s) { return read_in_threads(s, count, has_writer); },
          [](Session& s) { s.open_scratch_copy(); }};
}

}  // namespace

std::vector<Workload> transaction_workloads(int64_t) {
  return {
      {"autocommit insert", kTransactions,
       [](Session& s) { return commit_inserts(s, kTransactions); }, prepare_commits, verify_inserts},
      tail("autocommit insert, median", 0.5),
      tail("autocommit insert, p99", 0.99),
      tail("autocommit insert, p99.9", 0.999),
      {"autocommit insert, DELETE/FULL", kSyncedTransactions,
       [](Session& s) { return commit_inserts(s, kSyncedTransactions); }, prepare_rollback_journal,
       verify_inserts},
      {"autocommit update", kTransactions,
       [](Session& s) { return commit_updates(s, kTransactions); },
       [](Session& s) { s.open_scratch_copy(); }, verify_updates},
      readers("1 reader", 1, false),
      readers("2 readers", 2, false),
      readers("4 readers", 4, false),
      readers("4 readers beside a writer", 4, true),
  };
}

}  // namespace godwit::bench
