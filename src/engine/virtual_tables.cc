#include "engine/virtual_tables.h"

#include <algorithm>

#include "catalog/builder.h"
#include "engine/connection.h"
#include "engine/pragma.h"

namespace godwit {

namespace {
constexpr std::string_view kPragmaPrefix = "pragma_";
}

// --- Modules ----------------------------------------------------------------------------------------

void VirtualTables::set_module(std::string_view name, std::shared_ptr<VirtualModule> module) {
  std::erase_if(instances_, [&](const std::shared_ptr<Instance>& instance) {
    return instance->schema_table == nullptr && names_equal(instance->table->name, name);
  });
  auto it = modules_.find(name);
  if (it != modules_.end()) modules_.erase(it);
  if (module != nullptr) modules_[std::string(name)] = std::move(module);
}

std::vector<std::string> VirtualTables::module_names() const {
  std::vector<std::string> names;
  for (const auto& [name, module] : modules_) names.push_back(name);
  return names;
}

std::vector<std::string> VirtualTables::names() const {
  std::vector<std::string> names = module_names();
  for (const auto& instance : instances_) {
    if (instance->module == nullptr) names.push_back(instance->table->name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool VirtualTables::is_shadow_name(const Schema& schema, std::string_view name) const {
  for (size_t i = name.find('_'); i != std::string_view::npos; i = name.find('_', i + 1)) {
    const Table* table = schema.find_table(name.substr(0, i));
    if (table == nullptr || table->kind != TableKind::kVirtual) continue;
    auto module = modules_.find(table->module);
    if (module == modules_.end()) continue;
    if (module->second->is_shadow_name(name.substr(i + 1))) return true;
  }
  return false;
}

// --- Tables -----------------------------------------------------------------------------------------

const std::shared_ptr<VirtualTables::Instance>& VirtualTables::note(
    const std::shared_ptr<Instance>& instance) {
  if (collected_ != nullptr && std::ranges::find(*collected_, instance) == collected_->end()) {
    collected_->push_back(instance);
  }
  return instance;
}

Result<std::shared_ptr<Table>> VirtualTables::build(std::string declaration) const {
  BuildContext context;
  context.collations = connection_->collation_lookup();
  context.encoding = connection_->encoding();
  GW_ASSIGN(std::shared_ptr<Table> table, build_declared_table(std::move(declaration), context));
  // What a declaration says of keys beside the names is of no consequence.
  table->rowid_column = -1;
  table->indexes.clear();
  table->primary_index = nullptr;
  table->checks.clear();
  table->foreign_keys.clear();
  for (Column& column : table->columns) {
    column.default_value = nullptr;
    column.default_text.clear();
  }
  return table;
}

Result<const Table*> VirtualTables::find(std::string_view name) {
  for (const auto& instance : instances_) {
    bool is_eponymous = instance->schema_table == nullptr;
    if (is_eponymous && names_equal(instance->table->name, name)) return note(instance)->table.get();
  }
  auto own = modules_.find(name);
  if (own != modules_.end()) {
    std::shared_ptr<VirtualModule> module = own->second;
    if (!module->is_eponymous()) return nullptr;
    const std::string arguments[] = {own->first, connection_->databases()[0].name, own->first};
    GW_ASSIGN(DeclaredTable declared, module->connect(arguments, false));
    return add_eponymous(arguments[0], std::move(declared), std::move(module));
  }
  for (const BuiltinModule* module : builtin_modules()) {
    if (!names_equal(module->name, name)) continue;
    GW_ASSIGN(auto code, module->connect());
    return add_eponymous(module->name, {std::move(code), std::string(module->declaration)}, nullptr);
  }
  if (names_equal(name, "dbstat")) {
    return add_eponymous("dbstat", {make_dbstat_table(connection_), std::string(kDbstatDeclaration)},
                         nullptr);
  }
  if (names_equal(name, "sqlite_dbpage")) {
    return add_eponymous("sqlite_dbpage",
                         {make_dbpage_table(connection_), std::string(kDbpageDeclaration)}, nullptr);
  }
  if (name.size() <= kPragmaPrefix.size() ||
      !names_equal(name.substr(0, kPragmaPrefix.size()), kPragmaPrefix)) {
    return nullptr;
  }
  const PragmaDefinition* pragma = find_pragma(name.substr(kPragmaPrefix.size()));
  if (pragma == nullptr || pragma->table == pragma_table::kNone) return nullptr;
  return add_eponymous(std::string(kPragmaPrefix) + std::string(pragma->name),
                       {make_pragma_table(connection_, *pragma), pragma_table_declaration(*pragma)},
                       nullptr);
}

Result<const Table*> VirtualTables::add_eponymous(std::string_view name, DeclaredTable declared,
                                                  std::shared_ptr<VirtualModule> module) {
  auto instance = std::make_shared<Instance>();
  instance->module = std::move(module);
  instance->code = std::move(declared.table);
  GW_ASSIGN(instance->table, build(std::move(declared.declaration)));
  instance->table->name = name;
  instances_.push_back(instance);
  return note(instance)->table.get();
}

// What the schema holds the table by; null: it is in no schema.
std::shared_ptr<const Table> VirtualTables::owner_of(const Table& table) const {
  for (const AttachedDatabase& db : connection_->databases()) {
    if (db.schema == nullptr) continue;
    auto it = db.schema->tables.find(table.name);
    if (it != db.schema->tables.end() && it->second.get() == &table) return it->second;
  }
  return nullptr;
}

Result<std::shared_ptr<VirtualTables::Instance>> VirtualTables::make(
    std::shared_ptr<const Table> table, bool create) {
  auto found = modules_.find(table->module);
  if (found == modules_.end() || (create && !found->second->can_create())) {
    return Status::error("no such module: " + table->module);
  }
  if (std::ranges::find(being_made_, table.get()) != being_made_.end()) {
    return Status(code::kLocked, "vtable constructor called recursively: " + table->name);
  }
  auto instance = std::make_shared<Instance>();
  instance->module = found->second;
  std::vector<std::string> arguments = {
      table->module, connection_->databases()[static_cast<size_t>(table->database)].name,
      table->name};
  arguments.insert(arguments.end(), table->module_arguments.begin(), table->module_arguments.end());
  being_made_.push_back(table.get());
  auto declared = instance->module->connect(arguments, create);
  being_made_.pop_back();
  if (!declared.ok()) return declared.take_status();
  instance->code = std::move(declared->table);
  GW_ASSIGN(instance->table, build(std::move(declared->declaration)));
  instance->table->name = table->name;
  instance->table->sql = table->sql;
  instance->table->database = table->database;
  instance->table->module = table->module;
  instance->schema_table = std::move(table);
  instances_.push_back(instance);
  return instance;
}

Result<std::shared_ptr<VirtualTables::Instance>> VirtualTables::connect(const Table& table) {
  for (const auto& instance : instances_) {
    if (instance->schema_table.get() == &table || instance->table.get() == &table) {
      return note(instance);
    }
  }
  std::shared_ptr<const Table> owner = owner_of(table);
  if (owner == nullptr) return Status(code::kInternal, "a virtual table of no schema");
  GW_ASSIGN(std::shared_ptr<Instance> instance, make(std::move(owner), false));
  return note(instance);
}

Result<const Table*> VirtualTables::describe(const Table& table) {
  GW_ASSIGN(std::shared_ptr<Instance> instance, connect(table));
  return instance->table.get();
}

Result<VirtualTable*> VirtualTables::code_of(const Table& table) {
  GW_ASSIGN(std::shared_ptr<Instance> instance, connect(table));
  return instance->code.get();
}

Status VirtualTables::create(const Table& table) {
  std::shared_ptr<const Table> owner = owner_of(table);
  if (owner == nullptr) return Status(code::kInternal, "a virtual table of no schema");
  GW_ASSIGN(std::shared_ptr<Instance> instance, make(std::move(owner), true));
  if (instance->code->has_transactions()) written_.push_back(instance);
  return Status();
}

Status VirtualTables::destroy(const std::shared_ptr<Instance>& instance) {
  if (instance->code->is_in_use()) return Status(code::kLocked);
  ++destroying_;
  Status status = instance->code->destroy();
  --destroying_;
  GW_TRY(std::move(status));
  std::erase(instances_, instance);
  std::erase(written_, instance);
  return Status();
}

void VirtualTables::drop_stale() {
  Instances stale;  // disconnected when the list is in order again
  std::erase_if(instances_, [&](const std::shared_ptr<Instance>& instance) {
    bool is_gone =
        instance->schema_table != nullptr && owner_of(*instance->schema_table) == nullptr;
    if (is_gone) stale.push_back(instance);
    return is_gone;
  });
}

void VirtualTables::disconnect_all() {
  Instances gone = std::move(instances_);
  instances_.clear();
}

// --- Transactions -----------------------------------------------------------------------------------

Status VirtualTables::begin(VirtualTable* table, int open_savepoints) {
  if (!table->has_transactions()) return Status();
  for (const auto& instance : written_) {
    if (instance->code.get() == table) return Status();
  }
  auto it = std::ranges::find_if(
      instances_, [&](const auto& instance) { return instance->code.get() == table; });
  if (it == instances_.end()) return Status(code::kInternal, "a virtual table that is gone");
  std::shared_ptr<Instance> instance = *it;
  GW_TRY(table->begin());
  instance->savepoints = 0;
  written_.push_back(instance);
  if (open_savepoints == 0 || !table->has_savepoints()) return Status();
  instance->savepoints = open_savepoints;
  return table->savepoint(open_savepoints - 1);
}

Status VirtualTables::sync() {
  for (size_t i = 0; i < written_.size(); ++i) GW_TRY(Instances(written_)[i]->code->sync());
  return Status();
}

void VirtualTables::commit() {
  Instances ended = std::move(written_);
  written_.clear();
  for (const auto& instance : ended) {
    instance->savepoints = 0;
    instance->code->commit();
  }
}

void VirtualTables::rollback() {
  Instances ended = std::move(written_);
  written_.clear();
  for (const auto& instance : ended) {
    instance->savepoints = 0;
    instance->code->rollback();
  }
}

Status VirtualTables::savepoint(int number) {
  for (const auto& instance : Instances(written_)) {
    if (!instance->code->has_savepoints()) continue;
    instance->savepoints = number + 1;
    GW_TRY(instance->code->savepoint(number));
  }
  return Status();
}

Status VirtualTables::release(int number) {
  for (const auto& instance : Instances(written_)) {
    if (!instance->code->has_savepoints() || instance->savepoints <= number) continue;
    GW_TRY(instance->code->release(number));
  }
  return Status();
}

Status VirtualTables::rollback_to(int number) {
  for (const auto& instance : Instances(written_)) {
    if (!instance->code->has_savepoints() || instance->savepoints <= number) continue;
    GW_TRY(instance->code->rollback_to(number));
  }
  return Status();
}

}  // namespace godwit
