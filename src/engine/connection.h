// Connection: a set of attached databases, a transaction across them, and what statements of one
// user share (limits, settings, counters). The C++ heart of the library; the C API is a thin skin
// over it (api/).
//
// Threads: a connection and its statements are used by one thread at a time (api/ serializes);
// interrupt() may be called from any thread.
//
// Transactions. `autocommit` is SQLite's: true outside BEGIN ... COMMIT and outside SAVEPOINT.
//
//                       BEGIN, SAVEPOINT
//     autocommit  -------------------------->  explicit transaction
//         ^                                             |
//         +--- COMMIT, RELEASE of the outermost, ROLLBACK (also forced by an error) ---+
//
// In autocommit mode a statement that writes commits when it ends. Locks and snapshots are taken by
// the first statement that needs them and are given up when no statement is active and autocommit
// is on.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/prng.h"
#include "base/status.h"
#include "btree/btree.h"
#include "catalog/load.h"
#include "catalog/schema.h"
#include "engine/change_capture.h"
#include "engine/collation_registry.h"
#include "engine/hooks.h"
#include "engine/limits.h"
#include "engine/schema_list.h"
#include "engine/statement_cache.h"
#include "engine/virtual_tables.h"
#include "exec/exec_context.h"
#include "exec/foreign_key_counters.h"
#include "function/registry.h"
#include "os/memory/buffer_vfs.h"
#include "pager/pager.h"
#include "sql/parser.h"

namespace godwit {

class Authorizer;
class Statement;
class SuperJournal;

struct ConnectOptions {
  bool read_only = false;
  bool create = true;
  bool memory = false;     // SQLITE_OPEN_MEMORY
  bool no_follow = false;  // SQLITE_OPEN_NOFOLLOW
  bool immutable = false;  // URI immutable=1
  bool no_lock = false;    // URI nolock=1
  Vfs* vfs = nullptr;   // null: the default
};

// Settings that pragmas and sqlite3_db_config() change.
struct ConnectionSettings {
  bool foreign_keys = false;
  bool recursive_triggers = false;
  bool ignore_check_constraints = false;
  bool case_sensitive_like = false;
  bool count_changes = false;
  bool full_column_names = false;
  bool short_column_names = true;
  bool reverse_unordered_selects = false;
  bool cell_size_check = false;
  bool query_only = false;
  bool automatic_index = true;
  bool trusted_schema = true;
  bool legacy_alter_table = false;
  bool writable_schema = false;
  bool fullfsync = false;
  bool checkpoint_fullfsync = false;
  bool read_uncommitted = false;
  bool empty_result_callbacks = false;
  bool load_extension = false;           // by the C interface
  bool load_extension_function = false;  // by the SQL function
  bool cache_spill = true;
  bool double_quoted_strings_dml = true;
  bool double_quoted_strings_ddl = true;
  bool triggers = true;
  bool views = true;
  bool defensive = false;
  bool no_checkpoint_on_close = false;
  bool attach_creates = true;
  bool attach_writes = true;
  bool reset_database = false;  // the next VACUUM empties the database
  int fp_digits = 17;  // the rest is remembered, without effect
  bool fts3_tokenizer = false;
  bool stable_plans = false;
  bool explains_triggers = false;
  bool legacy_file_format = false;
  bool scan_status = false;
  bool comments = true;
  int temp_store = 0;
  bool locking_exclusive = false;  // as PRAGMA locking_mode was set last without naming a database
  int busy_timeout_ms = 0;
  int worker_threads = 0;
  int analysis_limit = 0;
  // What the next VACUUM makes of the file. 0, -1: as it is.
  uint32_t next_page_size = 0;
  int next_auto_vacuum = -1;
};

struct AttachedDatabase {
  std::string name;  // "main", "temp", or the ATTACH name
  std::string path;  // as opened; "" for temporary ones
  std::shared_ptr<BufferVfs> buffer;  // null: not in memory that the application provided
  std::unique_ptr<Btree> btree;         // null: temp, before its first use
  std::shared_ptr<const Schema> schema;  // null: not loaded yet
  // Snapshot for which the schema cookie was last compared.
  uint64_t checked_version = 0;
  bool has_checked_version = false;
  bool schema_changed = false;  // by the open transaction: a rollback must reload
  int backups = 0;              // that read from or write to it
  uint32_t savepoints = 0;      // savepoints open in the pager, those of statements included
  int cache_size = -2000;       // as PRAGMA cache_size: pages, or KiB when negative
  int spill_size = 1;           // PRAGMA cache_spill, likewise
  int synchronous = -1;         // as it was set, 0 to 7; -1: as the pager has it
  int64_t journal_size_limit = -1;
  int64_t mmap_size = 0;        // files are not mapped: only remembered
};

class Connection final : public ExecServices {
 public:
  static constexpr int kMain = 0;
  static constexpr int kTemp = 1;

