#include <gtest/gtest.h>

#include <string>

#include "sql/parser.h"

namespace godwit {
namespace {

using namespace ast;  // NOLINT: names of nodes

template <typename T>
const T& parse_as(std::string_view sql, Arena* arena) {
  auto parsed = parse_statement(sql, nullptr, arena);
  EXPECT_TRUE(parsed.ok()) << parsed.status().message();
  return *parsed->statement->as<T>();
}

TEST(ParserStatement, TailFollowsTheSemicolon) {
  Arena arena;
  size_t tail = 0;
  auto parse = [&](std::string_view sql) { return parse_statement(sql, &tail, &arena); };
  EXPECT_NE(parse("; ;SELECT 1; SELECT 2")->statement, nullptr);
  EXPECT_EQ(tail, 12u);
  EXPECT_EQ(parse(" -- nothing\n;;")->statement, nullptr);
  EXPECT_EQ(tail, 14u);
  EXPECT_EQ(parse("")->statement, nullptr);
  EXPECT_EQ(tail, 0u);
}

TEST(ParserStatement, SchemaTextBeginsAtTheName) {
  Arena arena;
  std::string_view sql = "create  TEMP table if not exists temp.[a b] (x, y) without rowid ; x";
  EXPECT_EQ(parse_as<CreateTableStatement>(sql, &arena).schema_text.of(sql),
            "[a b] (x, y) without rowid");
  sql = "CREATE UNIQUE INDEX main.i ON t(a) WHERE a > 0  ";
  EXPECT_EQ(parse_as<CreateIndexStatement>(sql, &arena).schema_text.of(sql),
            "i ON t(a) WHERE a > 0");
  sql = "CREATE VIEW v(a) AS SELECT 1 /* end */;";
  EXPECT_EQ(parse_as<CreateViewStatement>(sql, &arena).schema_text.of(sql), "v(a) AS SELECT 1");
  sql = "CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; END;";
  EXPECT_EQ(parse_as<CreateTriggerStatement>(sql, &arena).schema_text.of(sql),
            "r AFTER INSERT ON t BEGIN SELECT 1; END");
  sql = "CREATE VIRTUAL TABLE x USING m(a, b (c,d) , )";
  const auto& table = parse_as<CreateVirtualTableStatement>(sql, &arena);
  EXPECT_EQ(table.schema_text.of(sql), "x USING m(a, b (c,d) , )");
  ASSERT_EQ(table.arguments.size(), 3u);
  EXPECT_EQ(table.arguments[1], "b (c,d)");
  EXPECT_EQ(table.arguments[2], "");
}

TEST(ParserStatement, ColumnsHaveTypesAndConstraints) {
  Arena arena;
  constexpr std::string_view kSql =
      "CREATE TABLE t(a Decimal ( 10, -2 ) NOT NULL ON CONFLICT FAIL DEFAULT - 5 CHECK ( a>0 ),"
      "b int generated always AS (a) STORED, c REFERENCES u NOT DEFERRABLE DEFERRABLE INITIALLY "
      "DEFERRED, d DEFAULT foo, e DEFAULT true, f CONSTRAINT x, CONSTRAINT y, UNIQUE(a)"
      "CONSTRAINT z FOREIGN KEY(a) REFERENCES u(b) ON DELETE SET NULL)";
  const auto& table = parse_as<CreateTableStatement>(kSql, &arena);
  ASSERT_EQ(table.columns.size(), 6u);
  EXPECT_EQ(table.columns[0].type, "Decimal ( 10, -2 )");
  const auto& a = table.columns[0].constraints;
  ASSERT_EQ(a.size(), 3u);
  EXPECT_EQ(a[0].conflict, ConflictAction::kFail);
  EXPECT_EQ(a[1].expr_text.of(kSql), "- 5");
  EXPECT_EQ(a[2].expr_text.of(kSql), "a>0");
  EXPECT_EQ(table.columns[1].type, "int");
  EXPECT_EQ(table.columns[1].constraints[0].storage.text, "STORED");
  EXPECT_TRUE(table.columns[2].constraints[0].foreign_key->deferred());
  EXPECT_EQ(table.columns[3].constraints[0].expr->as<LiteralExpr>()->text, "foo");
  EXPECT_EQ(table.columns[4].constraints[0].expr->kind, ExprKind::kColumn);
  EXPECT_TRUE(table.columns[5].constraints.empty());
  ASSERT_EQ(table.constraints.size(), 2u);
  EXPECT_EQ(table.constraints[1].name.text, "z");
  EXPECT_EQ(table.constraints[1].foreign_key->on_delete, ForeignKeyAction::kSetNull);
}

TEST(ParserStatement, JoinsKeepTheirKind) {
  Arena arena;
  const auto& statement = parse_as<SelectStatement>(
      "SELECT * FROM a, b JOIN c USING (x) NATURAL LEFT OUTER JOIN d RIGHT JOIN e ON 1 "
      "LEFT RIGHT JOIN f CROSS JOIN (g JOIN h ON 2) AS i, (SELECT 1) j, k(1, 2) l",
      &arena);
  const auto& from = statement.select->cores[0]->from;
  const JoinKind kinds[] = {JoinKind::kFirst, JoinKind::kComma, JoinKind::kInner,
                            JoinKind::kLeft,  JoinKind::kRight, JoinKind::kFull,
                            JoinKind::kCross, JoinKind::kComma, JoinKind::kComma};
  ASSERT_EQ(from.size(), std::size(kinds));
  for (size_t i = 0; i < from.size(); ++i) EXPECT_EQ(from[i].join, kinds[i]) << i;
  EXPECT_TRUE(from[3].natural);
  EXPECT_EQ(from[2].using_columns[0].text, "x");
  EXPECT_EQ(from[6].items.size(), 2u);
  EXPECT_EQ(from[6].alias.text, "i");
  EXPECT_EQ(from[7].kind, FromKind::kSubquery);
  EXPECT_EQ(from[8].arguments.size(), 2u);
}

TEST(ParserStatement, LimitWithCommaPutsTheOffsetFirst) {
  Arena arena;
  const auto& select = *parse_as<SelectStatement>("SELECT 1 LIMIT 2, 3", &arena).select;
  EXPECT_EQ(select.offset->as<LiteralExpr>()->text, "2");
  EXPECT_EQ(select.limit->as<LiteralExpr>()->text, "3");
}

TEST(ParserStatement, ValuesAreStoredFlat) {
  std::string sql = "INSERT INTO t VALUES (0, 'x')";
  for (int i = 1; i < 100000; ++i) sql += ",(" + std::to_string(i) + ", 'x')";
  Arena arena;
  const auto& insert = parse_as<InsertStatement>(sql, &arena);
  const SelectCore& core = *insert.select->cores[0];
  EXPECT_EQ(core.value_rows(), 100000u);
  EXPECT_EQ(core.value_columns, 2u);
  EXPECT_EQ(core.values[199998]->as<LiteralExpr>()->text, "99999");
}

TEST(ParserStatement, UpsertsAndReturning) {
  Arena arena;
  const auto& insert = parse_as<InsertStatement>(
      "REPLACE INTO main.t AS x(a, b) SELECT 1, 2 WHERE true ON CONFLICT (a) WHERE b DO UPDATE SET "
      "(a, b) = (1, 2), a = 3 WHERE c ON CONFLICT DO NOTHING RETURNING *, a AS z",
      &arena);
  EXPECT_EQ(insert.conflict, ConflictAction::kReplace);
  EXPECT_EQ(insert.alias.text, "x");
  ASSERT_EQ(insert.upserts.size(), 2u);
  EXPECT_EQ(insert.upserts[0].assignments[0].columns.size(), 2u);
  EXPECT_TRUE(insert.upserts[0].assignments[0].is_row);
  EXPECT_NE(insert.upserts[0].target_where, nullptr);
  EXPECT_TRUE(insert.upserts[1].do_nothing);
  EXPECT_EQ(insert.returning.size(), 2u);
}

TEST(ParserStatement, PragmasKeepTheirValueAsText) {
  Arena arena;
  EXPECT_EQ(parse_as<PragmaStatement>("PRAGMA a.b = -5", &arena).value, "-5");
  EXPECT_EQ(parse_as<PragmaStatement>("PRAGMA b = +5", &arena).value, "5");
  EXPECT_EQ(parse_as<PragmaStatement>("PRAGMA b('x y')", &arena).value, "x y");
  EXPECT_EQ(parse_as<PragmaStatement>("PRAGMA b = on", &arena).value, "on");
  EXPECT_EQ(parse_as<PragmaStatement>("PRAGMA b", &arena).form, PragmaForm::kNone);
}

TEST(ParserStatement, ExplainIsAFlag) {
  Arena arena;
  EXPECT_EQ(parse_as<SelectStatement>("EXPLAIN SELECT 1", &arena).explain, Explain::kExplain);
  EXPECT_EQ(parse_as<SelectStatement>("EXPLAIN QUERY PLAN VALUES(1)", &arena).explain,
            Explain::kQueryPlan);
}

TEST(ParserStatement, WorkGrowsLinearlyWithTheText) {
  Arena arena;
  std::string sql = "WITH a AS (SELECT 1)";
  for (int i = 0; i < 20000; ++i) sql += ", a" + std::to_string(i) + " AS (SELECT 1)";
  EXPECT_TRUE(parse_statement(sql + " SELECT 1", nullptr, &arena).ok());
  sql = "SELECT 1 IN (:p";
  for (int i = 0; i < 32765; ++i) sql += ", :p" + std::to_string(i);
  auto parsed = parse_statement(sql + ")", nullptr, &arena);
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->parameter_count, 32766);
  sql = "SELECT '" + std::string(1 << 20, '\'') + "'";
  EXPECT_TRUE(parse_statement(sql, nullptr, &arena).ok());
}

}  // namespace
}  // namespace godwit
