// INSERT, UPDATE and DELETE as statements.
#include "engine/body_ddl.h"
#include "engine/column_info.h"
#include "engine/compile.h"
#include "engine/connection.h"
#include "engine/shadow_guard.h"
#include "exec/dml_run.h"
#include "exec/foreign_key_counters.h"
#include "exec/plan_memory.h"
#include "exec/row_observer.h"
#include "plan/bind_dml.h"
#include "plan/bind_foreign_key.h"
#include "plan/bind_table_write.h"
#include "plan/bind_trigger.h"
#include "plan/plan_dml.h"

namespace godwit {

namespace {

struct BoundDml {
  BoundInsert* insert = nullptr;
  BoundUpdate* update = nullptr;
  BoundDelete* remove = nullptr;

  // The authorizer wants it so.
  bool is_nothing() const { return insert == nullptr && update == nullptr && remove == nullptr; }
  BoundQuery* source() const {
    return insert != nullptr ? insert->source : update != nullptr ? update->source : remove->source;
  }
  BoundReturning* returning() const {
    return insert != nullptr   ? insert->returning
           : update != nullptr ? update->returning
                               : remove->returning;
  }
  BoundTableWrite* write() const {
    return insert != nullptr ? insert->write : update != nullptr ? update->write : remove->write;
  }
  Result<std::unique_ptr<DmlRun>> make_run(ExecContext* context) const {
    return insert != nullptr   ? make_insert(*insert, context)
           : update != nullptr ? make_update(*update, context)
                               : make_delete(*remove, context);
  }
};

// Databases, as bits.
struct UsedDatabases {
  uint64_t all = 0;
  uint64_t written = 0;
};

class DmlBody final : public StatementBody {
 public:
  DmlBody(Connection* connection, const BoundDml& dml, ExecContext* context,
          const UsedDatabases& used, bool needs_mark, bool holds_rows)
      : connection_(connection), dml_(dml), context_(context) {
    holds_rows_ = holds_rows;
    reads_ = used.all & all_databases(connection);
    writes_ = used.written;
    read_only_ = false;
    needs_mark_ = needs_mark;
    const BoundReturning* returning = dml.returning();
    if (returning == nullptr) return;
    for (const ResultColumn& column : returning->columns) {
      columns_.push_back(describe_column(connection, *returning->row, column));
    }
  }

  // Cursors, expressions and operators are made for the first run.
  Status start() override {
    if (run_ == nullptr) {
      GW_ASSIGN(run_, dml_.make_run(context_));
      if (dml_.insert != nullptr && dml_.insert->is_alone) run_->fail_foreign_keys_at_once();
    }
    state_ = State::kStarted;
    return Status();
  }
  // The first step does all the work; RETURNING gives its rows after that.
  Result<bool> step() override {
    if (state_ == State::kStarted) {
      Status status = run_with_foreign_keys();
      if (!status.ok()) {
        // FAIL keeps the rows before the failure: they count.
        count_changes(failure_action() == ConflictAction::kFail ? run_->changes() : 0);
        return status;
      }
      state_ = State::kResults;
    }
    if (state_ == State::kResults) {
      if (run_->next_result()) return true;
      count_changes(run_->changes());
    }
    return false;
  }
  void reset() override {
    if (run_ == nullptr) return;
    if (state_ == State::kResults) count_changes(run_->changes());
    run_->reset();
  }
  ValueView column(int index) const override { return run_->result(index); }
  ConflictAction failure_action() const override {
    return keys_failed_ || run_ == nullptr ? ConflictAction::kDefault : run_->failure_action();
  }

 private:
  enum class State : uint8_t { kStarted, kResults, kEnded };

  // Violations of immediate keys that are left at the end are an error. What is undone of the
  // statement is not counted.
  Status run_with_foreign_keys() {
    ForeignKeyCounters& counters = *connection_->foreign_key_counters();
    const ForeignKeyCounters before = counters;
    counters.statement = 0;
    keys_failed_ = false;
    Status status = run_->run();
    bool sound = counters.statement <= 0 && (!connection_->autocommit() || counters.may_commit());
    bool keeps_changes = status.ok() || run_->failure_action() == ConflictAction::kFail;
    if (keeps_changes && !sound) {
      keys_failed_ = true;
      keeps_changes = false;
      status = Status(code::kConstraintForeignKey, "FOREIGN KEY constraint failed");
    }
    // As in SQLite a statement without a mark leaves the violations of deferred keys that it counted
    // before it failed.
    if (!keeps_changes && needs_mark_) {
      counters.deferred = before.deferred;
      counters.postponed = before.postponed;
    }
    counters.statement = before.statement;
    return status;
  }

  // changes() is about this statement from the moment that it ends.
  void count_changes(int64_t changes) {
    connection_->set_changes(changes);
    connection_->add_total_changes(changes);
    state_ = State::kEnded;
  }

