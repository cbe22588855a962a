#include "catalog/load.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "value/record.h"

namespace godwit {

namespace {

struct SchemaRow {
  std::string type, name, table, sql;
  int64_t root = 0;
  bool has_sql = false;
};

struct StatRow {
  std::string index, stat;
};

// Everything that describes one table: its own row, and those of its indexes and triggers.
struct TableRows {
  const SchemaRow* table = nullptr;
  std::vector<const SchemaRow*> indexes;
  std::vector<const SchemaRow*> triggers;
  std::vector<const StatRow*> stats;
};

Status malformed(std::string_view name, std::string_view why) {
  std::string message = "malformed database schema (" + std::string(name.empty() ? "?" : name) + ")";
  if (!why.empty()) message += " - " + std::string(why);
  return Status(code::kCorrupt, std::move(message));
}

class Loader {
 public:
  Loader(Btree* btree, const BuildContext& context, const Schema* previous)
      : btree_(*btree), context_(context), previous_(previous) {}

  Result<std::shared_ptr<const Schema>> load();

 private:
  template <typename Visit>
  Status scan(PageNumber root, Visit visit);
  Status read_rows();
  Status read_stats();
  Result<bool> take_foreign_trigger(const SchemaRow& row, bool has_table, Table* self);
  Status add_table(const std::string& name, const TableRows& rows);
  Status build(const TableRows& rows, std::shared_ptr<Table>* table);
  Status add_index(Table* table, const SchemaRow& row);
  void apply_stats(Table* table, const TableRows& rows);
  void publish(const std::string& key, std::shared_ptr<const Table> table, uint64_t fingerprint);

