// Pragmas: how their arguments are understood, and what they answer, with what SQLite gives.
#include <gtest/gtest.h>

#include "engine/connection.h"
#include "tests/unit/engine/run_sql.h"

namespace godwit {
namespace {

std::string run(std::string_view sql) {
  auto connection = Connection::open(":memory:", {});
  return run_sql(connection->get(), sql);
}

TEST(PragmaTest, BooleansTakeWordsAndTheLowByteOfNumbers) {
  for (const char* yes : {"on", "YES", "true", "1", "'7'", "1.5", "0x10", "100000"}) {
    EXPECT_EQ(run("PRAGMA recursive_triggers=" + std::string(yes) + "; PRAGMA recursive_triggers"),
              "1")
        << yes;
  }
  for (const char* no : {"off", "no", "false", "0", "-1", "abc", "full", "256", "2147483648"}) {
    EXPECT_EQ(run("PRAGMA recursive_triggers=" + std::string(no) + "; PRAGMA recursive_triggers"),
              "0")
        << no;
  }
}

TEST(PragmaTest, NumbersThatDoNotFitAreZero) {
  EXPECT_EQ(run("PRAGMA user_version=2147483648; PRAGMA user_version"), "0");
  EXPECT_EQ(run("PRAGMA user_version=-2147483648; PRAGMA user_version"), "-2147483648");
  EXPECT_EQ(run("PRAGMA user_version=0x10; PRAGMA user_version"), "16");
  EXPECT_EQ(run("PRAGMA cache_size=4294967296; PRAGMA cache_size"), "0");
  EXPECT_EQ(run("PRAGMA busy_timeout=-1"), "0");
}

TEST(PragmaTest, WideNumbersAreTakenWholeOrNotAtAll) {
  EXPECT_EQ(run("PRAGMA analysis_limit=5; PRAGMA analysis_limit=1.5; PRAGMA analysis_limit=-1"),
            "5\n5\n5");
  EXPECT_EQ(run("PRAGMA analysis_limit=12345678901234"), "1942892530");
  EXPECT_EQ(run("PRAGMA threads=100000; PRAGMA threads='abc'; PRAGMA threads=2147483648"), "8\n8\n0");
  EXPECT_EQ(run("PRAGMA max_page_count=12345678901234; PRAGMA max_page_count=abc"),
            "4294967294\n4294967294");
  EXPECT_EQ(run("PRAGMA journal_size_limit=-2147483648; PRAGMA journal_size_limit=12345678901234"),
            "-1\n12345678901234");
}

TEST(PragmaTest, SynchronousCountsModuloEight) {
  EXPECT_EQ(run("PRAGMA synchronous=extra; PRAGMA synchronous; PRAGMA synchronous=5;"
                "PRAGMA synchronous; PRAGMA synchronous=7; PRAGMA synchronous;"
                "PRAGMA synchronous=abc; PRAGMA synchronous"),
            "3\n5\n0\n1");
  EXPECT_EQ(run("BEGIN; PRAGMA synchronous=1"),
            "error 1: Safety level may not be changed inside a transaction");
}

TEST(PragmaTest, TempStoreLooksAtTheFirstDigit) {
  EXPECT_EQ(run("PRAGMA temp_store=2147483648; PRAGMA temp_store; PRAGMA temp_store=file;"
                "PRAGMA temp_store; PRAGMA temp_store=5; PRAGMA temp_store"),
            "2\n1\n0");
  EXPECT_EQ(run("CREATE TEMP TABLE t(a); PRAGMA temp_store=2; SELECT * FROM t"),
            "error 1: no such table: t");
}

TEST(PragmaTest, UnknownSchemasAreNamedAsTheyWereWritten) {
  EXPECT_EQ(run("PRAGMA nosuch.table_info"), "error 1: unknown database nosuch");
  EXPECT_EQ(run("PRAGMA \"nosuch\".table_info"), "error 1: unknown database \"nosuch\"");
  EXPECT_EQ(run("SELECT * FROM pragma_table_info('t', 'nosuch')"),
            "error 1: unknown database 'nosuch'");
}

TEST(PragmaTest, IntegrityCheckTakesANumberOrATable) {
  EXPECT_EQ(run("CREATE TABLE t(a); PRAGMA integrity_check(5); PRAGMA quick_check(t)"), "ok\nok");
  EXPECT_EQ(run("PRAGMA integrity_check(u)"), "error 1: no such table: u");
  EXPECT_EQ(run("PRAGMA integrity_check('7')"), "error 1: no such table: 7");
}

TEST(PragmaTest, CacheSpillIsAtLeastTheSizeOfTheCache) {
  EXPECT_EQ(run("PRAGMA cache_spill; PRAGMA cache_spill=100000; PRAGMA cache_spill;"
                "PRAGMA cache_spill=off; PRAGMA cache_spill"),
            "483\n100000\n0");
}

}  // namespace
}  // namespace godwit
