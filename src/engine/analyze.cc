// ANALYZE: counts the rows of indexes and how many of them are distinct in their first columns, for
// the planner. The numbers of an index are "rows a1 a2 ...": its rows, and for each number of leading
// columns the average count of rows that are equal in them, rounded up.
#include "engine/body_ddl.h"
#include "engine/schema_order.h"
#include "value/record.h"

namespace godwit {

namespace {

constexpr std::string_view kStatTable = "sqlite_stat1";
constexpr std::string_view kSampleTable = "sqlite_stat4", kOldSampleTable = "sqlite_stat3";

struct AnalyzeTarget {
  int database;
  std::string table;  // "": all tables
  std::string index;  // "": all indexes of the table
};

class AnalyzeBody final : public ActionBody {
 public:
  AnalyzeBody(Connection* connection, std::vector<AnalyzeTarget> targets)
      : connection_(connection), targets_(std::move(targets)) {
    for (const AnalyzeTarget& target : targets_) writes_ |= uint64_t{1} << target.database;
    reads_ = writes_;
    read_only_ = false;
    needs_mark_ = true;
  }

 protected:
  Status run() override {
    for (const AnalyzeTarget& target : targets_) GW_TRY(analyze(target));
    return Status();
  }

 private:
  Status analyze(const AnalyzeTarget& target) {
    GW_TRY(prepare_stat_table(target.database));
    // Holds the objects while the statistics that are attached to them are replaced.
    std::shared_ptr<const Schema> schema =
        connection_->databases()[static_cast<size_t>(target.database)].schema;
    SchemaWriter writer(connection_, target.database);
    const Table& stat = *schema->find_table(kStatTable);
    Btree& btree = *connection_->btree(target.database);
    // The samples of others would be stale.
    for (std::string_view name : {kStatTable, kSampleTable, kOldSampleTable}) {
      const Table* old = schema->find_table(name);
      if (old == nullptr || old->kind != TableKind::kTable || old->without_rowid) continue;
      if (target.table.empty()) {
        GW_TRY(btree.clear_tree(old->root, nullptr));
      } else if (target.index.empty()) {
        GW_TRY(writer.remove_where(name, 0, target.table));
      } else {
        GW_TRY(writer.remove_where(name, 1, target.index));
      }
    }
    GW_ASSIGN(auto cursor, Cursor::open(&btree, stat.root, TreeKind::kTable, nullptr, true));
    GW_ASSIGN(auto tables,
              tables_in_order(connection_, static_cast<size_t>(target.database)));
    for (const Table* table : tables) {
      if (!target.table.empty() && !names_equal(table->name, target.table)) continue;
      GW_TRY(analyze_table(&btree, *table, target.index, cursor.get()));
    }
    cursor.reset();
    return connection_->reload_schema(target.database);
  }

  // Makes sqlite_stat1 where it is not there.
  Status prepare_stat_table(int database) {
    const Schema& schema = *connection_->databases()[static_cast<size_t>(database)].schema;
    if (schema.find_table(kStatTable) != nullptr) return Status();
    SchemaWriter writer(connection_, database);
    GW_TRY(writer.prepare_file());
    GW_ASSIGN(PageNumber root, connection_->btree(database)->create_tree(TreeKind::kTable));
    GW_TRY(writer.add({"table", kStatTable, kStatTable, root,
                       "CREATE TABLE sqlite_stat1(tbl,idx,stat)"}));
    GW_TRY(connection_->bump_schema_cookie(database));
    return connection_->reload_schema(database);
  }

  Status analyze_table(Btree* btree, const Table& table, const std::string& only_index,
                       Cursor* stat) {
    if (table.kind != TableKind::kTable || table.is_system) return Status();
    GW_ASSIGN(bool empty, is_empty(btree, table));
    bool needs_count = only_index.empty();
    for (const Index* index : table.indexes) {
      if (!only_index.empty() && !names_equal(index->name, only_index)) continue;
      bool is_partial = index->where != nullptr;
      if (!is_partial) needs_count = false;
      if (empty && !is_partial) continue;
      GW_ASSIGN(std::string numbers, analyze_index(btree, *index));
      bool is_table = index == table.primary_index;
      GW_TRY(add_row(btree, table.name, is_table ? table.name : index->name, false, numbers, stat));
    }
    if (!needs_count || empty) return Status();
    GW_ASSIGN(auto cursor, Cursor::open(btree, table.root, TreeKind::kTable, nullptr, false));
    GW_ASSIGN(int64_t rows, cursor->count());
    return add_row(btree, table.name, {}, true, std::to_string(rows), stat);
  }

