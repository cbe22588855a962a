#include "engine/connection.h"

#include <algorithm>
#include <utility>

#include "engine/statement.h"
#include "value/collation.h"

namespace godwit {

namespace {
// Waits between attempts to take a lock: short ones first, as most locks are held briefly.
constexpr int kBusyDelaysMs[] = {1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100};
constexpr int kBusyDelayCount = static_cast<int>(std::size(kBusyDelaysMs));
// Between the Julian epoch (-4713-11-24 12:00) and the Unix epoch.
constexpr int64_t kUnixEpochJulianMs = 210866760000000;
}  // namespace

Result<std::unique_ptr<Connection>> Connection::open(const std::string& path,
                                                     const ConnectOptions& options) {
  std::unique_ptr<Connection> connection(new Connection());
  connection->options_ = options;
  connection->vfs_ = options.vfs != nullptr ? options.vfs : default_vfs();
  uint64_t seed = 0;
  connection->vfs_->randomness({reinterpret_cast<uint8_t*>(&seed), sizeof(seed)});
  connection->prng_.reseed(seed);
  PagerOptions pager_options;
  pager_options.read_only = options.read_only;
  pager_options.create = options.create;
  pager_options.no_follow = options.no_follow;
  pager_options.immutable = options.immutable;
  pager_options.no_lock = options.no_lock;
  std::string file = options.memory ? ":memory:" : path;
  GW_ASSIGN(auto pager, Pager::open(connection->vfs_, file, pager_options));
  AttachedDatabase main;
  main.name = "main";
  main.path = pager->path();
  main.btree = std::make_unique<Btree>(std::move(pager));
  connection->databases_.push_back(std::move(main));
  AttachedDatabase temp;
  temp.name = "temp";
  temp.cache_size = 0;
  connection->databases_.push_back(std::move(temp));
  connection->catalog_.databases = {{"main", nullptr}, {"temp", nullptr}};
  connection->set_busy_handler({});
  return connection;
}

Connection::~Connection() {
  forget_statements();
  if (!autocommit_) rollback_all();
  virtual_tables_.disconnect_all();
  end_read_all();
}

Result<std::unique_ptr<File>> Connection::open_temporary_file() {
  if (settings.temp_store == 2) return std::unique_ptr<File>();
  OpenOptions options;
  options.kind = FileKind::kTemporary;
  options.create = options.exclusive = options.delete_on_close = true;
  return vfs_->open("", options);
}

Status Connection::open_temp() {
  AttachedDatabase& temp = databases_[kTemp];
  if (temp.btree != nullptr) return Status();
  GW_ASSIGN(auto pager, Pager::open(vfs_, "", PagerOptions{}));
  adopt_pager(pager.get());
  if (settings.temp_store == 2) pager->set_cache_spill(false, 0);
  temp.btree = std::make_unique<Btree>(std::move(pager));
  adopt_btree(&temp);
  // A temporary database has the encoding of the main one: its texts meet the same comparisons.
  TextEncoding encoding = databases_[kMain].btree->encoding();
  if (encoding != TextEncoding::kUtf8) {
    GW_TRY(temp.btree->begin_read());
    GW_TRY(temp.btree->set_encoding(encoding));
  }
  return load_database_schema(kTemp);
}

ParseLimits Connection::parse_limits() const {
  ParseLimits parse;
  parse.expr_depth = static_cast<int>(limits.get(Limit::kExprDepth));
  parse.columns = static_cast<int>(limits.get(Limit::kColumn));
  parse.compound_select = static_cast<int>(limits.get(Limit::kCompoundSelect));
  parse.function_arguments = static_cast<int>(limits.get(Limit::kFunctionArg));
  parse.variable_number = static_cast<int>(limits.get(Limit::kVariableNumber));
  return parse;
}

// An arena that a statement left behind saves the next one the large allocations.
std::unique_ptr<Arena> Connection::take_arena() {
  return spare_arena_ != nullptr ? std::move(spare_arena_) : std::make_unique<Arena>();
}

void Connection::give_back_arena(std::unique_ptr<Arena> arena) {
  if (spare_arena_ != nullptr) return;
  arena->reset();
  if (arena->bytes_reserved() <= kSpareArenaBytesMax) spare_arena_ = std::move(arena);
}

void Connection::finalize(std::unique_ptr<Statement> statement) {
  statements_.keep(std::move(statement));
}

// Scripts are handed over statement by statement, each time with all that is left: only a window of
// that is looked at, or a long script would take quadratic time.
std::string_view Connection::first_statement(const char* sql, size_t limit) {
  constexpr size_t kFirstWindow = 16 * 1024;
  for (size_t window = kFirstWindow;; window *= 8) {
    const std::string_view text(sql, strnlen(sql, std::min(limit, window)));
    if (text.size() < window) return text;
    std::unique_ptr<Arena> arena = take_arena();
    size_t consumed = 0;
    const auto parsed = parse_statement(text, &consumed, arena.get(), parse_limits(), nullptr);
    give_back_arena(std::move(arena));
    if (parsed.ok() && consumed < text.size()) return text.substr(0, consumed);
  }
}

Result<std::unique_ptr<Statement>> Connection::prepare(std::string_view sql, size_t* tail) {
  error_offset_ = -1;
  std::string_view text = sql.substr(0, sql.find('\0'));
  // A text of one statement is parsed once, from the copy that the statement keeps. Of a script only
  // the first statement is copied, so a first pass finds where that ends.
  size_t semicolon = text.find(';');
  bool is_single =
      semicolon == std::string_view::npos ||
      text.find_first_not_of(" \t\r\n;", semicolon) == std::string_view::npos;
  size_t consumed = 0;
  ParseDiagnostics diagnostics;
  if (is_single) {
    consumed = semicolon == std::string_view::npos ? text.size() : semicolon + 1;
    if (statements_.size() > 0 && authorizer_ == nullptr) {
      GW_TRY(ensure_schema());
      std::unique_ptr<Statement> kept =
          statements_.take(text.substr(0, consumed), catalog_version_);
      if (kept != nullptr) {
        if (tail != nullptr) *tail = kept->consumed_;
        return kept;
      }
    }
  }
  std::unique_ptr<Statement> statement(new Statement());
  statement->connection_ = this;
  statement->arena_ = take_arena();
  if (!is_single) {
    auto parsed =
        parse_statement(text, &consumed, statement->arena_.get(), parse_limits(), &diagnostics);
    if (tail != nullptr) *tail = consumed;
    if (!parsed.ok()) {
      error_offset_ = diagnostics.error_offset;
      return parsed.take_status();
    }
    if (parsed->statement == nullptr) return std::unique_ptr<Statement>();
    statement->arena_->reset();
  }
  if (tail != nullptr) *tail = consumed;
  statement->sql_ = std::string(text.substr(0, consumed));
  GW_TRY(statement->parse(parse_limits(), &consumed, &error_offset_));
  if (tail != nullptr) *tail = consumed;
  if (statement->parsed_.statement == nullptr) return std::unique_ptr<Statement>();
  const uint64_t version = catalog_version_;
  Status status = statement->compile(&error_offset_);
  // What is not known may be what another connection has made since the schema was read.
  if (status.primary() == code::kError) {
    GW_TRY(check_schema_cookies());
    if (version != catalog_version_) {
      error_offset_ = -1;
      statement->arena_->reset();
      GW_TRY(statement->parse(parse_limits(), &consumed, &error_offset_));
      status = statement->compile(&error_offset_);
    }
  }
  GW_TRY(std::move(status));
  return statement;
}

Result<std::unique_ptr<Statement>> Connection::prepare_internal(std::string_view sql) {
  Authorizer* authorizer = std::exchange(authorizer_, nullptr);
  auto statement = prepare(sql, nullptr);
  authorizer_ = authorizer;
  if (statement.ok() && *statement != nullptr) (*statement)->is_part_ = true;
  return statement;
}

void Connection::set_authorizer(Authorizer* authorizer) {
  authorizer_ = authorizer;
  forget_statements();
  if (authorizer != nullptr) invalidate_statements();
}

namespace {

// Tells the capture of each row, and the application's observer of what it wants.
class CaptureObserver final : public RowObserver {
 public:
  CaptureObserver(const Connection* connection, RowObserver* application)
      : connection_(connection), application_(application) {}
  void before_change(const RowChange& change) override {
    if (application_ != nullptr) application_->before_change(change);
    // Incremental I/O shows the row as one that goes; what it becomes is told by itself.
    if (change.blob_column >= 0) return;
    if (ChangeCapture* capture = connection_->capture()) capture->row_changed(change);
  }
  void after_change(const RowChange& change) override {
    if (application_ != nullptr) application_->after_change(change);
  }
  bool wants_each_row() const override { return true; }

