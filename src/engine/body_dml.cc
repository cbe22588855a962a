// INSERT, UPDATE and DELETE as statements.
#include "engine/compile.h"
#include "engine/connection.h"
#include "exec/dml_run.h"
#include "exec/plan_memory.h"
#include "plan/bind_dml.h"

namespace godwit {

namespace {

class DmlBody final : public StatementBody {
 public:
  DmlBody(Connection* connection, std::unique_ptr<DmlRun> run, int database, bool needs_mark,
          bool holds_rows)
      : connection_(connection), run_(std::move(run)) {
    holds_rows_ = holds_rows;
    reads_ = all_databases(connection);
    writes_ = uint64_t{1} << database;
    read_only_ = false;
    needs_mark_ = needs_mark;
  }

  Status start() override {
    finished_ = false;
    return Status();
  }
  Result<bool> step() override {
    if (finished_) return false;
    finished_ = true;
    connection_->set_changes(0);
    Status status = run_->run();
    // FAIL keeps the rows before the failure: they count.
    if (status.ok() || run_->failure_action() == ConflictAction::kFail) {
      connection_->set_changes(run_->changes());
      connection_->add_total_changes(run_->changes());
    }
    if (!status.ok()) return status;
    return false;
  }
  void reset() override { run_->reset(); }
  ValueView column(int) const override { return ValueView(); }
  ConflictAction failure_action() const override { return run_->failure_action(); }

 private:
  Connection* connection_;
  std::unique_ptr<DmlRun> run_;
  bool finished_ = false;
};

struct BoundDml {
  BoundInsert* insert = nullptr;
  BoundUpdate* update = nullptr;
  BoundDelete* remove = nullptr;

  BoundQuery* source() const {
    return insert != nullptr ? insert->source : update != nullptr ? update->source : remove->source;
  }
  BoundTableWrite* write() const {
    return insert != nullptr ? insert->write : update != nullptr ? update->write : remove->write;
  }
};

Status bind_statement(const DmlContext& context, const ast::Statement& statement, BoundDml* dml) {
  using Kind = ast::StatementKind;
  if (statement.kind == Kind::kInsert) {
    GW_ASSIGN(dml->insert, bind_insert(context, *statement.as<ast::InsertStatement>()));
  } else if (statement.kind == Kind::kUpdate) {
    GW_ASSIGN(dml->update, bind_update(context, *statement.as<ast::UpdateStatement>()));
  } else {
    GW_ASSIGN(dml->remove, bind_delete(context, *statement.as<ast::DeleteStatement>()));
  }
  return Status();
}

// Plans the source and whatever queries stand in expressions of the write.
Status plan_dml(const BoundDml& dml, PlanContext& plan) {
  if (dml.source() != nullptr) {
    GW_ASSIGN(dml.source()->plan, plan_query(dml.source(), plan));
  }
  const BoundTableWrite& write = *dml.write();
  for (BoundExpr* expr : write.defaults) {
    if (expr != nullptr) GW_TRY(plan_expression(expr, plan));
  }
  if (dml.insert == nullptr) return Status();
  for (const BoundUpsert& clause : dml.insert->upserts) {
    for (BoundExpr* value : clause.values) GW_TRY(plan_expression(value, plan));
    GW_TRY(plan_expression(clause.where, plan));
  }
  return Status();
}

bool gives_one_row(const PlanNode& plan) {
  switch (plan.kind) {
    case PlanKind::kSingleRow:
      return true;
    case PlanKind::kValues:
      return static_cast<const ValuesNode&>(plan).rows_exprs.size() <= 1;
    case PlanKind::kProject:
    case PlanKind::kFilter:
      return plan.child != nullptr && gives_one_row(*plan.child);
    case PlanKind::kAccess: {
      const auto& access = static_cast<const AccessNode&>(plan);
      return access.method == AccessMethod::kRowidLookup && access.join == JoinType::kInner &&
             !access.equal[0].is_in && (plan.child == nullptr || gives_one_row(*plan.child));
    }
    default:
      return false;
  }
}

// Whether REPLACE may remove other rows than the one that is written.
bool may_replace(const BoundTableWrite& write, ConflictAction statement_action) {
  bool replaces = statement_action == ConflictAction::kReplace ||
                  write.table->primary_key_conflict == ConflictAction::kReplace;
  if (write.table->primary_index != nullptr) {
    replaces |= write.table->primary_index->conflict == ConflictAction::kReplace;
  }
  for (const BoundIndexWrite& index : write.indexes) {
    replaces |= index.index->conflict == ConflictAction::kReplace;
  }
  return replaces;
}

bool holds_rows(const BoundDml& dml) {
  bool buffers = dml.insert != nullptr   ? dml.insert->must_buffer
                 : dml.update != nullptr ? dml.update->must_buffer
                                         : dml.remove->must_buffer;
  return buffers || (dml.source() != nullptr && holds_rows(*dml.source()->plan->root));
}

// A statement that changes one row checks all constraints before the first change, so that it needs
// no mark to go back to: marks cost a copy of each page that is changed.
bool needs_mark(const BoundDml& dml) {
  if (dml.source() != nullptr && !gives_one_row(*dml.source()->plan->root)) return true;
  if (dml.remove != nullptr) return dml.remove->everything;
  return may_replace(*dml.write(),
                     dml.insert != nullptr ? dml.insert->conflict : dml.update->conflict);
}

}  // namespace

Result<std::unique_ptr<StatementBody>> compile_dml(const CompileInput& input) {
  CompileTools tools(input);
  Binder binder(tools.bind);
  const ConnectionSettings& settings = input.connection->settings;
  DmlContext context{&binder, input.arena, &input.connection->catalog(), settings.foreign_keys,
                     settings.writable_schema};
  BoundDml dml;
  Status status = bind_statement(context, *input.parsed->statement, &dml);
  if (!status.ok()) {
    *input.error_offset = binder.error_offset();
    return status;
  }
  tools.plan.next_source = binder.new_source_id();
  GW_TRY(plan_dml(dml, tools.plan));
  Result<std::unique_ptr<DmlRun>> run =
      dml.insert != nullptr   ? make_insert(*dml.insert, input.context)
      : dml.update != nullptr ? make_update(*dml.update, input.context)
                              : make_delete(*dml.remove, input.context);
  if (!run.ok()) return run.take_status();
  return std::unique_ptr<StatementBody>(std::make_unique<DmlBody>(
      input.connection, *std::move(run), dml.write()->table->database, needs_mark(dml),
      holds_rows(dml)));
}

}  // namespace godwit