  Btree& btree_;
  const BuildContext& context_;
  const Schema* previous_;
  std::vector<SchemaRow> rows_;
  std::map<std::string, std::vector<StatRow>, NameLess> stats_;
  std::shared_ptr<Schema> schema_ = std::make_shared<Schema>();
};

template <typename Visit>
Status Loader::scan(PageNumber root, Visit visit) {
  GW_ASSIGN(auto cursor, Cursor::open(&btree_, root, TreeKind::kTable, nullptr, false));
  RecordDecoder decoder(context_.encoding);
  std::vector<uint8_t> scratch;
  GW_TRY(cursor->first());
  while (!cursor->at_end()) {
    ByteSpan record;
    GW_TRY(cursor->complete_payload(&scratch, &record));
    GW_TRY(decoder.reset(record));
    GW_TRY(visit(&decoder));
    GW_TRY(cursor->next());
  }
  return Status();
}

std::string text_of(const ValueView& value) {
  return value.is_text() || value.is_blob() ? std::string(value.text()) : std::string();
}

Status Loader::read_rows() {
  return scan(1, [&](RecordDecoder* decoder) -> Status {
    SchemaRow row;
    ValueView v;
    bool missing = false;
    GW_TRY(decoder->column(0, &v, &missing));
    row.type = text_of(v);
    GW_TRY(decoder->column(1, &v, &missing));
    row.name = text_of(v);
    GW_TRY(decoder->column(2, &v, &missing));
    row.table = text_of(v);
    GW_TRY(decoder->column(3, &v, &missing));
    row.root = v.is_integer() ? v.integer : 0;
    GW_TRY(decoder->column(4, &v, &missing));
    row.has_sql = v.is_text();
    row.sql = text_of(v);
    rows_.push_back(std::move(row));
    return Status();
  });
}

// sqlite_stat1(tbl, idx, stat): "rows avg1 avg2 ...".
Status Loader::read_stats() {
  auto it = std::find_if(rows_.begin(), rows_.end(), [](const SchemaRow& row) {
    return row.type == "table" && names_equal(row.name, "sqlite_stat1");
  });
  if (it == rows_.end() || it->root <= 0) return Status();
  return scan(static_cast<PageNumber>(it->root), [&](RecordDecoder* decoder) -> Status {
    ValueView table, index, stat;
    bool missing = false;
    GW_TRY(decoder->column(0, &table, &missing));
    std::string table_name = text_of(table);
    GW_TRY(decoder->column(1, &index, &missing));
    std::string index_name = text_of(index);
    GW_TRY(decoder->column(2, &stat, &missing));
    stats_[table_name].push_back({std::move(index_name), text_of(stat)});
    return Status();
  });
}

std::vector<uint64_t> parse_stat(std::string_view text, bool* unordered, bool* noskipscan) {
  std::vector<uint64_t> numbers;
  size_t i = 0;
  while (i < text.size()) {
    size_t end = std::min(text.find(' ', i), text.size());
    std::string_view word = text.substr(i, end - i);
    if (!word.empty() && std::all_of(word.begin(), word.end(),
                                     [](char c) { return c >= '0' && c <= '9'; })) {
      uint64_t n = 0;
      for (char c : word) n = n * 10 + static_cast<uint64_t>(c - '0');
      numbers.push_back(n);
    } else if (word.starts_with("unordered")) {
      *unordered = true;
    } else if (word.starts_with("noskipscan")) {
      *noskipscan = true;
    }
    i = end + 1;
  }
  return numbers;
}

void Loader::apply_stats(Table* table, const TableRows& rows) {
  for (const StatRow* row : rows.stats) {
    bool unordered = false, noskipscan = false;
    std::vector<uint64_t> numbers = parse_stat(row->stat, &unordered, &noskipscan);
    if (numbers.empty()) continue;
    for (auto& index : table->owned_indexes) {
      bool is_primary = index.get() == table->primary_index && names_equal(row->index, table->name);
      if (!is_primary && !names_equal(index->name, row->index)) continue;
      index->stat = numbers;
      index->stat_unordered = unordered;
      index->stat_noskipscan = noskipscan;
      if (index->where != nullptr) numbers.clear();  // a partial index does not count the table
    }
    if (!numbers.empty()) table->row_estimate = numbers[0];
  }
}

Status Loader::add_index(Table* table, const SchemaRow& row) {
  if (!row.has_sql || row.sql.empty()) {
    for (auto& index : table->owned_indexes) {
      if (!names_equal(index->name, row.name)) continue;
      index->root = static_cast<PageNumber>(row.root);
      return Status();
    }
    return malformed(row.name, "orphan index");
  }
  auto built = build_index(row.sql, *table, context_);
  if (!built.ok()) return malformed(row.name, built.status().message());
  std::shared_ptr<Index> index = *std::move(built);
  index->name = row.name;
  index->root = static_cast<PageNumber>(row.root);
  attach_index(table, std::move(index));
  return Status();
}

Status Loader::build(const TableRows& rows, std::shared_ptr<Table>* result) {
  const SchemaRow& row = *rows.table;
  if (!row.has_sql) return malformed(row.name, "");
  // CREATE VIRTUAL TABLE rows are tables without a root page.
  bool is_view = row.type == "view";
  bool is_virtual = !is_view && row.sql.size() > 15 && names_equal(row.sql.substr(0, 15), "CREATE VIRTUAL ");
  auto built = is_view      ? build_view(row.sql, context_)
               : is_virtual ? build_virtual_table(row.sql, context_)
                            : build_table(row.sql, context_);
  if (!built.ok()) return malformed(row.name, built.status().message());
  std::shared_ptr<Table> table = *std::move(built);
  if (!is_view && !is_virtual && row.root <= 0) return malformed(row.name, "invalid rootpage");
  table->name = row.name;
  table->root = static_cast<PageNumber>(row.root);
  table->is_system = row.name.size() > 7 && names_equal(row.name.substr(0, 7), "sqlite_");
  for (auto& index : table->owned_indexes) {
    if (index.get() == table->primary_index) index->root = table->root;
  }
  for (const SchemaRow* index : rows.indexes) GW_TRY(add_index(table.get(), *index));
  for (auto& index : table->owned_indexes) {
    if (index->root == 0) return malformed(index->name, "orphan index");
  }
  for (const SchemaRow* trigger_row : rows.triggers) {
    auto trigger = build_trigger(trigger_row->sql, context_);
    if (!trigger.ok()) return malformed(trigger_row->name, trigger.status().message());
    table->owned_triggers.push_back(*std::move(trigger));
    table->triggers.push_back(table->owned_triggers.back().get());
  }
  apply_stats(table.get(), rows);
  *result = std::move(table);
  return Status();
}

void Loader::publish(const std::string& key, std::shared_ptr<const Table> table,
                     uint64_t fingerprint) {
  for (const auto& index : table->owned_indexes) schema_->indexes[index->name] = index.get();
  for (const auto& trigger : table->owned_triggers) {
    schema_->triggers[trigger->name] = trigger.get();
  }
  schema_->tables[key] = std::move(table);
  schema_->fingerprints[key] = fingerprint;
}

uint64_t fingerprint_of(const TableRows& rows) {
  uint64_t hash = 0;
  auto mix = [&](std::string_view text) { hash = hash_bytes(text, hash); };
  auto mix_row = [&](const SchemaRow& row) {
    mix(row.type);
    mix(row.name);
    mix(row.sql);
    mix(std::to_string(row.root));
  };
  mix_row(*rows.table);
  for (const SchemaRow* row : rows.indexes) mix_row(*row);
  for (const SchemaRow* row : rows.triggers) mix_row(*row);
  for (const StatRow* row : rows.stats) {
    mix(row->index);
    mix(row->stat);
  }
  return hash;
}

Status Loader::add_table(const std::string& name, const TableRows& rows) {
  uint64_t fingerprint = fingerprint_of(rows);
  if (previous_ != nullptr && previous_->format == schema_->format &&
      previous_->encoding == schema_->encoding) {
    auto it = previous_->fingerprints.find(name);
    if (it != previous_->fingerprints.end() && it->second == fingerprint) {
      publish(name, previous_->tables.find(name)->second, fingerprint);
      return Status();
    }
  }
  std::shared_ptr<Table> table;
  GW_TRY(build(rows, &table));
  publish(name, std::move(table), fingerprint);
  return Status();
}

// A trigger of the temp database may be on a table of another one (catalog/foreign_triggers.h).
Result<bool> Loader::take_foreign_trigger(const SchemaRow& row, bool has_table, Table* self) {
  auto built = build_trigger(row.sql, context_);
  if (!built.ok()) return malformed(row.name, built.status().message());
  std::shared_ptr<Trigger> trigger = *std::move(built);
  const ast::Name& schema = trigger->definition->table.schema;
  bool is_own = schema.present() ? names_equal(schema.text, "temp") : has_table;
  if (is_own) return false;
  schema_->triggers[trigger->name] = trigger.get();
  self->owned_triggers.push_back(std::move(trigger));
  return true;
}

Result<std::shared_ptr<const Schema>> Loader::load() {
  schema_->encoding = context_.encoding;
  schema_->format = context_.schema_format;
  GW_ASSIGN(schema_->cookie, btree_.meta(MetaField::kSchemaCookie));
  std::shared_ptr<Table> self = make_schema_table(context_.database, context_.encoding);
  publish(self->name, self, 0);
  if (btree_.pager().page_count() == 0) return std::shared_ptr<const Schema>(schema_);
  GW_TRY(read_rows());
  GW_TRY(read_stats());
  std::map<std::string, TableRows, NameLess> tables;
  for (const SchemaRow& row : rows_) {
    if (row.type == "table" || row.type == "view") {
      TableRows& entry = tables[row.name];
      if (entry.table != nullptr) return malformed(row.name, "table " + row.name + " already exists");
      entry.table = &row;
    }
  }
  for (const SchemaRow& row : rows_) {
    bool is_index = row.type == "index";
    if (!is_index && row.type != "trigger") continue;
    auto it = tables.find(row.table);
    if (!is_index && context_.database == kTempDatabase) {
      GW_ASSIGN(bool taken, take_foreign_trigger(row, it != tables.end(), self.get()));
      if (taken) continue;
    }
    if (it == tables.end()) {
      return malformed(row.name, is_index ? "orphan index" : "no such table: " + row.table);
    }
    (is_index ? it->second.indexes : it->second.triggers).push_back(&row);
  }
  for (const auto& [table, stats] : stats_) {
    auto it = tables.find(table);
    if (it == tables.end()) continue;
    for (const StatRow& stat : stats) it->second.stats.push_back(&stat);
  }
  for (const auto& [name, rows] : tables) GW_TRY(add_table(name, rows));
  for (const SchemaRow& row : rows_) {
    if (row.type != "table") continue;
    schema_->tables_in_order.push_back(schema_->find_table(row.name));
  }
  return std::shared_ptr<const Schema>(schema_);
}

}  // namespace

Result<std::shared_ptr<const Schema>> load_schema(Btree* btree, int database,
                                                  const CollationLookup& collations,
                                                  const Schema* previous) {
  BuildContext context;
  context.collations = collations;
  context.database = database;
  context.strict = false;
  context.encoding = btree->encoding();
  GW_ASSIGN(uint32_t format, btree->meta(MetaField::kSchemaFormat));
  // 0: nothing was written yet.
  context.schema_format = format == 0 ? 4 : format;
  if (format > 4) return Status::error("unsupported file format");
  return Loader(btree, context, previous).load();
}

}  // namespace godwit
