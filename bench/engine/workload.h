// What the benchmark runs: one `Workload` is one row of the table. Its `run` is timed, its checksum
// must be the same on both engines. Every engine has a `Session` of its own with a copy of one data
// file, which the reference engine wrote, so that both read the same bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace godwit::bench {

// One engine's databases in the temporary folder.
class Session {
 public:
  // `folder` belongs to this session; `dataset` is the file to copy.
  Session(const Engine& engine, std::string folder, std::string dataset, int64_t rows);

  const Engine& engine() const { return engine_; }
  int64_t rows() const { return rows_; }

  // The read-only database: opened at the first use, shared by all rows.
  Connection& data();

  // The database that writers change: a fresh copy of the data file, or an empty one.
  Connection& scratch() { return *scratch_; }
  void open_scratch_copy();
  void open_scratch_empty();
  // One more connection to it.
  std::unique_ptr<Connection> scratch_again();
  void close_scratch() { scratch_.reset(); }

  // A copy of the data file that nobody has open.
  const std::string& closed_copy();
  // A file of 500 tables with an index each that nobody has open.
  const std::string& closed_tables();

  // Elapsed seconds of each operation, as rows about the slowest of them collect.
  std::vector<double>& latencies() { return latencies_; }

 private:
  std::unique_ptr<Connection> open(const std::string& path);
  void remove_scratch();

  const Engine& engine_;
  std::string folder_;
  std::string dataset_;
  int64_t rows_;
  std::string closed_copy_;
  std::string closed_tables_;
  std::unique_ptr<Connection> data_;
  std::unique_ptr<Connection> scratch_;
  std::vector<double> latencies_;
};

struct Workload {
  std::string name;
  // How many operations one run does: the table shows the time of one.
  int64_t operations = 1;
  // Timed. Returns the checksum of what it saw.
  std::function<uint64_t(Session&)> run;
  // Before and after every run, not timed; either may be empty. `verify` returns a checksum too.
  std::function<void(Session&)> prepare = {};
  std::function<uint64_t(Session&)> verify = {};
  // Above 0: the row is not about the mean, but about the latency that this part of the operations
  // does not exceed. Always elapsed time.
  double quantile = 0;
};

// Creates the data file at `path`: tables `item` (wide, three indexes), `plain` (no index), `link`
// (points to items), `left_side` and `right_side` (to join without an index).
void create_dataset(const Engine& engine, const std::string& path, int64_t rows);

std::vector<Workload> lookup_workloads(int64_t rows);
std::vector<Workload> scan_workloads(int64_t rows);
std::vector<Workload> join_workloads(int64_t rows);
std::vector<Workload> write_workloads(int64_t rows);
std::vector<Workload> transaction_workloads(int64_t rows);

// A deterministic sequence of numbers in [1, limit].
class Numbers {
 public:
  explicit Numbers(int64_t limit) : limit_(static_cast<uint64_t>(limit)) {}
  int64_t next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int64_t>((state_ >> 33) % limit_) + 1;
  }

 private:
  uint64_t limit_;
  uint64_t state_ = 42;
};

}  // namespace godwit::bench
