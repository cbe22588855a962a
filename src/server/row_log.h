// What the commits of this server did to the rows of a database, from one revision (server/history.h) to
// the next: what clients that keep rows are sent in place of pages.
//
// Kept beside the database in FILE-godwit-log (a SQLite database):
//
//     entry   id | before, after (names of revisions) | client, first and last seq of its push ("", 0, 0:
//             not a push of a Godwit client) | exact | ops, packed
//
// It is a cache. An entry is written after its commit, so a crash can leave one out; commits of other
// processes have none. Either is a gap: the chain from an older revision is broken, and clients that are
// there get a whole revision. The file may be deleted while no server runs. The oldest entries go when
// the budget is used up.
//
// Order. before_commit() of a sink runs under the database's write lock. What is the newest revision
// then is where the commit starts from, and where the commit before it has led to.
//
// Threads: may be used from any; a sink as its connection.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "capture/recorder.h"
#include "server/history.h"
#include "sqlite3.h"

namespace godwit::server {

struct RowLogOptions {
  uint64_t budget = 256u << 20;            // bytes of packed ops
  size_t transaction_max = 64u << 20;      // bytes of ops; a larger transaction is a gap
};

class RowLog {
 public:
  // Whose changes a commit makes.
  struct Origin {
    std::string client;
    uint64_t first_seq = 0, last_seq = 0;
    bool is_exact = true;
  };
  struct Step {
    uint64_t before = 0, after = 0;
    bool is_logged = false;
  };

  // Records one connection.
  class Sink final : public capture::OpSink {
   public:
    explicit Sink(RowLog* log) : log_(*log) {}
    Status take(sqlite3* db, std::string_view ops) override;
    void cut_back(uint64_t parts) override;
    Status before_commit(sqlite3* db) override;
    void ended(sqlite3* db, bool committed) override;

    // Of the next commit.
    void set_origin(Origin origin) { origin_ = std::move(origin); }
    // What the last commit did; nothing: it changed no page, or nobody knows.
    std::optional<Step> last_step() const { return last_step_; }

   private:
    friend class RowLog;
    RowLog& log_;
    std::string ops_;
    std::vector<size_t> part_ends_;
    bool is_too_large_ = false;
    Origin origin_;
    std::optional<Step> last_step_;
    // While a commit is under way.
    bool is_committing_ = false;
    uint64_t before_ = 0;
    // Another commit came before this one was looked at: what it found.
    std::optional<std::pair<uint64_t, uint64_t>> found_after_;  // revision, version of the snapshot
  };

  struct Entry {
    uint64_t after = 0;
    Origin origin;
    std::string ops;
  };

  // `history` must outlive it.
  static Result<std::unique_ptr<RowLog>> open(const std::string& database_path, History* history,
                                              const RowLogOptions& options);
  ~RowLog();

  // The entries (their ids) that lead from `from` to `to`; nothing: there is a gap.
  std::optional<std::vector<int64_t>> chain(uint64_t from, uint64_t to) const;
  // kNotFound: it is not there any more.
  Result<Entry> read(int64_t id) const;
  uint64_t bytes() const;

 private:
  struct Place {
    int64_t id = 0;
    uint64_t after = 0;
    uint64_t bytes = 0;
  };

  RowLog(History* history, const RowLogOptions& options) : history_(*history), options_(options) {}
  Status prepare(const std::string& path);
  Status load();
  Status store(const Sink& sink, uint64_t after);
  void drop_oldest();

  History& history_;
  const RowLogOptions options_;
  mutable std::mutex mutex_;  // guards all below
  sqlite3* db_ = nullptr;
  std::map<uint64_t, Place> places_;  // by the revision before
  uint64_t bytes_ = 0;
  Sink* committing_ = nullptr;  // the last that has begun to, and was not looked at yet
};

}  // namespace godwit::server
