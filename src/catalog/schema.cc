// Name look-up in schemas and across the databases of a connection.
#include "catalog/schema.h"

#include <algorithm>

#include "base/utf.h"

namespace godwit {

namespace {

bool is_main_schema_name(std::string_view name) {
  return names_equal(name, "sqlite_schema") || names_equal(name, "sqlite_master");
}
bool is_temp_schema_name(std::string_view name) {
  return names_equal(name, "sqlite_temp_schema") || names_equal(name, "sqlite_temp_master");
}

}  // namespace

bool names_equal(std::string_view a, std::string_view b) { return equals_ignore_case(a, b); }

bool NameLess::operator()(std::string_view a, std::string_view b) const {
  const size_t size = std::min(a.size(), b.size());
  for (size_t i = 0; i < size; ++i) {
    if (a[i] == b[i]) continue;
    const auto x = static_cast<uint8_t>(ascii_lower(a[i]));
    const auto y = static_cast<uint8_t>(ascii_lower(b[i]));
    if (x != y) return x < y;
  }
  return a.size() < b.size();
}

int32_t Table::find_column(std::string_view column_name) const {
  // Wide tables: most names differ in size or at their ends.
  const size_t size = column_name.size();
  const char last = size == 0 ? 0 : ascii_lower(column_name[size - 1]);
  for (size_t i = 0; i < columns.size(); ++i) {
    const std::string& name = columns[i].name;
    if (name.size() != size || (size != 0 && ascii_lower(name[size - 1]) != last)) continue;
    if (names_equal(name, column_name)) return static_cast<int32_t>(i);
  }
  return -1;
}

const Table* Schema::find_table(std::string_view name) const {
  auto it = tables.find(name);
  if (it != tables.end()) return it->second.get();
  // The schema table answers to several names.
  if (is_main_schema_name(name) || is_temp_schema_name(name)) {
    it = tables.find(std::string_view("sqlite_master"));
    if (it == tables.end()) it = tables.find(std::string_view("sqlite_temp_master"));
    if (it != tables.end()) return it->second.get();
  }
  return nullptr;
}

const Index* Schema::find_index(std::string_view name) const {
  auto it = indexes.find(name);
  return it == indexes.end() ? nullptr : it->second;
}

const Trigger* Schema::find_trigger(std::string_view name) const {
  auto it = triggers.find(name);
  return it == triggers.end() ? nullptr : it->second;
}

int Catalog::find_database(std::string_view name) const {
  for (size_t i = 0; i < databases.size(); ++i) {
    if (names_equal(databases[i].name, name)) return static_cast<int>(i);
  }
  // The first database is also "main" when it was given another name.
  return names_equal(name, "main") && !databases.empty() ? 0 : -1;
}

namespace {

// Calls find(schema) for each database in search order (temp, main, attached) or for the one named;
// returns the first that is not null.
template <typename Find>
auto search(const Catalog& catalog, std::string_view database, Find find)
    -> decltype(find(std::declval<const Schema&>())) {
  if (!database.empty()) {
    int i = catalog.find_database(database);
    if (i < 0 || catalog.databases[i].schema == nullptr) return nullptr;
    return find(*catalog.databases[i].schema);
  }
  size_t count = catalog.databases.size();
  for (size_t step = 0; step < count; ++step) {
    size_t i = step == 0 && count > 1 ? 1 : step == 1 ? 0 : step;
    if (catalog.databases[i].schema == nullptr) continue;
    if (auto found = find(*catalog.databases[i].schema)) return found;
  }
  return nullptr;
}

}  // namespace

const Table* Catalog::find_table(std::string_view database, std::string_view name) const {
  if (database.empty()) {
    if (is_main_schema_name(name)) return find_table("main", name);
    if (is_temp_schema_name(name) && databases.size() > kTempDatabase) {
      return databases[kTempDatabase].schema->find_table(name);
    }
  }
  return search(*this, database, [&](const Schema& s) { return s.find_table(name); });
}

const Index* Catalog::find_index(std::string_view database, std::string_view name) const {
  return search(*this, database, [&](const Schema& s) { return s.find_index(name); });
}

const Trigger* Catalog::find_trigger(std::string_view database, std::string_view name) const {
  return search(*this, database, [&](const Schema& s) { return s.find_trigger(name); });
}

}  // namespace godwit
