// Texts, traces, hooks and settings of the C interface, with the values that SQLite gives.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sqlite3.h"

namespace {

std::string taken(char* text) {
  std::string copy = text == nullptr ? "(null)" : text;
  sqlite3_free(text);
  return copy;
}

TEST(Printf, FormatsTheArgumentsOfC) {
  EXPECT_EQ(taken(sqlite3_mprintf("%d %i %u %x %X %o|%5d|%-5d|%05d|%+d|%,d", 1, -2, 3u, 255u, 255u,
                                  8u, 42, 42, 42, 7, 1234567)),
            "1 -2 3 ff FF 10|   42|42   |00042|+7|1,234,567");
  EXPECT_EQ(taken(sqlite3_mprintf("%lld %llu %ld", 9007199254740993LL, 18446744073709551615ULL, -5L)),
            "9007199254740993 18446744073709551615 -5");
  EXPECT_EQ(taken(sqlite3_mprintf("%s|%10s|%-10s|%.2s|%q|%Q|%w|%Q", "abc", "abc", "abc", "abc",
                                  "it's", "it's", "a\"b", static_cast<char*>(nullptr))),
            "abc|       abc|abc       |ab|it''s|'it''s'|a\"\"b|NULL");
  EXPECT_EQ(taken(sqlite3_mprintf("%f %.2f %e %g %!g %c%c %%", 1.5, 2.345, 12345.678, 0.0001, 1.0,
                                  'x', 0x263a)),
            "1.500000 2.35 1.234568e+04 0.0001 1.0 x\u263a %");
  EXPECT_EQ(taken(sqlite3_mprintf("%*d|%-*d|%.*f", 6, 42, 6, 42, 3, 3.14159)),
            "    42|42    |3.142");
  EXPECT_EQ(taken(sqlite3_mprintf("%z-%r-%d", sqlite3_mprintf("owned"), 3, 4)), "owned-3rd-4");
  char eight[8];
  EXPECT_STREQ(sqlite3_snprintf(8, eight, "%s", "abcdefghijkl"), "abcdefg");
}

TEST(Str, GrowsAndGivesItsTextAway) {
  sqlite3_str* str = sqlite3_str_new(nullptr);
  sqlite3_str_appendall(str, "ab");
  sqlite3_str_appendf(str, "%d", 7);
  sqlite3_str_appendchar(str, 2, '!');
  EXPECT_EQ(sqlite3_str_length(str), 5);
  EXPECT_STREQ(sqlite3_str_value(str), "ab7!!");
  sqlite3_str_truncate(str, 3);
  EXPECT_EQ(taken(sqlite3_str_finish(str)), "ab7");
}

TEST(Text, ComparesAndKnowsKeywords) {
  EXPECT_EQ(sqlite3_strlike("a%b", "AxxB", 0), 0);
  EXPECT_NE(sqlite3_strlike("a!%b", "axb", '!'), 0);
  EXPECT_EQ(sqlite3_strglob("a*b", "axxb"), 0);
  EXPECT_EQ(sqlite3_stricmp("ABC", "abd"), -1);
  EXPECT_EQ(sqlite3_strnicmp("ABC", "abd", 2), 0);
  EXPECT_EQ(sqlite3_keyword_check("select", 6), 1);
  EXPECT_EQ(sqlite3_keyword_check("selec", 5), 0);
}

class Interface : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(sqlite3_open(":memory:", &db_), SQLITE_OK); }
  void TearDown() override { EXPECT_EQ(sqlite3_close(db_), SQLITE_OK); }
  int run(const char* sql) { return sqlite3_exec(db_, sql, nullptr, nullptr, nullptr); }
  sqlite3* db_ = nullptr;
};

