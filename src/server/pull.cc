#include "server/pull.h"

#include <algorithm>
#include <limits>

#include "api/handles.h"
#include "server/long_poll.h"
#include "server/pull_message.h"
#include "server/spooled_source.h"

namespace godwit::server {
namespace {

using Clock = std::chrono::steady_clock;
using SnapshotPtr = std::unique_ptr<History::Snapshot>;

constexpr uint32_t kProtocolPageSize = 4096;
constexpr size_t kPieceBytes = 256 << 10;
constexpr size_t kSpoolInMemory = 1 << 20;
constexpr uint32_t kLongPollMax = 120000;
constexpr int kPinAttempts = 20;
constexpr uint32_t kQueriedPagesMax = 32768;  // 128 MB
constexpr auto kAnswerTimeMax = std::chrono::minutes(60);

HttpResponse status_response(const Status& status) {
  bool is_busy = status.primary() == SQLITE_BUSY || status.primary() == SQLITE_LOCKED;
  return error_response(is_busy ? 503 : 500, status.message(), sqlite_code_name(status.code()));
}

HttpResponse gone_response() {
  return error_response(410, "the revision is gone; bootstrap again from the newest one",
                        "REVISION_GONE");
}

// Pages of a snapshot, as long as the client takes them.
class PageSource final : public BodySource {
 public:
  PageSource(std::shared_ptr<Database> database, SnapshotPtr snapshot, std::vector<PageNumber> pages,
             std::optional<uint64_t> pinned)
      : database_(std::move(database)),
        snapshot_(std::move(snapshot)),
        pages_(std::move(pages)),
        pinned_(pinned) {}

  Result<bool> next(std::string* out) override {
    // An open snapshot keeps the WAL from starting anew.
    if (Clock::now() - started_ > kAnswerTimeMax) return Status(SQLITE_INTERRUPT);
    const size_t start = out->size();
    while (next_ < pages_.size() && out->size() - start < kPieceBytes) {
      PageNumber number = pages_[next_++];
      append_page_prefix(number, kProtocolPageSize, out);
      if (!pinned_) {
        GW_TRY(snapshot_->append_page(number, out));
        continue;
      }
      GW_ASSIGN(bool is_there, database_->history().append_pinned_page(*pinned_, number,
                                                                       snapshot_.get(), out));
      if (!is_there) return Status(SQLITE_NOTFOUND);
    }
    return next_ < pages_.size();
  }

 private:
  std::shared_ptr<Database> database_;
  SnapshotPtr snapshot_;
  std::vector<PageNumber> pages_;
  std::optional<uint64_t> pinned_;
  size_t next_ = 0;
  Clock::time_point started_ = Clock::now();
};

class PullHandler {
 public:
  PullHandler(std::shared_ptr<Database> database, PullRequest request, Metrics* metrics)
      : database_(std::move(database)), request_(std::move(request)), metrics_(*metrics) {}

  // False: nothing has changed (only with `only_news`).
  bool answer(bool only_news, HttpResponse* response) {
    auto snapshot = database_->history().snapshot();
    if (!snapshot.ok()) {
      *response = status_response(snapshot.status());
      return true;
    }
    if ((*snapshot)->page_count() > 0 && (*snapshot)->page_size() != kProtocolPageSize) {
      *response = error_response(
          409, "the database has pages of " + std::to_string((*snapshot)->page_size()) +
                   " bytes, but the sync protocol knows only pages of 4096",
          "PAGE_SIZE");
      return true;
    }
    if (!request_.pinned_revision.empty()) {
      *response = answer_pinned(*std::move(snapshot));
      return true;
    }
    std::optional<uint64_t> revision;
    if (!request_.client_revision.empty()) {
      revision = database_->history().find(request_.client_revision);
      if (only_news && revision == (*snapshot)->revision()) return false;
    }
    bool is_bootstrap = request_.client_revision.empty();
    if (is_bootstrap && (request_.bitmap || !request_.query.empty())) {
      *response = answer_partial_bootstrap(*std::move(snapshot));
    } else {
      *response = answer_newest(*std::move(snapshot), revision);
    }
    return true;
  }

