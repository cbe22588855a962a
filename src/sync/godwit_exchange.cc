#include "sync/godwit_exchange.h"

#include <optional>

#include "sync/row_json.h"
#include "sync/whole_revision.h"

namespace godwit::sync {
namespace {

constexpr size_t kErrorBytesMax = 64u << 10;

// The "message" of a server's JSON, else the body's beginning.
std::string message_in(const std::string& body) {
  auto fields = parse_row_json(body);
  if (fields.ok()) {
    for (const auto& [name, field] : *fields) {
      if (name == "message" && field[0] == SQLITE_TEXT) return std::string(content_of(field));
    }
  }
  return body.substr(0, 200);
}

class GodwitExchange final : public Exchange {
 public:
  GodwitExchange(ReplicaCore* core, Errand errand, OtherWire other)
      : core_(core), errand_(errand), other_(std::move(other)) {}

  Status start() {
    GW_ASSIGN(const bool has_unanswered, core_->has_unanswered());
    if (errand_ == Errand::kPush || has_unanswered) return ask_push();
    return ask_pull(false);
  }

  const HttpRequest* request() const override {
    if (inner_) return inner_->request();
    return request_.has_value() ? &*request_ : nullptr;
  }
  bool changed() const override { return inner_ ? inner_->changed() : changed_; }

  void begin(int status) override {
    if (inner_) return inner_->begin(status);
    status_ = status;
    body_.clear();
    reader_ = FrameReader();
    begin_.reset();
    ops_.clear();
    file_.reset();
    received_ = 0;
  }

  Status add(std::string_view bytes) override {
    if (inner_) return inner_->add(bytes);
    core_->count_received(bytes.size());
    received_ += bytes.size();
    const bool is_ok = status_ >= 200 && status_ < 300;
    if (!is_ok) {
      if (body_.size() < kErrorBytesMax) body_.append(bytes);
      return Status();
    }
    if (is_push_) {
      if (body_.size() + bytes.size() > kRequestBytesMax) return give_up(Status(SQLITE_TOOBIG));
      body_.append(bytes);
      return Status();
    }
    reader_.add(bytes);
    Status status = take_frames();
    if (core_->options().progress) {
      core_->options().progress(received_, begin_.has_value() ? begin_->bytes_to_come : 0);
    }
    return status.ok() ? Status() : give_up(std::move(status));
  }

  Status end() override {
    if (inner_) return inner_->end();
    Status status = is_push_ ? end_push() : end_pull();
    return status.ok() ? Status() : give_up(std::move(status));
  }

 private:
  Status give_up(Status status) {
    request_.reset();
    return status;
  }

  void ask(const char* endpoint, std::string body) {
    std::string url = core_->options().url;
    while (!url.empty() && url.back() == '/') url.pop_back();
    core_->count_sent(body.size());
    request_ = HttpRequest{"POST", url + endpoint, {{"content-type", "application/x-godwit"}}, std::move(body)};
  }

  Status ask_push() {
    is_push_ = true;
    request_.reset();
    GW_ASSIGN(push_, core_->next_push());
    if (push_.has_value()) ask("/godwit/push", encode(*push_));
    return Status();
  }

  Status ask_pull(bool is_whole) {
    is_push_ = false;
    GW_ASSIGN(const ReplicaState state, core_->state());
    asked_revision_ = state.revision;
    PullRequest pull;
    pull.update_wins = core_->options().update_wins;
    pull.client = state.client;
    // Otherwise the server would refuse to answer, where the application wants another database.
    if (!core_->options().accept_other_database) pull.database = state.database;
    pull.revision = is_whole ? std::string() : state.revision;
    pull.long_poll_ms = is_whole ? 0 : core_->options().long_poll_ms;
    is_whole_ = is_whole;
    ask("/godwit/pull", encode(pull));
    return Status();
  }

  // A status that is no success. *is_certain: the server has done nothing.
  Status http_error(bool* is_certain) const {
    *is_certain = status_ >= 400 && status_ < 500 && status_ != 408 && status_ != 425 && status_ != 429;
    const int code = status_ == 401 || status_ == 403 ? SQLITE_AUTH : status_ == 429 || status_ == 503 ? SQLITE_BUSY : SQLITE_ERROR;
    return Status(code, "the server answered " + std::to_string(status_) + ": " + message_in(body_));
  }

  // 404, before this server has ever answered in this form: it may be of another kind.
  Result<bool> turn_to_other_wire() {
    GW_ASSIGN(const ReplicaState state, core_->state());
    if (status_ != 404 || !state.wire.empty() || core_->options().wire != Wire::kDetect || !other_) return false;
    GW_TRY(core_->push_rejected());
    GW_ASSIGN(inner_, other_(core_, errand_));
    return inner_ != nullptr;
  }

  Status know_wire() {
    GW_ASSIGN(const ReplicaState state, core_->state());
    return state.wire == "godwit" ? Status() : core_->set_state("wire", "godwit");
  }

