// Modules of applications: sqlite3_module behind the engine's VirtualModule, VirtualTable and
// VirtualCursor.
#include <cstdarg>
#include <cstring>
#include <memory>

#include "api/arguments.h"
#include "api/handles.h"
#include "function/virtual_table.h"
#include "value/collation.h"

using namespace godwit;
using namespace godwit::api;

// What a module says about the table that it makes.
struct VirtualConstructor {
  VirtualConstructor* outer = nullptr;
  const sqlite3_module* module = nullptr;
  std::string declaration;
  bool is_declared = false;
  bool supports_constraints = false;
  VirtualRisk risk = VirtualRisk::kNormal;
};

// The values of an IN that is handled at once.
struct InSet {
  std::vector<sqlite3_value> members;
  size_t next = 0;
};

namespace {

// The outcome of a method, with the message that it left.
Status take_status(sqlite3_vtab* vtab, int code) {
  std::string message;
  if (vtab->zErrMsg != nullptr) {
    message = vtab->zErrMsg;
    sqlite3_free(vtab->zErrMsg);
    vtab->zErrMsg = nullptr;
  }
  if (code == SQLITE_OK) return Status();
  return message.empty() ? Status(code) : Status(code, std::move(message));
}

// --- Cursors ----------------------------------------------------------------------------------------

class ModuleCursor final : public VirtualCursor {
 public:
  ModuleCursor(sqlite3* db, sqlite3_vtab* vtab, sqlite3_vtab_cursor* cursor)
      : db_(db), vtab_(vtab), module_(vtab->pModule), cursor_(cursor) {}
  ~ModuleCursor() override {
    module_->xClose(cursor_);
    --vtab_->nRef;
  }
  void take_set(size_t argument, std::span<const ValueView> members) override;
  Status filter(int plan_number, std::string_view plan_text,
                std::span<const ValueView> arguments) override;
  Status fetch(VirtualRows* rows) override;

 private:
  Status add_row(VirtualRows* rows);
  Status read_column(int32_t column, VirtualRows* rows);

  sqlite3* db_;
  sqlite3_vtab* vtab_;
  const sqlite3_module* module_;
  sqlite3_vtab_cursor* cursor_;
  std::vector<std::pair<size_t, InSet>> sets_;  // by argument
  bool is_on_row_ = false;  // the row was given out: xNext is due
  Arena arena_;             // of one row
};

void ModuleCursor::take_set(size_t argument, std::span<const ValueView> members) {
  InSet set;
  set.members.resize(members.size());
  for (size_t i = 0; i < members.size(); ++i) set.members[i].set(members[i]);
  sets_.emplace_back(argument, std::move(set));
}

Status ModuleCursor::filter(int plan_number, std::string_view plan_text,
                            std::span<const ValueView> arguments) {
  Arguments values(arguments);
  for (auto& [argument, set] : sets_) values[argument].in_set = &set;
  std::string text(plan_text);
  is_on_row_ = false;
  int code = module_->xFilter(cursor_, plan_number, plan_text.data() == nullptr ? nullptr : text.c_str(),
                              values.count(), values.pointers());
  sets_.clear();
  return take_status(vtab_, code);
}

Status ModuleCursor::fetch(VirtualRows* rows) {
  while (rows->room() > 0) {
    if (is_on_row_) {
      is_on_row_ = false;
      GW_TRY(take_status(vtab_, module_->xNext(cursor_)));
    }
    if (module_->xEof(cursor_) != 0) return Status();
    GW_TRY(add_row(rows));
    is_on_row_ = true;
  }
  return Status();
}

Status ModuleCursor::add_row(VirtualRows* rows) {
  for (size_t slot = 0; slot < rows->slot_count(); ++slot) {
    int32_t column = rows->column_of(slot);
    if (column >= 0) {
      GW_TRY(read_column(column, rows));
      continue;
    }
    sqlite3_int64 rowid = 0;
    GW_TRY(take_status(vtab_, module_->xRowid(cursor_, &rowid)));
    rows->set_rowid(rowid);
  }
  rows->end_row();
  return Status();
}

Status ModuleCursor::read_column(int32_t column, VirtualRows* rows) {
  arena_.reset();
  FunctionContext call(db_->connection.get(), &arena_);
  ValueView result;
  sqlite3_context context;
  context.db = db_;
  context.call = &call;
  context.result = &result;
  context.is_unchanged_column = rows->is_unchanged(column);
  // Any result takes the mark away.
  if (context.is_unchanged_column) result.subtype = kUnchangedSubtype;
  Status status = take_status(vtab_, module_->xColumn(cursor_, &context, column));
  if (call.failed()) return call.take_status();
  GW_TRY(std::move(status));
  rows->set(column, result);
  return Status();
}

// --- Tables -----------------------------------------------------------------------------------------

// A function that a table puts in the place of another one.
struct Overload {
  sqlite3* db = nullptr;
  std::string name;
  void (*call)(sqlite3_context*, int, sqlite3_value**) = nullptr;
  void* user_data = nullptr;
  ScalarFunction function;
};

void call_overload(FunctionContext& call, std::span<const ValueView> args, ValueView* result) {
  const auto* overload = static_cast<const Overload*>(call.user_data());
  *result = ValueView();
  sqlite3_context context;
  context.db = overload->db;
  context.call = &call;
  context.result = result;
  context.user_data = overload->user_data;
  Arguments arguments(args);
  overload->call(&context, arguments.count(), arguments.pointers());
}

// sqlite3_index_info, and what its functions look at.
struct IndexQuestion {
  sqlite3_index_info info;  // the first: modules hold its address
  VirtualQuery* query = nullptr;
  std::vector<sqlite3_index_info::sqlite3_index_constraint> constraints;
  std::vector<sqlite3_index_info::sqlite3_index_constraint_usage> usage;
  std::vector<sqlite3_index_info::sqlite3_index_orderby> order;
  std::vector<sqlite3_value> values;

