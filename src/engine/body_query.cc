// SELECT as a statement, and EXPLAIN QUERY PLAN.
#include "engine/column_info.h"
#include "engine/compile.h"
#include "engine/connection.h"
#include "exec/plan_memory.h"
#include "exec/query_run.h"

namespace godwit {

namespace {

class QueryBody final : public StatementBody {
 public:
  QueryBody(Connection* connection, std::unique_ptr<QueryRun> run, const QueryPlan& plan)
      : run_(std::move(run)) {
    const BoundQuery& query = *plan.query;
    holds_rows_ = godwit::holds_rows(*plan.root);
    reads_ = all_databases(connection);
    const BoundCore& core = *query.cores[0];
    columns_.reserve(query.column_count);
    for (size_t i = 0; i < query.column_count; ++i) {
      columns_.push_back(describe(connection, core, i));
    }
  }

  Status start() override { return Status(); }
  Result<bool> step() override { return run_->step(); }
  void reset() override { run_->reset(); }
  ValueView column(int index) const override {
    return run_->column(static_cast<uint32_t>(index));
  }

 private:
  static ColumnInfo describe(Connection* connection, const BoundCore& core, size_t i) {
    if (core.kind != BoundCore::Kind::kValues) return describe_column(connection, core, i);
    ColumnInfo info;
    info.name = "column" + std::to_string(i + 1);
    return info;
  }

  std::unique_ptr<QueryRun> run_;
};

class ExplainBody final : public RowsBody {
 public:
  explicit ExplainBody(const QueryPlan& plan) : plan_(plan) {
    set_column_names({"id", "parent", "notused", "detail"});
  }

 protected:
  Status make_rows() override {
    for (const ExplainRow& row : explain_query_plan(plan_)) {
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
  const QueryPlan& plan_;
};

struct PlannedQuery {
  BoundQuery* query = nullptr;
  const QueryPlan* plan = nullptr;
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
  return planned;
}

}  // namespace

Result<std::unique_ptr<StatementBody>> compile_query(const CompileInput& input,
                                                     const ast::SelectStatement& statement) {
  GW_ASSIGN(PlannedQuery planned, plan_select(input, *statement.select));
  GW_ASSIGN(auto run, QueryRun::make(*planned.plan, input.context));
  return std::unique_ptr<StatementBody>(
      std::make_unique<QueryBody>(input.connection, std::move(run), *planned.plan));
}

Result<std::unique_ptr<StatementBody>> compile_explain(const CompileInput& input) {
  if (input.parsed->statement->explain != ast::Explain::kQueryPlan) {
    return Status::not_implemented("EXPLAIN (use EXPLAIN QUERY PLAN)");
  }
  const auto* select = input.parsed->statement->try_as<ast::SelectStatement>();
  if (select == nullptr) {
    return Status::not_implemented("EXPLAIN QUERY PLAN of statements other than SELECT");
  }
  GW_ASSIGN(PlannedQuery planned, plan_select(input, *select->select));
  return std::unique_ptr<StatementBody>(std::make_unique<ExplainBody>(*planned.plan));
}

}  // namespace godwit