  // Opens `path` ("" and ":memory:" are private databases). The file is read at the first use, as in
  // SQLite. Errors: kCantOpen and its variants, kNoMem.
  static Result<std::unique_ptr<Connection>> open(const std::string& path,
                                                  const ConnectOptions& options);
  // Rolls back what is open. All statements must have been finalized.
  ~Connection() override;

  // --- Statements ---------------------------------------------------------------------------------
  // Compiles the first statement of `sql`; *tail receives the bytes consumed. Null: the text holds
  // no statement. error_offset() is set on syntax and name errors.
  Result<std::unique_ptr<Statement>> prepare(std::string_view sql, size_t* tail);
  // The part of `sql` (which ends at a NUL or after `limit` bytes) that prepare() needs: the first
  // statement of a long script, or all of it.
  std::string_view first_statement(const char* sql, size_t limit);
  ParseLimits parse_limits() const;
  // A statement's end, after its reset(): it is kept for the next prepare() of its text, or destroyed.
  void finalize(std::unique_ptr<Statement> statement);
  // Whatever changes what compiling a text gives (settings, limits, functions, the schema) calls this.
  void forget_statements() { statements_.clear(); }
  // A statement dies: its arena serves the next one, unless it grew large.
  void give_back_arena(std::unique_ptr<Arena> arena);
  // For statements that the library itself needs: no authorizer is asked.
  Result<std::unique_ptr<Statement>> prepare_internal(std::string_view sql);
  // Null: everything is allowed. Statements that were compiled before are compiled anew.
  void set_authorizer(Authorizer* authorizer);
  Authorizer* authorizer() const { return authorizer_; }
  int error_offset() const { return error_offset_; }
  void set_error_offset(int offset) { error_offset_ = offset; }

  void interrupt() {
    interrupted_.store(true, std::memory_order_relaxed);
    wants_poll_.store(true, std::memory_order_relaxed);
  }
  bool is_interrupted() const { return interrupted_.load(std::memory_order_relaxed); }
  const std::atomic<bool>* interrupt_flag() const { return &wants_poll_; }
  Status poll() override;
  // The same for a step of a statement, whose work is small.
  Status poll_step() { return poll_after(kInstructionsPerStep); }

  const ConnectionHooks& hooks() const { return hooks_; }
  void set_commit_hook(int (*hook)(void*), void* context) {
    hooks_.commit = hook;
    hooks_.commit_context = context;
  }
  void set_rollback_hook(void (*hook)(void*), void* context) {
    hooks_.rollback = hook;
    hooks_.rollback_context = context;
  }
  void set_extension_loader(Status (*load)(void*, std::string_view, std::string_view),
                            void* context) {
    hooks_.load_extension = load;
    hooks_.load_extension_context = context;
  }
  void set_schema_loaded_hook(void (*hook)(void*), void* context) {
    hooks_.schema_loaded = hook;
    hooks_.schema_loaded_context = context;
  }
  void set_data_capture_hook(Status (*hook)(void*, const std::string*, DataCaptureState*), void* context) {
    hooks_.data_capture = hook;
    hooks_.data_capture_context = context;
  }
  void set_progress_hook(int interval, int (*hook)(void*), void* context);
  void set_wal_hook(int (*hook)(void*, const char*, int), void* context) {
    hooks_.wal = hook;
    hooks_.wal_context = context;
  }
  void set_collation_needed_hook(void (*hook)(void*, const std::string&), void* context) {
    hooks_.collation_needed = hook;
    hooks_.collation_context = context;
  }

