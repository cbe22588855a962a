#include "engine/statement.h"

#include <utility>

#include "engine/connection.h"

namespace godwit {

namespace {
// A statement is compiled anew at most so often in one step() while others keep changing the schema
// (SQLite's limit), before it gives kSchema.
constexpr int kRecompileLimit = 50;
// Larger ones are not kept for reuse.
constexpr size_t kReusableTextMax = 4096;
constexpr size_t kReusableArenaMax = 64 * 1024;

// What begins and ends transactions works while the schema cannot be read, as when another
// process locks the file.
bool controls_only_transaction(const ast::Statement& statement) {
  return statement.explain == ast::Explain::kNone &&
         statement.kind >= ast::StatementKind::kBegin && statement.kind <= ast::StatementKind::kRelease;
}

// What neither changes the schema nor a setting.
bool is_plain(const ast::Statement& statement) {
  switch (statement.kind) {
    case ast::StatementKind::kSelect:
    case ast::StatementKind::kInsert:
    case ast::StatementKind::kUpdate:
    case ast::StatementKind::kDelete:
      return statement.explain == ast::Explain::kNone;
    default:
      return controls_only_transaction(statement);
  }
}

}  // namespace

Statement::~Statement() {
  if (running_) (void)reset();
  body_.reset();
  connection_->give_back_arena(std::move(arena_));
}

// Parses the owned text. The arena starts empty: the trees of an earlier compilation are gone.
Status Statement::parse(const ParseLimits& limits, size_t* consumed, int* error_offset) {
  ParseDiagnostics diagnostics;
  auto parsed = parse_statement(sql_, consumed, arena_.get(), limits, &diagnostics);
  if (!parsed.ok()) {
    *error_offset = diagnostics.error_offset;
    return parsed.take_status();
  }
  parsed_ = *parsed;
  if (parsed_.statement == nullptr) return Status();
  if (wanted_explain_.has_value()) parsed_.statement->explain = *wanted_explain_;
  parameters_.resize(static_cast<size_t>(parsed_.parameter_count));
  parameter_names_.assign(parsed_.parameter_names.begin(), parsed_.parameter_names.end());
  explain_ = parsed_.statement->explain;
  is_plain_ = is_plain(*parsed_.statement);
  consumed_ = *consumed;
  return Status();
}

Status Statement::recompile() {
  body_.reset();
  arena_->reset();
  ++counters_.recompilations;
  int error_offset = -1;
  size_t consumed = 0;
  GW_TRY(parse(connection_->parse_limits(), &consumed, &error_offset));
  return compile(&error_offset);
}

Status Statement::set_explain(ast::Explain mode) {
  if (mode == explain_) return Status();
  (void)reset();
  wanted_explain_ = mode;
  return recompile();
}

// Makes the body from the tree.
Status Statement::compile(int* error_offset) {
  context_.services = connection_;
  context_.interrupted = connection_->interrupt_flag();
  context_.parameters = parameters_;
  if (!controls_only_transaction(*parsed_.statement)) GW_TRY(connection_->ensure_schema());
  // Compiling may replace a schema (the temp database is made at its first use): the body refers to
  // objects of the one before, or of the one after.
  schemas_before_ = connection_->schemas();
  virtual_tables_.clear();
  VirtualTables::Collector collector(&connection_->virtual_tables(), &virtual_tables_);
  GW_ASSIGN(body_, compile_statement(
                       {connection_, &parsed_, sql_, arena_.get(), &context_, error_offset}));
  schemas_after_ = connection_->schemas();
  catalog_version_ = connection_->catalog_version();
  return Status();
}

// Begins the transactions that the body needs, compiling anew as long as the schema turns out to be
// another one than the body was compiled for.
Status Statement::start_body() {
  for (int attempt = 0;; ++attempt) {
    if (catalog_version_ != connection_->catalog_version()) {
      if (attempt >= kRecompileLimit) return Status(code::kSchema);
      GW_TRY(recompile());
    }
    GW_TRY(connection_->statement_begin_read(body_->reads() | body_->writes()));
    if (catalog_version_ != connection_->catalog_version()) continue;
    if (body_->writes() == 0) break;
    if (connection_->settings.query_only) {
      return Status(code::kReadOnly, "attempt to write a readonly database");
    }
    GW_TRY(connection_->statement_begin_write(body_->writes()));
    if (catalog_version_ == connection_->catalog_version()) break;
  }
  if ((body_->reads() | body_->writes()) != 0) {
    connection_->statement_is_reader();
    began_read_ = true;
  }
  if (body_->writes() != 0) {
    connection_->statement_is_writer();
    began_write_ = true;
    if (body_->needs_mark() && (!connection_->autocommit() || connection_->active_statements() > 1)) {
      GW_TRY(connection_->statement_mark(body_->writes()));
      marked_ = true;
    }
  }
  ++context_.execution;
  return body_->start();
}

Status Statement::start() {
  connection_->reset_statement_time();
  if (!is_plain_) connection_->forget_statements();
  ++counters_.runs;
  running_ = true;
  done_ = false;
  began_read_ = false;
  began_write_ = false;
  marked_ = false;
  schema_rollbacks_ = connection_->schema_rollbacks();
  rollbacks_ = connection_->rollbacks();
  connection_->statement_started();
  Status status = start_body();
  if (!status.ok() && !began_write_) connection_->statement_unread();
  return status;
}

Result<bool> Statement::step() {
  if (done_) (void)reset();
  if (!running_) {
    Status status = start();
    if (!status.ok()) return finish(std::move(status));
  }
  ++counters_.steps;
  if (connection_->interrupt_flag()->load(std::memory_order_relaxed)) [[unlikely]] {
    Status status = connection_->poll_step();
    if (!status.ok()) return finish(std::move(status));
  }
  const bool may_lose_rows = began_read_ && !began_write_;
  if (may_lose_rows && schema_rollbacks_ != connection_->schema_rollbacks()) [[unlikely]] {
    return finish(Status(code::kAbortRollback));
  }
  Result<bool> more = body_->step();
  if (!more.ok()) return finish(more.take_status());
  has_row_ = *more;
  if (!has_row_) {
    Status status = finish(Status());
    if (!status.ok()) return status;
  }
  return has_row_;
}

// Whether an error ends the whole transaction, as SQLite has it: I/O errors do, also of statements that
// only read; no memory and no space unless the statement can be undone by itself; an interruption if it
// writes. What is part of a statement that writes leaves it to that one.
bool Statement::breaks_transaction(const Status& status) const {
  if (is_part_ && connection_->active_writers() > (began_write_ ? 1 : 0)) return false;
  switch (code::primary(status.code())) {
    case code::kIoErr: return began_read_ || began_write_;
    case code::kNoMem:
    case code::kFull: return (began_read_ || began_write_) && !marked_;
    case code::kInterrupt: return began_write_;
    default: return false;
  }
}

bool Statement::was_rolled_back() const {
  return began_write_ && rollbacks_ != connection_->rollbacks();
}

// What a failed statement leaves of its changes: ABORT undoes the statement, FAIL keeps what was
// done, ROLLBACK ends the transaction. Other errors undo the statement where it has a mark. Without
// one it fails before it changes anything.
Status Statement::undo_failed(const Status& status) {
  if (was_rolled_back()) return Status();
  if (breaks_transaction(status)) {
    return connection_->autocommit() ? Status() : connection_->rollback();
  }
  if (!began_write_) return Status();
  ConflictAction action = body_ != nullptr ? body_->failure_action() : ConflictAction::kAbort;
  if (action == ConflictAction::kRollback) {
    if (!connection_->autocommit()) return connection_->rollback();
    return Status();
  }
  if (action == ConflictAction::kFail) return Status();
  return marked_ ? connection_->statement_undo(body_->writes()) : Status();
}

// Ends the run with `status`; returns it, or the error that came up in committing.
Status Statement::finish(Status status) {
  if (!running_) return status;
  running_ = false;
  has_row_ = false;
  done_ = true;
  bool keeps_changes = status.ok();
  if (was_rolled_back()) marked_ = false;
  if (!status.ok()) {
    keeps_changes = began_write_ && !breaks_transaction(status) && body_ != nullptr &&
                    body_->failure_action() == ConflictAction::kFail;
    Status undone = undo_failed(status);
    if (!undone.ok()) status = std::move(undone);
  }
  if (body_ != nullptr) body_->reset();
  if (marked_ && connection_->goes_on_after(began_write_)) {
    connection_->statement_unmark(body_->writes());
  }
  Status ended = connection_->statement_ended(began_read_, began_write_, keeps_changes);
  if (status.ok() && !ended.ok()) status = std::move(ended);
  marked_ = false;
  last_status_ = status;
  return status;
}

Status Statement::reset() {
  if (running_) (void)finish(Status());
  done_ = false;
  has_row_ = false;
  Status status = std::move(last_status_);
  last_status_ = Status();
  return status;
}

// ---- Parameters and columns -------------------------------------------------------------------------

int Statement::parameter_index(std::string_view name) const {
  if (name.empty()) return 0;
  for (size_t i = 0; i < parameter_names_.size(); ++i) {
    if (parameter_names_[i] == name) return static_cast<int>(i) + 1;
  }
  return 0;
}

std::string_view Statement::parameter_name(int number) const {
  if (number < 1 || number > parameter_count()) return {};
  size_t index = static_cast<size_t>(number) - 1;
  return index < parameter_names_.size() ? std::string_view(parameter_names_[index])
                                         : std::string_view();
}

Status Statement::bind(int number, const ValueView& value) {
  if (running_ || done_) return Status(code::kMisuse);
  if (number < 1 || number > parameter_count()) return Status(code::kRange);
  if (static_cast<int64_t>(value.size) > connection_->length_limit()) return Status(code::kTooBig);
  ValueView bound = value;
  bound.reserved = kFromBind;
  parameters_[static_cast<size_t>(number) - 1].assign(bound);
  return Status();
}

void Statement::clear_bindings() {
  for (Value& value : parameters_) value.set_null();
}

int Statement::column_count() const { return static_cast<int>(body_->columns().size()); }

const ColumnInfo& Statement::column_info(int index) const {
  return body_->columns()[static_cast<size_t>(index)];
}

ValueView Statement::column(int index) const {
  if (!has_row_ || index < 0 || index >= column_count()) return ValueView();
  return body_->column(index);
}

bool Statement::is_reusable() const {
  return is_plain_ && !wanted_explain_.has_value() && body_ != nullptr && !body_->holds_rows() && sql_.size() <= kReusableTextMax &&
         arena_->bytes_reserved() <= kReusableArenaMax;
}

bool Statement::is_read_only() const { return body_->is_read_only(); }

}  // namespace godwit
