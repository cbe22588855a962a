// The authorizer: what it is asked, in which order, and what its answers do. Values are SQLite's.
#include <map>
#include <vector>

#include "connection_fixture.h"

namespace {

class AuthorizerTest : public ConnectionTest {
 protected:
  void SetUp() override {
    ConnectionTest::SetUp();
    ASSERT_EQ(run("CREATE TABLE t(a, b, c); CREATE TABLE u(id INTEGER PRIMARY KEY, t_a, x TEXT);"
                  "CREATE VIEW v AS SELECT a, b FROM t WHERE c > 0;"
                  "CREATE TABLE p(k INTEGER PRIMARY KEY, v);"
                  "CREATE TRIGGER tr AFTER INSERT ON t BEGIN INSERT INTO u(t_a) VALUES(new.a); END;"
                  "INSERT INTO t VALUES(1, 2, 3), (4, 5, 6)"),
              "");
    sqlite3_set_authorizer(db_, ask, this);
  }
  void TearDown() override {
    sqlite3_set_authorizer(db_, nullptr, nullptr);
    ConnectionTest::TearDown();
  }

  static int ask(void* self, int action, const char* first, const char* second,
                 const char* database, const char* inner) {
    auto* test = static_cast<AuthorizerTest*>(self);
    std::string question = std::to_string(action);
    for (const char* text : {first, second, database, inner}) {
      question += std::string(" ") + (text == nullptr ? "-" : text);
    }
    test->asked_ += (test->asked_.empty() ? "" : "; ") + question;
    auto answer = test->answers_.find(question);
    return answer == test->answers_.end() ? SQLITE_OK : answer->second;
  }

  // What was asked while `sql` was prepared and run.
  std::string asked(const std::string& sql) {
    asked_.clear();
    (void)run(sql);
    return asked_;
  }
  std::string answered(const std::string& question, int answer, const std::string& sql) {
    answers_ = {{question, answer}};
    std::string result = run(sql);
    answers_.clear();
    return result;
  }

