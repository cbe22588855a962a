// Texts that do not parse: SQLite's messages and offsets (sqlite3_errmsg, sqlite3_error_offset).
#include <gtest/gtest.h>

#include <string>

#include "sql/parser.h"

namespace godwit {
namespace {

struct Case {
  const char* sql;
  const char* message;
  int offset;
};

constexpr Case kCases[] = {
    {"select", "incomplete input", -1},
    {"select 1 +", "incomplete input", -1},
    {"select 'abc", "unrecognized token: \"'abc\"", 7},
    {"select x'1'", "unrecognized token: \"x'1'\"", 7},
    {"select 1__0", "unrecognized token: \"1__0\"", -1},
    {"select 0x", "unrecognized token: \"0x\"", 7},
    {"select 1e", "unrecognized token: \"1e\"", 7},
    {"select 12abc", "unrecognized token: \"12abc\"", 7},
    {"select a!b", "unrecognized token: \"!\"", 8},
    {"select :", "unrecognized token: \":\"", 7},
    {"select $a(", "unrecognized token: \"$a(\"", 7},
    {"select ?0", "variable number must be between ?1 and ?32766", 7},
    {"select ?32767", "variable number must be between ?1 and ?32766", 7},
    {"select ?32766, ?", "too many SQL variables", 15},
    {"select #1", "near \"#1\": syntax error", 7},
    {"select f(", "incomplete input", -1},
    {"explain", "incomplete input", -1},
    {"explain query select 1", "near \"select\": syntax error", 14},
    {"select * from", "incomplete input", -1},
    {"select raise", "incomplete input", -1},
    {"select case end", "incomplete input", -1},
    {"select a in", "incomplete input", -1},
    {"selec 1", "near \"selec\": syntax error", 0},
    {"select 1 between 1 or 2 and 3", "incomplete input", -1},
    {"select count(*) filter (a)", "near \"a\": syntax error", 24},
    {"select cast(1 as int", "incomplete input", -1},
    {"select 1 from t join", "incomplete input", -1},
    {"insert into t", "incomplete input", -1},
    {"insert t values(1)", "near \"t\": syntax error", 7},
    {"update t set", "incomplete input", -1},
    {"delete t", "near \"t\": syntax error", 7},
    {"select (1,2", "incomplete input", -1},
    {"select {", "unrecognized token: \"{\"", 7},
    {"select * from t left x y join u", "unknown join type: left x y", 16},
    {"select * from t natural left x join u", "unknown join type: natural left x", 16},
    {"select * from t inner outer join u", "unknown join type: inner outer", 16},
    {"select * from t outer join u", "unknown join type: outer", 16},
    {"select * from t left 'outer' join u", "unknown join type: left 'outer'", 16},
    {"select * from t left \"outer\" join u", "unknown join type: left \"outer\"", 16},
    {"select 1 order by 1 union select 2", "ORDER BY clause should come after UNION not before",
     -1},
    {"select 1 limit 1 union all select 2", "LIMIT clause should come after UNION ALL not before",
     -1},
    {"select 1 order by 1 limit 1 except select 2 ",
     "ORDER BY clause should come after EXCEPT not before", -1},
    {"select 1 union select 2 order by 1 intersect select 1",
     "ORDER BY clause should come after INTERSECT not before", -1},
    {"values(1) order by 1", "near \"order\": syntax error", 10},
    {"values(1) limit 1", "near \"limit\": syntax error", 10},
    {"values(1),(1,2)", "all VALUES must have the same number of terms", -1},
    {"values(1),(1,2) garbage", "near \"garbage\": syntax error", 16},
    {"values(1,2),(1)", "all VALUES must have the same number of terms", -1},
    {"insert into t values(1),(1,2)", "all VALUES must have the same number of terms", -1},
    {"with x as (select 1), x as (select 2) select 1", "duplicate WITH table name: x", -1},
    {"with recursive x(a collate nocase) as (select 1) select 1",
     "syntax error after column name \"a\"", -1},
    {"with x(a desc) as (select 1) select 1", "syntax error after column name \"a\"", -1},
    {"create view v(a asc) as select 1", "syntax error after column name \"a\"", -1},
    {"create view v(a collate) as select 1", "near \")\": syntax error", 23},
    {"create table z(a, foreign key(a desc) references b(c))",
     "syntax error after column name \"a\"", -1},
    {"create table z(a, foreign key(a) references b(c collate nocase))",
     "syntax error after column name \"c\"", -1},
    {"create index i on t(a nulls first)", "unsupported use of NULLS FIRST", -1},
    {"create index i on t(a desc nulls last)", "unsupported use of NULLS LAST", -1},
    {"create table z(a, primary key(a nulls first))", "unsupported use of NULLS FIRST", -1},
    {"create table z(a, unique(a nulls last))", "unsupported use of NULLS LAST", -1},
    {"insert into t values(1,2,3) on conflict(a nulls first) do nothing",
     "unsupported use of NULLS FIRST", -1},
    {"insert into t values(1,2,3) on conflict do nothing on conflict do nothing",
     "near \"on\": syntax error", 51},
    {"insert into t select 1,2,3 from t on conflict do nothing", "near \"do\": syntax error", 46},
    {"insert into t default values on conflict do nothing", "near \"on\": syntax error", 29},
    {"create table z(a) without x", "unknown table option: x", -1},
    {"create table z(a) foo", "unknown table option: foo", -1},
    {"create table z(a) strict strict", "near \"strict\": syntax error", 25},
    {"select sum(a) over (rows between unbounded following and current row) from t",
     "near \"following\": syntax error", 43},
    {"select sum(a) over (rows between unbounded preceding and unbounded preceding) from t",
     "near \"preceding\": syntax error", 67},
    {"select sum(a) over (rows unbounded following) from t", "near \"following\": syntax error",
     35},
    {"select sum(a) over (rows 1 following) from t", "unsupported frame specification", -1},
    {"select sum(a) over (rows between current row and 1 preceding) from t",
     "unsupported frame specification", -1},
    {"select sum(a) over (rows between 1 following and 1 preceding) from t",
     "unsupported frame specification", -1},
    {"select sum(a) over (rows between 1 following and current row) from t",
     "unsupported frame specification", -1},
    {"update t set (a,b)=(1,2,3)", "2 columns assigned 3 values", -1},
    {"update t set (a,b)=1", "2 columns assigned 1 values", -1},
    {"update t set (a)=(1,2)", "1 columns assigned 2 values", -1},
    {"update t set t.a=1", "near \".\": syntax error", 14},
    {"delete from t limit 1 returning a", "near \"returning\": syntax error", 22},
    {"create trigger r insert on t begin update main.t set a=1; end",
     "qualified table names are not allowed on INSERT, UPDATE, and DELETE statements within "
     "triggers",
     -1},
    {"create trigger r insert on t begin update t indexed by x set a=1; end",
     "the INDEXED BY clause is not allowed on UPDATE or DELETE statements within triggers", -1},
    {"create trigger r insert on t begin update t not indexed set a=1; end",
     "the NOT INDEXED clause is not allowed on UPDATE or DELETE statements within triggers", -1},
    {"create trigger r insert on t begin delete from main.t; end",
     "qualified table names are not allowed on INSERT, UPDATE, and DELETE statements within "
     "triggers",
     -1},
    {"create trigger r insert on t begin insert into main.t values(1,2,3); end",
     "qualified table names are not allowed on INSERT, UPDATE, and DELETE statements within "
     "triggers",
     -1},
    {"create trigger r insert on t begin insert into t default values; end",
     "near \"default\": syntax error", 49},
    {"create trigger r insert on t begin insert into t values(1,2,3) returning a; end",
     "cannot use RETURNING in a trigger", -1},
    {"create temp trigger main.r delete on t begin select 1; end",
     "temporary trigger may not have qualified name", -1},
    {"create view v as select ?", "parameters are not allowed in views", -1},
    {"create virtual table x using y((a)", "incomplete input", -1},
    {"create temp virtual table x using y", "near \"virtual\": syntax error", 12},
    {"create unique table z(a)", "near \"table\": syntax error", 14},
    {"create temp index i on t(a)", "near \"index\": syntax error", 12},
    {"create index i on main.t(a)", "near \".\": syntax error", 22},
    {"create index i on t()", "near \")\": syntax error", 20},
    {"create view v", "incomplete input", -1},
    {"create or replace view v as select 1", "near \"or\": syntax error", 7},
    {"create foo", "near \"foo\": syntax error", 7},
    {"create temp foo", "near \"foo\": syntax error", 12},
    {"drop table t,u", "near \",\": syntax error", 12},
    {"drop foo", "near \"foo\": syntax error", 5},
    {"drop table if not exists t", "near \"not\": syntax error", 14},
    {"alter table t rename to", "incomplete input", -1},
    {"alter table t rename a b", "near \"b\": syntax error", 23},
    {"alter table t rename column a to b c", "near \"c\": syntax error", 35},
    {"alter table t rename column to x", "near \"to\": syntax error", 28},
    {"alter table t rename column", "incomplete input", -1},
    {"alter table t add column", "incomplete input", -1},
    {"alter table t add column (x)", "near \"(\": syntax error", 25},
    {"alter t", "near \"t\": syntax error", 6},
    {"begin transaction foo bar", "near \"bar\": syntax error", 22},
    {"begin exclusive x", "near \"x\": syntax error", 16},
    {"begin deferred immediate", "near \"immediate\": syntax error", 15},
    {"commit foo", "near \"foo\": syntax error", 7},
    {"rollback to", "incomplete input", -1},
    {"rollback to savepoint", "incomplete input", -1},
    {"savepoint", "incomplete input", -1},
    {"release", "incomplete input", -1},
    {"release savepoint", "incomplete input", -1},
    {"release savepoint x y", "near \"y\": syntax error", 20},
    {"pragma", "incomplete input", -1},
    {"pragma a.b.c", "near \".\": syntax error", 10},
    {"pragma x=-foo", "near \"foo\": syntax error", 10},
    {"pragma x()", "near \")\": syntax error", 9},
    {"pragma x=", "incomplete input", -1},
    {"pragma x=1 2", "near \"2\": syntax error", 11},
    {"pragma x=null", "near \"null\": syntax error", 9},
    {"pragma x = insert", "near \"insert\": syntax error", 11},
    {"attach", "incomplete input", -1},
    {"attach 'x'", "incomplete input", -1},
    {"attach 'x' as", "incomplete input", -1},
    {"attach database as y", "near \"as\": syntax error", 16},
    {"attach 'x'||'y' as 5 key", "incomplete input", -1},
    {"detach", "incomplete input", -1},
    {"detach x y", "near \"y\": syntax error", 9},
    {"detach database", "incomplete input", -1},
    {"vacuum into", "incomplete input", -1},
    {"vacuum into a b", "near \"b\": syntax error", 14},
    {"vacuum main.t", "near \".\": syntax error", 11},
    {"analyze main.t.c", "near \".\": syntax error", 14},
    {"reindex 5", "near \"5\": syntax error", 8},
};

TEST(ParserErrors, MessagesAndOffsetsAreSqlites) {
  for (const Case& c : kCases) {
    Arena arena;
    ParseDiagnostics diagnostics;
    auto parsed = parse_statement(c.sql, nullptr, &arena, {}, &diagnostics);
    ASSERT_FALSE(parsed.ok()) << c.sql;
    EXPECT_EQ(parsed.status().message(), c.message) << c.sql;
    EXPECT_EQ(parsed.status().code(), code::kError) << c.sql;
    EXPECT_EQ(diagnostics.error_offset, c.offset) << c.sql;
  }
}

std::string repeat(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

std::string message_of(const std::string& sql, const ParseLimits& limits = {}) {
  Arena arena;
  auto parsed = parse_statement(sql, nullptr, &arena, limits);
  return parsed.ok() ? "ok" : parsed.status().message();
}

TEST(ParserErrors, DepthOfExpressionsIsLimited) {
  constexpr const char* kTooLarge = "Expression tree is too large (maximum depth 1000)";
  EXPECT_EQ(message_of("SELECT 1" + repeat("+1", 999)), "ok");
  EXPECT_EQ(message_of("SELECT 1" + repeat("+1", 1000)), kTooLarge);
  EXPECT_EQ(message_of("SELECT " + repeat("- ", 999) + "1"), "ok");
  EXPECT_EQ(message_of("SELECT " + repeat("- ", 1000) + "1"), kTooLarge);
  ParseLimits limits;
  limits.expr_depth = 3;
  EXPECT_EQ(message_of("SELECT 1+2+3", limits), "ok");
  EXPECT_EQ(message_of("SELECT 1+2+3+4", limits), "Expression tree is too large (maximum depth 3)");
}

TEST(ParserErrors, NestingOfTheTextIsLimited) {
  for (int depth : {3000, 100000}) {
    EXPECT_EQ(message_of("SELECT " + repeat("(", depth)), "Recursion limit");
    EXPECT_EQ(message_of("SELECT " + repeat("NOT ", depth)), "Recursion limit");
    EXPECT_EQ(message_of("SELECT " + repeat("f(", depth)), "Recursion limit");
    EXPECT_EQ(message_of("SELECT " + repeat("(SELECT ", depth)), "Recursion limit");
    EXPECT_EQ(message_of(repeat("WITH a AS (", depth)), "Recursion limit");
    EXPECT_EQ(message_of("SELECT * FROM " + repeat("(", depth)), "Recursion limit");
    EXPECT_EQ(message_of("SELECT " + repeat("CASE WHEN ", depth)), "Recursion limit");
  }
  EXPECT_EQ(message_of("SELECT " + repeat("(", 2000) + "1" + repeat(")", 2000)), "ok");
}

TEST(ParserErrors, NumbersOfThingsAreLimited) {
  EXPECT_EQ(message_of("SELECT 1" + repeat(" UNION SELECT 1", 499)), "ok");
  EXPECT_EQ(message_of("SELECT 1" + repeat(" UNION SELECT 1", 500)),
            "too many terms in compound SELECT");
  EXPECT_EQ(message_of("SELECT f(" + repeat("1,", 999) + "1)"), "ok");
  EXPECT_EQ(message_of("SELECT f(" + repeat("1,", 1000) + "1)"),
            "too many arguments on function f");
  EXPECT_EQ(message_of("CREATE TABLE t(a" + repeat(",a", 1999) + ")"), "ok");
  EXPECT_EQ(message_of("CREATE TABLE t(a" + repeat(",a", 2000) + ")"), "too many columns on t");
  EXPECT_EQ(message_of("UPDATE t SET a=1" + repeat(",a=1", 2000)), "too many columns in set list");
  EXPECT_EQ(message_of("SELECT 1 IN (?" + repeat(",?", 32765) + ")"), "ok");
  EXPECT_EQ(message_of("SELECT 1 IN (?" + repeat(",?", 32766) + ")"), "too many SQL variables");
}

}  // namespace
}  // namespace godwit