  // --- WAL (engine/checkpoint.cc) -------------------------------------------------------------------
  // Of `database`, or of all (-1). *result: of the first. Errors: kBusy where not all that the mode asks
  // could be done, kLocked inside a transaction.
  Status checkpoint(int database, CheckpointMode mode, CheckpointResult* result);
  // Is asked at commits how many free pages full auto-vacuum shall give back, see Btree; null: all.
  using VacuumLimit = std::function<uint32_t(const std::string& database, uint32_t pages,
                                             uint32_t free_pages, uint32_t page_size)>;
  void set_vacuum_limit(VacuumLimit limit);
  // The same figures without a checkpoint.
  Status inspect_wal(int database, CheckpointResult* result);
  // Frames after which a commit starts a checkpoint, for all databases; 0: never.
  void set_wal_autocheckpoint(int frames);
  int wal_autocheckpoint() const { return wal_autocheckpoint_; }
  // Whether a thread of the library copies the WAL after commits (Pager::set_background_checkpoint).
  void set_background_checkpoint(bool on);
  bool background_checkpoint() const { return background_checkpoint_; }

  // --- Databases and schema -----------------------------------------------------------------------
  std::vector<AttachedDatabase>& databases() { return databases_; }
  const Catalog& catalog() const { return catalog_; }
  int find_database(std::string_view name) const { return catalog_.find_database(name); }
  // Loads schemas that are not loaded, or that a change by others made stale (needs and takes read
  // transactions).
  Status ensure_schema();
  // Schema of `database` must be loaded anew: its cookie was changed by this connection.
  Status reload_schema(int database);
  // All are read again at their next use.
  void forget_schemas();
  // The file was rewritten and committed by VACUUM.
  Status reload_after_vacuum(int database) { return load_database_schema(database); }
  // The main database is known under another name from now on.
  void rename_main(const std::string& name);
  // It is loaded at its next use: its content was exchanged.
  void forget_schema(int database);
  // Makes the temp database usable.
  Status open_temp();
  // Opens `path` as database `name` (ATTACH). DETACH closes.
  Status attach(const std::string& path, const std::string& name);
  Status detach(const std::string& name);
  // Exchanges database `database` for the content of a buffer. Errors: kBusy while it is in use; then
  // the buffer still belongs to the caller.
  Status open_buffer(int database, const MemoryBuffer& buffer);
  const Collation* find_collation(std::string_view name) const;
  CollationLookup collation_lookup();

  // --- Transactions (engine/transaction.cc) ---------------------------------------------------------
  bool autocommit() const { return autocommit_; }
  Status begin(ast::BeginMode mode);
  Status commit();
  Status rollback();
  Status savepoint(std::string_view name);
  Status release(std::string_view name);
  Status rollback_to(std::string_view name);

  // A statement starts and ends. Databases are bits: 1 << index.
  Status statement_begin_read(uint64_t databases);
  // May wait for a lock, and then find another schema.
  Status statement_begin_write(uint64_t databases);
  void statement_unread();
  // Makes a mark that statement_undo() goes back to (SQLite's statement journal). Requires writing.
  Status statement_mark(uint64_t databases);
  Status statement_undo(uint64_t databases);
  void statement_unmark(uint64_t databases);
  void statement_started();
  void statement_is_writer() { ++active_writers_; }
  void statement_is_reader() { ++active_readers_; }
  // The transaction goes on when a statement, the one at hand, ends.
  bool goes_on_after(bool is_writer) const {
    return !autocommit_ || active_writers_ > (is_writer ? 1 : 0);
  }
  // Ends a statement's part in the transaction: commits or gives locks up in autocommit mode.
  Status statement_ended(bool reads, bool writes, bool success);
  int active_statements() const { return active_statements_; }
  // How often ROLLBACK TO has taken back a change of the schema, which ends the statements that read.
  uint64_t schema_rollbacks() const { return schema_rollbacks_; }
  // How often changes of statements that still run may have been taken back: marks set before are gone.
  uint64_t rollbacks() const { return rollbacks_; }
  int active_writers() const { return active_writers_; }
  int active_readers() const { return active_readers_; }
  // Increases the schema cookie; the schema is reloaded by the caller.
  Status bump_schema_cookie(int database);

