// Functions and collations of the application, through the C interface.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "sqlite3.h"

namespace {

class AppFunction : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(sqlite3_open(":memory:", &db_), SQLITE_OK); }
  void TearDown() override { EXPECT_EQ(sqlite3_close(db_), SQLITE_OK); }

  // The rows, values joined by '|', rows by newlines; or "error CODE: MESSAGE".
  std::string run(const char* sql) {
    std::string out;
    auto add = [](void* context, int count, char** values, char**) {
      auto* text = static_cast<std::string*>(context);
      if (!text->empty()) *text += '\n';
      for (int i = 0; i < count; ++i) {
        if (i > 0) *text += '|';
        *text += values[i] == nullptr ? "NULL" : values[i];
      }
      return 0;
    };
    if (sqlite3_exec(db_, sql, add, &out, nullptr) == SQLITE_OK) return out;
    return "error " + std::to_string(sqlite3_extended_errcode(db_)) + ": " + sqlite3_errmsg(db_);
  }

  sqlite3* db_ = nullptr;
};

void twice(sqlite3_context* context, int, sqlite3_value** args) {
  switch (sqlite3_value_type(args[0])) {
    case SQLITE_INTEGER:
      return sqlite3_result_int64(context, 2 * sqlite3_value_int64(args[0]));
    case SQLITE_FLOAT:
      return sqlite3_result_double(context, 2 * sqlite3_value_double(args[0]));
    case SQLITE_NULL:
      return sqlite3_result_null(context);
    default: {
      std::string text(reinterpret_cast<const char*>(sqlite3_value_text(args[0])),
                       static_cast<size_t>(sqlite3_value_bytes(args[0])));
      text += text;
      return sqlite3_result_text(context, text.data(), static_cast<int>(text.size()),
                                 SQLITE_TRANSIENT);
    }
  }
}

TEST_F(AppFunction, GetsAndGivesValuesOfAllTypes) {
  ASSERT_EQ(sqlite3_create_function(db_, "twice", 1, SQLITE_UTF8, nullptr, twice, nullptr, nullptr),
            SQLITE_OK);
  EXPECT_EQ(run("SELECT twice(21), TWICE(1.5), twice(NULL), twice('ab'), typeof(twice(x'6162'))"),
            "42|3.0|NULL|abab|text");
  EXPECT_EQ(run("SELECT twice(1, 2)"),
            "error 1: wrong number of arguments to function twice()");
  EXPECT_EQ(run("CREATE TABLE t(a); INSERT INTO t VALUES(1),(2),(3); SELECT sum(twice(a)) FROM t "
                "WHERE twice(a) > 2"),
            "10");
}

TEST_F(AppFunction, FailsWithItsOwnMessageAndCode) {
  auto fail = [](sqlite3_context* context, int, sqlite3_value** args) {
    sqlite3_result_error(context, "not today", -1);
    if (sqlite3_value_int(args[0]) > 0) sqlite3_result_error_code(context, SQLITE_BUSY);
  };
  ASSERT_EQ(sqlite3_create_function(db_, "fail", 1, SQLITE_UTF8, nullptr, fail, nullptr, nullptr),
            SQLITE_OK);
  EXPECT_EQ(run("SELECT fail(0)"), "error 1: not today");
  EXPECT_EQ(run("SELECT fail(1)"), "error 5: not today");
}

TEST_F(AppFunction, HidesABuiltInOneUntilItIsRemovedAndIsDestroyedOnce) {
  int destroyed = 0;
  auto destroy = [](void* count) { ++*static_cast<int*>(count); };
  auto answer = [](sqlite3_context* context, int, sqlite3_value**) {
    sqlite3_result_text(context, "mine", -1, SQLITE_STATIC);
  };
  ASSERT_EQ(sqlite3_create_function_v2(db_, "lower", 1, SQLITE_UTF8, &destroyed, answer, nullptr,
                                       nullptr, destroy),
            SQLITE_OK);
  EXPECT_EQ(run("SELECT lower('A')"), "mine");
  ASSERT_EQ(sqlite3_create_function(db_, "lower", 1, SQLITE_UTF8, nullptr, nullptr, nullptr,
                                    nullptr),
            SQLITE_OK);
  EXPECT_EQ(destroyed, 1);
  EXPECT_EQ(run("SELECT lower('A')"), "a");
}

