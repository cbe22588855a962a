// The makers of statement bodies, one a kind of statement.
#pragma once

#include <memory>

#include "base/status.h"
#include "engine/statement.h"
#include "plan/binder.h"
#include "plan/planner.h"

namespace godwit {

class Connection;
class DmlRun;

// Functions and collations as the binder asks for them.
class ConnectionNames final : public NameResolver {
 public:
  explicit ConnectionNames(Connection* connection) : connection_(connection) {}
  FunctionLookup find_function(std::string_view name, int argument_count) const override;
  const Collation* find_collation(std::string_view name) const override;
  Result<const Table*> find_table_function(std::string_view name) const override;
  Result<const Table*> describe_virtual_table(const Table& table) const override;
  Result<VirtualTable*> find_virtual_table(const Table& table) const override;

 private:
  Connection* connection_;
};

// What binding and planning need, set up from the connection's settings.
struct CompileTools {
  explicit CompileTools(const CompileInput& input);
  ConnectionNames names;
  BindContext bind;
  PlanContext plan;
  // Databases (bits) in which what was bound reads or writes tables; not all of them are open.
  uint64_t used_databases = 0;
};

// The body of a statement, whether or not EXPLAIN stands before it.
Result<std::unique_ptr<StatementBody>> compile_plain(const CompileInput& input);

// The error of a database that is not attached, with its name as the statement writes it.
Status unknown_database(const CompileInput& input, const ast::Name& name);

// All databases that are open, as bits.
uint64_t all_databases(Connection* connection);

Result<std::unique_ptr<StatementBody>> compile_query(const CompileInput& input,
                                                     const ast::SelectStatement& statement);
// EXPLAIN QUERY PLAN and EXPLAIN.
Result<std::unique_ptr<StatementBody>> compile_explain(const CompileInput& input);
// INSERT, UPDATE, DELETE.
Result<std::unique_ptr<StatementBody>> compile_dml(const CompileInput& input);
// The DELETE of all rows that DROP TABLE implies where foreign keys are enforced; null: none could
// notice.
Result<std::unique_ptr<DmlRun>> compile_implicit_delete(const CompileInput& input,
                                                        const Table& table);
// The plan of the rows that such a statement reads; null: it reads none.
Result<const QueryPlan*> plan_dml_source(const CompileInput& input);
// CREATE, DROP, ALTER, ANALYZE, REINDEX, VACUUM.
Result<std::unique_ptr<StatementBody>> compile_ddl(const CompileInput& input);
// BEGIN, COMMIT, ROLLBACK, SAVEPOINT, RELEASE.
Result<std::unique_ptr<StatementBody>> compile_transaction(const CompileInput& input);
// ATTACH, DETACH.
Result<std::unique_ptr<StatementBody>> compile_attach(const CompileInput& input);
Result<std::unique_ptr<StatementBody>> compile_pragma(const CompileInput& input,
                                                      const ast::PragmaStatement& statement);

// A body that does one thing when it is stepped and returns no rows.
class ActionBody : public StatementBody {
 public:
  Status start() final {
    finished_ = false;
    return Status();
  }
  Result<bool> step() final {
    if (!finished_) {
      finished_ = true;
      GW_TRY(run());
    }
    return false;
  }
  void reset() override { finished_ = false; }
  ValueView column(int) const final { return ValueView(); }

 protected:
  virtual Status run() = 0;

 private:
  bool finished_ = false;
};

// A body whose rows are all made when it starts (pragmas, EXPLAIN QUERY PLAN).
class RowsBody : public StatementBody {
 public:
  Status start() final {
    rows_.clear();
    position_ = 0;
    return make_rows();
  }
  Result<bool> step() final { return position_++ < rows_.size(); }
  void reset() override {
    rows_.clear();
    position_ = 0;
  }
  ValueView column(int index) const final {
    const std::vector<Value>& row = rows_[position_ - 1];
    return static_cast<size_t>(index) < row.size() ? row[static_cast<size_t>(index)].view()
                                                   : ValueView();
  }

 protected:
  virtual Status make_rows() = 0;
  void set_column_names(std::initializer_list<const char*> names) {
    columns_.clear();
    for (const char* name : names) columns_.push_back({name, "", "", "", ""});
  }
  void add_row(std::vector<Value> row) { rows_.push_back(std::move(row)); }

 private:
  std::vector<std::vector<Value>> rows_;
  size_t position_ = 0;
};

}  // namespace godwit