  // --- Functions and collations of the application ------------------------------------------------
  FunctionRegistry& functions() { return functions_; }
  const CollationRegistry& collations() const { return collations_; }
  // Adds or replaces. Errors: kBusy where one is replaced while statements run.
  Status set_function(std::unique_ptr<UserFunction> function);
  Status remove_function(std::string_view name, int argument_count);
  // `compare` null: removes. On an error `destroy` is not called.
  Status set_collation(std::string_view name, Collation::CompareFunction compare, void* context,
                       void (*destroy)(void*));
  // Adds or replaces; null: removes.
  void set_module(std::string_view name, std::shared_ptr<VirtualModule> module);
  VirtualTables& virtual_tables() { return virtual_tables_; }

  // --- Settings and counters ------------------------------------------------------------------------
  ConnectionSettings settings;
  Limits limits;
  void set_busy_handler(BusyHandler handler);
  void set_busy_timeout(int milliseconds);
  const BusyHandler& busy_handler() const { return busy_handler_; }
  Vfs* vfs() const { return vfs_; }
  const std::string& path() const { return databases_[kMain].path; }
  bool is_read_only() const { return options_.read_only; }
  // Advances with every change of the catalog: statements prepared before are stale.
  uint64_t catalog_version() const { return catalog_version_; }
  // The schemas of all databases as they are now, for those who must keep them alive.
  const std::shared_ptr<const SchemaList>& schemas();
  void invalidate_statements() { ++catalog_version_; }

  // --- ExecServices -----------------------------------------------------------------------------------
  // The temp database is made when something asks for it first.
  Btree* btree(int database) override {
    if (database == kTemp && databases_[kTemp].btree == nullptr) (void)open_temp();
    return databases_[static_cast<size_t>(database)].btree.get();
  }
  TextEncoding encoding() const override { return databases_[kMain].btree->encoding(); }
  int64_t last_insert_rowid() const override { return last_insert_rowid_; }
  void set_last_insert_rowid(int64_t rowid) override { last_insert_rowid_ = rowid; }
  int64_t changes() const override { return changes_; }
  int64_t total_changes() const override { return total_changes_; }
  void set_changes(int64_t changes) override { changes_ = changes; }
  void add_total_changes(int64_t changes) override { total_changes_ += changes; }
  uint32_t trigger_depth_limit() const override {
    return static_cast<uint32_t>(limits.get(Limit::kTriggerDepth));
  }
  // Tells the application's observer, the capture, or both.
  RowObserver* row_observer() override { return told_; }
  Result<std::unique_ptr<File>> open_temporary_file() override;
  // Null: nobody is told of changes. Statements that were compiled before are compiled anew.
  void set_row_observer(RowObserver* observer);
  // Null: nothing is captured. Requires that the transaction, if one is open, has changed nothing.
  void set_capture(CaptureKind kind, std::unique_ptr<ChangeCapture> capture);
  ChangeCapture* capture(CaptureKind kind) const { return captures_[static_cast<size_t>(kind)].get(); }
  // Tells all that there are; null: nobody is to be told.
  ChangeCapture* capture() const { return capture_pauses_ == 0 ? capture_ : nullptr; }
  // What is done until resume_capture() is no change of the user's: nobody is told.
  void pause_capture() { ++capture_pauses_; }
  void resume_capture() { --capture_pauses_; }
  // Of the open transaction, in database "main".
  bool has_changes() const;
  Status begin_virtual_write(VirtualTable* table) override {
    return virtual_tables_.begin(table, open_marks());
  }
  ForeignKeyCounters* foreign_key_counters() override { return &foreign_key_counters_; }
  void random_bytes(void* out, size_t count) override;
  int64_t statement_time_ms() override;
  int64_t length_limit() const override { return limits.get(Limit::kLength); }
  int like_pattern_limit() const override {
    return static_cast<int>(limits.get(Limit::kLikePatternLength));
  }
  Status load_extension(std::string_view file, std::string_view entry) override {
    if (hooks_.load_extension == nullptr) return Status::error("not authorized");
    return hooks_.load_extension(hooks_.load_extension_context, file, entry);
  }
  void reset_statement_time() { statement_time_ms_ = 0; }