  static Result<bool> is_empty(Btree* btree, const Table& table) {
    TreeKind kind = table.without_rowid ? TreeKind::kIndex : TreeKind::kTable;
    const KeyInfo* info = table.without_rowid ? &table.primary_index->key_info : nullptr;
    GW_ASSIGN(auto cursor, Cursor::open(btree, table.root, kind, info, false));
    GW_TRY(cursor->first());
    return cursor->at_end();
  }

  Result<std::string> analyze_index(Btree* btree, const Index& index) {
    const uint32_t columns = index.declared_columns;
    std::vector<int64_t> distinct(columns, 0);
    std::vector<Value> previous(columns);
    int64_t rows = 0, skips = 0;
    const int64_t limit = connection_->settings.analysis_limit;
    GW_ASSIGN(auto cursor,
              Cursor::open(btree, index.root, TreeKind::kIndex, &index.key_info, false));
    RecordDecoder decoder(btree->encoding());
    std::vector<uint8_t> scratch;
    GW_TRY(cursor->first());
    while (!cursor->at_end()) {
      if (connection_->is_interrupted()) return Status(code::kInterrupt);
      ByteSpan payload;
      GW_TRY(cursor->complete_payload(&scratch, &payload));
      GW_TRY(decoder.reset(payload));
      bool differs = rows == 0;
      for (uint32_t i = 0; i < columns; ++i) {
        ValueView value;
        bool missing = false;
        GW_TRY(decoder.column(i, &value, &missing));
        differs = differs ||
                  compare_values(value, previous[i].view(), index.columns[i].collation) != 0;
        if (!differs) continue;
        ++distinct[i];
        previous[i].assign(value);
      }
      ++rows;
      if (limit == 0 || rows <= limit * (skips + 1)) {
        GW_TRY(cursor->next());
        continue;
      }
      // Enough rows: on to the next value of the first column, or, after that, to the end.
      ++skips;
      if (distinct[0] > 1) break;
      const ValueView value = previous[0].view();
      GW_TRY(cursor->seek_key_lower({&value, 1}, false));
    }
    int64_t all_rows = rows;
    if (skips > 0) {
      GW_ASSIGN(all_rows, cursor->count());
    }
    std::string numbers = std::to_string(all_rows);
    for (int64_t count : distinct) {
      int64_t average = count == 0 ? 0 : (rows + count - 1) / count;
      // Nearly unique counts as unique.
      if (average == 2 && rows * 10 <= count * 11) average = 1;
      numbers += " " + std::to_string(average);
    }
    return numbers;
  }

  Status add_row(Btree* btree, std::string_view table, std::string_view index, bool index_is_null,
                 std::string_view numbers, Cursor* stat) {
    GW_TRY(stat->last());
    Rowid rowid = stat->at_end() ? 1 : stat->rowid() + 1;
    ValueView values[] = {ValueView::of_text(table),
                          index_is_null ? ValueView::null() : ValueView::of_text(index),
                          ValueView::of_text(numbers)};
    RecordEncoder encoder({btree->encoding(), true});
    std::vector<uint8_t> record;
    GW_TRY(encoder.encode(values, &record));
    return stat->insert(rowid, record, true);
  }

  Connection* connection_;
  std::vector<AnalyzeTarget> targets_;
};

}  // namespace

Result<std::unique_ptr<StatementBody>> compile_analyze(const CompileInput& input,
                                                       const ast::AnalyzeStatement& analyze) {
  Connection* connection = input.connection;
  std::vector<AnalyzeTarget> targets;
  auto make_body = [&]() -> std::unique_ptr<StatementBody> {
    if (targets.empty()) return empty_body();
    return std::make_unique<AnalyzeBody>(connection, std::move(targets));
  };
  if (!analyze.first.present()) {
    for (size_t i = 0; i < connection->databases().size(); ++i) {
      if (i != Connection::kTemp) targets.push_back({static_cast<int>(i), "", ""});
    }
    return make_body();
  }
  std::string_view schema, name = analyze.first.text;
  if (analyze.second.present()) {
    schema = name;
    name = analyze.second.text;
    if (connection->find_database(schema) < 0) {
      return unknown_database(input, analyze.first);
    }
  } else if (int database = connection->find_database(name); database >= 0) {
    if (database == Connection::kTemp) GW_TRY(connection->open_temp());
    targets.push_back({database, "", ""});
    return make_body();
  }
  if (const Index* index = connection->catalog().find_index(schema, name)) {
    targets.push_back({index->table->database, index->table->name, index->name});
    return make_body();
  }
  const Table* table = connection->catalog().find_table(schema, name);
  if (table == nullptr) {
    std::string full = schema.empty() ? "" : std::string(schema) + ".";
    return Status::error("no such table: " + full + std::string(name));
  }
  if (table->kind == TableKind::kTable) targets.push_back({table->database, table->name, ""});
  return make_body();
}

}  // namespace godwit
