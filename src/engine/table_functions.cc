#include "engine/table_functions.h"

#include <algorithm>

#include "catalog/builder.h"
#include "engine/connection.h"
#include "engine/pragma.h"

namespace godwit {

namespace {
constexpr std::string_view kPragmaPrefix = "pragma_";
}

Result<const Table*> TableFunctions::find(std::string_view name) {
  for (const Entry& entry : entries_) {
    if (names_equal(entry.table->name, name)) return entry.table.get();
  }
  for (const VirtualModule* module : builtin_modules()) {
    if (!names_equal(module->name, name)) continue;
    GW_ASSIGN(auto code, module->connect());
    return add(module->name, std::string(module->declaration), std::move(code));
  }
  if (names_equal(name, "dbstat")) {
    return add("dbstat", std::string(kDbstatDeclaration), make_dbstat_table(connection_));
  }
  if (names_equal(name, "sqlite_dbpage")) {
    return add("sqlite_dbpage", std::string(kDbpageDeclaration), make_dbpage_table(connection_));
  }
  if (name.size() <= kPragmaPrefix.size() ||
      !names_equal(name.substr(0, kPragmaPrefix.size()), kPragmaPrefix)) {
    return nullptr;
  }
  const PragmaDefinition* pragma = find_pragma(name.substr(kPragmaPrefix.size()));
  if (pragma == nullptr || pragma->table == pragma_table::kNone) return nullptr;
  return add(std::string(kPragmaPrefix) + std::string(pragma->name),
             pragma_table_declaration(*pragma), make_pragma_table(connection_, *pragma));
}

Result<const Table*> TableFunctions::add(std::string_view name, std::string declaration,
                                         std::unique_ptr<VirtualTable> code) {
  BuildContext context;
  context.collations = connection_->collation_lookup();
  context.encoding = connection_->encoding();
  GW_ASSIGN(std::shared_ptr<Table> table, build_declared_table(std::move(declaration), context));
  table->name = name;
  entries_.push_back({std::move(table), std::move(code)});
  return entries_.back().table.get();
}

Result<VirtualTable*> TableFunctions::code_of(const Table& table) const {
  for (const Entry& entry : entries_) {
    if (entry.table.get() == &table) return entry.code.get();
  }
  return Status::not_implemented("CREATE VIRTUAL TABLE");
}

std::vector<std::string> TableFunctions::names() const {
  std::vector<std::string> names;
  for (const Entry& entry : entries_) names.push_back(entry.table->name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace godwit
