// SELECT as a statement, and EXPLAIN.
#include <algorithm>
#include <string>

#include "engine/column_info.h"
#include "engine/compile.h"
#include "engine/connection.h"
#include "exec/plan_memory.h"
#include "exec/query_run.h"
#include "exec/unique_row_query.h"

namespace godwit {

namespace {

class QueryBody final : public StatementBody {
 public:
  QueryBody(Connection* connection, const QueryPlan& plan, uint64_t databases,
            ExecContext* context)
      : plan_(plan), context_(context) {
    const BoundQuery& query = *plan.query;
    holds_rows_ = godwit::holds_rows(*plan.root);
    reads_ = databases & all_databases(connection);
    const BoundCore& core = *query.cores[0];
    columns_.reserve(query.column_count);
    for (size_t i = 0; i < query.column_count; ++i) {
      columns_.push_back(describe(connection, core, i));
    }
  }

  // The operators are made when they are first needed: a statement that is prepared to be looked at
  // needs none.
  Status start() override {
    if (look_up_ != nullptr || run_ != nullptr) return Status();
    GW_ASSIGN(look_up_, UniqueRowQuery::make(plan_, context_));
    if (look_up_ != nullptr) return Status();
    GW_ASSIGN(run_, QueryRun::make(plan_, context_));
    return Status();
  }
  Result<bool> step() override { return look_up_ != nullptr ? look_up_->step() : run_->step(); }
  void reset() override {
    if (look_up_ != nullptr) {
      look_up_->reset();
    } else if (run_ != nullptr) {
      run_->reset();
    }
  }
  ValueView column(int index) const override {
    const auto i = static_cast<uint32_t>(index);
    return look_up_ != nullptr ? look_up_->column(i) : run_->column(i);
  }

 private:
  static ColumnInfo describe(Connection* connection, const BoundCore& core, size_t i) {
    if (core.kind != BoundCore::Kind::kValues) return describe_column(connection, core, i);
    ColumnInfo info;
    info.name = "column" + std::to_string(i + 1);
    return info;
  }

  const QueryPlan& plan_;
  ExecContext* context_;
  // One of them, made for the first run.
  std::unique_ptr<UniqueRowQuery> look_up_;
  std::unique_ptr<QueryRun> run_;
};

// `plan` is null for statements that read no rows.
class ExplainPlanBody final : public RowsBody {
 public:
  ExplainPlanBody(const QueryPlan* plan, bool is_insert) : plan_(plan), is_insert_(is_insert) {
    set_column_names({"id", "parent", "notused", "detail"});
  }

 protected:
  Status make_rows() override {
    if (plan_ == nullptr) return Status();
    for (const ExplainRow& row : explain_query_plan(*plan_)) {
      // INSERT ... VALUES of one row is no scan.
      bool is_values = plan_->root->kind == PlanKind::kValues && row.parent == 0;
      if (is_insert_ && is_values && row.detail == "SCAN CONSTANT ROW") continue;
      std::vector<Value> values;
      values.emplace_back(ValueView::of(row.id));
      values.emplace_back(ValueView::of(row.parent));
      values.emplace_back(ValueView::of(row.not_used));
      values.emplace_back(ValueView::of_text(row.detail));
      add_row(std::move(values));
    }
    return Status();
  }

 private:
  const QueryPlan* plan_;
  bool is_insert_;
};

// EXPLAIN: there is no bytecode; the rows are the operators of the plan, each before its inputs. p1 is
// an operator's depth in the tree, p4 what it does.
class ExplainBody final : public RowsBody {
 public:
  explicit ExplainBody(const QueryPlan* plan) : plan_(plan) {
    set_column_names({"addr", "opcode", "p1", "p2", "p3", "p4", "p5", "comment"});
  }

 protected:
  Status make_rows() override {
    std::string text = plan_ == nullptr ? std::string() : dump_plan(*plan_);
    int64_t address = 0;
    for (size_t at = 0; at < text.size(); ++address) {
      size_t end = text.find('\n', at);
      add_operator(address, std::string_view(text).substr(at, end - at));
      at = end + 1;
    }
    return Status();
  }

 private:
  void add_operator(int64_t address, std::string_view line) {
    size_t depth = line.find_first_not_of(' ');
    line.remove_prefix(depth);
    size_t end = std::min(line.find(' '), line.size());
    const ValueView zero = ValueView::of(int64_t{0});
    std::vector<Value> values;
    values.emplace_back(ValueView::of(address));
    values.emplace_back(ValueView::of_text(line.substr(0, end)));
    values.emplace_back(ValueView::of(static_cast<int64_t>(depth / 2)));
    values.emplace_back(zero);
    values.emplace_back(zero);
    values.emplace_back(ValueView::of_text(line.substr(std::min(end + 1, line.size()))));
    values.emplace_back(zero);
    values.emplace_back(ValueView::null());
    add_row(std::move(values));
  }

  const QueryPlan* plan_;
};

struct PlannedQuery {
  BoundQuery* query = nullptr;
  const QueryPlan* plan = nullptr;
  uint64_t databases = 0;  // those it reads
};

Result<PlannedQuery> plan_select(const CompileInput& input, const ast::Select& select) {
  CompileTools tools(input);
  Binder binder(tools.bind);
  PlannedQuery planned;
  auto bound = binder.bind_query(select);
  if (!bound.ok()) {
    *input.error_offset = binder.error_offset();
    return bound.take_status();
  }
  planned.query = *bound;
  tools.plan.next_source = binder.new_source_id();
  GW_ASSIGN(planned.plan, plan_query(planned.query, tools.plan));
  planned.databases = tools.used_databases;
  return planned;
}

}  // namespace

Result<std::unique_ptr<StatementBody>> compile_query(const CompileInput& input,
                                                     const ast::SelectStatement& statement) {
  GW_ASSIGN(PlannedQuery planned, plan_select(input, *statement.select));
  return std::unique_ptr<StatementBody>(
      std::make_unique<QueryBody>(input.connection, *planned.plan, planned.databases, input.context));
}

Result<std::unique_ptr<StatementBody>> compile_explain(const CompileInput& input) {
  using Kind = ast::StatementKind;
  const ast::Statement& statement = *input.parsed->statement;
  const QueryPlan* plan = nullptr;
  bool is_insert = statement.kind == Kind::kInsert;
  if (const auto* select = statement.try_as<ast::SelectStatement>()) {
    GW_ASSIGN(PlannedQuery planned, plan_select(input, *select->select));
    plan = planned.plan;
  } else if (is_insert || statement.kind == Kind::kUpdate || statement.kind == Kind::kDelete) {
    GW_ASSIGN(plan, plan_dml_source(input));
  } else {
    GW_TRY(compile_plain(input).status());  // for its errors
  }
  if (statement.explain == ast::Explain::kQueryPlan) {
    return std::unique_ptr<StatementBody>(std::make_unique<ExplainPlanBody>(plan, is_insert));
  }
  return std::unique_ptr<StatementBody>(std::make_unique<ExplainBody>(plan));
}

}  // namespace godwit
