#include "server/dense_pull.h"

#include <algorithm>

#include "base/bytes.h"
#include "capture/op_stream.h"
#include "server/dense.h"
#include "server/long_poll.h"
#include "server/spooled_source.h"
#include "sync/wire.h"

namespace godwit::server {
namespace {

using Clock = std::chrono::steady_clock;
using SnapshotPtr = std::unique_ptr<History::Snapshot>;
using sync::FrameKind;
using sync::PullBegin;
using sync::PullMode;

constexpr uint32_t kWaitMax = 120000;  // milliseconds
constexpr size_t kAtOnceBytes = 1 << 20;
constexpr auto kDownloadTimeMax = std::chrono::minutes(60);

// A whole revision, as long as the client takes it.
class PageFrames final : public BodySource {
 public:
  PageFrames(std::shared_ptr<Database> database, SnapshotPtr snapshot)
      : database_(std::move(database)), snapshot_(std::move(snapshot)) {}

  Result<bool> next(std::string* out) override {
    // An open snapshot keeps the WAL from starting anew.
    if (Clock::now() - started_ > kDownloadTimeMax) return Status(SQLITE_INTERRUPT);
    std::string body;
    const uint32_t count = snapshot_->page_count();
    while (next_ <= count && body.size() < sync::kFrameBytesUsual) {
      append_varint(next_, &body);
      GW_TRY(snapshot_->append_page(next_++, &body));
    }
    if (!body.empty()) sync::append_frame(FrameKind::kPages, body, out);
    if (next_ <= count) return true;
    sync::append_frame(FrameKind::kEnd, "", out);
    return false;
  }

 private:
  std::shared_ptr<Database> database_;
  SnapshotPtr snapshot_;
  PageNumber next_ = 1;
  Clock::time_point started_ = Clock::now();
};

// Entries of the log. The client's own pushes are not sent back to it: where their effect was what they
// said a mark is enough.
class OpFrames final : public BodySource {
 public:
  OpFrames(std::shared_ptr<Database> database, std::vector<int64_t> ids, std::string client)
      : database_(std::move(database)), ids_(std::move(ids)), client_(std::move(client)) {}

  Result<bool> next(std::string* out) override {
    std::string body;
    while (next_ < ids_.size() && body.size() < sync::kFrameBytesUsual) {
      GW_ASSIGN(RowLog::Entry entry, database_->row_log().read(ids_[next_++]));
      const bool is_own = !client_.empty() && entry.origin.client == client_;
      if (!is_own || !entry.origin.is_exact) body += entry.ops;
      if (!is_own) continue;
      if (entry.origin.is_exact) capture::append_mark(entry.origin.last_seq, &body);
      else capture::append_mark(entry.origin.last_seq, &body, capture::OpKind::kSettled);
    }
    if (!body.empty()) sync::append_frame(FrameKind::kOps, body, out);
    if (next_ < ids_.size()) return true;
    sync::append_frame(FrameKind::kEnd, "", out);
    return false;
  }

 private:
  std::shared_ptr<Database> database_;
  std::vector<int64_t> ids_;
  std::string client_;
  size_t next_ = 0;
};

class DensePull {
 public:
  DensePull(std::shared_ptr<Database> database, sync::PullRequest request, Metrics* metrics)
      : database_(std::move(database)), request_(std::move(request)), metrics_(*metrics) {}

  bool may_wait() const { return request_.long_poll_ms > 0 && !request_.revision.empty(); }
  Clock::duration wait_time() const {
    return std::chrono::milliseconds(std::min(request_.long_poll_ms, kWaitMax));
  }
  Database& database() { return *database_; }

