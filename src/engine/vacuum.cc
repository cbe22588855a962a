// VACUUM: a new database is built with the trees of the old one, each written in key order, and then
// takes the place of the old content (or, for VACUUM INTO, is the new file).
//
// Trees are made in the order in which SQLite would make them: tables with their automatic indexes,
// then indexes; views, triggers and virtual tables, which have no tree, come last. Records are copied
// as they are.
#include <map>

#include "engine/body_ddl.h"
#include "exec/expression.h"
#include "value/record.h"

namespace godwit {

namespace {

class Vacuum {
 public:
  Vacuum(Connection* connection, int database, Btree* target, bool keep_rowids)
      : connection_(connection),
        database_(database),
        schema_(*connection->databases()[static_cast<size_t>(database)].schema),
        source_(*connection->btree(database)),
        target_(*target),
        keep_rowids_(keep_rowids) {}

  Status run() {
    SchemaWriter reader(connection_, database_);
    GW_ASSIGN(rows_, reader.rows());
    GW_TRY(copy_header());
    GW_TRY(make_trees());
    for (const Copy& copy : copies_) {
      GW_TRY(copy.index != nullptr ? copy_index(copy) : copy_table(copy));
    }
    for (const SchemaRow& row : rows_) {
      bool has_no_tree = row.type == "view" || row.type == "trigger" ||
                         (row.type == "table" && row.root == 0);
      if (!has_no_tree) continue;
      GW_TRY(add_row(row, 0));
      connection_->set_last_insert_rowid(schema_rowid_);  // SQLite copies them by INSERT
    }
    return Status();
  }

 private:
  struct Copy {
    const Table* table = nullptr;
    const Index* index = nullptr;  // null: a rowid table's own tree
    PageNumber from = 0, to = 0;
  };

  Status copy_header() {
    for (MetaField field : {MetaField::kSchemaFormat, MetaField::kDefaultCacheSize,
                            MetaField::kTextEncoding, MetaField::kUserVersion,
                            MetaField::kApplicationId, MetaField::kSchemaCookie}) {
      GW_ASSIGN(uint32_t value, source_.meta(field));
      if (field == MetaField::kSchemaCookie) ++value;
      GW_TRY(target_.set_meta(field, value));
    }
    return Status();
  }

  Status make_trees() {
    for (const SchemaRow& row : rows_) {
      if (row.type != "table" || row.root == 0 || names_equal(row.name, "sqlite_sequence")) continue;
      const Table* table = schema_.find_table(row.name);
      if (table == nullptr) return corrupt("a table of the schema is not there");
      GW_TRY(make_table(row, *table));
      for (const SchemaRow& other : rows_) {
        bool automatic = other.type == "index" && !other.has_sql && names_equal(other.table, row.name);
        if (automatic) GW_TRY(make_index(other));
      }
      if (table->autoincrement) GW_TRY(make_sequence());
    }
    GW_TRY(make_sequence());
    for (const SchemaRow& row : rows_) {
      if (row.type == "index" && row.has_sql) GW_TRY(make_index(row));
    }
    return Status();
  }

  Status make_table(const SchemaRow& row, const Table& table) {
    Copy copy{&table, table.primary_index, table.root, 0};
    bool is_index = table.without_rowid;
    GW_ASSIGN(copy.to, target_.create_tree(is_index ? TreeKind::kIndex : TreeKind::kTable));
    copies_.push_back(copy);
    return add_row(row, copy.to);
  }

  Status make_index(const SchemaRow& row) {
    const Index* index = schema_.find_index(row.name);
    if (index == nullptr) return corrupt("an index of the schema is not there");
    Copy copy{index->table, index, index->root, 0};
    GW_ASSIGN(copy.to, target_.create_tree(TreeKind::kIndex));
    copies_.push_back(copy);
    return add_row(row, copy.to);
  }

  Status make_sequence() {
    if (has_sequence_) return Status();
    for (const SchemaRow& row : rows_) {
      if (row.type != "table" || !names_equal(row.name, "sqlite_sequence")) continue;
      has_sequence_ = true;
      return make_table(row, *schema_.find_table(row.name));
    }
    return Status();
  }

  Status add_row(const SchemaRow& row, PageNumber root) {
    GW_ASSIGN(auto cursor, Cursor::open(&target_, 1, TreeKind::kTable, nullptr, true));
    ValueView values[] = {ValueView::of_text(row.type), ValueView::of_text(row.name),
                          ValueView::of_text(row.table), ValueView::of(static_cast<int64_t>(root)),
                          row.has_sql ? ValueView::of_text(row.sql) : ValueView::null()};
    RecordEncoder encoder({target_.encoding(), true});
    GW_TRY(encoder.encode(values, &record_));
    return cursor->insert(++schema_rowid_, record_, true);
  }

  Status copy_table(const Copy& copy) {
    // Where no one can refer to rowids they become 1, 2, 3, ...
    bool renumber = !keep_rowids_ && copy.table->rowid_column < 0 && copy.table->indexes.empty();
    GW_ASSIGN(auto from, Cursor::open(&source_, copy.from, TreeKind::kTable, nullptr, false));
    GW_ASSIGN(auto to, Cursor::open(&target_, copy.to, TreeKind::kTable, nullptr, true));
    Rowid next = 0;
    GW_TRY(from->first());
    while (!from->at_end()) {
      ByteSpan payload;
      GW_TRY(from->complete_payload(&scratch_, &payload));
      GW_TRY(to->insert(renumber ? ++next : from->rowid(), payload, true));
      GW_TRY(from->next());
    }
    return Status();
  }