  explicit IndexQuestion(VirtualQuery* q);
  void take_answer();
};

IndexQuestion::IndexQuestion(VirtualQuery* q) : info{}, query(q) {
  usage.resize(q->constraints.size());
  values.resize(q->constraints.size());
  for (const VirtualConstraint& c : q->constraints) {
    constraints.push_back({c.column, static_cast<unsigned char>(c.op),
                           static_cast<unsigned char>(c.usable ? 1 : 0),
                           static_cast<int>(constraints.size())});
  }
  for (const VirtualOrderTerm& term : q->order_by) {
    order.push_back({term.column, static_cast<unsigned char>(term.descending ? 1 : 0)});
  }
  info.nConstraint = static_cast<int>(constraints.size());
  info.aConstraint = constraints.data();
  info.aConstraintUsage = usage.data();
  info.nOrderBy = static_cast<int>(order.size());
  info.aOrderBy = order.data();
  info.estimatedCost = q->cost;
  info.estimatedRows = q->rows;
  info.colUsed = q->used_columns;
}

void IndexQuestion::take_answer() {
  for (size_t i = 0; i < usage.size(); ++i) {
    query->constraints[i].argument = usage[i].argvIndex;
    query->constraints[i].omit = usage[i].omit != 0;
  }
  query->plan_number = info.idxNum;
  query->has_plan_text = info.idxStr != nullptr;
  if (info.idxStr != nullptr) query->plan_text = info.idxStr;
  query->order_consumed = info.orderByConsumed != 0;
  query->cost = info.estimatedCost;
  query->rows = info.estimatedRows;
  query->one_row = (info.idxFlags & SQLITE_INDEX_SCAN_UNIQUE) != 0;
  query->shows_number_as_hex = (info.idxFlags & SQLITE_INDEX_SCAN_HEX) != 0;
}

class ModuleTable final : public VirtualTable {
 public:
  ModuleTable(sqlite3* db, sqlite3_vtab* vtab, const VirtualConstructor& made)
      : db_(db),
        vtab_(vtab),
        module_(vtab->pModule),
        supports_constraints_(made.supports_constraints),
        risk_(made.risk) {}
  ~ModuleTable() override {
    if (vtab_ != nullptr) module_->xDisconnect(vtab_);
  }

  Status best_index(VirtualQuery* query) override;
  Result<std::unique_ptr<VirtualCursor>> open() override;
  VirtualRisk risk() const override { return risk_; }
  bool needs_row_by_row() const override { return module_->xFindFunction != nullptr; }
  int find_function(std::string_view name, int arguments, const ScalarFunction** function) override;

