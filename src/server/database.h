// The databases that a server has: one file, or the files of a folder, opened when first asked for.
//
// Threads: may be used from any.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "server/history.h"
#include "server/row_log.h"
#include "server/sql_session.h"

namespace godwit::server {

class Database {
 public:
  struct Options {
    SessionOptions session;
    HistoryOptions history;
    RowLogOptions row_log;
  };
  // Errors: kCantOpen: there is no such file (and `create` is not set); kBusy: another server has it.
  static Result<std::shared_ptr<Database>> open(std::string name, std::string path, bool create,
                                                const Options& options);

  const std::string& name() const { return name_; }
  const std::string& path() const { return path_; }
  History& history() { return *history_; }
  Result<std::unique_ptr<SqlSession>> new_session(bool read_only);

  // The connection that makes dense pushes, and what records it. For who holds push_turn().
  Result<SqlSession*> push_session();
  RowLog::Sink& push_sink() { return *push_sink_; }
  RowLog& row_log() { return *row_log_; }

  // Pushes take turns here, in place of polling for the file's lock.
  std::timed_mutex& push_turn() { return push_turn_; }

  // Something may have been committed: wakes who waits for it.
  void notify_changed();
  // `wake` is called from any thread, until unsubscribe() returns.
  uint64_t subscribe(std::function<void()> wake);
  void unsubscribe(uint64_t id);

 private:
  Database(std::string name, std::string path, const Options& options)
      : name_(std::move(name)), path_(std::move(path)), options_(options) {}

  const std::string name_, path_;
  const Options options_;
  std::unique_ptr<History> history_;
  std::unique_ptr<RowLog> row_log_;
  std::unique_ptr<RowLog::Sink> push_sink_;
  std::unique_ptr<SqlSession> push_session_;  // null: not needed yet
  std::timed_mutex push_turn_;
  std::mutex subscribers_mutex_;
  std::map<uint64_t, std::function<void()>> subscribers_;
  uint64_t last_subscriber_ = 0;
};

class DatabaseSet {
 public:
  // One of the paths is empty.
  DatabaseSet(std::string file, std::string folder, const Database::Options& options)
      : file_(std::move(file)), folder_(std::move(folder)), options_(options) {}

  bool is_single() const { return folder_.empty(); }
  // `name`: of a database in the folder; else not looked at. Errors as Database::open().
  Result<std::shared_ptr<Database>> get(const std::string& name, bool create);
  bool exists(const std::string& name) const;
  // Of the folder, in order.
  std::vector<std::string> names() const;
  // Those that are open now.
  std::vector<std::shared_ptr<Database>> open_databases() const;
  // Of a folder: lets go of databases that were not used for a while.
  void close_unused();
  void close_all();

  // 1 to 64 letters, digits, '-', '_' and '.'; no '.' at the start.
  static bool is_valid_name(std::string_view name);

 private:
  // Its mutex is held while the database is opened, so that others need not wait for that.
  struct Entry {
    std::mutex mutex;
    std::shared_ptr<Database> database;  // null: not open
    std::chrono::steady_clock::time_point last_used;
  };

  std::string path_of(const std::string& name) const;
  std::vector<std::shared_ptr<Entry>> entries() const;

  const std::string file_, folder_;
  const Database::Options options_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Entry>> entries_;
};

}  // namespace godwit::server
