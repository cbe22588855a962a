// Binds SELECT statements over a small schema, and shows what came out as text.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "catalog/builder.h"
#include "plan/binder.h"
#include "plan/planner.h"
#include "sql/parser.h"

namespace godwit {

class BindTest : public ::testing::Test {
 protected:
  BindTest() : schema_(std::make_shared<Schema>()) {
    catalog_.databases.push_back({"main", schema_});
    catalog_.databases.push_back({"temp", std::make_shared<Schema>()});
  }

  void table(const std::string& sql) { add(build_table(sql, build_context())); }
  void view(const std::string& sql) { add(build_view(sql, build_context())); }

  // Parses and binds; the tree lives until the next call.
  Result<BoundQuery*> bind(std::string_view sql) {
    arena_ = std::make_unique<Arena>();
    GW_ASSIGN(ParsedStatement parsed, parse_statement(sql, nullptr, arena_.get()));
    BindContext context;
    context.catalog = &catalog_;
    context.arena = arena_.get();
    context.sql = sql;
    Binder binder(context);
    Result<BoundQuery*> query = binder.bind_query(*parsed.statement->as<ast::SelectStatement>()->select);
    error_offset_ = binder.error_offset();
    return query;
  }

  std::string error(std::string_view sql) {
    Result<BoundQuery*> query = bind(sql);
    return query.ok() ? "no error" : query.status().message();
  }

  // Column names, separated by bars.
  std::string names(std::string_view sql) {
    Result<BoundQuery*> query = bind(sql);
    if (!query.ok()) return "error: " + query.status().message();
    std::string text;
    for (const ResultColumn& result : (*query)->cores[0]->results) {
      if (!text.empty()) text += '|';
      text += result.name;
    }
    return text;
  }

  // One part of the only core. Sources are s1, s2, ... in the order of their ids.
  std::string where(std::string_view sql) { return dump(core(sql).where); }
  std::string result(std::string_view sql, size_t i = 0) { return dump(core(sql).results[i].expr); }

  const BoundCore& core(std::string_view sql) {
    Result<BoundQuery*> query = bind(sql);
    EXPECT_TRUE(query.ok()) << sql << ": " << query.status().message();
    query_ = query.ok() ? *query : nullptr;
    static const BoundCore kNone;
    return query_ != nullptr ? *query_->cores[0] : kNone;
  }

  static std::string dump(const BoundExpr* expr) { return expr != nullptr ? dump_expr(*expr) : ""; }

  static std::string used(const BoundSource& source) {
    std::string text;
    for (size_t i = 0; i < source.column_count; ++i) {
      if (source.used_columns[i]) text += std::string(source.column_names[i]) + " ";
    }
    return source.rowid_used ? text + "rowid " : text;
  }

  std::shared_ptr<Schema> schema_;
  Catalog catalog_;
  std::unique_ptr<Arena> arena_;
  BoundQuery* query_ = nullptr;
  int32_t error_offset_ = -1;

 private:
  static BuildContext build_context() {
    BuildContext context;
    context.collations.find = [](void*, std::string_view name) { return builtin_collation(name); };
    return context;
  }
  void add(Result<std::shared_ptr<Table>> built) {
    ASSERT_TRUE(built.ok()) << built.status().message();
    std::string name = (*built)->name;
    schema_->tables[name] = *std::move(built);
  }
};

}  // namespace godwit