  std::string asked_;
  std::map<std::string, int> answers_;
};

TEST_F(AuthorizerTest, IsAskedAboutQueries) {
  EXPECT_EQ(asked("SELECT a FROM t WHERE b = 1"), "21 - - - -; 20 t a main -; 20 t b main -");
  EXPECT_EQ(asked("SELECT count(*) FROM t"), "21 - - - -; 31 - count - -; 20 t  - -");
  EXPECT_EQ(asked("SELECT rowid FROM t"), "21 - - - -; 20 t ROWID main -; 20 t  - -");
  EXPECT_EQ(asked("SELECT id FROM u WHERE x LIKE 'a%'"),
            "21 - - - -; 20 u id main -; 31 - like - -; 20 u x main -");
  EXPECT_EQ(asked("SELECT a FROM v"),
            "21 - - - -; 20 t a main v; 20 t b main v; 20 t c main v; 20 v a main -; 21 - - - v");
  EXPECT_EQ(asked("WITH q AS (SELECT a FROM t) SELECT * FROM q"),
            "21 - - - -; 20 t a main q; 21 - - - q");
}

TEST_F(AuthorizerTest, IsAskedAboutChanges) {
  EXPECT_EQ(asked("INSERT INTO p VALUES(5, 6)"), "18 p - main -");
  EXPECT_EQ(asked("INSERT INTO t VALUES(7, 8, 9)"),
            "18 t - main -; 18 u - main tr; 20 t a main tr");
  EXPECT_EQ(asked("UPDATE p SET v = 5 WHERE k = 1"), "23 p v main -; 20 p k main -");
  EXPECT_EQ(asked("DELETE FROM p WHERE k = 1"), "9 p - main -; 20 p k main -");
}

TEST_F(AuthorizerTest, IsAskedAboutTheSchemaAndTheRest) {
  EXPECT_EQ(asked("CREATE TABLE n(a)"),
            "18 sqlite_master - main -; 2 n - main -; 23 sqlite_master type main -; "
            "23 sqlite_master name main -; 23 sqlite_master tbl_name main -; "
            "23 sqlite_master rootpage main -; 23 sqlite_master sql main -; "
            "20 sqlite_master ROWID main -");
  EXPECT_EQ(asked("CREATE INDEX i ON t(a)"),
            "18 sqlite_master - main -; 1 i t main -; 20 t a main -; 18 sqlite_master - main -; "
            "27 i - main -");
  EXPECT_EQ(asked("DROP INDEX i"),
            "9 sqlite_master - main -; 10 i t main -; 9 sqlite_master - main -; "
            "20 sqlite_master name main -; 20 sqlite_master type main -; "
            "23 sqlite_master rootpage main -; 20 sqlite_master rootpage main -");
  EXPECT_EQ(asked("BEGIN"), "22 BEGIN - - -");
  EXPECT_EQ(asked("SAVEPOINT s"), "32 BEGIN s - -");
  EXPECT_EQ(asked("ROLLBACK"), "22 ROLLBACK - - -");
  EXPECT_EQ(asked("PRAGMA main.table_info(t)"), "19 table_info t main -");
  EXPECT_EQ(asked("ATTACH ':memory:' AS y"), "24 :memory: - - -");
  EXPECT_EQ(asked("DETACH y"), "25 y - - -");
  EXPECT_EQ(asked("ALTER TABLE t RENAME TO t9").substr(0, 13), "26 main t - -");
}

TEST_F(AuthorizerTest, DeniesWithSqlitesWords) {
  EXPECT_EQ(answered("20 t a main -", SQLITE_DENY, "SELECT a FROM t"),
            "error 23: access to t.a is prohibited");
  EXPECT_EQ(answered("21 - - - -", SQLITE_DENY, "SELECT 1"), "error 23: not authorized");
  EXPECT_EQ(answered("31 - upper - -", SQLITE_DENY, "SELECT upper('a')"),
            "error 1: not authorized to use function: upper");
  EXPECT_EQ(answered("18 u - main tr", SQLITE_DENY, "INSERT INTO t VALUES(1, 2, 3)"),
            "error 23: not authorized");
  EXPECT_EQ(answered("11 t - main -", SQLITE_DENY, "DROP TABLE t"), "error 23: not authorized");
  EXPECT_EQ(answered("22 BEGIN - - -", 5, "BEGIN"), "error 1: authorizer malfunction");
}

TEST_F(AuthorizerTest, LeavesOutWhatIsToBeIgnored) {
  EXPECT_EQ(answered("20 t a main -", SQLITE_IGNORE, "SELECT a, b FROM t"), "NULL|2\nNULL|5");
  EXPECT_EQ(answered("20 t b main -", SQLITE_IGNORE, "SELECT * FROM t"), "1|NULL|3\n4|NULL|6");
  EXPECT_EQ(answered("31 - upper - -", SQLITE_IGNORE, "SELECT upper('a')"), "NULL");
  EXPECT_EQ(answered("21 - - - -", SQLITE_IGNORE, "SELECT 1"), "");
  EXPECT_EQ(answered("18 u - main tr", SQLITE_IGNORE,
                     "INSERT INTO t VALUES(7, 8, 9); SELECT count(*) FROM u; SELECT count(*) FROM t"),
            "2\n3");
  EXPECT_EQ(answered("23 t a main -", SQLITE_IGNORE,
                     "UPDATE t SET a = 9, b = 8; SELECT a, b FROM t WHERE c = 3"),
            "1|8");
  EXPECT_EQ(answered("9 t - main -", SQLITE_IGNORE, "DELETE FROM t; SELECT count(*) FROM t"), "0");
  EXPECT_EQ(answered("2 n - main -", SQLITE_IGNORE,
                     "CREATE TABLE n(a); SELECT count(*) FROM sqlite_master WHERE name = 'n'"),
            "0");
}

}  // namespace