  Status copy_index(const Copy& copy) {
    const KeyInfo* info = &copy.index->key_info;
    GW_ASSIGN(auto from, Cursor::open(&source_, copy.from, TreeKind::kIndex, info, false));
    GW_ASSIGN(auto to, Cursor::open(&target_, copy.to, TreeKind::kIndex, info, true));
    RecordDecoder decoder(source_.encoding());
    std::vector<ValueView> key(info->columns.size());
    GW_TRY(from->first());
    while (!from->at_end()) {
      ByteSpan payload;
      GW_TRY(from->complete_payload(&scratch_, &payload));
      GW_TRY(decoder.reset(payload));
      for (uint32_t i = 0; i < key.size(); ++i) {
        bool missing = false;
        GW_TRY(decoder.column(i, &key[i], &missing));
      }
      GW_TRY(to->insert_key(key, payload));
      GW_TRY(from->next());
    }
    return Status();
  }

  Connection* connection_;
  int database_;
  const Schema& schema_;
  Btree& source_;
  Btree& target_;
  bool keep_rowids_;
  bool has_sequence_ = false;
  std::vector<SchemaRow> rows_;
  std::vector<Copy> copies_;
  Rowid schema_rowid_ = 0;
  std::vector<uint8_t> scratch_, record_;
};

class VacuumBody final : public ActionBody {
 public:
  VacuumBody(Connection* connection, int database) : connection_(connection), database_(database) {
    controls_transaction_ = true;
    read_only_ = false;
  }
  std::unique_ptr<Expression> into;

 protected:
  Status run() override {
    if (!connection_->autocommit()) {
      return Status::error("cannot VACUUM from within a transaction");
    }
    if (connection_->active_statements() > 1) {
      return Status::error("cannot VACUUM - SQL statements in progress");
    }
    std::string file;
    if (into != nullptr) {
      ValueView value;
      GW_TRY(evaluate_scalar(into.get(), &value));
      if (!value.is_text()) return Status::error("non-text filename");
      file = value.text();
    }
    GW_TRY(connection_->ensure_schema());
    // Nothing of it may go on from a schema or a snapshot of before.
    Status status = connection_->statement_begin_read(uint64_t{1} << database_);
    Btree& source = *connection_->btree(database_);
    if (status.ok()) status = into != nullptr ? vacuum_into(&source, file) : vacuum(&source);
    if (source.pager().is_reading()) source.end_read();
    return status;
  }

 private:
  // An empty database with the properties that the result shall have, in a write transaction.
  Result<std::unique_ptr<Btree>> make_target(Btree* source, const std::string& path) {
    GW_ASSIGN(auto pager, Pager::open(connection_->vfs(), path, PagerOptions{}));
    auto target = std::make_unique<Btree>(std::move(pager));
    GW_TRY(target->begin_read());
    if (target->pager().page_count() > 0) return Status::error("output file already exists");
    target->end_read();
    const ConnectionSettings& settings = connection_->settings;
    Pager& from = source->pager();
    bool keeps_size = settings.next_page_size == 0 ||
                      (path.empty() && (from.journal_mode() == JournalMode::kWal || from.path().empty()));
    uint32_t page_size = keeps_size ? from.page_size() : settings.next_page_size;
    (void)target->pager().set_page_size(page_size, static_cast<int>(from.reserved_bytes()));
    AutoVacuum mode = settings.next_auto_vacuum < 0
                          ? source->auto_vacuum()
                          : static_cast<AutoVacuum>(settings.next_auto_vacuum);
    GW_TRY(target->begin_read());
    GW_TRY(target->set_encoding(source->encoding()));
    GW_TRY(target->set_auto_vacuum(mode));
    GW_TRY(target->begin_write());
    return target;
  }

  Status vacuum_into(Btree* source, const std::string& path) {
    GW_ASSIGN(auto target, make_target(source, path));
    GW_TRY(Vacuum(connection_, database_, target.get(), true).run());
    return target->commit();
  }

  Status vacuum(Btree* source) {
    if (source->pager().page_count() == 0) return Status();
    GW_TRY(source->begin_write(true));
    auto target = make_target(source, "");
    Status status = target.ok() ? Status() : target.take_status();
    if (status.ok() && !connection_->settings.reset_database) {
      status = Vacuum(connection_, database_, target->get(), false).run();
    }
    if (status.ok()) status = source->replace_content(target->get());
    if (!status.ok()) {
      if (source->pager().is_writing()) source->rollback();
      return status;
    }
    return connection_->reload_after_vacuum(database_);
  }

  Connection* connection_;
  int database_;
};

}  // namespace

Result<std::unique_ptr<StatementBody>> compile_vacuum(const CompileInput& input,
                                                      const ast::VacuumStatement& vacuum) {
  int database = Connection::kMain;
  if (vacuum.schema.present()) {
    database = input.connection->find_database(vacuum.schema.text);
    if (database < 0) return unknown_database(input, vacuum.schema);
  }
  if (database == Connection::kTemp) return empty_body();
  auto body = std::make_unique<VacuumBody>(input.connection, database);
  if (vacuum.into != nullptr) {
    CompileTools tools(input);
    Binder binder(tools.bind);
    auto bound = binder.bind_limit(*vacuum.into);
    if (!bound.ok()) {
      *input.error_offset = binder.error_offset();
      return bound.take_status();
    }
    GW_ASSIGN(body->into, compile_expression(**bound, Layout{}, input.context, nullptr));
  }
  return std::unique_ptr<StatementBody>(std::move(body));
}

}  // namespace godwit