  bool is_writable() const override { return module_->xUpdate != nullptr; }
  Status update(const VirtualChange& change, int64_t* rowid) override;
  bool supports_constraints() const override { return supports_constraints_; }
  bool has_transactions() const override { return module_->xBegin != nullptr; }
  Status begin() override { return call(module_->xBegin); }
  Status sync() override { return call(module_->xSync); }
  void commit() override { (void)call(module_->xCommit); }
  void rollback() override { (void)call(module_->xRollback); }
  bool has_savepoints() const override { return module_->iVersion >= 2; }
  Status savepoint(int n) override { return call(module_->xSavepoint, n); }
  Status release(int n) override { return call(module_->xRelease, n); }
  Status rollback_to(int n) override { return call(module_->xRollbackTo, n); }

  Status rename(std::string_view new_name) override;
  Status destroy() override;
  bool is_in_use() const override { return vtab_->nRef > 0; }
  Status check_integrity(std::string_view database, std::string_view table, bool quick,
                         std::string* problem) override;

 private:
  // A method that need not be there.
  template <typename Method, typename... Args>
  Status call(Method method, Args... args) {
    return method == nullptr ? Status() : take_status(vtab_, method(vtab_, args...));
  }

  sqlite3* db_;
  sqlite3_vtab* vtab_;  // null: destroyed
  const sqlite3_module* module_;
  const bool supports_constraints_;
  const VirtualRisk risk_;
  std::vector<std::unique_ptr<Overload>> overloads_;
};

Status ModuleTable::best_index(VirtualQuery* query) {
  IndexQuestion question(query);
  int code = module_->xBestIndex(vtab_, &question.info);
  if (code == SQLITE_OK) question.take_answer();
  if (question.info.needToFreeIdxStr != 0) sqlite3_free(question.info.idxStr);
  // Not an error, so that no message belongs to it.
  if (code == SQLITE_CONSTRAINT) (void)take_status(vtab_, SQLITE_OK);
  return take_status(vtab_, code);
}

Result<std::unique_ptr<VirtualCursor>> ModuleTable::open() {
  sqlite3_vtab_cursor* cursor = nullptr;
  GW_TRY(take_status(vtab_, module_->xOpen(vtab_, &cursor)));
  cursor->pVtab = vtab_;
  ++vtab_->nRef;
  return std::unique_ptr<VirtualCursor>(std::make_unique<ModuleCursor>(db_, vtab_, cursor));
}

int ModuleTable::find_function(std::string_view name, int arguments,
                               const ScalarFunction** function) {
  if (module_->xFindFunction == nullptr) return 0;
  auto found = std::make_unique<Overload>();
  found->db = db_;
  found->name = name;
  for (char& c : found->name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  int number = module_->xFindFunction(vtab_, arguments, found->name.c_str(), &found->call,
                                      &found->user_data);
  if (number == 0) return 0;
  for (const auto& known : overloads_) {
    bool is_same = known->name == found->name && known->call == found->call &&
                   known->user_data == found->user_data && known->function.args_min == arguments;
    if (!is_same) continue;
    *function = &known->function;
    return number;
  }
  found->function.name = found->name;
  found->function.args_min = found->function.args_max = arguments;
  found->function.call = call_overload;
  found->function.user_data = found.get();
  overloads_.push_back(std::move(found));
  *function = &overloads_.back()->function;
  return number;
}

Status ModuleTable::update(const VirtualChange& change, int64_t* rowid) {
  std::vector<ValueView> views;
  views.push_back(change.old_key != nullptr ? *change.old_key : ValueView());
  if (change.new_key != nullptr) {
    views.push_back(*change.new_key);
    views.insert(views.end(), change.values.begin(), change.values.end());
  }
  Arguments arguments(views);
  const int outer = db_->vtab_conflict;
  db_->vtab_conflict = change.conflict;
  sqlite3_int64 inserted = 0;
  int code = module_->xUpdate(vtab_, arguments.count(), arguments.pointers(), &inserted);
  db_->vtab_conflict = outer;
  *rowid = inserted;
  return take_status(vtab_, code);
}

Status ModuleTable::rename(std::string_view new_name) {
  if (module_->xRename == nullptr) return Status();
  return take_status(vtab_, module_->xRename(vtab_, std::string(new_name).c_str()));
}

Status ModuleTable::destroy() {
  if (module_->xDestroy == nullptr) return Status();
  sqlite3_vtab* vtab = vtab_;
  int code = module_->xDestroy(vtab);
  if (code != SQLITE_OK) {
    (void)take_status(vtab, code);  // its message is not asked for
    return Status(code);
  }
  vtab_ = nullptr;
  return Status();
}

Status ModuleTable::check_integrity(std::string_view database, std::string_view table, bool quick,
                                    std::string* problem) {
  if (module_->iVersion < 4 || module_->xIntegrity == nullptr) return Status();
  char* text = nullptr;
  int code = module_->xIntegrity(vtab_, std::string(database).c_str(), std::string(table).c_str(),
                                 quick ? 1 : 0, &text);
  if (text != nullptr) *problem = text;
  sqlite3_free(text);
  return take_status(vtab_, code);
}

// --- Modules ----------------------------------------------------------------------------------------

class Module final : public VirtualModule {
 public:
  Module(sqlite3* db, const sqlite3_module* module, void* context, void (*destroy)(void*))
      : db_(db), module_(module), context_(context), destroy_(destroy) {}
  ~Module() override {
    if (destroy_ != nullptr) destroy_(context_);
  }
  bool can_create() const override {
    return module_->xCreate != nullptr && module_->xDestroy != nullptr;
  }
  bool is_eponymous() const override {
    return module_->xCreate == nullptr || module_->xCreate == module_->xConnect;
  }
  Result<DeclaredTable> connect(std::span<const std::string> arguments, bool create) override;
  bool is_shadow_name(std::string_view suffix) const override {
    return module_->iVersion >= 3 && module_->xShadowName != nullptr &&
           module_->xShadowName(std::string(suffix).c_str()) != 0;
  }

 private:
  sqlite3* db_;
  const sqlite3_module* module_;
  void* context_;
  void (*destroy_)(void*);
};

Result<DeclaredTable> Module::connect(std::span<const std::string> arguments, bool create) {
  const std::string& name = arguments[2];
  std::vector<const char*> texts;
  for (const std::string& argument : arguments) texts.push_back(argument.c_str());
  VirtualConstructor made;
  made.outer = db_->constructor;
  made.module = module_;
  db_->constructor = &made;
  sqlite3_vtab* vtab = nullptr;
  char* message = nullptr;
  auto construct = create ? module_->xCreate : module_->xConnect;
  int code = construct(db_, context_, static_cast<int>(texts.size()), texts.data(), &vtab, &message);
  db_->constructor = made.outer;
  std::string text = message != nullptr ? message : "vtable constructor failed: " + name;
  sqlite3_free(message);
  if (code == SQLITE_NOMEM) return Status(code);
  if (code != SQLITE_OK) return Status(code, std::move(text));
  if (vtab == nullptr) return Status::error("vtable constructor failed: " + name);
  *vtab = {module_, 0, nullptr};
  DeclaredTable declared;
  declared.table = std::make_unique<ModuleTable>(db_, vtab, made);
  if (!made.is_declared) {
    return Status::error("vtable constructor did not declare schema: " + name);
  }
  declared.declaration = std::move(made.declaration);
  return declared;
}

}  // namespace

int sqlite3_create_module_v2(sqlite3* db, const char* name, const sqlite3_module* module,
                             void* context, void (*destroy)(void*)) {
  if (!is_usable(db) || name == nullptr) return SQLITE_MISUSE;
  std::lock_guard lock(db->mutex);
  return guarded(db, [&] {
    std::shared_ptr<VirtualModule> added;
    if (module != nullptr) {
      added = std::make_shared<Module>(db, module, context, destroy);
    }
    db->connection->set_module(name, std::move(added));
    return report(db, Status());
  });
}

int sqlite3_create_module(sqlite3* db, const char* name, const sqlite3_module* module,
                          void* context) {
  return sqlite3_create_module_v2(db, name, module, context, nullptr);
}

int sqlite3_drop_modules(sqlite3* db, const char** keep) {
  if (!is_usable(db)) return SQLITE_MISUSE;
  std::lock_guard lock(db->mutex);
  for (const std::string& name : db->connection->virtual_tables().module_names()) {
    bool is_kept = false;
    for (const char** kept = keep; kept != nullptr && *kept != nullptr; ++kept) {
      is_kept |= name == *kept;
    }
    if (!is_kept) db->connection->set_module(name, nullptr);
  }
  return SQLITE_OK;
}

// --- Called by constructors -------------------------------------------------------------------------

int sqlite3_declare_vtab(sqlite3* db, const char* sql) {
  if (!is_usable(db) || sql == nullptr) return SQLITE_MISUSE;
  std::lock_guard lock(db->mutex);
  VirtualConstructor* made = db->constructor;
  if (made == nullptr || made->is_declared) return report_code(db, SQLITE_MISUSE);
  return guarded(db, [&] {
    auto table = db->connection->virtual_tables().build(sql);
    if (!table.ok()) return report(db, table.status());
    // Rows that are changed are known by the rowid, or by one column.
    bool is_keyed = !(*table)->without_rowid || (*table)->primary_key.size() == 1;
    if (!is_keyed && made->module->xUpdate != nullptr) return report_code(db, SQLITE_ERROR);
    made->declaration = sql;
    made->is_declared = true;
    return report(db, Status());
  });
}

int sqlite3_vtab_config(sqlite3* db, int option, ...) {
  if (!is_usable(db)) return SQLITE_MISUSE;
  std::lock_guard lock(db->mutex);
  VirtualConstructor* made = db->constructor;
  if (made == nullptr) return report_code(db, SQLITE_MISUSE);
  va_list arguments;
  va_start(arguments, option);
  int code = SQLITE_OK;
  switch (option) {
    case SQLITE_VTAB_CONSTRAINT_SUPPORT:
      made->supports_constraints = va_arg(arguments, int) != 0;
      break;
    case SQLITE_VTAB_INNOCUOUS: made->risk = VirtualRisk::kInnocuous; break;
    case SQLITE_VTAB_DIRECTONLY: made->risk = VirtualRisk::kDirectOnly; break;
    case SQLITE_VTAB_USES_ALL_SCHEMAS: break;  // statements always may read all of them
    default: code = SQLITE_MISUSE;
  }
  va_end(arguments);
  return code == SQLITE_OK ? code : report_code(db, code);
}

int sqlite3_vtab_on_conflict(sqlite3* db) { return db == nullptr ? 0 : db->vtab_conflict; }

int sqlite3_vtab_nochange(sqlite3_context* context) {
  return context != nullptr && context->is_unchanged_column ? 1 : 0;
}

// --- Called by xBestIndex and xFilter ---------------------------------------------------------------

namespace {

// Null: there is no such constraint.
VirtualConstraint* constraint_of(sqlite3_index_info* info, int i) {
  if (info == nullptr || i < 0 || i >= info->nConstraint) return nullptr;
  return &reinterpret_cast<IndexQuestion*>(info)->query->constraints[static_cast<size_t>(i)];
}

}  // namespace

const char* sqlite3_vtab_collation(sqlite3_index_info* info, int i) {
  const VirtualConstraint* constraint = constraint_of(info, i);
  if (constraint == nullptr) return nullptr;
  return constraint->collation == nullptr ? "BINARY" : constraint->collation->name.c_str();
}

int sqlite3_vtab_distinct(sqlite3_index_info* info) {
  if (info == nullptr) return 0;
  return static_cast<int>(reinterpret_cast<IndexQuestion*>(info)->query->order);
}

int sqlite3_vtab_in(sqlite3_index_info* info, int i, int all_at_once) {
  VirtualConstraint* constraint = constraint_of(info, i);
  if (constraint == nullptr || !constraint->is_in) return 0;
  if (all_at_once >= 0) constraint->takes_set = all_at_once > 0;
  return 1;
}

int sqlite3_vtab_rhs_value(sqlite3_index_info* info, int i, sqlite3_value** value) {
  if (value == nullptr) return SQLITE_MISUSE;
  *value = nullptr;
  const VirtualConstraint* constraint = constraint_of(info, i);
  if (constraint == nullptr) return SQLITE_MISUSE;
  if (constraint->value == nullptr) return SQLITE_NOTFOUND;
  *value = &reinterpret_cast<IndexQuestion*>(info)->values[static_cast<size_t>(i)];
  (*value)->set(*constraint->value);
  return SQLITE_OK;
}

int sqlite3_vtab_in_next(sqlite3_value* value, sqlite3_value** member) {
  if (member == nullptr) return SQLITE_MISUSE;
  *member = nullptr;
  if (value == nullptr) return SQLITE_MISUSE;
  InSet* set = value->in_set;
  if (set == nullptr) return SQLITE_ERROR;
  if (set->next >= set->members.size()) return SQLITE_DONE;
  *member = &set->members[set->next++];
  return SQLITE_OK;
}

int sqlite3_vtab_in_first(sqlite3_value* value, sqlite3_value** member) {
  if (value != nullptr && value->in_set != nullptr) value->in_set->next = 0;
  return sqlite3_vtab_in_next(value, member);
}

int sqlite3_value_nochange(sqlite3_value* value) {
  bool is_marked = value != nullptr && value->view.is_null() &&
                   value->view.subtype == kUnchangedSubtype;
  return is_marked ? 1 : 0;
}
