#include "api/table_shape.h"

#include <algorithm>
#include <memory>

namespace godwit::api {

bool TableShape::takes(const std::vector<unsigned char>& other_key) const {
  if (other_key.size() > key.size()) return false;
  for (size_t i = 0; i < key.size(); ++i) {
    const bool in_other = i < other_key.size() && other_key[i] != 0;
    if ((key[i] != 0) != in_other) return false;
  }
  return true;
}

TableShape shape_of_table(sqlite3* db, const std::string& database, const std::string& table) {
  TableShape shape;
  sqlite3_stmt* info = nullptr;
  const std::string sql =
      "PRAGMA " + double_quoted(database) + ".table_xinfo(" + double_quoted(table) + ")";
  if (sqlite3_prepare_v2(db, sql.c_str(), -1, &info, nullptr) != SQLITE_OK) return shape;
  while (sqlite3_step(info) == SQLITE_ROW) {
    if (sqlite3_column_int(info, 6) != 0) continue;
    shape.columns.push_back(double_quoted(reinterpret_cast<const char*>(sqlite3_column_text(info, 1))));
    const auto* value = reinterpret_cast<const char*>(sqlite3_column_text(info, 4));
    shape.defaults.push_back(value == nullptr ? "NULL" : value);
    shape.key.push_back(static_cast<unsigned char>(sqlite3_column_int(info, 5)));
  }
  sqlite3_finalize(info);
  const bool has_key = std::any_of(shape.key.begin(), shape.key.end(), [](auto place) { return place != 0; });
  if (shape.exists() && !has_key) {
    shape.columns.insert(shape.columns.begin(), "_rowid_");
    shape.defaults.insert(shape.defaults.begin(), "NULL");
    shape.key.insert(shape.key.begin(), 1);
  }
  return shape;
}

}  // namespace godwit::api
