// Printing, and parsing what was printed.
#include <gtest/gtest.h>

#include <string>

#include "sql/parser.h"
#include "sql/printer.h"

namespace godwit {
namespace {

std::string canonical(std::string_view sql) {
  Arena arena;
  auto parsed = parse_statement(sql, nullptr, &arena);
  if (!parsed.ok()) return parsed.status().message() + " in " + std::string(sql);
  return print(*parsed->statement);
}

TEST(Printer, WritesCanonicalText) {
  EXPECT_EQ(canonical("select((a+b))*c,-(-d)x from t as u where not(a=b)and c is not null"),
            "SELECT (a + b) * c, - -d AS x FROM t AS u WHERE NOT a = b AND c IS NOT NULL");
  EXPECT_EQ(canonical("select a->(b||c), (a collate x), -(a collate x), (1,2)"),
            "SELECT a -> (b || c), a COLLATE x, -(a COLLATE x), (1, 2)");
  EXPECT_EQ(canonical("select a between(b or c)and(d=e), a in() from[t u]"),
            "SELECT a BETWEEN (b OR c) AND (d = e), a IN () FROM [t u]");
  EXPECT_EQ(canonical("create table t(a'x'default'it''s',b default(1+2)check((a)),primary key(b))"),
            "CREATE TABLE t(a 'x' DEFAULT 'it''s', b DEFAULT (1 + 2) CHECK (a), PRIMARY KEY (b))");
}

TEST(Printer, QuotesIdentifiersThatNeedIt) {
  EXPECT_EQ(quote_identifier("abc"), "abc");
  EXPECT_EQ(quote_identifier("a b"), "\"a b\"");
  EXPECT_EQ(quote_identifier("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(quote_identifier("select"), "\"select\"");
  EXPECT_EQ(quote_identifier("key"), "\"key\"");
  EXPECT_EQ(quote_identifier("1a"), "\"1a\"");
  EXPECT_EQ(quote_identifier(""), "\"\"");
  EXPECT_EQ(quote_string("it's"), "'it''s'");
}

constexpr const char* kStatements[] = {
    R"(select distinct a, b as c, t.*, * from t as x, u y left join t z on x.a=z.a and 1 where a between 1 and 2 and b not in (1,2,3) or c like 'x%' escape '\' group by a, b having count(*)>1 order by 1 desc nulls last, 2 limit 10 offset 5)",
    R"(with recursive c(x) as (values(1) union all select x+1 from c where x<10), d as not materialized (select 1) select * from c, d natural join t)",
    R"(select sum(a) filter (where b) over (partition by a order by b rows between 1 preceding and unbounded following exclude current row), row_number() over w from t window w as (order by a), v as (w))",
    R"(select case a when 1 then 2 when 3 then 4 else 5 end, cast(a as varchar(10,2)), -a*+b||c->'x'->>1 collate nocase, not exists (select 1), (1,2)=(3,4), a isnull, b notnull, c not null, a is not distinct from b, ~a<<1>>2&3|4 from t)",
    R"(insert or replace into t(a,b) values (1,2),(3,4) on conflict(a) where b>0 do update set a=excluded.a,(b,c)=(1,2) where 1 on conflict do nothing returning a,b as c,*)",
    R"(update or ignore t as x set a=1,b=a+1 from u where x.a=u.a returning *)",
    R"(delete from t as y where a in (select a from u) returning a)",
    R"(create table if not exists q(a integer primary key on conflict fail autoincrement, b text not null unique default 'x' collate nocase check(b>0), c as (a+1) stored references t(a) on delete set null deferrable initially deferred, constraint x foreign key(a,b) references t(a,b), unique(a,b desc)) without rowid, strict)",
    R"(create unique index if not exists main.ii on t(a collate nocase desc, lower(b)) where a>0)",
    R"(create temp trigger if not exists tt instead of update of a,b on v for each row when new.a>0 begin update t set a=1 where b=2; insert into t select * from u; delete from t; select raise(abort,'x'); end)",
    R"(create view if not exists vv(a,b) as select a,b from t union select 1,2 except values(1,2) intersect select 3,4 order by 1)",
    R"(alter table t rename column a to b)",
    R"(alter table t add column z int default (1+2) not null)",
    R"(select a in t, a in main.t, a in json_each('x'), a not in () from t indexed by ii, u not indexed, json_each('[1]') as j, (select 1) as k, (t join u using(a,b)) full outer join t right join u on 1)",
    R"(select count(distinct a), group_concat(a, ',' order by b desc), max(all a), f(), "a b", [x], `y`, 'z', x'0123', 1.5e3, 0x1F, ?, ?5, :a, @b, $c::d(e), current_date, null, true)",
    R"(pragma main.table_info('t'))",
    R"(explain query plan select 1)",
    R"(begin immediate transaction; commit)",
    R"(savepoint x; rollback to x; release x)",
    R"(attach 'f' as g key 'h')",
    R"(vacuum main into 'x')",
    R"(create virtual table v1 using fts5(a, b, tokenize = 'porter ascii'))",
    R"(select a match b, a glob b, a regexp b, a not match b from t where a<b<=c>d>=e==f<>g!=h)",
    R"(select * from t left right join u)",
    R"(select * from t natural full outer join u)",
    R"(select * from t cross inner join u)",
    R"(values(1) union select 1 limit 1)",
    R"(insert into t default values returning *)",
    R"(select sum(a) over (rows current row) from t)",
    R"(select sum(a) over (w order by a rows current row exclude no others) from t window w as ())",
    R"(update t set (a,b)=(select 1))",
    R"(delete from t returning a limit 1)",
    R"(update t as z indexed by x set a=1)",
    R"(create trigger r insert on t begin with x as (select 1) select 1; end)",
    R"(create trigger r before update of a,b on t begin update or ignore t set a=1 from u where 1; end)",
    R"(create table z(a check(a>?)))",
    R"(create virtual table x using y(a(b,c),d e f,))",
    R"(create virtual table x using y())",
    R"(create table z(a int generated always))",
    R"(create table z(c, a as (c) foo))",
    R"(create table z(a, constraint foo))",
    R"(create table z(a, check(1) check(2) constraint x unique(a) , primary key(a)))",
    R"(create table z(a references b on insert cascade match full on update set null on delete no action))",
    R"(create table z(a default +'x'))",
    R"(create table z(a default current_time))",
    R"(create table z(a int(5)))",
    R"(create table z(a integer primary key desc on conflict replace autoincrement))",
    R"(create table z as select 1)",
    R"(create table if not exists z(a))",
    R"(create view v as values(1))",
    R"(drop view if exists zz)",
    R"(alter table t add x primary key)",
    R"(alter table t alter column column set not null)",
    R"(begin immediate transaction)",
    R"(end)",
    R"(rollback to savepoint x)",
    R"(pragma x)",
    R"(pragma x=+5.5)",
    R"(pragma x=default)",
    R"(pragma x(-1))",
    R"(attach database 'x' as y key 'z')",
    R"(vacuum main)",
    R"(analyze main.t)",
    R"(reindex main.t)",
    R"(attach database database as y)",
    R"(create table z(a int generated always always))",
    R"(rollback to savepoint savepoint)",
};

TEST(Printer, TextParsesToAnEqualTree) {
  for (const char* sql : kStatements) {
    std::string once = canonical(sql);
    EXPECT_EQ(canonical(once), once) << sql;
  }
}

}  // namespace
}  // namespace godwit