 private:
  const Connection* connection_;
  RowObserver* application_;
};

class CapturePair final : public ChangeCapture {
 public:
  CapturePair(ChangeCapture* first, ChangeCapture* second) : first_(first), second_(second) {}
  void row_changed(const RowChange& change) override {
    first_->row_changed(change);
    second_->row_changed(change);
  }
  void schema_changed(const SchemaChange& change) override {
    first_->schema_changed(change);
    second_->schema_changed(change);
  }
  void mark() override {
    first_->mark();
    second_->mark();
  }
  void undo() override {
    first_->undo();
    second_->undo();
  }
  void unmark() override {
    first_->unmark();
    second_->unmark();
  }
  Status statement_done() override {
    GW_TRY(first_->statement_done());
    return second_->statement_done();
  }
  Status savepoint() override {
    GW_TRY(first_->savepoint());
    return second_->savepoint();
  }
  void rolled_back_to(size_t count) override {
    first_->rolled_back_to(count);
    second_->rolled_back_to(count);
  }
  void released(size_t count) override {
    first_->released(count);
    second_->released(count);
  }
  Status before_commit() override {
    GW_TRY(first_->before_commit());
    return second_->before_commit();
  }
  void ended(bool committed) override {
    first_->ended(committed);
    second_->ended(committed);
  }