  Status end_push() {
    if (status_ < 200 || status_ >= 300) {
      GW_ASSIGN(const bool is_other, turn_to_other_wire());
      if (is_other) return Status();
      bool is_certain = false;
      Status status = http_error(&is_certain);
      if (is_certain) GW_TRY(core_->push_rejected());
      // What can not be pushed does not keep a pull from being made.
      if (is_certain && errand_ == Errand::kPull) return ask_pull(false);
      return status;
    }
    PushAnswer answer;
    GW_TRY(decode(body_, &answer));
    GW_TRY(know_wire());
    const bool is_applied = answer.status != PushStatus::kRefused;
    if (is_applied && answer.acknowledged_seq < push_->last_seq) {
      return corrupt("push: the server acknowledges less than it was sent");
    }
    Status status = core_->push_answered(*push_, answer);
    if (!status.ok() && (is_applied || errand_ == Errand::kPush)) return status;
    changed_ |= is_applied && errand_ == Errand::kPush;
    GW_ASSIGN(const bool has_unanswered, core_->has_unanswered());
    if (errand_ == Errand::kPull && !has_unanswered) return ask_pull(false);
    return ask_push();
  }

  Status take_frames() {
    for (;;) {
      FrameKind kind;
      std::string_view body;
      GW_ASSIGN(const bool more, reader_.next(&kind, &body));
      if (!more) return Status();
      if ((kind == FrameKind::kBegin) == begin_.has_value()) return corrupt("pull: frames out of order");
      switch (kind) {
        case FrameKind::kBegin: GW_TRY(take_begin(body)); break;
        case FrameKind::kOps:
          if (begin_->mode != PullMode::kOps) return corrupt("pull: changes where there are none");
          ops_.append(body);
          break;
        case FrameKind::kPages:
          if (!file_) return corrupt("pull: pages where there are none");
          GW_TRY(file_->add_pages(body));
          break;
        case FrameKind::kEnd: break;
      }
    }
  }

  Status take_begin(std::string_view body) {
    begin_.emplace();
    GW_TRY(decode(body, &*begin_));
    GW_TRY(core_->check_database(begin_->database, &is_other_database_));
    if (begin_->mode != PullMode::kPages) return Status();
    file_ = std::make_unique<RevisionFile>(core_->path());
    return file_->begin(begin_->page_size, begin_->page_count);
  }

  Status end_pull() {
    if (status_ < 200 || status_ >= 300) {
      GW_ASSIGN(const bool is_other, turn_to_other_wire());
      if (is_other) return Status();
      bool is_certain = false;
      return http_error(&is_certain);
    }
    if (!reader_.ended() || !begin_.has_value()) return Status(SQLITE_IOERR, "pull: the answer was cut off");
    GW_TRY(know_wire());
    if (is_other_database_ && begin_->mode != PullMode::kPages) return again(true);
    const PullResult result{begin_->database, begin_->revision, begin_->acknowledged_seq};
    Applied applied = Applied::kNothing;
    if (begin_->mode == PullMode::kPages) {
      GW_TRY(file_->end());
      GW_ASSIGN(applied, core_->apply_whole(asked_revision_, result, file_->path()));
    } else if (begin_->mode == PullMode::kOps || begin_->revision != asked_revision_) {
      GW_ASSIGN(applied, core_->apply_ops(asked_revision_, result, ops_));
    } else {
      GW_TRY(core_->pulled_nothing());
    }
    file_.reset();
    ops_ = std::string();
    if (applied == Applied::kNeedsWhole) return again(true);
    if (applied == Applied::kElsewhere) return again(false);
    changed_ |= applied == Applied::kChanged;
    request_.reset();
    return Status();
  }

  Status again(bool is_whole) {
    constexpr int kRoundsMax = 8;
    if (++rounds_ > kRoundsMax || (is_whole && is_whole_)) {
      return Status::error("pull: the server does not give what was asked for");
    }
    return ask_pull(is_whole);
  }

  ReplicaCore* core_;
  const Errand errand_;
  OtherWire other_;
  std::unique_ptr<Exchange> inner_;  // of another wire; from then on it is asked
  std::optional<HttpRequest> request_;
  std::optional<PushRequest> push_;
  bool is_push_ = false, is_whole_ = false, is_other_database_ = false, changed_ = false;
  int status_ = 0, rounds_ = 0;
  uint64_t received_ = 0;
  std::string body_, ops_, asked_revision_;
  FrameReader reader_;
  std::optional<PullBegin> begin_;
  std::unique_ptr<RevisionFile> file_;
};

}  // namespace

Result<std::unique_ptr<Exchange>> make_godwit_exchange(ReplicaCore* core, Errand errand, OtherWire other) {
  auto exchange = std::make_unique<GodwitExchange>(core, errand, std::move(other));
  GW_TRY(exchange->start());
  return std::unique_ptr<Exchange>(std::move(exchange));
}

}  // namespace godwit::sync