  bool may_wait() const {
    return request_.long_poll_ms > 0 && !request_.client_revision.empty() &&
           request_.pinned_revision.empty();
  }
  Clock::duration wait_time() const {
    return std::chrono::milliseconds(std::min(request_.long_poll_ms, kLongPollMax));
  }
  Database& database() { return *database_; }

 private:
  // `revision`: the client's, if it is known.
  HttpResponse answer_newest(SnapshotPtr snapshot, std::optional<uint64_t> revision) {
    // Of a revision that is not known all pages may be other ones.
    std::vector<PageNumber> pages = database_->history().changed_since(
        revision.value_or(std::numeric_limits<uint64_t>::max()), *snapshot);
    if (!revision) {
      pages.resize(snapshot->page_count());
      for (size_t i = 0; i < pages.size(); ++i) pages[i] = static_cast<PageNumber>(i + 1);
      ++metrics_.whole_pulls;
    }
    if (request_.bitmap) {
      auto wanted = page_numbers_of(*request_.bitmap, snapshot->page_count());
      if (!wanted.ok()) return error_response(400, wanted.status().message(), "BAD_REQUEST");
      std::vector<PageNumber> both;
      std::set_intersection(pages.begin(), pages.end(), wanted->begin(), wanted->end(),
                            std::back_inserter(both));
      pages = std::move(both);
    }
    if (pages.empty()) ++metrics_.pulls_without_news;
    uint64_t number = snapshot->revision();
    uint32_t count = snapshot->page_count();
    return page_response(number, count, std::move(snapshot), std::move(pages), {});
  }

  // A replica that is going to ask for more pages of this revision.
  HttpResponse answer_partial_bootstrap(SnapshotPtr snapshot) {
    std::vector<PageNumber> pages;
    for (int attempt = 0; attempt < kPinAttempts; ++attempt) {
      if (request_.bitmap) {
        auto wanted = page_numbers_of(*request_.bitmap, snapshot->page_count());
        if (!wanted.ok()) return error_response(400, wanted.status().message(), "BAD_REQUEST");
        pages = *std::move(wanted);
      } else {
        SqlError error;
        bool is_same = false;
        if (!pages_of_query(*snapshot, &pages, &is_same, &error)) {
          return error_response(400, error.message, error.code);
        }
        if (!is_same) {
          if (!renew(&snapshot)) break;
          continue;
        }
      }
      auto pinned = database_->history().pin(snapshot.get());
      if (!pinned.ok()) return status_response(pinned.status());
      // Too large to pin: its pages are there for as long as they do not change.
      if (*pinned != History::PinResult::kOutrun || !renew(&snapshot)) break;
    }
    if (!snapshot) return error_response(503, "the database is busy", "SQLITE_BUSY");
    uint64_t number = snapshot->revision();
    uint32_t count = snapshot->page_count();
    return page_response(number, count, std::move(snapshot), std::move(pages), {});
  }

  bool renew(SnapshotPtr* snapshot) {
    snapshot->reset();
    auto next = database_->history().snapshot();
    if (next.ok()) *snapshot = *std::move(next);
    return next.ok();
  }

  HttpResponse answer_pinned(SnapshotPtr snapshot) {
    auto revision = database_->history().find(request_.pinned_revision);
    if (!revision) {
      ++metrics_.gone_revisions;
      return gone_response();
    }
    auto count = database_->history().pinned_page_count(*revision, *snapshot);
    if (!count) {
      ++metrics_.gone_revisions;
      return gone_response();
    }
    std::vector<PageNumber> pages;
    if (request_.bitmap) {
      auto wanted = page_numbers_of(*request_.bitmap, *count);
      if (!wanted.ok()) return error_response(400, wanted.status().message(), "BAD_REQUEST");
      pages = *std::move(wanted);
    } else {
      for (PageNumber n = 1; n <= *count; ++n) pages.push_back(n);
    }
    // The first page tells whether the others are there, in most cases; what is gone later cuts the
    // answer off.
    if (!pages.empty()) {
      std::string waste;
      auto there = database_->history().append_pinned_page(*revision, pages[0], snapshot.get(), &waste);
      if (!there.ok()) return status_response(there.status());
      if (!*there) {
        ++metrics_.gone_revisions;
        return gone_response();
      }
    }
    return page_response(*revision, *count, std::move(snapshot), std::move(pages), *revision);
  }