TEST_F(Interface, ExpandsParameters) {
  sqlite3_stmt* stmt = nullptr;
  ASSERT_EQ(sqlite3_prepare_v2(db_, "SELECT ?, ?3, :a, ?, '?' -- ?\n, @b", -1, &stmt, nullptr),
            SQLITE_OK);
  sqlite3_bind_int(stmt, 1, 5);
  sqlite3_bind_text(stmt, 3, "it's", -1, SQLITE_STATIC);
  sqlite3_bind_double(stmt, 4, 1.5);
  sqlite3_bind_blob(stmt, 5, "\x01\xab", 2, SQLITE_STATIC);
  EXPECT_EQ(taken(sqlite3_expanded_sql(stmt)),
            "SELECT 5, 'it''s', 1.5, x'01ab', '?' -- ?\n, NULL");
  sqlite3_finalize(stmt);
}

TEST_F(Interface, TracesStatementsAndRows) {
  std::string log;
  auto trace = [](unsigned event, void* context, void*, void* x) {
    auto* text = static_cast<std::string*>(context);
    *text += std::to_string(event);
    if (event == SQLITE_TRACE_STMT) *text += std::string(" ") + static_cast<char*>(x);
    *text += ";";
    return 0;
  };
  sqlite3_trace_v2(db_, SQLITE_TRACE_STMT | SQLITE_TRACE_ROW | SQLITE_TRACE_PROFILE, trace, &log);
  run("SELECT 1 UNION ALL SELECT 2");
  EXPECT_EQ(log, "1 SELECT 1 UNION ALL SELECT 2;4;4;2;");
  sqlite3_trace_v2(db_, 0, nullptr, nullptr);
}

TEST_F(Interface, CommitHookMakesARollbackOfACommit) {
  struct Log {
    std::string events;
    int refuse = 0;
  } log;
  sqlite3_commit_hook(db_, [](void* c) {
    static_cast<Log*>(c)->events += "c";
    return static_cast<Log*>(c)->refuse;
  }, &log);
  sqlite3_rollback_hook(db_, [](void* c) { static_cast<Log*>(c)->events += "r"; }, &log);
  auto events = [&](const char* sql, int expected_code) {
    log.events.clear();
    run(sql);
    EXPECT_EQ(sqlite3_extended_errcode(db_), expected_code) << sql;
    return log.events;
  };
  EXPECT_EQ(events("CREATE TABLE t(a UNIQUE)", 0), "c");
  EXPECT_EQ(events("BEGIN; COMMIT", 0), "");
  EXPECT_EQ(events("BEGIN; INSERT INTO t VALUES(1); ROLLBACK", 0), "r");
  EXPECT_EQ(events("BEGIN; ROLLBACK", 0), "r");
  EXPECT_EQ(events("BEGIN; INSERT INTO t VALUES(1); COMMIT", 0), "c");
  EXPECT_EQ(events("INSERT INTO t VALUES(1)", SQLITE_CONSTRAINT_UNIQUE), "r");
  log.refuse = 1;
  EXPECT_EQ(events("INSERT INTO t VALUES(2)", SQLITE_CONSTRAINT_COMMITHOOK), "cr");
  EXPECT_EQ(events("BEGIN; INSERT INTO t VALUES(2); COMMIT", SQLITE_CONSTRAINT_COMMITHOOK), "cr");
  EXPECT_EQ(sqlite3_get_autocommit(db_), 1);
  log.refuse = 0;
  EXPECT_EQ(events("INSERT INTO t VALUES(2)", 0), "c");
}

