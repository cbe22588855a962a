// A prepared statement: the body that does the work, and the life around it (bindings, start, step,
// reset, recompilation when the schema changed).
//
// States:
//
//    prepared --step--> running --step (no more rows)--> done
//       ^                  |                               |
//       +------ reset -----+---------- reset --------------+        (step on done resets by itself)
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/status.h"
#include "engine/schema_list.h"
#include "engine/virtual_tables.h"
#include "exec/exec_context.h"
#include "sql/parser.h"
#include "value/value.h"

namespace godwit {

class Connection;

// In ValueView::reserved: the value of a parameter, see sqlite3_value_frombind().
inline constexpr uint8_t kFromBind = 1;

// Metadata of a result column.
struct ColumnInfo {
  std::string name;
  std::string declared_type;  // "" : none
  // Origin, for columns that are table columns as they are; else "".
  std::string database, table, column;
};

// What a kind of statement does. Made by compile_statement(); all memory is in the statement's arena
// or its own.
class StatementBody {
 public:
  virtual ~StatementBody() = default;
  // Starts a run. Transactions have been begun as reads()/writes() ask.
  virtual Status start() = 0;
  // True: a row is ready. False: done. After an error the body is reset.
  virtual Result<bool> step() = 0;
  virtual void reset() = 0;
  // Valid until the next step() or reset().
  virtual ValueView column(int index) const = 0;

  const std::vector<ColumnInfo>& columns() const { return columns_; }
  // Databases (bits) in which a transaction is needed.
  uint64_t reads() const { return reads_; }
  uint64_t writes() const { return writes_; }
  // Changes no database file (sqlite3_stmt_readonly).
  bool is_read_only() const { return read_only_; }
  // May fail after it has changed something: needs a mark to go back to.
  bool needs_mark() const { return needs_mark_; }
  // Manages the transaction itself (BEGIN, COMMIT, some pragmas, VACUUM, ATTACH).
  bool controls_transaction() const { return controls_transaction_; }
  // Keeps memory in proportion to rows from run to run.
  bool holds_rows() const { return holds_rows_; }
  // After a failed step: what the failed constraint asks for. kDefault: kAbort.
  virtual ConflictAction failure_action() const { return ConflictAction::kDefault; }

 protected:
  std::vector<ColumnInfo> columns_;
  uint64_t reads_ = 0;
  uint64_t writes_ = 0;
  bool read_only_ = true;
  bool needs_mark_ = false;
  bool controls_transaction_ = false;
  bool holds_rows_ = false;
};

class Statement {
 public:
  ~Statement();

  // --- Running -------------------------------------------------------------------------------------
  Result<bool> step();
  // Ends a run; keeps the bindings. Its status is that of the last step(), as sqlite3_reset().
  Status reset();
  bool is_busy() const { return running_; }
  // Since it was prepared or reset last.
  bool has_run() const { return running_ || done_; }

  // --- Parameters: numbers from 1 --------------------------------------------------------------------
  int parameter_count() const { return static_cast<int>(parameters_.size()); }
  int parameter_index(std::string_view name) const;  // 0: none
  std::string_view parameter_name(int number) const;  // "" : nameless
  // Copies the value. Errors: kRange, kMisuse (running), kTooBig.
  Status bind(int number, const ValueView& value);
  // The same for a number or NULL, if nothing is in the way.
  bool try_bind_number(int number, const ValueView& value) {
    if (running_ || done_ || number < 1 || number > parameter_count()) return false;
    Value& parameter = parameters_[static_cast<size_t>(number) - 1];
    parameter.assign_number(value);
    parameter.mark(kFromBind);
    return true;
  }
  void clear_bindings();
  // NULL for numbers that are none.
  ValueView parameter(int number) const {
    return number < 1 || number > parameter_count() ? ValueView()
                                                    : parameters_[static_cast<size_t>(number) - 1].view();
  }

  // --- Results ------------------------------------------------------------------------------------------
  int column_count() const;
  const ColumnInfo& column_info(int index) const;
  // The current row's value; NULL when there is no row. Valid until the next step() or reset().
  ValueView column(int index) const;
  bool has_row() const { return has_row_; }

  const std::string& sql() const { return sql_; }
  bool is_read_only() const;
  ast::Explain explain() const { return explain_; }
  // Makes the statement one that explains itself, or that does not (again). Errors: as of compiling.
  Status set_explain(ast::Explain mode);
  Connection* connection() const { return connection_; }
  // Whether it is worth keeping after its end for the next one of the same text (it has been reset).
  bool is_reusable() const;
  // The catalog that it was compiled for.
  uint64_t catalog_version() const { return catalog_version_; }
  // Since sqlite3_stmt_status() last set them back.
  struct Counters {
    int runs = 0;
    int recompilations = 0;
    int steps = 0;
  };
  Counters& counters() { return counters_; }
  size_t memory_used() const { return arena_ == nullptr ? 0 : arena_->bytes_reserved(); }

 private:
  friend class Connection;
  Statement() = default;
  Status parse(const ParseLimits& limits, size_t* consumed, int* error_offset);
  Status compile(int* error_offset);
  Status recompile();
  Status start();
  Status start_body();
  Status finish(Status status);
  bool breaks_transaction(const Status& status) const;
  Status undo_failed(const Status& status);
  // Whoever runs inside of it (a function, a query that it consists of) has ended its transaction or
  // gone back to a savepoint before it: there is nothing to undo, and its mark is gone.
  bool was_rolled_back() const;

  Connection* connection_ = nullptr;
  std::string sql_;
  std::unique_ptr<Arena> arena_;
  ParsedStatement parsed_;
  std::unique_ptr<StatementBody> body_;
  ExecContext context_;
  // Keep the schema objects that the body refers to alive.
  std::shared_ptr<const SchemaList> schemas_before_, schemas_after_;
  std::vector<std::shared_ptr<VirtualTables::Instance>> virtual_tables_;  // likewise
  std::vector<Value> parameters_;
  std::vector<std::string> parameter_names_;  // empty: all are nameless
  uint64_t catalog_version_ = 0;
  size_t consumed_ = 0;  // bytes of the text that the statement took
  ast::Explain explain_ = ast::Explain::kNone;
  std::optional<ast::Explain> wanted_explain_;  // set_explain()
  bool is_plain_ = false;  // a query, a change of rows, or a transaction's begin or end
  bool is_part_ = false;   // of what another statement does (Connection::prepare_internal)
  bool running_ = false;
  bool done_ = false;
  bool has_row_ = false;
  bool marked_ = false;
  bool began_read_ = false;
  bool began_write_ = false;
  uint64_t schema_rollbacks_ = 0;  // of the connection when the run began
  uint64_t rollbacks_ = 0;         // likewise
  Counters counters_;
  Status last_status_;
};

// Compiles a parsed statement. `context` is the statement's; the body and all trees live as long as
// the statement does.
struct CompileInput {
  Connection* connection;
  const ParsedStatement* parsed;
  std::string_view sql;
  Arena* arena;
  ExecContext* context;
  int* error_offset;
};
Result<std::unique_ptr<StatementBody>> compile_statement(const CompileInput& input);

}  // namespace godwit
