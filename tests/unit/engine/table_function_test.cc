// Table-valued functions: generate_series and pragma_*, with what SQLite gives.
#include <gtest/gtest.h>

#include "engine/connection.h"
#include "tests/unit/engine/run_sql.h"

namespace godwit {
namespace {

std::unique_ptr<Connection> open_memory() {
  auto connection = Connection::open(":memory:", {});
  return std::move(*connection);
}

TEST(TableFunctionTest, GenerateSeriesCountsUpAndDown) {
  auto db = open_memory();
  EXPECT_EQ(run_sql(db.get(), "SELECT value FROM generate_series(1, 7, 3)"), "1\n4\n7");
  EXPECT_EQ(run_sql(db.get(), "SELECT value FROM generate_series(5, 1, -2)"), "5\n3\n1");
  EXPECT_EQ(run_sql(db.get(), "SELECT value FROM generate_series(1, 2, 0)"), "1\n2");
  EXPECT_EQ(run_sql(db.get(), "SELECT count(*) FROM generate_series(10, 1)"), "0");
  EXPECT_EQ(run_sql(db.get(), "SELECT count(*) FROM generate_series(NULL, 1)"), "0");
  EXPECT_EQ(run_sql(db.get(), "SELECT start, stop, step FROM generate_series(2, 3)"), "2|3|1\n2|3|1");
}

TEST(TableFunctionTest, GenerateSeriesEndsAtTheLargestInteger) {
  auto db = open_memory();
  EXPECT_EQ(run_sql(db.get(), "SELECT value FROM generate_series(9223372036854775800, "
                         "9223372036854775807, 3)"),
            "9223372036854775800\n9223372036854775803\n9223372036854775806");
  EXPECT_EQ(run_sql(db.get(), "SELECT count(*) FROM generate_series(-9223372036854775808, "
                         "9223372036854775807, 9223372036854775807)"),
            "3");
}

TEST(TableFunctionTest, ComparisonsNarrowASeriesWithoutEnd) {
  auto db = open_memory();
  EXPECT_EQ(run_sql(db.get(), "SELECT value FROM generate_series(1) WHERE value < 3.5"), "1\n2\n3");
  EXPECT_EQ(run_sql(db.get(), "SELECT value FROM generate_series(1) WHERE value = 1000000000000"),
            "1000000000000");
  EXPECT_EQ(run_sql(db.get(), "SELECT value FROM generate_series(1, 30, 7) WHERE value BETWEEN 8 AND 22"),
            "8\n15\n22");
}

TEST(TableFunctionTest, GenerateSeriesNeedsItsFirstArgument) {
  auto db = open_memory();
  EXPECT_EQ(run_sql(db.get(), "SELECT * FROM generate_series"),
            "error 1: first argument to \"generate_series()\" missing or unusable");
  EXPECT_EQ(run_sql(db.get(), "SELECT * FROM generate_series(1, 2, 3, 4)"),
            "error 1: too many arguments on generate_series() - max 3");
  EXPECT_EQ(run_sql(db.get(), "INSERT INTO generate_series VALUES (1)"),
            "error 1: table generate_series may not be modified");
}

TEST(TableFunctionTest, ArgumentsMayComeFromTablesToTheLeft) {
  auto db = open_memory();
  run_sql(db.get(), "CREATE TABLE t(a); INSERT INTO t VALUES (3), (1), (NULL)");
  EXPECT_EQ(run_sql(db.get(), "SELECT a, value FROM t, generate_series(1, a)"), "3|1\n3|2\n3|3\n1|1");
  EXPECT_EQ(run_sql(db.get(), "SELECT a, value FROM generate_series(1, a), t"), "3|1\n3|2\n3|3\n1|1");
  EXPECT_EQ(run_sql(db.get(), "SELECT a, value FROM t LEFT JOIN generate_series(1, a) ON value > 2"),
            "3|3\n1|NULL\nNULL|NULL");
  EXPECT_EQ(run_sql(db.get(), "SELECT a, (SELECT sum(value) FROM generate_series(1, a)) FROM t"),
            "3|6\n1|1\nNULL|NULL");
}

TEST(TableFunctionTest, RightJoinsGiveTheRowsWithoutMatch) {
  auto db = open_memory();
  run_sql(db.get(), "CREATE TABLE t(a); INSERT INTO t VALUES ('x'), ('u'); CREATE TABLE u(x, y)");
  EXPECT_EQ(run_sql(db.get(), "SELECT a, p.name FROM t RIGHT JOIN pragma_table_info('u') p ON p.name = a"),
            "x|x\nNULL|y");
  EXPECT_EQ(run_sql(db.get(), "SELECT a, p.name FROM t FULL JOIN pragma_table_info(a) p"),
            "x|NULL\nu|x\nu|y");
  // The argument of the left side is no condition on the joined rows.
  run_sql(db.get(), "CREATE TABLE v(p)");
  EXPECT_EQ(run_sql(db.get(), "SELECT p.name, q.name FROM pragma_table_info('v') p "
                              "RIGHT JOIN pragma_table_info('u') q USING (cid)"),
            "p|x\nNULL|y");
}

TEST(TableFunctionTest, ComparisonsWithVirtualTablesDoNotTurnOuterJoinsIntoInnerOnes) {
  auto db = open_memory();
  run_sql(db.get(), "CREATE TABLE u(x)");
  EXPECT_EQ(run_sql(db.get(), "SELECT name FROM pragma_table_info(t) "
                              "LEFT JOIN (SELECT 'u' AS t)"),
            "");
  EXPECT_EQ(run_sql(db.get(), "SELECT name FROM pragma_table_info(t) "
                              "CROSS JOIN (SELECT 'u' AS t)"),
            "");
  EXPECT_EQ(run_sql(db.get(), "SELECT name FROM pragma_table_info(t), (SELECT 'u' AS t)"), "x");
}

TEST(TableFunctionTest, PragmasAreTables) {
  auto db = open_memory();
  run_sql(db.get(), "CREATE TABLE u(x INT, y TEXT PRIMARY KEY)");
  EXPECT_EQ(run_sql(db.get(), "SELECT rowid, cid, name, type, pk FROM pragma_table_info('u')"),
            "1|0|x|INT|0\n2|1|y|TEXT|1");
  EXPECT_EQ(run_sql(db.get(), "SELECT name, arg, schema FROM pragma_table_info "
                         "WHERE arg = 'u' AND schema = 'main' AND pk"),
            "y|u|main");
  EXPECT_EQ(run_sql(db.get(), "SELECT m.name, p.name FROM pragma_table_info(m.name) p, sqlite_schema m "
                         "WHERE m.type = 'table'"),
            "u|x\nu|y");
  EXPECT_EQ(run_sql(db.get(), "SELECT name, hidden FROM pragma_table_xinfo('pragma_index_info')"),
            "seqno|0\ncid|0\nname|0\narg|1\nschema|1");
  EXPECT_EQ(run_sql(db.get(), "SELECT * FROM pragma_database_list(1)"),
            "error 1: too many arguments on pragma_database_list() - max 0");
  EXPECT_EQ(run_sql(db.get(), "SELECT * FROM pragma_incremental_vacuum"),
            "error 1: no such table: pragma_incremental_vacuum");
}

TEST(TableFunctionTest, InListsOfArgumentsAreTriedOneAfterTheOther) {
  auto db = open_memory();
  EXPECT_EQ(run_sql(db.get(), "SELECT value FROM generate_series WHERE start IN (2, 1) AND stop = 3"),
            "1\n2\n3\n2\n3");
}

}  // namespace
}  // namespace godwit
