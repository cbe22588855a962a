// Runs hand-made plans over a file that C SQLite made, and compares with its answer to the SQL that
// the plan stands for.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "exec/query_run.h"
#include "expression_builder.h"
#include "os/vfs.h"

namespace godwit::testing {

class FileServices final : public FakeServices {
 public:
  Btree* btree(int) override { return tree.get(); }
  std::unique_ptr<Btree> tree;
};

class QueryTest : public ::testing::Test {
 protected:
  QueryTest() {
    std::string name = (std::filesystem::temp_directory_path() / "godwit-XXXXXX").string();
    directory_ = mkdtemp(name.data());
    path_ = directory_ + "/test.db";
    context_.services = &services_;
  }
  ~QueryTest() override {
    services_.tree.reset();
    std::filesystem::remove_all(directory_);
  }

  std::string sqlite(const std::string& sql) {
    std::string script = path_ + ".sql";
    std::ofstream(script) << ".mode quote\n" << sql;
    FILE* pipe = popen(("sqlite3 -batch -init /dev/null '" + path_ + "' < '" + script + "'").c_str(),
                       "r");
    std::string output;
    std::array<char, 4096> buffer;
    size_t n;
    while ((n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0) output.append(buffer.data(), n);
    pclose(pipe);
    return with_short_reals(output);
  }
  // The command line shows reals with all the digits it has, and not always the right ones.
  static std::string with_short_reals(const std::string& output) {
    std::string shown;
    bool in_text = false;
    for (size_t k = 0; k < output.size();) {
      char c = output[k];
      if (c == '\'') in_text = !in_text;
      size_t end = output.find_first_not_of("-+.e0123456789", k);
      std::string token = output.substr(k, end - k);
      if (in_text || token.find('.') == std::string::npos) {
        shown += c;
        ++k;
        continue;
      }
      shown += show(ValueView::of(std::strtod(token.c_str(), nullptr)));
      k += token.size();
    }
    return shown;
  }
  PageNumber root_of(const std::string& name) {
    return static_cast<PageNumber>(
        std::stoul(sqlite("SELECT rootpage FROM sqlite_schema WHERE name='" + name + "';")));
  }

  // Makes the file; then tables can be described and plans run.
  void create(const std::string& sql) { sqlite(sql); }
  void open() {
    auto pager = Pager::open(default_vfs(), path_, PagerOptions());
    ASSERT_TRUE(pager.ok());
    services_.tree = std::make_unique<Btree>(*std::move(pager));
    ASSERT_TRUE(services_.tree->begin_read().ok());
  }

  Table* table(const std::string& name, std::vector<std::pair<std::string, Affinity>> columns,
               int32_t rowid_column = -1) {
    auto* table = arena_.make<Table>();
    table->name = name;
    table->root = root_of(name);
    table->rowid_column = rowid_column;
    for (auto& [column_name, affinity] : columns) {
      Column column;
      column.name = column_name;
      column.affinity = affinity;
      column.collation = binary_collation();
      column.storage_position = static_cast<int32_t>(table->columns.size());
      table->columns.push_back(std::move(column));
    }
    return table;
  }
  // The columns given, then the rowid.
  Index* index(Table* table, const std::string& name, std::vector<int32_t> columns,
               std::vector<bool> descending = {}) {
    auto* index = arena_.make<Index>();
    index->name = name;
    index->root = root_of(name);
    index->table = table;
    index->declared_columns = static_cast<uint32_t>(columns.size());
    columns.push_back(IndexColumn::kRowid);
    descending.resize(columns.size());
    for (size_t c = 0; c < columns.size(); ++c) {
      index->columns.push_back({columns[c], nullptr, binary_collation(), descending[c]});
      index->key_info.columns.push_back({binary_collation(), descending[c], false});
    }
    return index;
  }

  // --- Expressions and nodes ------------------------------------------------------------------------
  BoundExpr* constant(const ValueView& v) {
    BoundExpr* expr = node(arena_, ExprKind::kConstant);
    expr->constant = v;
    expr->is_constant = true;
    return expr;
  }
  BoundExpr* column(SourceId source, int32_t c) {
    BoundExpr* expr = node(arena_, ExprKind::kColumn);
    expr->column = {source, c};
    return expr;
  }
  BoundExpr* compare(CompareOp op, BoundExpr* x, BoundExpr* y) {
    BoundExpr* expr = node(arena_, ExprKind::kCompare, {x, y});
    expr->compare = op;
    return expr;
  }
  BoundExpr* binary(BinaryOp op, BoundExpr* x, BoundExpr* y) {
    BoundExpr* expr = node(arena_, ExprKind::kBinary, {x, y});
    expr->binary = op;
    return expr;
  }

  PlanNode* single_row() { return arena_.make<PlanNode>(); }
  // Appends `columns` of a table to the rows of `child`.
  AccessNode* access(PlanNode* child, SourceId id, Table* table, std::vector<int32_t> columns) {
    auto* node = arena_.make<AccessNode>();
    node->kind = PlanKind::kAccess;
    node->child = child;
    node->source = arena_.make<BoundSource>();
    node->source->id = id;
    node->source->table = table;
    node->columns = arena_.copy_array<int32_t>(columns);
    std::vector<ColumnRef> output;
    if (child != nullptr) output.assign(child->output.begin(), child->output.end());
    for (int32_t c : columns) output.push_back({id, c});
    node->output = arena_.copy_array<ColumnRef>(output);
    return node;
  }
  void set_equal(AccessNode* node, std::vector<SeekKey> keys) {
    node->equal = arena_.copy_array<SeekKey>(keys);
  }
  PlanNode* project(PlanNode* child, std::vector<BoundExpr*> exprs, SourceId id = 100) {
    auto* node = arena_.make<ProjectNode>();
    node->kind = PlanKind::kProject;
    node->child = child;
    node->exprs = arena_.copy_array<BoundExpr*>(exprs);
    node->output = arena_.make_array<ColumnRef>(exprs.size());
    for (size_t c = 0; c < exprs.size(); ++c) node->output[c] = {id, static_cast<int32_t>(c)};
    return node;
  }
  OrderTerm order_term(PlanNode* child, int32_t slot, bool descending = false) {
    OrderTerm term;
    term.expr = node(arena_, ExprKind::kColumn);
    term.expr->column = child->output[slot];
    term.collation = binary_collation();
    term.descending = descending;
    term.nulls_first = !descending;
    term.output_column = slot;
    return term;
  }
  SortNode* sort(PlanNode* child, std::vector<OrderTerm> terms) {
    auto* node = arena_.make<SortNode>();
    node->kind = PlanKind::kSort;
    node->child = child;
    node->output = child->output;
    node->terms = arena_.copy_array<OrderTerm>(terms);
    return node;
  }
  LimitNode* limit(PlanNode* child, BoundExpr* limit, BoundExpr* offset = nullptr) {
    auto* node = arena_.make<LimitNode>();
    node->kind = PlanKind::kLimit;
    node->child = child;
    node->output = child->output;
    node->limit = limit;
    node->offset = offset;
    return node;
  }

  // --- Running --------------------------------------------------------------------------------------
  // As the command line's quote mode shows it.
  static std::string quoted(const ValueView& v) {
    if (v.is_blob()) {
      std::string hex = "X'";
      for (char c : v.text()) {
        char digits[3];
        std::snprintf(digits, sizeof(digits), "%02x", static_cast<unsigned char>(c));
        hex += digits;
      }
      return hex + "'";
    }
    return show(v);
  }
  // All rows, or "error: ...", the rows before it included. Runs twice: a run must leave nothing
  // behind that changes the next one.
  std::string run(PlanNode* plan) {
    QueryPlan query;
    query.root = plan;
    auto made = QueryRun::make(query, &context_);
    if (!made.ok()) return "error: " + made.status().message() + "\n";
    std::string first = rows_of(**made);
    (*made)->reset();
    EXPECT_TRUE(first == rows_of(**made)) << "the second run differs";
    (*made)->reset();
    return first;
  }
  std::string rows_of(QueryRun& run) {
    ++context_.execution;
    std::string shown;
    while (true) {
      auto step = run.step();
      if (!step.ok()) return shown + "error: " + step.status().message() + "\n";
      if (!*step) return shown;
      for (uint32_t c = 0; c < run.column_count(); ++c) {
        if (c > 0) shown += ',';
        shown += quoted(run.column(c));
      }
      shown += '\n';
    }
  }
  void expect_same(const std::string& sql, PlanNode* plan) {
    expect_rows(sqlite(sql), run(plan), sql);
  }
  // Shows the first row that differs only.
  static void expect_rows(const std::string& expected, const std::string& actual,
                          const std::string& sql) {
    if (expected == actual) return;
    auto difference = std::mismatch(expected.begin(), expected.end(), actual.begin(), actual.end());
    auto at = static_cast<size_t>(difference.first - expected.begin());
    size_t line = at == 0 ? 0 : expected.rfind('\n', at - 1) + 1;
    ADD_FAILURE() << sql << "\nexpected: " << expected.substr(line, 200)
                  << "\nactual:   " << actual.substr(line, 200);
  }

  std::string directory_, path_;
  Arena arena_;
  FileServices services_;
  ExecContext context_;
};

}  // namespace godwit::testing
