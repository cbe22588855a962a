#include "server/push.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace godwit::server {
namespace {

WireValue text(std::string s) {
  WireValue value;
  value.kind = WireValue::kText;
  value.bytes = std::move(s);
  return value;
}

WireValue integer(int64_t i) {
  WireValue value;
  value.kind = WireValue::kInteger;
  value.integer = i;
  return value;
}

BatchStep step(std::string sql, std::vector<WireValue> arguments = {}) {
  BatchStep step;
  step.statement.text.sql = std::move(sql);
  step.statement.arguments = std::move(arguments);
  return step;
}

class PushTest : public testing::Test {
 protected:
  PushTest() {
    path_ = testing::TempDir() + "push_test_" + std::to_string(getpid()) + ".db";
    std::filesystem::remove(path_);
    sqlite3* db = nullptr;
    sqlite3_open(path_.c_str(), &db);
    sqlite3_exec(db, "CREATE TABLE t(id INTEGER PRIMARY KEY, mail TEXT UNIQUE)", nullptr, nullptr, nullptr);
    sqlite3_close(db);
    session_ = *SqlSession::open(path_, false, {});
  }
  ~PushTest() override {
    session_.reset();
    std::filesystem::remove(path_);
  }

  PushResult push(std::vector<BatchStep> changes, int64_t generation, int64_t change_id, bool reject = false) {
    Batch batch;
    batch.steps.push_back(step("BEGIN IMMEDIATE"));
    batch.steps.push_back(step("CREATE TABLE IF NOT EXISTS turso_sync_last_change_id (client_id TEXT PRIMARY KEY, "
                               "pull_gen INTEGER, change_id INTEGER)"));
    for (BatchStep& change : changes) batch.steps.push_back(std::move(change));
    batch.steps.push_back(step("INSERT INTO turso_sync_last_change_id(client_id, pull_gen, change_id) VALUES (?, ?, ?) "
                               "ON CONFLICT(client_id) DO UPDATE SET pull_gen=excluded.pull_gen, change_id=excluded.change_id",
                               {text("c"), integer(generation), integer(change_id)}));
    batch.steps.push_back(step("COMMIT"));
    EXPECT_TRUE(is_push(batch));
    return apply_push(session_.get(), batch, reject);
  }
  static BatchStep insert(int64_t id, std::string mail) {
    return step("INSERT INTO \"t\"(\"id\", \"mail\") VALUES (?,?) ON CONFLICT(\"id\") DO UPDATE SET \"mail\" = excluded.\"mail\"",
                {integer(id), text(std::move(mail))});
  }
  int64_t query(const char* sql) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(session_->handle(), sql, -1, &statement, nullptr);
    int64_t result = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : -1;
    sqlite3_finalize(statement);
    return result;
  }

  std::string path_;
  std::unique_ptr<SqlSession> session_;
};

TEST_F(PushTest, IsAppliedOnce) {
  EXPECT_EQ(push({step("INSERT INTO t(mail) VALUES (NULL)")}, 0, 5).outcome, PushResult::kApplied);
  EXPECT_EQ(push({step("INSERT INTO t(mail) VALUES (NULL)")}, 0, 5).outcome, PushResult::kRepeated);
  EXPECT_EQ(push({step("INSERT INTO t(mail) VALUES (NULL)")}, 0, 4).outcome, PushResult::kRepeated);
  EXPECT_EQ(query("SELECT count(*) FROM t"), 1);
  EXPECT_EQ(push({step("INSERT INTO t(mail) VALUES (NULL)")}, 1, 1).outcome, PushResult::kApplied);
  EXPECT_EQ(push({step("INSERT INTO t(mail) VALUES (NULL)")}, 0, 9).outcome, PushResult::kFailed);
  EXPECT_EQ(query("SELECT count(*) FROM t"), 2);
}

TEST_F(PushTest, SetsRefusedRowsAside) {
  PushResult result = push({insert(1, "x"), insert(2, "x"), insert(3, "y")}, 0, 3);
  EXPECT_EQ(result.outcome, PushResult::kApplied);
  ASSERT_EQ(result.rejected.size(), 1u);
  EXPECT_EQ(result.rejected[0].key, "{\"id\":2}");
  EXPECT_EQ(result.errors.size(), 4u);
  EXPECT_EQ(result.errors[3].code, "SQLITE_CONSTRAINT");
  EXPECT_EQ(query("SELECT count(*) FROM t"), 2);
  EXPECT_EQ(query("SELECT count(*) FROM godwit_sync_rejected WHERE client_id = 'c' AND table_name = 't'"), 1);
  EXPECT_EQ(query("SELECT change_id FROM turso_sync_last_change_id"), 3);
}

TEST_F(PushTest, FailsAsAWholeWhereThatIsAskedFor) {
  PushResult result = push({insert(1, "x"), insert(2, "x"), insert(3, "y")}, 0, 3, true);
  EXPECT_EQ(result.outcome, PushResult::kFailed);
  EXPECT_EQ(query("SELECT count(*) FROM t"), 0);
  EXPECT_EQ(query("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'turso%' OR name LIKE 'godwit%'"), 0);
  EXPECT_TRUE(session_->is_autocommit());
}

TEST_F(PushTest, SaysWhichRowAChangeIsAbout) {
  auto change = [](std::string sql, std::vector<WireValue> arguments) {
    return describe_change(step(std::move(sql), std::move(arguments)).statement);
  };
  PushedChange update = change("UPDATE \"a \"\"b\" SET \"x\" = ?, \"y\" = ? WHERE \"k1\" = ? AND \"k2\" IS ?",
                               {integer(1), integer(2), text("q\""), integer(4)});
  EXPECT_EQ(update.table, "a \"b");
  EXPECT_EQ(update.key, R"({"k1":"q\"","k2":4})");
  PushedChange remove = change("DELETE FROM \"t\" WHERE rowid = ?", {integer(9)});
  EXPECT_EQ(remove.kind, "DELETE");
  EXPECT_EQ(remove.key, R"({"rowid":9})");
  EXPECT_EQ(change("INSERT INTO \"t\"(\"x\") VALUES (?)", {integer(1)}).key, "");
  EXPECT_EQ(change("CREATE TABLE IF NOT EXISTS \"n n\" (x)", {}).table, "n n");
  EXPECT_EQ(change("", {}).table, "");
}

}  // namespace
}  // namespace godwit::server
