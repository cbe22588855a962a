#include "sync/replica.h"

#include "capture/pending.h"
#include "capture/recorder.h"
#include "sync/database_access.h"
#include "sync/godwit_exchange.h"
#include "sync/replica_core.h"
#include "sync/turso_exchange.h"

namespace godwit::sync {
namespace {

constexpr int kBusyTimeoutMs = 5000;

// Asks for the lock each millisecond: beside an application that writes all the time, whoever waits longer
// between two tries hardly gets its turn.
int wait_for_lock(void*, int tries) {
  if (tries >= kBusyTimeoutMs) return 0;
  sqlite3_sleep(1);
  return 1;
}

// Gives the replica free again when it goes.
class GuardedExchange final : public Exchange {
 public:
  GuardedExchange(std::unique_ptr<Exchange> exchange, std::shared_ptr<bool> is_busy)
      : exchange_(std::move(exchange)), is_busy_(std::move(is_busy)) {
    *is_busy_ = true;
  }
  ~GuardedExchange() override { *is_busy_ = false; }
  const HttpRequest* request() const override { return exchange_->request(); }
  void begin(int status) override { exchange_->begin(status); }
  Status add(std::string_view bytes) override { return exchange_->add(bytes); }
  Status end() override { return exchange_->end(); }
  bool changed() const override { return exchange_->changed(); }

 private:
  std::unique_ptr<Exchange> exchange_;
  std::shared_ptr<bool> is_busy_;
};

class FileReplica final : public Replica {
 public:
  FileReplica(sqlite3* db, const std::string& path, ReplicaOptions options)
      : core_(db, path, std::move(options)) {}

  Status prepare() {
    sqlite3* db = core_.db();
    GW_ASSIGN(const bool is_replica, has_replica_state(db));
    if (!is_replica) {
      const capture::Pause pause(db);
      GW_ASSIGN(WriteTransaction transaction, WriteTransaction::begin(db));
      // Another process may have come first.
      GW_ASSIGN(const bool is_one_now, has_replica_state(db));
      if (!is_one_now) GW_TRY(make_replica());
      GW_TRY(transaction.commit());
    }
    // Here, too, what the application writes is kept. Pauses need the recorder to be there.
    GW_TRY(core_.state());
    return capture::attach_pending(db);
  }

  Result<std::unique_ptr<Exchange>> begin_push() override { return begin(Errand::kPush); }
  Result<std::unique_ptr<Exchange>> begin_pull() override { return begin(Errand::kPull); }

  Result<std::vector<PendingChange>> pending() override { return core_.pending(); }
  Status discard(std::string_view table, std::string_view key) override { return core_.discard(table, key); }

  Result<ReplicaStats> stats() override {
    GW_ASSIGN(const ReplicaState state, core_.state());
    ReplicaStats stats;
    GW_ASSIGN(const int64_t pending, integer_of(core_.db(), "SELECT count(*) FROM godwit_sync_pending WHERE seq > " +
                                                                std::to_string(state.acknowledged_seq)));
    stats.pending_changes = static_cast<uint64_t>(pending);
    stats.last_push_time = state.last_push_time;
    stats.last_pull_time = state.last_pull_time;
    stats.revision = state.revision;
    stats.sent_bytes = core_.sent_bytes();
    stats.received_bytes = core_.received_bytes();
    stats.wal_bytes = core_.wal_bytes();
    return stats;
  }

  Status checkpoint() override {
    const int code = sqlite3_wal_checkpoint_v2(core_.db(), "main", SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
    return status_of(core_.db(), code);
  }
  void set_url(std::string url) override { core_.options().url = std::move(url); }
  sqlite3* handle() override { return core_.db(); }

 private:
  Status make_replica() {
    sqlite3* db = core_.db();
    GW_ASSIGN(const int64_t foreign, integer_of(db, "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'turso\\_cdc%' ESCAPE '\\'"
                                                    " OR name LIKE 'turso\\_sync\\_%' ESCAPE '\\'"));
    if (foreign > 0) {
      return Status::error("the file belongs to another kind of replica (it has tables of Turso's sync)");
    }
    GW_ASSIGN(const int64_t objects, integer_of(db, "SELECT count(*) FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
                                                    " AND name NOT LIKE 'godwit\\_sync\\_%' ESCAPE '\\'"));
    if (objects > 0 && !core_.options().adopt) {
      return Status::error("the file has data and was never synced; open it with `adopt` to push its rows, "
                           "or sync into a new file");
    }
    GW_TRY(make_replica_tables(db, core_.options().client_name));
    return objects > 0 ? core_.adopt() : Status();
  }

  Result<std::unique_ptr<Exchange>> begin(Errand errand) {
    if (*is_busy_) return Status(SQLITE_BUSY, "a push or pull is under way");
    if (core_.options().url.empty()) return Status::error("the url is empty: sync is paused");
    GW_ASSIGN(const ReplicaState state, core_.state());
    const Wire wire = core_.options().wire;
    const bool is_turso = wire == Wire::kTurso || (wire == Wire::kDetect && state.wire == "turso");
    auto made = is_turso ? make_turso_exchange(&core_, errand)
                         : make_godwit_exchange(&core_, errand, make_turso_exchange);
    GW_ASSIGN(std::unique_ptr<Exchange> exchange, std::move(made));
    return std::unique_ptr<Exchange>(std::make_unique<GuardedExchange>(std::move(exchange), is_busy_));
  }

  ReplicaCore core_;
  std::shared_ptr<bool> is_busy_ = std::make_shared<bool>(false);
};

}  // namespace

Result<std::unique_ptr<Replica>> Replica::open(const std::string& path, ReplicaOptions options) {
  sqlite3* db = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX;
  const int code = sqlite3_open_v2(path.c_str(), &db, flags, nullptr);
  if (code != SQLITE_OK) {
    Status status = db == nullptr ? Status::no_memory() : status_of(db, code);
    sqlite3_close_v2(db);
    return status;
  }
  sqlite3_busy_handler(db, wait_for_lock, nullptr);
  auto replica = std::make_unique<FileReplica>(db, path, std::move(options));
  // Readers and writers of a replica do not wait for each other; a file that cannot have a WAL does without.
  (void)execute(db, "PRAGMA journal_mode = WAL");
  GW_TRY(replica->prepare());
  return std::unique_ptr<Replica>(std::move(replica));
}

}  // namespace godwit::sync
