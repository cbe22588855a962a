// A server in the same process, and clients of it: what the tests of
// replicas need of the network. Answers can be lost or cut.
#pragma once

#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "capture/op_stream.h"
#include "sync/replica.h"
#include "sync/row_applier.h"
#include "sync/wire.h"
#include "tests/unit/sync/sync_fixture.h"

namespace godwit::sync {

class FakeServer {
 public:
  explicit FakeServer(std::string name = "server-db") : database(std::move(name)) {}

  // What it does wrong, if it shall.
  enum Fault { kNone, kRepeatsPushes, kCallsAllExact, kForgetsSettled, kLosesRow };
  Fault fault = kNone;

  TestDatabase db;
  std::string database;
  int pulls_of_pages = 0, pulls_of_ops = 0, pushes = 0;
  int status = 200;  // other: all requests get it

  void write(const std::string& sql) {
    std::string ops;
    capture::append_op(capture::OpKind::kRows, db.changeset(sql), &ops);
    log_.push_back({ops, "", 0, true});
  }
  void schema(const std::string& sql) {
    std::string ops;
    db.run(sql);
    for (size_t begin = 0; begin < sql.size();) {
      const size_t end = std::min(sql.find(';', begin), sql.size());
      capture::append_op(capture::OpKind::kSchema, sql.substr(begin, end - begin), &ops);
      begin = end + 1;
    }
    log_.push_back({ops, "", 0, true});
  }
  // As if the log had been deleted.
  void forget_log() {
    for (size_t i = 0; i < log_.size(); ++i) forgotten_ = log_.size();
  }

  int answer(const HttpRequest& request, std::string* body) {
    if (status != 200) {
      *body = "{\"message\":\"no \\\"luck\\\"\"}";
      return status;
    }
    if (request.url.ends_with("/godwit/push")) {
      PushRequest push;
      EXPECT_TRUE(decode(request.body, &push).ok());
      *body = encode(this->push(push));
      return 200;
    }
    PullRequest pull;
    EXPECT_TRUE(decode(request.body, &pull).ok());
    *body = this->pull(pull);
    return 200;
  }

 private:
  struct Logged {
    std::string ops;
    std::string client;
    uint64_t last_seq = 0;
    bool is_exact = true;
  };

  std::string revision() const { return "e-" + std::to_string(log_.size()); }

  PushAnswer push(const PushRequest& push) {
    ++pushes;
    PushAnswer answer;
    answer.database = database;
    uint64_t& acknowledged = acknowledged_[push.client];
    answer.acknowledged_seq = acknowledged;
    if (push.last_seq <= acknowledged && fault != kRepeatsPushes) {
      answer.status = PushStatus::kRepeated;
      return answer;
    }
    EXPECT_TRUE(push.first_seq > acknowledged || fault != kNone);
    RulesOff off(db.get());
    auto transaction = WriteTransaction::begin(db.get());
    EXPECT_TRUE(transaction.ok());
    RowApplier applier(db.get(), {push.update_wins, {push.counters.begin(), push.counters.end()}});
    Logged logged{"", push.client, push.last_seq, true};
    capture::OpReader reader(push.ops);
    capture::Op op;
    for (;;) {
      auto more = reader.next(&op);
      EXPECT_TRUE(more.ok());
      if (!more.ok() || !*more) break;
      if (op.kind == capture::OpKind::kSchema) {
        (void)execute(db.get(), std::string(op.body));
        capture::append_op(op.kind, op.body, &logged.ops);
        applier.forget();
        continue;
      }
      std::string effects;
      Status status = applier.apply_changeset(op.body, [&](const RowOutcome& outcome) {
        logged.is_exact &= outcome.is_exact() || fault == kCallsAllExact;
        if (outcome.effect.has_value() && (fault != kLosesRow || pushes % 5 != 0)) {
          api::ChangeTable table = *outcome.table;
          table.key.resize(std::max(outcome.effect->old_values.size(), outcome.effect->new_values.size()), 0);
          table.append_header(&effects);
          outcome.effect->append(table, &effects);
        }
        if (outcome.is_told()) answer.outcomes.push_back(outcome_of(outcome));
        return Status();
      });
      EXPECT_TRUE(status.ok()) << status.message();
      capture::append_op(capture::OpKind::kRows, effects, &logged.ops);
    }
    for (const Outcome& outcome : answer.outcomes) {
      if (outcome.kind != OutcomeKind::kRefused) continue;
      answer.status = PushStatus::kRefused;
      return answer;  // rolled back
    }
    EXPECT_TRUE(transaction->commit().ok());
    acknowledged = answer.acknowledged_seq = push.last_seq;
    const bool follows = push.revision == revision() && logged.is_exact;
    log_.push_back(std::move(logged));
    if (follows) answer.revision = revision();
    return answer;
  }

  static Outcome outcome_of(const RowOutcome& outcome) {
    Outcome told;
    told.table = outcome.table->name;
    told.key = outcome.key;
    switch (outcome.result) {
      case RowResult::kDropped: told.kind = OutcomeKind::kDropped; break;
      case RowResult::kMoved: told.kind = OutcomeKind::kMoved; told.text = std::to_string(outcome.rowid); break;
      case RowResult::kRefused: told.kind = OutcomeKind::kRefused; told.text = outcome.error.message(); break;
      default: told.kind = OutcomeKind::kOverwritten; told.text = outcome.row_json(outcome.theirs);
    }
    return told;
  }