  Connection* connection_;
  const BoundDml dml_;
  ExecContext* context_;
  std::unique_ptr<DmlRun> run_;
  State state_ = State::kEnded;
  bool keys_failed_ = false;  // foreign keys were violated when the run ended
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

Status plan_statement(const BoundDml& dml, PlanContext& plan) {
  if (dml.insert != nullptr) return plan_insert(dml.insert, plan);
  if (dml.update != nullptr) return plan_update(dml.update, plan);
  return plan_delete(dml.remove, plan);
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

// Whether a result may fail after its row is written.
bool may_fail(const BoundReturning* returning) {
  if (returning == nullptr) return false;
  for (const ResultColumn& column : returning->columns) {
    ExprKind kind = column.expr->kind;
    if (kind != ExprKind::kColumn && kind != ExprKind::kConstant) return true;
  }
  return false;
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
  const BoundTableWrite& write = *dml.write();
  if (write.virtual_table != nullptr) {
    return dml.insert == nullptr ||
           (dml.source() != nullptr && !gives_one_row(*dml.source()->plan->root));
  }
  if (write.triggers != nullptr || write.removal_keys != nullptr) return true;
  bool is_alone = dml.insert != nullptr && dml.insert->is_alone;
  if (write.foreign_keys != nullptr && !is_alone) return true;
  if (dml.insert != nullptr) {
    for (const BoundUpsert& clause : dml.insert->upserts) {
      if (clause.write != nullptr && clause.write->has_side_effects()) return true;
    }
  }
  if (dml.source() != nullptr && !gives_one_row(*dml.source()->plan->root)) return true;
  if (may_fail(dml.returning())) return true;
  if (dml.remove != nullptr) return dml.remove->everything;
  return may_replace(*dml.write(),
                     dml.insert != nullptr ? dml.insert->conflict : dml.update->conflict);
}

Status bind_and_plan(const CompileInput& input, BoundDml* dml, UsedDatabases* used) {
  CompileTools tools(input);
  Binder binder(tools.bind);
  const ConnectionSettings& settings = input.connection->settings;
  TriggerBinder triggers(tools.bind, settings.recursive_triggers);
  ForeignKeyBinder foreign_keys(tools.bind, &binder,
                                input.connection->foreign_key_counters()->defer_all);
  DmlContext context;
  context.binder = &binder;
  context.arena = input.arena;
  context.catalog = &input.connection->catalog();
  context.triggers = &triggers;
  context.foreign_keys = settings.foreign_keys ? &foreign_keys : nullptr;
  context.writable_schema = settings.writable_schema && !settings.defensive;
  RowObserver* observer = input.connection->row_observer();
  context.removes_each_row = observer != nullptr && observer->wants_each_row();
  Status status = bind_statement(context, *input.parsed->statement, dml);
  if (!status.ok()) {
    *input.error_offset = binder.error_offset();
    return status;
  }
  if (dml->is_nothing()) return Status();
  const Table* table = dml->write()->table;
  if (table != nullptr && is_protected_shadow(input.connection, *table)) {
    return Status::error("table " + table->name + " may not be modified");
  }
  tools.plan.next_source = binder.new_source_id();
  GW_TRY(plan_statement(*dml, tools.plan));
  GW_TRY(triggers.plan(tools.plan));
  GW_TRY(foreign_keys.plan(tools.plan));
  const uint64_t own = uint64_t{1} << dml->write()->table->database;
  used->written = own | triggers.written_databases();
  used->all = used->written | tools.used_databases;
  return Status();
}

}  // namespace

Result<std::unique_ptr<DmlRun>> compile_implicit_delete(const CompileInput& input,
                                                        const Table& table) {
  Connection* connection = input.connection;
  bool involved = !table.foreign_keys.empty() || is_parent(connection->catalog(), table);
  if (!connection->settings.foreign_keys || table.kind != TableKind::kTable || !involved) {
    return std::unique_ptr<DmlRun>();
  }
  CompileTools tools(input);
  ForeignKeyBinder foreign_keys(tools.bind, nullptr, false);
  GW_ASSIGN(BoundDelete * remove, foreign_keys.bind_delete_all(table));
  GW_TRY(foreign_keys.plan(tools.plan));
  return make_delete(*remove, input.context);
}

Result<std::unique_ptr<StatementBody>> compile_dml(const CompileInput& input) {
  BoundDml dml;
  UsedDatabases used;
  GW_TRY(bind_and_plan(input, &dml, &used));
  if (dml.is_nothing()) return empty_body();
  return std::unique_ptr<StatementBody>(std::make_unique<DmlBody>(
      input.connection, dml, input.context, used, needs_mark(dml), holds_rows(dml)));
}

Result<const QueryPlan*> plan_dml_source(const CompileInput& input) {
  BoundDml dml;
  UsedDatabases used;
  GW_TRY(bind_and_plan(input, &dml, &used));
  return dml.is_nothing() || dml.source() == nullptr ? nullptr : dml.source()->plan;
}

}  // namespace godwit
