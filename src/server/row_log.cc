#include "server/row_log.h"

#include "api/handles.h"
#include "sync/database_access.h"
#include "sync/packing.h"

namespace godwit::server {
namespace {


uint64_t version_of(sqlite3* db) {
  return db->connection->databases()[Connection::kMain].btree->pager().snapshot_version();
}

}  // namespace

Result<std::unique_ptr<RowLog>> RowLog::open(const std::string& database_path, History* history,
                                             const RowLogOptions& options) {
  std::unique_ptr<RowLog> log(new RowLog(history, options));
  const std::string path = database_path + "-godwit-log";
  Status status = log->prepare(path);
  if (status.primary() == code::kNotADb || status.primary() == code::kCorrupt) {
    // Nothing is lost with it but time.
    sqlite3_close_v2(std::exchange(log->db_, nullptr));
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) std::remove((path + suffix).c_str());
    status = log->prepare(path);
  }
  GW_TRY(std::move(status));
  return log;
}

RowLog::~RowLog() { sqlite3_close_v2(db_); }

Status RowLog::prepare(const std::string& path) {
  int code = sqlite3_open_v2(path.c_str(), &db_,
                             SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  if (code != SQLITE_OK) return sync::status_of(db_, code);
  GW_TRY(sync::execute(db_,
                       "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;"
                       "CREATE TABLE IF NOT EXISTS entry(id INTEGER PRIMARY KEY, before TEXT NOT NULL, "
                       "after TEXT NOT NULL, client TEXT, first_seq INTEGER, last_seq INTEGER, "
                       "exact INTEGER, ops BLOB)"));
  return load();
}

// Entries of revisions that the history does not know are of no use any more.
Status RowLog::load() {
  places_.clear();
  bytes_ = 0;
  std::vector<int64_t> unknown;
  GW_ASSIGN(sync::Query query,
            sync::Query::prepare(db_, "SELECT id, before, after, length(ops) FROM entry ORDER BY id"));
  for (;;) {
    GW_ASSIGN(bool more, query.step());
    if (!more) break;
    auto before = history_.find(query.text(1)), after = history_.find(query.text(2));
    if (!before || !after) {
      unknown.push_back(query.integer(0));
      continue;
    }
    const auto size = static_cast<uint64_t>(query.integer(3));
    places_[*before] = {query.integer(0), *after, size};
    bytes_ += size;
  }
  for (int64_t id : unknown) {
    GW_TRY(sync::execute(db_, "DELETE FROM entry WHERE id = " + std::to_string(id)));
  }
  return Status();
}

std::optional<std::vector<int64_t>> RowLog::chain(uint64_t from, uint64_t to) const {
  std::lock_guard guard(mutex_);
  std::vector<int64_t> ids;
  while (from != to) {
    auto place = places_.find(from);
    if (place == places_.end() || place->second.after <= from) return std::nullopt;
    ids.push_back(place->second.id);
    from = place->second.after;
  }
  return ids;
}

Result<RowLog::Entry> RowLog::read(int64_t id) const {
  std::lock_guard guard(mutex_);
  GW_ASSIGN(sync::Query query, sync::Query::prepare(db_, "SELECT after, client, first_seq, last_seq, exact, ops "
                                             "FROM entry WHERE id = ?"));
  query.bind(1, id);
  GW_ASSIGN(bool is_there, query.step());
  if (!is_there) return Status(code::kNotFound);
  Entry entry;
  entry.after = history_.find(query.text(0)).value_or(0);
  entry.origin = {query.text(1), static_cast<uint64_t>(query.integer(2)),
                  static_cast<uint64_t>(query.integer(3)), query.integer(4) != 0};
  const std::string packed = query.text(5);
  sync::ByteReader reader(packed);
  GW_TRY(reader.take_packed(options_.transaction_max, &entry.ops));
  return entry;
}

uint64_t RowLog::bytes() const {
  std::lock_guard guard(mutex_);
  return bytes_;
}

Status RowLog::store(const Sink& sink, uint64_t after) {
  std::string packed;
  sync::append_packed(sink.ops_, &packed);
  GW_ASSIGN(sync::Query insert,
            sync::Query::prepare(db_, "INSERT INTO entry(before, after, client, first_seq, last_seq, exact, "
                                "ops) VALUES (?, ?, ?, ?, ?, ?, ?)"));
  const std::string before_name = history_.name_of(sink.before_), after_name = history_.name_of(after);
  insert.bind(1, std::string_view(before_name)).bind(2, std::string_view(after_name)).bind(3, std::string_view(sink.origin_.client));
  insert.bind(4, static_cast<int64_t>(sink.origin_.first_seq));
  insert.bind(5, static_cast<int64_t>(sink.origin_.last_seq));
  insert.bind(6, static_cast<int64_t>(sink.origin_.is_exact ? 1 : 0));
  insert.bind_blob(7, packed);
  GW_TRY(insert.run());
  places_[sink.before_] = {sqlite3_last_insert_rowid(db_), after, packed.size()};
  bytes_ += packed.size();
  if (bytes_ > options_.budget) drop_oldest();
  return Status();
}

// Down to three quarters, so that this is done now and then and not at each commit.
void RowLog::drop_oldest() {
  int64_t last = 0;
  while (!places_.empty() && bytes_ > options_.budget / 4 * 3) {
    last = std::max(last, places_.begin()->second.id);
    bytes_ -= places_.begin()->second.bytes;
    places_.erase(places_.begin());
  }
  (void)sync::execute(db_, "DELETE FROM entry WHERE id <= " + std::to_string(last));
}

// ---- Sink ------------------------------------------------------------------------------------------

Status RowLog::Sink::take(sqlite3*, std::string_view ops) {
  if (!is_too_large_) ops_.append(ops);
  is_too_large_ |= ops_.size() > log_.options_.transaction_max;
  part_ends_.push_back(ops_.size());
  return Status();
}

void RowLog::Sink::cut_back(uint64_t parts) {
  if (parts < part_ends_.size()) part_ends_.resize(parts);
  ops_.resize(std::min(ops_.size(), part_ends_.empty() ? 0 : part_ends_.back()));
}

Status RowLog::Sink::before_commit(sqlite3*) {
  std::lock_guard guard(log_.mutex_);
  auto snapshot = log_.history_.snapshot();
  // Without knowing where it starts the commit is a gap, and no reason to refuse it.
  is_committing_ = snapshot.ok();
  found_after_.reset();
  if (!snapshot.ok()) return Status();
  before_ = (*snapshot)->revision();
  if (log_.committing_ != nullptr && log_.committing_ != this) {
    log_.committing_->found_after_ = {before_, (*snapshot)->pager().snapshot_version()};
  }
  log_.committing_ = this;
  return Status();
}

void RowLog::Sink::ended(sqlite3* db, bool committed) {
  std::lock_guard guard(log_.mutex_);
  last_step_.reset();
  if (is_committing_ && committed) {
    std::optional<std::pair<uint64_t, uint64_t>> after = found_after_;
    if (!after) {
      auto snapshot = log_.history_.snapshot();
      if (snapshot.ok()) after = {(*snapshot)->revision(), (*snapshot)->pager().snapshot_version()};
    }
    // Another version: somebody else has committed meanwhile, and the revision is his too.
    if (after && after->second == version_of(db) && after->first > before_) {
      last_step_ = Step{before_, after->first, false};
      if (!is_too_large_) last_step_->is_logged = log_.store(*this, after->first).ok();
    }
  }
  if (log_.committing_ == this) log_.committing_ = nullptr;
  is_committing_ = false;
  found_after_.reset();
  ops_.clear();
  part_ends_.clear();
  is_too_large_ = false;
  origin_ = {};
}

}  // namespace godwit::server