  std::string pull(const PullRequest& pull) {
    PullBegin begin;
    begin.database = database;
    begin.revision = revision();
    begin.acknowledged_seq = acknowledged_[pull.client];
    std::string out;
    size_t from = log_.size() + 1;
    if (pull.revision.starts_with("e-")) from = static_cast<size_t>(std::stoul(pull.revision.substr(2)));
    if (from <= log_.size() && from >= forgotten_ && pull.database == database) {
      ++pulls_of_ops;
      begin.mode = from == log_.size() ? PullMode::kNothing : PullMode::kOps;
      append_begin(begin, &out);
      std::string ops;
      for (size_t i = from; i < log_.size(); ++i) {
        const Logged& logged = log_[i];
        const bool is_own = logged.client == pull.client;
        if (!is_own || !logged.is_exact) ops += logged.ops;
        if (is_own && (logged.is_exact || fault != kForgetsSettled)) {
          capture::append_mark(logged.last_seq, &ops, logged.is_exact ? capture::OpKind::kMark : capture::OpKind::kSettled);
        }
      }
      if (!ops.empty()) append_frame(FrameKind::kOps, ops, &out);
    } else {
      ++pulls_of_pages;
      append_pages(begin, &out);
    }
    append_frame(FrameKind::kEnd, "", &out);
    return out;
  }

  void append_pages(PullBegin begin, std::string* out) {
    begin.mode = PullMode::kPages;
    sqlite3_int64 size = 0;
    unsigned char* bytes = sqlite3_serialize(db.get(), "main", &size, 0);
    begin.page_size = 4096;
    begin.page_count = static_cast<uint32_t>(size / 4096);
    append_begin(begin, out);
    std::string body;
    for (uint32_t page = 1; page <= begin.page_count; ++page) {
      uint8_t number[kVarintBytesMax];
      body.append(reinterpret_cast<char*>(number), static_cast<size_t>(write_varint(number, page)));
      body.append(reinterpret_cast<char*>(bytes) + (page - 1) * 4096, 4096);
    }
    append_frame(FrameKind::kPages, body, out);
    sqlite3_free(bytes);
  }

  std::vector<Logged> log_;
  size_t forgotten_ = 0;
  std::map<std::string, uint64_t> acknowledged_;
};

// How an exchange goes wrong.
enum class Mishap { kNone, kRequestLost, kAnswerLost, kAnswerCut };

class TestClient {
 public:
  explicit TestClient(const std::string& name, ReplicaOptions options = {}) : options_(std::move(options)) {
    // In memory, if there is such a folder: what is synced to a disk is not what is tested here.
    const std::string folder = std::filesystem::is_directory("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path().string();
    path_ = folder + "/godwit-sync-" + std::to_string(::getpid()) + "-" + name;
    remove_files();
    if (options_.url.empty()) options_.url = "http://fake/db/";
    auto told = options_.conflict_found;
    options_.conflict_found = [this, told](const Conflict& conflict) {
      conflicts.push_back(conflict);
      if (told) told(conflict);
    };
    reopen();
  }
  ~TestClient() {
    replica.reset();
    app.reset();
    remove_files();
  }

  std::unique_ptr<Replica> replica;
  std::unique_ptr<TestDatabase> app;
  std::vector<Conflict> conflicts;

  void reopen() {
    replica.reset();
    app.reset();
    auto opened = Replica::open(path_, options_);
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    replica = std::move(*opened);
    app = std::make_unique<TestDatabase>(path_);
  }
  ReplicaOptions& options() { return options_; }
  const std::string& path() const { return path_; }

  // True: it was done.
  bool write(const std::string& sql) {
    app->run("BEGIN IMMEDIATE");
    const bool is_done = execute(app->get(), sql).ok();
    app->run(is_done ? "COMMIT" : "ROLLBACK");
    return is_done;
  }
  void schema(const std::string& sql) { app->run(sql); }

  Status push(FakeServer& server, Mishap mishap = Mishap::kNone, int step = 0) {
    return drive(replica->begin_push(), server, mishap, step);
  }
  Status pull(FakeServer& server, Mishap mishap = Mishap::kNone, int step = 0) {
    return drive(replica->begin_pull(), server, mishap, step);
  }
  std::string rows(const std::string& sql) { return app->rows(sql); }

 private:
  void remove_files() {
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) std::remove((path_ + suffix).c_str());
  }
  static Status drive(Result<std::unique_ptr<Exchange>> begun, FakeServer& server, Mishap mishap, int step) {
    if (!begun.ok()) return begun.status();
    Exchange& exchange = **begun;
    for (int i = 0; const HttpRequest* request = exchange.request(); ++i) {
      const bool goes_wrong = mishap != Mishap::kNone && i == step;
      if (goes_wrong && mishap == Mishap::kRequestLost) return Status(SQLITE_IOERR);
      std::string body;
      const int status = server.answer(*request, &body);
      if (goes_wrong && mishap == Mishap::kAnswerLost) return Status(SQLITE_IOERR);
      exchange.begin(status);
      if (goes_wrong) body.resize(body.size() / 2);
      for (size_t at = 0; at < body.size(); at += 1000) GW_TRY(exchange.add(std::string_view(body).substr(at, 1000)));
      GW_TRY(exchange.end());
    }
    return Status();
  }

  ReplicaOptions options_;
  std::string path_;
};

}  // namespace godwit::sync
