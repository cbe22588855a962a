#include "sync/turso_exchange.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "sync/database_access.h"
#include "sync/turso_pages.h"
#include "sync/turso_push.h"

namespace godwit::sync {
namespace {

constexpr size_t kAnswerBytesMax = 256u << 20;
constexpr int kRoundsMax = 8;
constexpr char kBaseRevision[] = "turso_base";  // in godwit_sync_state; empty: the file is not whole

bool is_number(const std::string& text) {
  return !text.empty() && text.size() < 19 && text.find_first_not_of("0123456789") == std::string::npos;
}

class TursoExchange final : public Exchange {
 public:
  TursoExchange(ReplicaCore* core, Errand errand) : core_(core), errand_(errand), base_(core->path()) {}

  Status start() {
    if (core_->path().empty() || core_->path() == ":memory:") {
      return Status::not_implemented("a replica in memory of a server of Turso's");
    }
    GW_ASSIGN(const bool has_unanswered, core_->has_unanswered());
    return errand_ == Errand::kPush || has_unanswered ? ask_progress() : ask_pull(false);
  }

  const HttpRequest* request() const override { return request_.has_value() ? &*request_ : nullptr; }
  bool changed() const override { return changed_; }

  void begin(int status) override {
    status_ = status;
    body_.clear();
    reader_ = TursoPageReader();
    pages_.clear();
    is_seen_.clear();
    seen_ = received_ = 0;
  }

  Status add(std::string_view bytes) override {
    core_->count_received(bytes.size());
    received_ += bytes.size();
    if (step_ != Step::kPull || status_ != 200) {
      if (body_.size() + bytes.size() > kAnswerBytesMax) return give_up(Status(SQLITE_TOOBIG));
      body_.append(bytes);
      return Status();
    }
    reader_.add(bytes);
    Status status = take_records();
    if (core_->options().progress) {
      core_->options().progress(received_, is_whole_ ? reader_.header().page_count * kTursoPageBytes : 0);
    }
    return status.ok() ? Status() : give_up(std::move(status));
  }

  Status end() override {
    Status status = status_ != 200                ? http_error()
                    : step_ == Step::kProgress    ? end_progress()
                    : step_ == Step::kPush        ? end_push()
                                                  : end_pull();
    return status.ok() ? Status() : give_up(std::move(status));
  }

 private:
  enum class Step : uint8_t { kProgress, kPush, kPull };

  Status give_up(Status status) {
    request_.reset();
    base_.close();
    return status;
  }

  void ask(Step step, const char* endpoint, const char* content_type, std::string body) {
    step_ = step;
    std::string url = core_->options().url;
    while (!url.empty() && url.back() == '/') url.pop_back();
    core_->count_sent(body.size());
    request_ = HttpRequest{"POST", url + endpoint, {{"content-type", content_type}}, std::move(body)};
  }
  void ask_pipeline(Step step, std::string body) { ask(step, "/v2/pipeline", "application/json", std::move(body)); }

  Status know_wire() {
    GW_ASSIGN(const ReplicaState state, core_->state());
    return state.wire == "turso" ? Status() : core_->set_state("wire", "turso");
  }

  Status http_error() {
    // Of a push that was surely not done.
    const bool is_certain = status_ >= 400 && status_ < 500 && status_ != 408 && status_ != 425 && status_ != 429;
    if (step_ == Step::kPush && is_certain) GW_TRY(core_->push_rejected());
    const int code = status_ == 401 || status_ == 403   ? SQLITE_AUTH
                     : status_ == 429 || status_ == 503 ? SQLITE_BUSY
                                                        : SQLITE_ERROR;
    return Status(code, "the server answered " + std::to_string(status_) + ": " + body_.substr(0, 200));
  }

  // ---- Push

  Status ask_progress() {
    request_.reset();
    if (++rounds_ > kRoundsMax) return Status::error("push: the server does not say what it has");
    GW_ASSIGN(push_, core_->next_push());
    if (!push_.has_value()) return errand_ == Errand::kPull ? ask_pull(false) : Status();
    ask_pipeline(Step::kProgress, turso_progress_request(push_->client));
    return Status();
  }

  Status end_progress() {
    GW_ASSIGN(const TursoProgress progress, read_turso_progress(core_->db(), body_));
    GW_TRY(know_wire());
    if (progress.change_id >= push_->last_seq) return answered(PushStatus::kRepeated);
    auto batch = TursoPush::make(core_->db(), *push_, progress.tables);
    if (!batch.ok()) {
      GW_TRY(core_->push_rejected());
      return batch.status();
    }
    batch_ = *std::move(batch);
    ask_pipeline(Step::kPush, batch_.body());
    return Status();
  }

  Status end_push() {
    PushAnswer answer;
    bool is_repeated = false;
    GW_TRY(batch_.read_answer(core_->db(), body_, &answer, &is_repeated));
    if (is_repeated) return answered(PushStatus::kRepeated);
    if (answer.status != PushStatus::kRefused) return answered(PushStatus::kApplied);
    Status status = core_->push_answered(*push_, answer);
    // What can not be pushed does not keep a pull from being made.
    return errand_ == Errand::kPull ? ask_pull(false) : status;
  }

  Status answered(PushStatus status) {
    PushAnswer answer;
    answer.status = status;
    answer.database = kTursoDatabase;
    answer.acknowledged_seq = push_->last_seq;
    GW_TRY(core_->push_answered(*push_, answer));
    changed_ |= errand_ == Errand::kPush;
    rounds_ = 0;
    return ask_progress();
  }

  // ---- Pull