  HttpResponse page_response(uint64_t revision, uint32_t page_count, SnapshotPtr snapshot,
                             std::vector<PageNumber> pages, std::optional<uint64_t> pinned) {
    HttpResponse response;
    response.content_type = "application/protobuf";
    ++metrics_.pulls;
    metrics_.pages_sent += pages.size();
    append_pull_header(database_->history().name_of(revision), page_count, &response.body);
    if (pages.empty()) return response;
    bool spools = !snapshot->is_wal() || pinned;
    size_t bytes = pages.size() * size_t{kProtocolPageSize};
    auto source = std::make_unique<PageSource>(database_, std::move(snapshot), std::move(pages), pinned);
    if (!spools && bytes > kSpoolInMemory) {
      response.source = std::move(source);
      return response;
    }
    if (bytes > kSpoolInMemory) {
      auto spooled = SpooledSource::make(database_->path(), source.get());
      if (!spooled.ok()) return pinned ? gone_response() : status_response(spooled.status());
      response.source = *std::move(spooled);
      return response;
    }
    for (bool more = true; more;) {
      auto result = source->next(&response.body);
      if (!result.ok()) return pinned ? gone_response() : status_response(result.status());
      more = *result;
    }
    return response;
  }

  // Runs the query on a connection of its own, whose cache then tells which pages it has used.
  // *is_same: on the same revision. All pages are looked at, so a large database is sent whole, which
  // the protocol allows.
  bool pages_of_query(History::Snapshot& snapshot, std::vector<PageNumber>* pages, bool* is_same,
                      SqlError* error) {
    if (snapshot.page_count() > kQueriedPagesMax) {
      *is_same = true;
      pages->resize(snapshot.page_count());
      for (size_t i = 0; i < pages->size(); ++i) (*pages)[i] = static_cast<PageNumber>(i + 1);
      return true;
    }
    auto session = database_->new_session(true);
    if (!session.ok()) {
      *error = {"SQLITE_ERROR", session.status().message(), session.status().code()};
      return false;
    }
    WireStatement nothing;
    if (!(*session)->run_script("PRAGMA cache_size=2000000; BEGIN", error)) return false;
    RunningStatement statement(session->get());
    if (!statement.start(request_.query, nothing, error)) return false;
    RunningStatement::Step step;
    do step = statement.step(error);
    while (step == RunningStatement::Step::kRow);
    if (step == RunningStatement::Step::kError) return false;
    Pager& pager = (*session)->handle()->connection->btree(Connection::kMain)->pager();
    // A query without a table has taken no snapshot: it needs the schema at most.
    *is_same = !pager.is_reading() || pager.snapshot_version() == snapshot.pager().snapshot_version();
    pages->clear();
    if (!*is_same) return true;
    return append_used_pages(pager, snapshot.page_count(), pages, error);
  }

  // A page is in the connection's cache, and so was used, if reading it is no miss.
  static bool append_used_pages(Pager& pager, uint32_t page_count, std::vector<PageNumber>* pages,
                                SqlError* error) {
    for (PageNumber number = 1; number <= page_count; ++number) {
      uint64_t misses = pager.figures().misses;
      if (pager.is_reading()) {
        auto page = pager.read(number);
        if (!page.ok()) {
          *error = {"SQLITE_ERROR", page.status().message(), page.status().code()};
          return false;
        }
        if (pager.figures().misses != misses && number > 1) continue;
      }
      pages->push_back(number);
    }
    return true;
  }

  std::shared_ptr<Database> database_;
  PullRequest request_;
  Metrics& metrics_;
};

}  // namespace

HttpResponse handle_pull(const std::shared_ptr<Database>& database, const HttpRequest& request,
                         Metrics* metrics) {
  auto parsed = parse_pull_request(request.body);
  if (!parsed.ok()) return error_response(400, parsed.status().message(), "BAD_REQUEST");
  PullHandler handler(database, *std::move(parsed), metrics);
  HttpResponse response;
  if (handler.answer(handler.may_wait(), &response)) return response;
  response.pending = std::make_unique<LongPoll<PullHandler>>(std::move(handler));
  return response;
}

}  // namespace godwit::server
