// Streams that wait for their next request, by baton. A baton is a random word that can be used once:
// whoever holds it owns the stream.
//
//            take(baton)             keep(new baton)
//   waiting -------------> at work ----------------> waiting
//      |                      |
//      | idle too long        | close, error of HTTP
//      v                      v
//   closed (rolled back)    closed (rolled back)
//
// Threads: StreamTable may be used from any; a Stream is used by the request that took it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "server/sql_session.h"

namespace godwit::server {

class Database;

struct Stream {
  std::shared_ptr<Database> database;
  std::unique_ptr<SqlSession> session;
  std::map<int64_t, std::string> stored_sql;
  size_t stored_bytes = 0;
  std::chrono::steady_clock::time_point last_used;
};

class StreamTable {
 public:
  StreamTable(size_t limit, std::chrono::milliseconds idle_timeout)
      : limit_(limit), idle_timeout_(idle_timeout) {}

  // Null: no such stream is waiting for this database.
  std::unique_ptr<Stream> take(std::string_view baton, const Database* database);
  static std::string new_baton();
  // If there are too many the stream is closed.
  void keep(const std::string& baton, std::unique_ptr<Stream> stream);
  bool is_full() const { return size() >= limit_; }
  // Closes what has waited too long. Returns how many.
  size_t close_idle();
  void close_all();
  size_t size() const;

 private:
  const size_t limit_;
  const std::chrono::milliseconds idle_timeout_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::unique_ptr<Stream>> waiting_;
};

// `bytes` of them, in base64 without padding.
std::string random_word(size_t bytes);

}  // namespace godwit::server