TEST_F(AppFunction, CannotBeReplacedWhileAStatementRuns) {
  ASSERT_EQ(sqlite3_create_function(db_, "f", 1, SQLITE_UTF8, nullptr, twice, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_stmt* stmt = nullptr;
  ASSERT_EQ(sqlite3_prepare_v2(db_, "SELECT f(1) UNION ALL SELECT 2", -1, &stmt, nullptr),
            SQLITE_OK);
  ASSERT_EQ(sqlite3_step(stmt), SQLITE_ROW);
  EXPECT_EQ(sqlite3_create_function(db_, "f", 1, SQLITE_UTF8, nullptr, twice, nullptr, nullptr),
            SQLITE_BUSY);
  EXPECT_STREQ(sqlite3_errmsg(db_),
               "unable to delete/modify user-function due to active statements");
  sqlite3_finalize(stmt);
}

struct Longest {
  char text[16];
  int calls;
};

void longest_step(sqlite3_context* context, int, sqlite3_value** args) {
  auto* state = static_cast<Longest*>(sqlite3_aggregate_context(context, sizeof(Longest)));
  const char* text = reinterpret_cast<const char*>(sqlite3_value_text(args[0]));
  if (text != nullptr && std::strlen(text) > std::strlen(state->text)) {
    std::strncpy(state->text, text, sizeof(state->text) - 1);
  }
  ++state->calls;
}

void longest_final(sqlite3_context* context) {
  auto* state = static_cast<Longest*>(sqlite3_aggregate_context(context, 0));
  if (state == nullptr) return sqlite3_result_text(context, "none", -1, SQLITE_STATIC);
  sqlite3_result_text(context, state->text, -1, SQLITE_TRANSIENT);
}

TEST_F(AppFunction, AggregatesWithMemoryForEachGroup) {
  ASSERT_EQ(sqlite3_create_function(db_, "longest", 1, SQLITE_UTF8, nullptr, nullptr, longest_step,
                                    longest_final),
            SQLITE_OK);
  EXPECT_EQ(run("CREATE TABLE t(a, b); INSERT INTO t VALUES(1,'x'),(1,'xyz'),(2,'pq'),(1,'xy');"
                "SELECT a, longest(b) FROM t GROUP BY a"),
            "1|xyz\n2|pq");
  EXPECT_EQ(run("SELECT longest(b) FROM t WHERE a > 9"), "none");
  EXPECT_EQ(run("SELECT longest(b) FILTER (WHERE a = 2) FROM t"), "pq");
}

TEST_F(AppFunction, CollationsOrderTablesAndIndexes) {
  auto backwards = [](void*, int a_size, const void* a, int b_size, const void* b) {
    int order = std::memcmp(b, a, static_cast<size_t>(a_size < b_size ? a_size : b_size));
    return order != 0 ? order : b_size - a_size;
  };
  ASSERT_EQ(sqlite3_create_collation(db_, "BackWards", SQLITE_UTF8, nullptr, backwards), SQLITE_OK);
  EXPECT_EQ(run("CREATE TABLE t(a TEXT COLLATE backwards);"
                "INSERT INTO t VALUES('a'),('c'),('b'); SELECT a FROM t ORDER BY a"), "c\nb\na");
  EXPECT_EQ(run("CREATE INDEX i ON t(a); SELECT a FROM t INDEXED BY i WHERE a > 'b'"), "a");
  EXPECT_EQ(run("SELECT max(a), min(a) FROM t; PRAGMA integrity_check"), "a|c\nok");
}

// The query that CREATE INDEX consists of fails: the statement alone is undone, the transaction goes on.
TEST_F(AppFunction, AFullDiskInCreateIndexUndoesTheStatementAlone) {
  auto full = [](sqlite3_context* context, int, sqlite3_value** args) {
    sqlite3_result_value(context, args[0]);
    if (sqlite3_value_int(args[0]) > 2) sqlite3_result_error_code(context, SQLITE_FULL);
  };
  ASSERT_EQ(sqlite3_create_function(db_, "full", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr, full,
                                    nullptr, nullptr),
            SQLITE_OK);
  for (const char* begin : {"BEGIN", "BEGIN; CREATE TABLE v(y); SAVEPOINT k"}) {
    EXPECT_EQ(run("CREATE TABLE t(a); INSERT INTO t VALUES(1),(2),(3)"), "");
    EXPECT_EQ(run(begin), "");
    EXPECT_EQ(run("CREATE TABLE u(x); INSERT INTO u VALUES(7)"), "");
    const std::string pages = run("PRAGMA page_count");
    EXPECT_EQ(run("CREATE INDEX i ON t(full(a))").substr(0, 9), "error 13:");
    EXPECT_EQ(sqlite3_get_autocommit(db_), 0);
    EXPECT_EQ(run("PRAGMA page_count"), pages);
    EXPECT_EQ(run("INSERT INTO u VALUES(8); COMMIT; PRAGMA integrity_check; SELECT x FROM u"),
              "ok\n7\n8");
    EXPECT_EQ(run("DROP TABLE t; DROP TABLE u"), "");
  }
}

TEST_F(AppFunction, EndsTheTransactionOfTheStatementThatCallsIt) {
  auto end = [](sqlite3_context* context, int, sqlite3_value**) {
    sqlite3_exec(sqlite3_context_db_handle(context), "ROLLBACK", nullptr, nullptr, nullptr);
  };
  ASSERT_EQ(sqlite3_create_function(db_, "end_it", 0, SQLITE_UTF8, nullptr, end, nullptr, nullptr),
            SQLITE_OK);
  EXPECT_EQ(run("CREATE TABLE t(a UNIQUE); BEGIN; CREATE TABLE u(x)"), "");
  EXPECT_EQ(run("INSERT INTO t VALUES(1),(end_it()),(3)"), "error 516: abort due to ROLLBACK");
  EXPECT_EQ(sqlite3_get_autocommit(db_), 1);
  EXPECT_EQ(run("PRAGMA integrity_check; SELECT count(*) FROM t"), "ok\n0");
  EXPECT_EQ(run("INSERT INTO t VALUES(4); SELECT a FROM t"), "4");
}

}  // namespace