  Status ask_pull(bool is_whole) {
    request_.reset();
    if (++rounds_ > kRoundsMax) return Status::error("pull: the server does not give what was asked for");
    bool is_other = false;
    GW_TRY(core_->check_database(std::string(kTursoDatabase), &is_other));
    GW_ASSIGN(const ReplicaState state, core_->state());
    GW_TRY(base_.open());
    GW_ASSIGN(base_revision_, state_value(core_->db(), kBaseRevision));
    is_whole_ = is_whole || is_other || base_revision_.empty() || base_.page_count() == 0;
    replica_revision_ = state.revision;
    const bool may_wait = !is_whole_ && base_revision_ == state.revision;
    ask(Step::kPull, "/pull-updates", "application/protobuf",
        turso_pull_request(is_whole_ ? std::string() : base_revision_, may_wait ? core_->options().long_poll_ms : 0));
    return Status();
  }

  Status take_records() {
    for (;;) {
      GW_ASSIGN(const TursoPageReader::Found found, reader_.next());
      if (found == TursoPageReader::Found::kNothing) return Status();
      if (found == TursoPageReader::Found::kHeader) {
        GW_TRY(take_header());
      } else {
        GW_TRY(take_page());
      }
    }
  }

  // From here on the file is not whole.
  Status take_header() {
    if (!is_whole_) return Status();
    const uint64_t pages = reader_.header().page_count;
    if (pages == 0 && base_.page_count() > 0 && !core_->options().accept_other_database) {
      return Status::error("the server serves an empty database where it had rows; nothing was changed");
    }
    GW_TRY(core_->set_state(kBaseRevision, ""));
    is_seen_.assign(pages, false);
    return base_.finish(pages);
  }

  Status take_page() {
    const uint64_t id = reader_.page_id();
    if (id >= reader_.header().page_count) return Status();
    if (!is_whole_) {
      pages_[id] = reader_.page();
      return Status();
    }
    if (!is_seen_[id]) ++seen_;
    is_seen_[id] = true;
    return base_.write_page(id, reader_.page());
  }

  // The server counts anew, or tells nothing of what it has.
  bool has_lost_history() const {
    const std::string& revision = reader_.header().revision;
    if (revision == base_revision_) return !pages_.empty();
    if (pages_.empty()) return true;
    return is_number(revision) && is_number(base_revision_) && std::stoll(revision) < std::stoll(base_revision_);
  }

  Status end_pull() {
    if (!reader_.is_complete()) return Status(SQLITE_IOERR, "pull: the answer was cut off");
    GW_TRY(know_wire());
    const TursoPullHeader& header = reader_.header();
    if (is_whole_) {
      if (seen_ < header.page_count) return corrupt("pull: pages are missing");
      GW_TRY(base_.finish(header.page_count));
    } else {
      if (has_lost_history()) return ask_pull(true);
      if (!pages_.empty()) {
        if (header.page_count == 0) return corrupt("pull: pages of an empty database");
        GW_TRY(core_->set_state(kBaseRevision, ""));
        for (const auto& [id, page] : pages_) GW_TRY(base_.write_page(id, page));
        GW_TRY(base_.finish(header.page_count));
        pages_.clear();
      }
    }
    GW_TRY(core_->set_state(kBaseRevision, header.revision));
    Applied applied = Applied::kNothing;
    if (is_whole_ || header.revision != replica_revision_) {
      GW_ASSIGN(const uint64_t acknowledged, acknowledged_in_base());
      const PullResult result{std::string(kTursoDatabase), header.revision, acknowledged};
      GW_ASSIGN(applied, core_->apply_whole(replica_revision_, result, base_.path()));
    } else {
      GW_TRY(core_->pulled_nothing());
    }
    if (applied == Applied::kElsewhere || applied == Applied::kNeedsWhole) return ask_pull(false);
    changed_ |= applied == Applied::kChanged;
    request_.reset();
    base_.close();
    return Status();
  }

  // Up to which of this client's changes the server's pages go.
  Result<uint64_t> acknowledged_in_base() {
    GW_ASSIGN(const ReplicaState state, core_->state());
    sqlite3* base = nullptr;
    const int code = sqlite3_open_v2(base_.path().c_str(), &base, SQLITE_OPEN_READONLY, nullptr);
    Status status = code == SQLITE_OK ? Status() : Status(code);
    uint64_t acknowledged = 0;
    if (status.ok()) {
      auto query = Query::prepare(base, "SELECT change_id FROM turso_sync_last_change_id WHERE client_id = ?");
      if (query.ok()) {
        query->bind(1, state.client);
        auto has_row = query->step();
        if (has_row.ok() && *has_row) acknowledged = static_cast<uint64_t>(std::max<int64_t>(query->integer(0), 0));
        if (!has_row.ok()) status = has_row.status();
      } else if (query.status().primary() != SQLITE_ERROR) {  // not: there is no such table
        status = query.status();
      }
    }
    sqlite3_close_v2(base);
    GW_TRY(std::move(status));
    return acknowledged;
  }

  ReplicaCore* core_;
  const Errand errand_;
  TursoBaseFile base_;
  std::optional<HttpRequest> request_;
  Step step_ = Step::kPull;
  int status_ = 0, rounds_ = 0;
  uint64_t received_ = 0, seen_ = 0;
  bool changed_ = false, is_whole_ = false;
  std::string body_, base_revision_, replica_revision_;
  std::optional<PushRequest> push_;
  TursoPush batch_;
  TursoPageReader reader_;
  std::map<uint64_t, std::string> pages_;  // of an answer that is not whole, until it is complete
  std::vector<bool> is_seen_;
};

}  // namespace

Result<std::unique_ptr<Exchange>> make_turso_exchange(ReplicaCore* core, Errand errand) {
  auto exchange = std::make_unique<TursoExchange>(core, errand);
  GW_TRY(exchange->start());
  return std::unique_ptr<Exchange>(std::move(exchange));
}

}  // namespace godwit::sync