TEST_F(Interface, ProgressHandlerInterrupts) {
  int calls = 0;
  auto count = [](void* c) { return ++*static_cast<int*>(c) > 3 ? 1 : 0; };
  sqlite3_progress_handler(db_, 1, count, &calls);
  EXPECT_EQ(run("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                "SELECT count(*) FROM n"),
            SQLITE_INTERRUPT);
  EXPECT_EQ(calls, 4);
  sqlite3_progress_handler(db_, 0, nullptr, nullptr);
  EXPECT_EQ(run("SELECT 1"), SQLITE_OK);
}

TEST_F(Interface, DescribesColumnsTransactionsAndSettings) {
  run("CREATE TABLE t(a INTEGER PRIMARY KEY AUTOINCREMENT, b TEXT COLLATE NOCASE NOT NULL, c)");
  const char *type, *collation;
  int not_null, primary_key, autoincrement;
  auto describe = [&](const char* column) {
    EXPECT_EQ(sqlite3_table_column_metadata(db_, nullptr, "t", column, &type, &collation, &not_null,
                                            &primary_key, &autoincrement),
              SQLITE_OK);
    return std::string(type == nullptr ? "-" : type) + " " + collation + " " +
           std::to_string(not_null) + std::to_string(primary_key) + std::to_string(autoincrement);
  };
  EXPECT_EQ(describe("a"), "INTEGER BINARY 011");
  EXPECT_EQ(describe("b"), "TEXT NOCASE 100");
  EXPECT_EQ(describe("c"), "- BINARY 000");
  EXPECT_EQ(describe("rowid"), "INTEGER BINARY 011");
  EXPECT_EQ(sqlite3_table_column_metadata(db_, nullptr, "t", "zz", nullptr, nullptr, nullptr,
                                          nullptr, nullptr),
            SQLITE_ERROR);
  EXPECT_STREQ(sqlite3_errmsg(db_), "no such table column: t.zz");

  EXPECT_EQ(sqlite3_txn_state(db_, nullptr), SQLITE_TXN_NONE);
  EXPECT_EQ(sqlite3_txn_state(db_, "nope"), -1);
  run("BEGIN; INSERT INTO t(b) VALUES('x')");
  EXPECT_EQ(sqlite3_txn_state(db_, "main"), SQLITE_TXN_WRITE);
  run("COMMIT; BEGIN; SELECT * FROM t");
  EXPECT_EQ(sqlite3_txn_state(db_, nullptr), SQLITE_TXN_READ);
  run("COMMIT");

  int on = 9;
  EXPECT_EQ(sqlite3_db_config(db_, SQLITE_DBCONFIG_ENABLE_FKEY, 1, &on), SQLITE_OK);
  EXPECT_EQ(on, 1);
  EXPECT_EQ(sqlite3_db_config(db_, SQLITE_DBCONFIG_ENABLE_FKEY, -1, &on), SQLITE_OK);
  EXPECT_EQ(on, 1);
}

TEST_F(Interface, GivesTablesOfTexts) {
  char** table = nullptr;
  int rows, columns;
  char* error = nullptr;
  ASSERT_EQ(sqlite3_get_table(db_, "SELECT 1 AS a, NULL AS b UNION ALL SELECT 2, 'x'", &table, &rows,
                              &columns, &error),
            SQLITE_OK);
  EXPECT_EQ(rows, 2);
  EXPECT_EQ(columns, 2);
  EXPECT_STREQ(table[1], "b");
  EXPECT_EQ(table[3], nullptr);
  EXPECT_STREQ(table[5], "x");
  sqlite3_free_table(table);
  EXPECT_EQ(sqlite3_get_table(db_, "SELECT 1; SELECT 1, 2", &table, &rows, &columns, &error),
            SQLITE_ERROR);
  EXPECT_EQ(taken(error), "sqlite3_get_table() called with two or more incompatible queries");
}

TEST_F(Interface, ReadsAndWritesPartsOfValues) {
  run("CREATE TABLE t(id INTEGER PRIMARY KEY, a BLOB, b TEXT, c, d INT); CREATE INDEX i ON t(b);"
      "CREATE VIEW v AS SELECT * FROM t; CREATE TABLE w(a PRIMARY KEY, b) WITHOUT ROWID;"
      "INSERT INTO t VALUES(1, x'616263646566', 'hello', NULL, 5), (3, zeroblob(9000), 'x', 1.5, 7)");
  sqlite3_blob* blob = nullptr;
  ASSERT_EQ(sqlite3_blob_open(db_, "main", "t", "a", 1, 1, &blob), SQLITE_OK);
  char bytes[8] = {};
  EXPECT_EQ(sqlite3_blob_bytes(blob), 6);
  EXPECT_EQ(sqlite3_blob_read(blob, bytes, 3, 1), SQLITE_OK);
  EXPECT_STREQ(bytes, "bcd");
  EXPECT_EQ(sqlite3_blob_read(blob, bytes, 3, 4), SQLITE_ERROR);
  EXPECT_EQ(sqlite3_blob_write(blob, "ZZ", 2, 0), SQLITE_OK);
  EXPECT_EQ(sqlite3_blob_write(blob, "ZZ", 2, 5), SQLITE_ERROR);
  EXPECT_EQ(sqlite3_blob_reopen(blob, 3), SQLITE_OK);
  EXPECT_EQ(sqlite3_blob_bytes(blob), 9000);
  EXPECT_EQ(sqlite3_blob_write(blob, "tail", 4, 8990), SQLITE_OK);  // on an overflow page
  run("UPDATE t SET d = 9 WHERE id = 1");
  EXPECT_EQ(sqlite3_blob_read(blob, bytes, 4, 8990), SQLITE_OK);
  EXPECT_EQ(std::string(bytes, 4), "tail");
  run("UPDATE t SET d = 9 WHERE id = 3");
  EXPECT_EQ(sqlite3_blob_read(blob, bytes, 4, 8990), SQLITE_ABORT);
  EXPECT_EQ(sqlite3_blob_close(blob), SQLITE_OK);

  auto refusal = [&](const char* table, const char* column, sqlite3_int64 rowid, int write) {
    EXPECT_EQ(sqlite3_blob_open(db_, "main", table, column, rowid, write, &blob), SQLITE_ERROR);
    EXPECT_EQ(blob, nullptr);
    return std::string(sqlite3_errmsg(db_));
  };
  EXPECT_EQ(refusal("t", "b", 1, 1), "cannot open indexed column for writing");
  EXPECT_EQ(refusal("t", "c", 1, 0), "cannot open value of type null");
  EXPECT_EQ(refusal("t", "c", 3, 0), "cannot open value of type real");
  EXPECT_EQ(refusal("t", "zz", 1, 0), "no such column: \"zz\"");
  EXPECT_EQ(refusal("t", "a", 2, 0), "no such rowid: 2");
  EXPECT_EQ(refusal("nope", "a", 1, 0), "no such table: main.nope");
  EXPECT_EQ(refusal("v", "a", 1, 0), "cannot open view: v");
  EXPECT_EQ(refusal("w", "b", 1, 0), "cannot open table without rowid: w");
}

TEST_F(Interface, SpeaksUtf16) {
  sqlite3_stmt* stmt = nullptr;
  const void* tail = nullptr;
  const char16_t sql[] = u"SELECT ? AS \u00e9\u263a; SELECT 2";
  ASSERT_EQ(sqlite3_prepare16_v2(db_, sql, -1, &stmt, &tail), SQLITE_OK);
  EXPECT_EQ(static_cast<const char16_t*>(tail) - sql, 15);
  EXPECT_EQ(std::u16string(static_cast<const char16_t*>(sqlite3_column_name16(stmt, 0))),
            u"\u00e9\u263a");
  const char16_t text[] = u"a\U0001F600z";
  sqlite3_bind_text16(stmt, 1, text, -1, SQLITE_STATIC);
  ASSERT_EQ(sqlite3_step(stmt), SQLITE_ROW);
  EXPECT_EQ(sqlite3_column_bytes(stmt, 0), 6);
  EXPECT_EQ(sqlite3_column_bytes16(stmt, 0), 8);
  EXPECT_EQ(std::u16string(static_cast<const char16_t*>(sqlite3_column_text16(stmt, 0))), text);
  sqlite3_finalize(stmt);
  run("SELECT x");
  EXPECT_EQ(std::u16string(static_cast<const char16_t*>(sqlite3_errmsg16(db_))),
            u"no such column: x");
}

}  // namespace
