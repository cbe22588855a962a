#include "server/database.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace godwit::server {
namespace {

constexpr auto kUnusedTime = std::chrono::minutes(5);
constexpr std::string_view kSuffix = ".db";

Status create_file(const std::string& path) {
  sqlite3* db = nullptr;
  int code = sqlite3_open_v2(path.c_str(), &db,
                             SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                             nullptr);
  // Readers do not wait for writers then.
  if (code == SQLITE_OK) code = sqlite3_exec(db, "PRAGMA journal_mode=WAL", nullptr, nullptr, nullptr);
  Status status = code == SQLITE_OK ? Status() : Status(code, db ? sqlite3_errmsg(db) : "");
  sqlite3_close_v2(db);
  return status;
}

}  // namespace

Result<std::shared_ptr<Database>> Database::open(std::string name, std::string path, bool create,
                                                 const Options& options) {
  std::error_code error;
  bool exists = std::filesystem::exists(path, error) && !std::filesystem::is_directory(path, error);
  if (!exists && !create) return Status(SQLITE_CANTOPEN, "no such database");
  if (!exists) GW_TRY(create_file(path));
  std::shared_ptr<Database> database(new Database(std::move(name), std::move(path), options));
  GW_ASSIGN(database->history_, History::open(database->path_, options.history));
  GW_ASSIGN(database->row_log_,
            RowLog::open(database->path_, database->history_.get(), options.row_log));
  database->push_sink_ = std::make_unique<RowLog::Sink>(database->row_log_.get());
  return database;
}

Result<std::unique_ptr<SqlSession>> Database::new_session(bool read_only) {
  GW_ASSIGN(auto session, SqlSession::open(path_, read_only, options_.session));
  if (!read_only) GW_TRY(session->record(std::make_unique<RowLog::Sink>(row_log_.get())));
  return session;
}

Result<SqlSession*> Database::push_session() {
  if (push_session_ == nullptr) {
    GW_ASSIGN(auto session, SqlSession::open(path_, false, options_.session));
    GW_TRY(capture::set_sink(session->handle(), push_sink_.get()));
    push_session_ = std::move(session);
  }
  return push_session_.get();
}

void Database::notify_changed() {
  history_->keep_pins();
  std::lock_guard guard(subscribers_mutex_);
  for (auto& [id, wake] : subscribers_) wake();
}

uint64_t Database::subscribe(std::function<void()> wake) {
  std::lock_guard guard(subscribers_mutex_);
  subscribers_.emplace(++last_subscriber_, std::move(wake));
  return last_subscriber_;
}

void Database::unsubscribe(uint64_t id) {
  std::lock_guard guard(subscribers_mutex_);
  subscribers_.erase(id);
}

bool DatabaseSet::is_valid_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && name[0] != '.' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (std::isalnum(static_cast<unsigned char>(c)) && (c & 0x80) == 0) || c == '-' ||
                  c == '_' || c == '.';
         });
}

std::string DatabaseSet::path_of(const std::string& name) const {
  return is_single() ? file_ : folder_ + '/' + name + std::string(kSuffix);
}

bool DatabaseSet::exists(const std::string& name) const {
  std::error_code error;
  return std::filesystem::exists(path_of(name), error);
}

Result<std::shared_ptr<Database>> DatabaseSet::get(const std::string& name, bool create) {
  // So that names of nothing leave nothing behind.
  if (!create && !exists(name)) return Status(SQLITE_CANTOPEN, "no such database");
  std::shared_ptr<Entry> entry;
  {
    std::lock_guard guard(mutex_);
    auto& place = entries_[is_single() ? std::string() : name];
    if (!place) place = std::make_shared<Entry>();
    entry = place;
  }
  std::lock_guard guard(entry->mutex);
  if (!entry->database) {
    GW_ASSIGN(entry->database, Database::open(name, path_of(name), create, options_));
  }
  entry->last_used = std::chrono::steady_clock::now();
  return entry->database;
}

std::vector<std::shared_ptr<DatabaseSet::Entry>> DatabaseSet::entries() const {
  std::lock_guard guard(mutex_);
  std::vector<std::shared_ptr<Entry>> list;
  for (const auto& [name, entry] : entries_) list.push_back(entry);
  return list;
}

std::vector<std::string> DatabaseSet::names() const {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& item : std::filesystem::directory_iterator(folder_, error)) {
    std::string file = item.path().filename().string();
    if (file.size() <= kSuffix.size() || file.substr(file.size() - kSuffix.size()) != kSuffix) continue;
    std::string name = file.substr(0, file.size() - kSuffix.size());
    if (is_valid_name(name)) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::shared_ptr<Database>> DatabaseSet::open_databases() const {
  std::vector<std::shared_ptr<Database>> list;
  for (const auto& entry : entries()) {
    std::lock_guard guard(entry->mutex);
    if (entry->database) list.push_back(entry->database);
  }
  return list;
}

void DatabaseSet::close_unused() {
  if (is_single()) return;
  auto oldest = std::chrono::steady_clock::now() - kUnusedTime;
  std::lock_guard guard(mutex_);
  for (auto it = entries_.begin(); it != entries_.end();) {
    Entry& entry = *it->second;
    // Nobody else has it, and nobody can get it meanwhile.
    bool is_unused = it->second.use_count() == 1 && entry.last_used < oldest &&
                     (!entry.database || entry.database.use_count() == 1);
    it = is_unused ? entries_.erase(it) : std::next(it);
  }
}

void DatabaseSet::close_all() {
  std::lock_guard guard(mutex_);
  entries_.clear();
}

}  // namespace godwit::server
