// Precedence, associativity, literals, parameters, ranges.
#include <gtest/gtest.h>

#include <string>

#include "sql/parser.h"
#include "sql/printer.h"

namespace godwit {
namespace {

using namespace ast;  // NOLINT: names of nodes

// The expression with every operator in parentheses.
std::string shape(const Expr& e) {
  auto both = [](const Expr& a, std::string_view op, const Expr& b) {
    return "(" + shape(a) + " " + std::string(op) + " " + shape(b) + ")";
  };
  switch (e.kind) {
    case ExprKind::kUnary: {
      constexpr const char* kOps[] = {"-", "+", "~", "NOT ", "ISNULL ", "NOTNULL "};
      const auto& unary = *e.as<UnaryExpr>();
      return std::string("(") + kOps[static_cast<int>(unary.op)] + shape(*unary.operand) + ")";
    }
    case ExprKind::kBinary: {
      constexpr const char* kOps[] = {
          "OR", "AND", "=",  "<>", "IS", "IS NOT", "<", "<=", ">",  ">=", "&",
          "|",  "<<",  ">>", "+",  "-",  "*",      "/", "%",  "||", "->", "->>"};
      const auto& binary = *e.as<BinaryExpr>();
      return both(*binary.left, kOps[static_cast<int>(binary.op)], *binary.right);
    }
    case ExprKind::kBetween: {
      const auto& between = *e.as<BetweenExpr>();
      return "BETWEEN[" + shape(*between.operand) + "," + shape(*between.low) + "," +
             shape(*between.high) + "]";
    }
    case ExprKind::kLike: {
      const auto& like = *e.as<LikeExpr>();
      std::string text = both(*like.operand, like.word, *like.pattern);
      return like.escape == nullptr ? text : text + "ESCAPE" + shape(*like.escape);
    }
    case ExprKind::kIn:
      return "IN[" + shape(*e.as<InExpr>()->operand) + "]";
    case ExprKind::kCollate:
      return "COLLATE[" + shape(*e.as<CollateExpr>()->operand) + "]";
    default:
      return print(e);
  }
}

std::string shape_of(std::string_view sql) {
  Arena arena;
  auto expr = parse_expression(sql, &arena);
  return expr.ok() ? shape(**expr) : expr.status().message();
}

TEST(ParserExpr, BindsOperatorsAsSqliteDoes) {
  EXPECT_EQ(shape_of("a OR b AND c"), "(a OR (b AND c))");
  EXPECT_EQ(shape_of("a = b = c"), "((a = b) = c)");
  EXPECT_EQ(shape_of("a < b = c"), "((a < b) = c)");
  EXPECT_EQ(shape_of("a = b < c | d + e * f || g"), "(a = (b < (c | (d + (e * (f || g))))))");
  EXPECT_EQ(shape_of("a || b -> c ->> d"), "(((a || b) -> c) ->> d)");
  EXPECT_EQ(shape_of("a - b - c"), "((a - b) - c)");
  EXPECT_EQ(shape_of("- a COLLATE x || b"), "(COLLATE[(-a)] || b)");
  EXPECT_EQ(shape_of("a & b << c"), "((a & b) << c)");
  EXPECT_EQ(shape_of("a IS NOT NULL AND b IS DISTINCT FROM c"),
            "((a IS NOT NULL) AND (b IS NOT c))");
  EXPECT_EQ(shape_of("a IS NOT DISTINCT FROM b"), "(a IS b)");
}

TEST(ParserExpr, PrefixNotTakesAWholeComparison) {
  EXPECT_EQ(shape_of("NOT a = b"), "(NOT (a = b))");
  EXPECT_EQ(shape_of("NOT a AND b"), "((NOT a) AND b)");
  EXPECT_EQ(shape_of("a * NOT b + c"), "(a * (NOT (b + c)))");
  EXPECT_EQ(shape_of("NOT a NOT NULL"), "(NOT (NOTNULL a))");
  EXPECT_EQ(shape_of("- NOT a + b"), "(-(NOT (a + b)))");
}

TEST(ParserExpr, PostfixOperatorsAreAtTheLevelOfEquality) {
  EXPECT_EQ(shape_of("a = b NOT NULL"), "(NOTNULL (a = b))");
  EXPECT_EQ(shape_of("a + b ISNULL"), "(ISNULL (a + b))");
  EXPECT_EQ(shape_of("a AND b IN (1) = c"), "(a AND (IN[b] = c))");
  EXPECT_EQ(shape_of("a LIKE b || c ESCAPE d = e"), "((a LIKE (b || c))ESCAPEd = e)");
  EXPECT_EQ(shape_of("a LIKE b LIKE c"), "((a LIKE b) LIKE c)");
}

TEST(ParserExpr, BetweenSharesAnd) {
  EXPECT_EQ(shape_of("a BETWEEN b AND c AND d"), "(BETWEEN[a,b,c] AND d)");
  EXPECT_EQ(shape_of("a BETWEEN b AND c = d"), "(BETWEEN[a,b,c] = d)");
  EXPECT_EQ(shape_of("a BETWEEN b < c AND d"), "BETWEEN[a,(b < c),d]");
  EXPECT_EQ(shape_of("a BETWEEN b OR c AND d"), "incomplete input");
}

TEST(ParserExpr, KeepsLiteralsAsText) {
  Arena arena;
  auto literal = [&](std::string_view sql) {
    return *(*parse_expression(sql, &arena))->as<LiteralExpr>();
  };
  EXPECT_EQ(literal("1_000").text, "1000");
  EXPECT_EQ(literal("1_0.5_0").literal, LiteralKind::kReal);
  EXPECT_EQ(literal("0xE_1").literal, LiteralKind::kInteger);
  EXPECT_EQ(literal("'it''s'").text, "it's");
  EXPECT_EQ(literal("x'00Ff'").text, std::string_view("\0\xff", 2));
  EXPECT_EQ(literal("99999999999999999999").literal, LiteralKind::kInteger);
  EXPECT_EQ(literal("current_date").literal, LiteralKind::kCurrentDate);
}

TEST(ParserExpr, RemembersHowNamesWereQuoted) {
  Arena arena;
  auto column = [&](std::string_view sql) {
    return *(*parse_expression(sql, &arena))->as<ColumnExpr>();
  };
  EXPECT_EQ(column("\"a\"\"b\"").column.text, "a\"b");
  EXPECT_EQ(column("\"a\"").column.quote, Quote::kDouble);
  EXPECT_EQ(column("[a b]").column.quote, Quote::kBracket);
  EXPECT_EQ(column("true").column.quote, Quote::kNone);
  ColumnExpr full = column("main.t.'c'");
  EXPECT_EQ(full.schema.text, "main");
  EXPECT_EQ(full.table.text, "t");
  EXPECT_EQ(full.column.quote, Quote::kSingle);
  EXPECT_EQ(full.column.range.offset, 7u);
  EXPECT_EQ(full.column.range.length, 3u);
}

TEST(ParserExpr, NumbersParameters) {
  Arena arena;
  auto parsed = parse_statement("SELECT ?, :a, ?5, ?, :a, $b::c(d), @e, ?2, #f", nullptr, &arena);
  ASSERT_TRUE(parsed.ok());
  const auto* select = parsed->statement->as<SelectStatement>()->select;
  const int expected[] = {1, 2, 5, 6, 2, 7, 8, 2, 9};
  for (size_t i = 0; i < std::size(expected); ++i) {
    EXPECT_EQ(select->cores[0]->columns[i].expr->as<BindExpr>()->number, expected[i]) << i;
  }
  EXPECT_EQ(parsed->parameter_count, 9);
  const std::string_view names[] = {"", ":a", "", "", "?5", "", "$b::c(d)", "@e", "#f"};
  for (size_t i = 0; i < std::size(names); ++i) EXPECT_EQ(parsed->parameter_names[i], names[i]);
}

TEST(ParserExpr, RangesCoverTheTextWithItsParentheses) {
  constexpr std::string_view kSql = "SELECT (a + b) , ( (c) ) * f( x )  AS y, -1 FROM t";
  Arena arena;
  auto parsed = parse_statement(kSql, nullptr, &arena);
  ASSERT_TRUE(parsed.ok());
  const auto& columns = parsed->statement->as<SelectStatement>()->select->cores[0]->columns;
  EXPECT_EQ(columns[0].expr->range.of(kSql), "(a + b)");
  EXPECT_EQ(columns[1].expr->range.of(kSql), "( (c) ) * f( x )");
  EXPECT_EQ(columns[1].alias.text, "y");
  EXPECT_EQ(columns[2].expr->range.of(kSql), "-1");
}

TEST(ParserExpr, KeywordsStandForNamesWhereTheyCannotBeKeywords) {
  for (const char* sql :
       {"left(a, 1)", "replace", "key.if", "like(1, 2)", "indexed", "end", "with"}) {
    Arena arena;
    EXPECT_TRUE(parse_expression(sql, &arena).ok()) << sql;
  }
  for (const char* sql : {"select", "cast", "raise", "where", "nothing"}) {
    Arena arena;
    EXPECT_FALSE(parse_expression(sql, &arena).ok()) << sql;
  }
}

}  // namespace
}  // namespace godwit
