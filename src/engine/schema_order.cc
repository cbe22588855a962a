#include "engine/schema_order.h"

#include <algorithm>

#include "engine/body_ddl.h"
#include "engine/statement.h"

namespace godwit {

namespace {

// SQLite keeps names in a hash table and all its entries in one list, which is what it walks. A new
// entry goes before the others of its bucket, else to the front of the list. The table grows when it
// is twice as full as it has buckets; all entries are then entered anew in the order of the list, so
// that they come in the opposite order. A few names need no buckets.
class NameList {
 public:
  void add(const std::string& name) {
    ++count_;
    bool is_full = count_ >= kFewNames && count_ > 2 * buckets_.size();
    size_t wanted = std::min(count_ * 3, kMostBuckets);
    if (is_full && wanted != buckets_.size()) grow(wanted);
    enter(name);
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  static constexpr size_t kFewNames = 5;
  static constexpr size_t kMostBuckets = 64;

  static uint32_t hash(const std::string& name) {
    uint32_t sum = 0;
    for (unsigned char c : name) sum = (sum + (c & 0xdfu)) * 0x9e3779b1u;
    return sum;
  }

  void grow(size_t buckets) {
    buckets_.assign(buckets, {});
    std::vector<std::string> old = std::move(names_);
    names_.clear();
    for (const std::string& name : old) enter(name);
  }

  void enter(const std::string& name) {
    auto place = names_.begin();
    if (!buckets_.empty()) {
      std::string& newest = buckets_[hash(name) % buckets_.size()];
      if (!newest.empty()) place = std::find(names_.begin(), names_.end(), newest);
      newest = name;
    }
    names_.insert(place, name);
  }

  size_t count_ = 0;
  std::vector<std::string> names_;
  std::vector<std::string> buckets_;  // the newest name of each; empty: none
};

}  // namespace

Result<std::vector<const Table*>> tables_in_order(Connection* connection, size_t database) {
  const Schema& schema = *connection->catalog().databases[database].schema;
  const AttachedDatabase& db = connection->databases()[database];
  const bool is_temp = database == Connection::kTemp;
  const std::string root = is_temp ? "sqlite_temp_master" : "sqlite_master";
  NameList list;
  list.add(root);
  if (db.btree != nullptr) {
    std::string sql = "SELECT name FROM " + double_quoted(db.name) +
                      ".sqlite_schema WHERE type IN ('table', 'view') ORDER BY rowid";
    GW_ASSIGN(auto names, connection->prepare_internal(sql));
    for (;;) {
      GW_ASSIGN(bool more, names->step());
      if (!more) break;
      list.add(std::string(names->column(0).text()));
    }
  }
  std::vector<const Table*> tables;
  for (const std::string& name : list.names()) {
    const Table* table = schema.find_table(name);
    if (table != nullptr) tables.push_back(table);
  }
  return tables;
}

}  // namespace godwit
