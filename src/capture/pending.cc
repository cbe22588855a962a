#include "capture/pending.h"

#include <ctime>

#include "api/handles.h"
#include "capture/recorder.h"

namespace godwit::capture {
namespace {

constexpr std::string_view kTable = "godwit_sync_pending";

// Has no state: one serves all connections.
class PendingSink final : public OpSink {
 public:
  Status take(sqlite3* db, std::string_view ops) override {
    GW_ASSIGN(auto insert, db->connection->prepare_internal(
                               "INSERT INTO main.godwit_sync_pending(time, ops) VALUES (?, ?)"));
    GW_TRY(insert->bind(1, ValueView::of(static_cast<int64_t>(std::time(nullptr)))));
    GW_TRY(insert->bind(2, ValueView::of_blob(ops)));
    return insert->step().take_status();
  }
  void cut_back(uint64_t) override {}
  Status before_commit(sqlite3*) override { return Status(); }
  void ended(sqlite3*, bool) override {}
};

}  // namespace

Status attach_pending(sqlite3* db) {
  static PendingSink sink;
  const Schema* schema = db->connection->databases()[Connection::kMain].schema.get();
  if (schema == nullptr || schema->find_table(kTable) == nullptr) return Status();
  if (db->connection->capture(CaptureKind::kRecorder) != nullptr) return Status();
  return set_sink(db, &sink);
}

}  // namespace godwit::capture
