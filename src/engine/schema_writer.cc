#include "engine/schema_writer.h"

#include <array>
#include <vector>

#include "catalog/schema.h"
#include "engine/connection.h"
#include "value/record.h"

namespace godwit {

namespace {
constexpr PageNumber kSchemaRoot = 1;
constexpr uint32_t kSchemaFormat = 4;
constexpr int kRootColumn = 3;
constexpr int kSchemaColumns = 5;
}  // namespace

SchemaWriter::SchemaWriter(Connection* connection, int database)
    : connection_(connection), database_(database), btree_(*connection->btree(database)) {}

Status SchemaWriter::prepare_file() {
  GW_ASSIGN(uint32_t format, btree_.meta(MetaField::kSchemaFormat));
  if (format != 0) return Status();
  GW_TRY(btree_.set_meta(MetaField::kSchemaFormat, kSchemaFormat));
  return btree_.set_meta(MetaField::kTextEncoding, static_cast<uint32_t>(btree_.encoding()));
}

Status SchemaWriter::add(const SchemaEntry& entry) {
  GW_ASSIGN(auto cursor, Cursor::open(&btree_, kSchemaRoot, TreeKind::kTable, nullptr, true));
  GW_TRY(cursor->last());
  Rowid rowid = cursor->at_end() ? 1 : cursor->rowid() + 1;
  std::array<ValueView, kSchemaColumns> values = {
      ValueView::of_text(entry.type), ValueView::of_text(entry.name),
      ValueView::of_text(entry.table), ValueView::of(static_cast<int64_t>(entry.root)),
      entry.sql.data() == nullptr ? ValueView::null() : ValueView::of_text(entry.sql)};
  RecordEncoder encoder({btree_.encoding(), true});
  std::vector<uint8_t> record;
  GW_TRY(encoder.encode(values, &record));
  return cursor->insert(rowid, record, /*append=*/true);
}

template <typename Visit>
Status SchemaWriter::scan(PageNumber root, Visit visit) {
  GW_ASSIGN(auto cursor, Cursor::open(&btree_, root, TreeKind::kTable, nullptr, false));
  RecordDecoder decoder(btree_.encoding());
  std::vector<uint8_t> scratch;
  GW_TRY(cursor->first());
  while (!cursor->at_end()) {
    ByteSpan record;
    GW_TRY(cursor->complete_payload(&scratch, &record));
    GW_TRY(decoder.reset(record));
    GW_TRY(visit(cursor->rowid(), &decoder));
    GW_TRY(cursor->next());
  }
  return Status();
}

namespace {

Status read_row(RecordDecoder* decoder, SchemaRow* row) {
  std::array<ValueView, kSchemaColumns> values;
  bool missing = false;
  std::string* texts[] = {&row->type, &row->name, &row->table, nullptr, &row->sql};
  for (uint32_t i = 0; i < kSchemaColumns; ++i) {
    GW_TRY(decoder->column(i, &values[i], &missing));
    bool is_text = values[i].is_text() || values[i].is_blob();
    if (texts[i] != nullptr && is_text) *texts[i] = values[i].text();
  }
  row->root = values[kRootColumn].is_integer() ? values[kRootColumn].integer : 0;
  row->has_sql = values[kSchemaColumns - 1].is_text();
  return Status();
}

}  // namespace

Result<std::vector<SchemaRow>> SchemaWriter::rows() {
  std::vector<SchemaRow> all;
  GW_TRY(scan(kSchemaRoot, [&](Rowid rowid, RecordDecoder* decoder) {
    all.emplace_back().rowid = rowid;
    return read_row(decoder, &all.back());
  }));
  return all;
}

Status SchemaWriter::rewrite(const std::function<Result<bool>(SchemaRow*)>& change) {
  std::vector<std::pair<Rowid, SchemaRow>> all;
  GW_TRY(scan(kSchemaRoot, [&](Rowid rowid, RecordDecoder* decoder) {
    all.emplace_back(rowid, SchemaRow());
    return read_row(decoder, &all.back().second);
  }));
  GW_ASSIGN(auto cursor, Cursor::open(&btree_, kSchemaRoot, TreeKind::kTable, nullptr, true));
  RecordEncoder encoder({btree_.encoding(), true});
  std::vector<uint8_t> record;
  for (auto& [rowid, row] : all) {
    GW_ASSIGN(bool changed, change(&row));
    if (!changed) continue;
    std::array<ValueView, kSchemaColumns> values = {
        ValueView::of_text(row.type), ValueView::of_text(row.name), ValueView::of_text(row.table),
        ValueView::of(row.root),
        row.has_sql ? ValueView::of_text(row.sql) : ValueView::null()};
    GW_TRY(encoder.encode(values, &record));
    GW_TRY(cursor->insert(rowid, record));
  }
  return Status();
}

// Removes the entries for which matches(decoder) gives true.
template <typename Matches>
Status SchemaWriter::remove_matching(PageNumber root, Matches matches) {
  GW_ASSIGN(auto cursor, Cursor::open(&btree_, root, TreeKind::kTable, nullptr, true));
  RecordDecoder decoder(btree_.encoding());
  std::vector<uint8_t> scratch;
  std::vector<Rowid> found;
  GW_TRY(cursor->first());
  while (!cursor->at_end()) {
    ByteSpan record;
    GW_TRY(cursor->complete_payload(&scratch, &record));
    GW_TRY(decoder.reset(record));
    GW_ASSIGN(bool match, matches(&decoder));
    if (match) found.push_back(cursor->rowid());
    GW_TRY(cursor->next());
  }
  for (Rowid rowid : found) {
    int order = 0;
    GW_TRY(cursor->seek_rowid(rowid, &order));
    if (!cursor->at_end() && order == 0) GW_TRY(cursor->remove());
  }
  return Status();
}

namespace {

Result<bool> column_is(RecordDecoder* decoder, uint32_t column, std::string_view text) {
  ValueView value;
  bool missing = false;
  GW_TRY(decoder->column(column, &value, &missing));
  return value.is_text() && names_equal(value.text(), text);
}

}  // namespace

Status SchemaWriter::remove(std::string_view type, std::string_view name) {
  return remove_matching(kSchemaRoot, [&](RecordDecoder* decoder) -> Result<bool> {
    GW_ASSIGN(bool same_name, column_is(decoder, 1, name));
    if (!same_name || type.empty()) return same_name;
    return column_is(decoder, 0, type);
  });
}

Status SchemaWriter::remove_table(std::string_view name) {
  return remove_matching(kSchemaRoot, [&](RecordDecoder* decoder) -> Result<bool> {
    return column_is(decoder, 2, name);
  });
}

Status SchemaWriter::remove_where(std::string_view table, int column, std::string_view name) {
  const Schema& schema = *connection_->databases()[static_cast<size_t>(database_)].schema;
  const Table* target = schema.find_table(table);
  if (target == nullptr || target->root == 0) return Status();
  return remove_matching(target->root, [&](RecordDecoder* decoder) -> Result<bool> {
    return column_is(decoder, static_cast<uint32_t>(column), name);
  });
}

Status SchemaWriter::rename_where(std::string_view table, std::string_view from,
                                  std::string_view to) {
  const Schema& schema = *connection_->databases()[static_cast<size_t>(database_)].schema;
  const Table* target = schema.find_table(table);
  if (target == nullptr || target->root == 0) return Status();
  std::vector<std::pair<Rowid, std::vector<uint8_t>>> changed;
  GW_TRY(scan(target->root, [&](Rowid rowid, RecordDecoder* decoder) -> Status {
    GW_ASSIGN(bool match, column_is(decoder, 0, from));
    if (!match) return Status();
    std::vector<ValueView> values(target->columns.size());
    bool missing = false;
    for (uint32_t i = 0; i < values.size(); ++i) {
      GW_TRY(decoder->column(i, &values[i], &missing));
    }
    values[0] = ValueView::of_text(to);
    RecordEncoder encoder({btree_.encoding(), true});
    changed.emplace_back(rowid, std::vector<uint8_t>());
    return encoder.encode(values, &changed.back().second);
  }));
  GW_ASSIGN(auto cursor, Cursor::open(&btree_, target->root, TreeKind::kTable, nullptr, true));
  for (const auto& [rowid, record] : changed) GW_TRY(cursor->insert(rowid, record));
  return Status();
}

Status SchemaWriter::drop_tree(PageNumber root) {
  PageNumber moved_from = 0;
  GW_TRY(btree_.drop_tree(root, &moved_from));
  return moved_from != 0 ? change_root(moved_from, root) : Status();
}

Status SchemaWriter::change_root(PageNumber from, PageNumber to) {
  GW_ASSIGN(auto cursor, Cursor::open(&btree_, kSchemaRoot, TreeKind::kTable, nullptr, true));
  RecordDecoder decoder(btree_.encoding());
  std::vector<uint8_t> scratch, record;
  GW_TRY(cursor->first());
  for (; !cursor->at_end();) {
    ByteSpan payload;
    GW_TRY(cursor->complete_payload(&scratch, &payload));
    GW_TRY(decoder.reset(payload));
    std::array<ValueView, kSchemaColumns> values;
    bool missing = false;
    for (uint32_t i = 0; i < kSchemaColumns; ++i) {
      GW_TRY(decoder.column(i, &values[i], &missing));
    }
    if (values[kRootColumn].is_integer() && values[kRootColumn].integer == from) {
      values[kRootColumn] = ValueView::of(static_cast<int64_t>(to));
      RecordEncoder encoder({btree_.encoding(), true});
      GW_TRY(encoder.encode(values, &record));
      return cursor->insert(cursor->rowid(), record);
    }
    GW_TRY(cursor->next());
  }
  return corrupt("a moved root page is not in the schema");
}

}  // namespace godwit