  // False: nothing has changed (only with `only_news`).
  bool answer(bool only_news, HttpResponse* response) {
    PullBegin begin;
    SnapshotPtr snapshot;
    Status status = look(&begin, &snapshot);
    if (!status.ok()) {
      *response = failure_response(status);
      return true;
    }
    if (!request_.database.empty() && request_.database != begin.database) {
      *response = error_response(
          409, "this is another database than the one that the replica was made from",
          "OTHER_DATABASE");
      return true;
    }
    std::optional<uint64_t> revision;
    if (!request_.revision.empty()) revision = database_->history().find(request_.revision);
    if (revision == snapshot->revision()) {
      if (only_news) return false;
      ++metrics_.pulls_without_news;
    }
    ++metrics_.pulls;
    *response = respond(std::move(begin), std::move(snapshot), revision);
    return true;
  }

 private:
  // The newest revision, and what that has of the client's pushes: no push comes in between.
  Status look(PullBegin* begin, SnapshotPtr* snapshot) {
    std::unique_lock turn(database_->push_turn(), kPushTurnTimeout);
    if (!turn.owns_lock()) return Status(SQLITE_BUSY, "database is locked");
    GW_ASSIGN(SqlSession * session, database_->push_session());
    session->start_clock();
    GW_ASSIGN(begin->database, ensure_identity(session->handle()));
    GW_ASSIGN(begin->acknowledged_seq, read_acknowledged(session->handle(), request_.client));
    GW_ASSIGN(*snapshot, database_->history().snapshot());
    begin->revision = database_->history().name_of((*snapshot)->revision());
    return Status();
  }

  HttpResponse respond(PullBegin begin, SnapshotPtr snapshot, std::optional<uint64_t> revision) {
    if (revision == snapshot->revision()) return nothing_new(std::move(begin));
    if (revision) {
      auto ids = database_->row_log().chain(*revision, snapshot->revision());
      if (ids) {
        begin.mode = PullMode::kOps;
        snapshot.reset();
        return stream(begin, std::make_unique<OpFrames>(database_, *std::move(ids), request_.client),
                      false);
      }
      ++metrics_.row_log_gaps;
    }
    begin.mode = PullMode::kPages;
    begin.page_size = snapshot->page_size();
    begin.page_count = snapshot->page_count();
    begin.bytes_to_come = uint64_t{begin.page_size} * begin.page_count;
    ++metrics_.whole_pulls;
    metrics_.pages_sent += begin.page_count;
    const bool spools = !snapshot->is_wal() && begin.bytes_to_come > kAtOnceBytes;
    return stream(begin, std::make_unique<PageFrames>(database_, std::move(snapshot)), spools);
  }

  HttpResponse nothing_new(PullBegin begin) {
    begin.mode = PullMode::kNothing;
    std::string body;
    sync::append_begin(begin, &body);
    sync::append_frame(FrameKind::kEnd, "", &body);
    return dense_response(std::move(body));
  }

  // Small answers are made at once, so that they need no chunks.
  HttpResponse stream(const PullBegin& begin, std::unique_ptr<BodySource> source, bool spools) {
    std::string body;
    sync::append_begin(begin, &body);
    bool more = true;
    while (more && !spools && body.size() < kAtOnceBytes) {
      auto result = source->next(&body);
      if (!result.ok()) return failure_response(result.status());
      more = *result;
    }
    HttpResponse response = dense_response(std::move(body));
    if (!more) return response;
    if (spools) {
      auto spooled = SpooledSource::make(database_->path(), source.get());
      if (!spooled.ok()) return failure_response(spooled.status());
      source = *std::move(spooled);
    }
    response.source = std::move(source);
    return response;
  }

  std::shared_ptr<Database> database_;
  sync::PullRequest request_;
  Metrics& metrics_;
};

}  // namespace

HttpResponse handle_dense_pull(const std::shared_ptr<Database>& database, const HttpRequest& request,
                               Metrics* metrics) {
  sync::PullRequest pull;
  if (!sync::decode(request.body, &pull).ok()) {
    return error_response(400, "this is no pull request", "BAD_REQUEST");
  }
  DensePull handler(database, std::move(pull), metrics);
  HttpResponse response;
  if (handler.answer(handler.may_wait(), &response)) return response;
  response.pending = std::make_unique<LongPoll<DensePull>>(std::move(handler));
  return response;
}

}  // namespace godwit::server