 private:
  ChangeCapture* first_;
  ChangeCapture* second_;
};

}  // namespace

void Connection::set_row_observer(RowObserver* observer) {
  row_observer_ = observer;
  choose_observer();
}

void Connection::set_capture(CaptureKind kind, std::unique_ptr<ChangeCapture> capture) {
  auto& [recorder, data_changes] = captures_;
  capture_pair_.reset();
  captures_[static_cast<size_t>(kind)] = std::move(capture);
  ChangeCapture* fresh = captures_[static_cast<size_t>(kind)].get();
  for (size_t i = 0; fresh != nullptr && i < savepoints_.size(); ++i) (void)fresh->savepoint();
  if (recorder != nullptr && data_changes != nullptr) {
    capture_pair_ = std::make_unique<CapturePair>(data_changes.get(), recorder.get());
    capture_ = capture_pair_.get();
  } else {
    capture_ = recorder != nullptr ? recorder.get() : data_changes.get();
  }
  choose_observer();
}

void Connection::choose_observer() {
  capture_observer_.reset();
  if (capture_ != nullptr) {
    capture_observer_ = std::make_unique<CaptureObserver>(this, row_observer_);
  }
  told_ = capture_ != nullptr ? capture_observer_.get() : row_observer_;
  forget_statements();
  invalidate_statements();
}

// ---- Schema ---------------------------------------------------------------------------------------

Status Connection::load_database_schema(int database) {
  AttachedDatabase& db = databases_[database];
  if (db.btree == nullptr) {
    auto schema = std::make_shared<Schema>();
    schema->encoding = databases_[kMain].btree->encoding();
    auto self = make_schema_table(database, schema->encoding);
    schema->tables[self->name] = self;
    db.schema = std::move(schema);
  } else {
    GW_TRY(db.btree->begin_read());
    GW_ASSIGN(db.schema, load_schema(db.btree.get(), database, collation_lookup(), db.schema.get()));
    db.checked_version = db.btree->pager().snapshot_version();
    db.has_checked_version = true;
  }
  catalog_.databases[database].name = db.name;
  catalog_.databases[database].schema = db.schema;
  ++catalog_version_;
  virtual_tables_.drop_stale();
  if (database == kMain && hooks_.schema_loaded != nullptr && !has_changes()) {
    hooks_.schema_loaded(hooks_.schema_loaded_context);
  }
  return Status();
}

// Reloads when another connection changed the schema since it was loaded.
Status Connection::check_schema_cookie(int database) {
  AttachedDatabase& db = databases_[database];
  uint64_t version = db.btree->pager().snapshot_version();
  if (db.has_checked_version && db.checked_version == version) return Status();
  GW_ASSIGN(uint32_t cookie, db.btree->meta(MetaField::kSchemaCookie));
  if (cookie != db.schema->cookie || db.btree->encoding() != db.schema->encoding) {
    return load_database_schema(database);
  }
  db.checked_version = version;
  db.has_checked_version = true;
  return Status();
}

Status Connection::check_schema_cookies() {
  const bool idle = autocommit_ && active_statements_ == 0;
  Status status;
  for (size_t i = 0; i < databases_.size() && status.ok(); ++i) {
    if (databases_[i].btree == nullptr || databases_[i].schema == nullptr) continue;
    const bool was_reading = databases_[i].btree->pager().is_reading();
    status = databases_[i].btree->begin_read();
    if (status.ok()) status = check_schema_cookie(static_cast<int>(i));
    // A transaction has not begun to read what only the schema was looked up in.
    if (!was_reading && !idle) databases_[i].btree->end_read();
  }
  if (idle) end_read_all();
  return status;
}

Status Connection::ensure_schema() {
  bool idle = autocommit_ && active_statements_ == 0;
  Status status;
  for (size_t i = 0; i < databases_.size() && status.ok(); ++i) {
    if (databases_[i].schema != nullptr) continue;
    const bool was_reading =
        databases_[i].btree == nullptr || databases_[i].btree->pager().is_reading();
    status = load_database_schema(static_cast<int>(i));
    if (!was_reading && !idle) databases_[i].btree->end_read();
  }
  if (idle) end_read_all();
  return status;
}

Status Connection::reload_schema(int database) {
  databases_[database].schema_changed = true;
  return load_database_schema(database);
}

Status Connection::bump_schema_cookie(int database) {
  Btree& tree = *databases_[database].btree;
  GW_ASSIGN(uint32_t cookie, tree.meta(MetaField::kSchemaCookie));
  return tree.set_meta(MetaField::kSchemaCookie, cookie + 1);
}

void Connection::forget_schemas() {
  for (AttachedDatabase& db : databases_) {
    db.schema = nullptr;
    db.has_checked_version = false;
  }
  ++catalog_version_;
}

const std::shared_ptr<const SchemaList>& Connection::schemas() {
  bool is_current =
      schemas_ != nullptr &&
      std::equal(schemas_->begin(), schemas_->end(), databases_.begin(), databases_.end(),
                 [](const auto& held, const AttachedDatabase& db) { return held == db.schema; });
  if (!is_current) {
    auto list = std::make_shared<SchemaList>();
    for (const AttachedDatabase& db : databases_) list->push_back(db.schema);
    schemas_ = std::move(list);
  }
  return schemas_;
}

// After a rollback: schemas that the transaction had changed are read again at their next use.
void Connection::forget_changed_schemas() {
  for (size_t i = 0; i < databases_.size(); ++i) {
    AttachedDatabase& db = databases_[i];
    if (!db.schema_changed) continue;
    db.schema_changed = false;
    db.schema = nullptr;
    db.has_checked_version = false;
    ++catalog_version_;
  }
  virtual_tables_.drop_stale();
}

void Connection::rename_main(const std::string& name) {
  databases_[kMain].name = catalog_.databases[kMain].name = name;
  forget_statements();
  invalidate_statements();
}

void Connection::forget_schema(int database) {
  forget_statements();
  AttachedDatabase& db = databases_[static_cast<size_t>(database)];
  db.schema = nullptr;
  db.has_checked_version = false;
  ++catalog_version_;
}

Status Connection::attach(const std::string& path, const std::string& name) {
  PagerOptions pager_options;
  pager_options.read_only = options_.read_only;
  pager_options.create = options_.create;
  pager_options.no_follow = options_.no_follow;
  GW_ASSIGN(auto pager, Pager::open(vfs_, path, pager_options));
  adopt_pager(pager.get());
  AttachedDatabase db;
  db.name = name;
  db.path = pager->path();
  db.btree = std::make_unique<Btree>(std::move(pager));
  adopt_btree(&db);
  db.btree->set_secure_delete(databases_[kMain].btree->secure_delete());
  databases_.push_back(std::move(db));
  catalog_.databases.push_back({name, nullptr});
  int index = static_cast<int>(databases_.size()) - 1;
  Status status = load_database_schema(index);
  AttachedDatabase& added = databases_.back();
  if (status.ok() && added.schema->encoding != databases_[kMain].btree->encoding() &&
      added.btree->pager().page_count() > 0) {
    status = Status::error("attached databases must use the same text encoding as main database");
  }
  added.btree->end_read();
  if (!status.ok()) {
    databases_.pop_back();
    catalog_.databases.pop_back();
    ++catalog_version_;
  }
  return status;
}

Status Connection::open_buffer(int database, const MemoryBuffer& buffer) {
  GW_TRY(ensure_schema());
  AttachedDatabase& db = databases_[static_cast<size_t>(database)];
  if (db.btree->pager().is_reading() || db.backups > 0) {
    return Status(code::kBusy, "database is locked");
  }
  auto vfs = std::make_shared<BufferVfs>(buffer);
  // An error leaves the buffer to the caller.
  auto release = std::exchange(vfs->buffer().release, nullptr);
  GW_ASSIGN(auto pager, Pager::open(vfs.get(), BufferVfs::kPath, PagerOptions{}));
  // What is wrong with the content shows when it is read.
  (void)pager->set_journal_mode(JournalMode::kMemory);
  adopt_pager(pager.get());
  vfs->buffer().release = release;
  db.btree = std::make_unique<Btree>(std::move(pager));
  adopt_btree(&db);
  db.buffer = std::move(vfs);
  db.path.clear();
  forget_schema(database);
  return Status();
}

Status Connection::detach(const std::string& name) {
  int index = find_database(name);
  bool is_unused_temp = index == kTemp && databases_[kTemp].btree == nullptr;
  if (index < 0 || is_unused_temp) return Status::error("no such database: " + name);
  if (index <= kTemp) return Status::error("cannot detach database " + name);
  if (databases_[index].btree->pager().is_reading() || databases_[index].backups > 0) {
    return Status::error("database " + name + " is locked");
  }
  databases_.erase(databases_.begin() + index);
  catalog_.databases.erase(catalog_.databases.begin() + index);
  // Tables know the number of their database: those behind the gap are loaded anew.
  for (size_t i = static_cast<size_t>(index); i < databases_.size(); ++i) {
    databases_[i].schema = nullptr;
    catalog_.databases[i].schema = nullptr;
  }
  ++catalog_version_;
  virtual_tables_.drop_stale();
  return ensure_schema();
}

const Collation* Connection::find_collation(std::string_view name) const {
  if (const Collation* own = collations_.find(name)) return own;
  const Collation* builtin = builtin_collation(name, databases_[kMain].btree->encoding());
  if (builtin != nullptr || hooks_.collation_needed == nullptr) return builtin;
  hooks_.collation_needed(hooks_.collation_context, std::string(name));
  return collations_.find(name);
}

// ---- Functions and collations of the application ----------------------------------------------------

// Statements that were compiled with what is about to change are compiled anew before their next run.
Status Connection::set_function(std::unique_ptr<UserFunction> function) {
  if (functions_.find_user(function->name, function->argument_count) != nullptr &&
      active_statements_ > 0) {
    return Status(code::kBusy, "unable to delete/modify user-function due to active statements");
  }
  forget_statements();
  functions_.add(std::move(function));
  invalidate_statements();
  return Status();
}

Status Connection::remove_function(std::string_view name, int argument_count) {
  if (functions_.find_user(name, argument_count) == nullptr) return Status();
  if (active_statements_ > 0) {
    return Status(code::kBusy, "unable to delete/modify user-function due to active statements");
  }
  forget_statements();
  functions_.remove(name, argument_count);
  invalidate_statements();
  return Status();
}

Status Connection::set_collation(std::string_view name, Collation::CompareFunction compare,
                                 void* context, void (*destroy)(void*)) {
  if (collations_.find(name) != nullptr && active_statements_ > 0) {
    return Status(code::kBusy,
                  "unable to delete/modify collation sequence due to active statements");
  }
  forget_statements();
  if (compare != nullptr) {
    collations_.set(name, compare, context, destroy);
  } else {
    collations_.remove(name);
  }
  // Tables and indexes name collations: they are looked up again.
  if (active_statements_ == 0) {
    for (AttachedDatabase& db : databases_) db.schema = nullptr;
  }
  invalidate_statements();
  return Status();
}

void Connection::set_module(std::string_view name, std::shared_ptr<VirtualModule> module) {
  forget_statements();
  virtual_tables_.set_module(name, std::move(module));
  invalidate_statements();
}

CollationLookup Connection::collation_lookup() {
  return {[](void* context, std::string_view name) {
            return static_cast<Connection*>(context)->find_collation(name);
          },
          this};
}

// ---- Busy handling ----------------------------------------------------------------------------------

bool Connection::retry_busy(void* context, int attempt) {
  auto* self = static_cast<Connection*>(context);
  int waited = 0;
  for (int i = 0; i < attempt; ++i) waited += kBusyDelaysMs[std::min(i, kBusyDelayCount - 1)];
  int delay = kBusyDelaysMs[std::min(attempt, kBusyDelayCount - 1)];
  if (waited + delay > self->settings.busy_timeout_ms) {
    delay = self->settings.busy_timeout_ms - waited;
    if (delay <= 0) return false;
  }
  self->vfs_->sleep_us(static_cast<uint64_t>(delay) * 1000);
  return !self->is_interrupted();
}

void Connection::set_busy_handler(BusyHandler handler) {
  settings.busy_timeout_ms = 0;
  busy_handler_ = handler;
  for (AttachedDatabase& db : databases_) {
    if (db.btree != nullptr) db.btree->pager().set_busy_handler(handler);
  }
}

void Connection::set_busy_timeout(int milliseconds) {
  if (milliseconds <= 0) {
    set_busy_handler({});
    return;
  }
  set_busy_handler({&Connection::retry_busy, this});
  settings.busy_timeout_ms = milliseconds;
}

void Connection::random_bytes(void* out, size_t count) { prng_.fill(out, count); }

int64_t Connection::statement_time_ms() {
  if (statement_time_ms_ == 0) statement_time_ms_ = vfs_->current_time_ms() + kUnixEpochJulianMs;
  return statement_time_ms_;
}

}  // namespace godwit
