// Name look-up in schemas and across the databases of a connection.
#include "catalog/schema.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/name_hash.h"
#include "base/utf.h"

namespace godwit {

namespace {

bool is_main_schema_name(std::string_view name) {
  return names_equal(name, "sqlite_schema") || names_equal(name, "sqlite_master");
}
bool is_temp_schema_name(std::string_view name) {
  return names_equal(name, "sqlite_temp_schema") || names_equal(name, "sqlite_temp_master");
}

// With fewer columns looking at each is as fast.
constexpr size_t kColumnsToHash = 16;

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
  if (!name_slots.empty()) {
    const size_t mask = name_slots.size() - 1;
    for (size_t slot = hash_name(column_name) & mask; name_slots[slot] != 0;
         slot = (slot + 1) & mask) {
      int32_t column = name_slots[slot] - 1;
      if (names_equal(columns[static_cast<size_t>(column)].name, column_name)) return column;
    }
    return -1;
  }
  for (size_t i = 0; i < columns.size(); ++i) {
    if (names_equal(columns[i].name, column_name)) return static_cast<int32_t>(i);
  }
  return -1;
}

void Table::add_column(Column column) {
  columns.push_back(std::move(column));
  if (columns.size() < kColumnsToHash) return;
  size_t first = columns.size() - 1;
  if (name_slots.size() < 2 * columns.size()) {
    name_slots.assign(std::bit_ceil(4 * columns.size()), 0);
    first = 0;
  }
  const size_t mask = name_slots.size() - 1;
  for (size_t i = first; i < columns.size(); ++i) {
    size_t slot = hash_name(columns[i].name) & mask;
    while (name_slots[slot] != 0) slot = (slot + 1) & mask;
    name_slots[slot] = static_cast<uint16_t>(i + 1);
  }
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