 private:
  struct NamedSavepoint {
    std::string name;
    bool starts_transaction;  // opened in autocommit mode: releasing it commits
    ForeignKeyCounters foreign_keys;  // when it was opened
  };

  static constexpr int kInstructionsPerStep = 10;
  static constexpr int kInstructionsPerChunk = 5000;
  static constexpr size_t kSpareArenaBytesMax = 64 * 1024;

  Connection() = default;
  std::unique_ptr<Arena> take_arena();
  Status load_database_schema(int database);
  Status check_schema_cookie(int database);
  Status check_schema_cookies();  // of all databases
  Status begin_write_on(int database, bool exclusive);
  Status poll_after(int instructions);
  Status commit_all();
  Status ask_capture(Status (ChangeCapture::*question)());
  void choose_observer();
  Status call_wal_hook();
  void adopt_pager(Pager* pager) const;
  void adopt_btree(AttachedDatabase* database) const;
  bool has_open_writes() const;
  Status prepare_common_commit(std::optional<SuperJournal>* super_journal);
  void rollback_all();
  void end_read_all();
  void forget_changed_schemas();
  int find_savepoint(std::string_view name) const;
  // Savepoints inside the transaction, and marks of statements, as virtual tables count them.
  int open_savepoints() const {
    int count = static_cast<int>(savepoints_.size());
    return count > 0 && savepoints_.front().starts_transaction ? count - 1 : count;
  }
  int virtual_number(int savepoint) const {
    return savepoints_.front().starts_transaction ? savepoint - 1 : savepoint;
  }
  int open_marks() const { return open_savepoints() + statement_marks_; }
  static bool retry_busy(void* context, int attempt);

  ConnectOptions options_;
  Vfs* vfs_ = nullptr;
  std::vector<AttachedDatabase> databases_;
  Catalog catalog_;
  uint64_t catalog_version_ = 1;
  std::shared_ptr<const SchemaList> schemas_;  // as they were at the last compilation
  bool autocommit_ = true;
  std::vector<NamedSavepoint> savepoints_;
  int active_statements_ = 0;
  int active_writers_ = 0;
  uint64_t schema_rollbacks_ = 0;
  uint64_t rollbacks_ = 0;
  uint64_t fresh_reads_ = 0;  // databases (bits) whose snapshot the statement that starts has taken
  int active_readers_ = 0;  // statements that run and use a database, writers among them
  int statement_marks_ = 0;
  BusyHandler busy_handler_;
  ForeignKeyCounters foreign_key_counters_;
  int64_t last_insert_rowid_ = 0;
  int64_t changes_ = 0;
  int64_t total_changes_ = 0;
  int64_t statement_time_ms_ = 0;
  int error_offset_ = -1;
  std::atomic<bool> interrupted_{false};
  std::atomic<bool> wants_poll_{false};  // interrupted, or there is a progress hook
  ConnectionHooks hooks_;
  // Databases whose WAL grew by the last commit, and its length; kept for the hook only.
  std::vector<std::pair<int, int>> grown_wals_;
  int wal_autocheckpoint_ = 1000;
  bool background_checkpoint_ = true;
  VacuumLimit vacuum_limit_;
  int progress_interval_ = 0;
  int progress_left_ = 0;
  Authorizer* authorizer_ = nullptr;
  RowObserver* row_observer_ = nullptr;  // the application's
  std::array<std::unique_ptr<ChangeCapture>, 2> captures_;
  std::unique_ptr<ChangeCapture> capture_pair_;  // of both
  ChangeCapture* capture_ = nullptr;
  int capture_pauses_ = 0;
  RowObserver* told_ = nullptr;
  std::unique_ptr<RowObserver> capture_observer_;
  FunctionRegistry functions_;
  CollationRegistry collations_;
  VirtualTables virtual_tables_{this};
  std::unique_ptr<Arena> spare_arena_;
  StatementCache statements_;
  Prng prng_;
};

}  // namespace godwit
