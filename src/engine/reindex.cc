// REINDEX: indexes are emptied and filled again from their tables.
#include "engine/body_ddl.h"

namespace godwit {

namespace {

struct IndexPlace {
  int database;
  std::string name;
};

class ReindexBody final : public ActionBody {
 public:
  ReindexBody(Connection* connection, std::vector<IndexPlace> indexes)
      : connection_(connection), indexes_(std::move(indexes)) {
    for (const IndexPlace& index : indexes_) writes_ |= uint64_t{1} << index.database;
    reads_ = writes_;
    read_only_ = false;
    needs_mark_ = true;
  }

 protected:
  Status run() override {
    for (const IndexPlace& place : indexes_) {
      const Schema& schema = *connection_->databases()[static_cast<size_t>(place.database)].schema;
      const Index* index = schema.find_index(place.name);
      if (index == nullptr) continue;
      GW_TRY(connection_->btree(place.database)->clear_tree(index->root, nullptr));
      GW_TRY(fill_index(connection_, *index->table, *index, index->root));
    }
    return Status();
  }

 private:
  Connection* connection_;
  std::vector<IndexPlace> indexes_;
};

bool uses_collation(const Index& index, const Collation* collation) {
  for (uint32_t i = 0; i < index.declared_columns; ++i) {
    if (index.columns[i].collation == collation) return true;
  }
  return false;
}

// The indexes of `table` (`collation`: only those that use it; null: all).
void add_indexes(const Table& table, const Collation* collation, std::vector<IndexPlace>* found) {
  for (const Index* index : table.indexes) {
    if (index == table.primary_index) continue;
    if (collation != nullptr && !uses_collation(*index, collation)) continue;
    found->push_back({table.database, index->name});
  }
}

void add_all_indexes(Connection* connection, const Collation* collation,
                     std::vector<IndexPlace>* found) {
  for (const AttachedDatabase& db : connection->databases()) {
    if (db.btree == nullptr) continue;
    for (const auto& [name, table] : db.schema->tables) add_indexes(*table, collation, found);
  }
}

}  // namespace

Result<std::unique_ptr<StatementBody>> compile_reindex(const CompileInput& input,
                                                       const ast::ReindexStatement& reindex) {
  Connection* connection = input.connection;
  std::vector<IndexPlace> indexes;
  auto make_body = [&]() -> std::unique_ptr<StatementBody> {
    if (indexes.empty()) return empty_body();
    return std::make_unique<ReindexBody>(connection, std::move(indexes));
  };
  if (!reindex.first.present()) {
    add_all_indexes(connection, nullptr, &indexes);
    return make_body();
  }
  std::string_view schema, name = reindex.first.text;
  if (reindex.second.present()) {
    schema = name;
    name = reindex.second.text;
    if (connection->find_database(schema) < 0) {
      return unknown_database(input, reindex.first);
    }
  } else if (const Collation* collation = connection->find_collation(name)) {
    add_all_indexes(connection, collation, &indexes);
    return make_body();
  }
  if (const Table* table = connection->catalog().find_table(schema, name)) {
    add_indexes(*table, nullptr, &indexes);
    return make_body();
  }
  const Index* index = connection->catalog().find_index(schema, name);
  if (index == nullptr) return Status::error("unable to identify the object to be reindexed");
  // The index that is the table has nothing to be made from.
  if (index != index->table->primary_index) {
    indexes.push_back({index->table->database, index->name});
  }
  return make_body();
}

}  // namespace godwit
