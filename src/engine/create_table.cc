// CREATE TABLE, also AS SELECT.
#include "engine/body_ddl.h"
#include "exec/query_run.h"
#include "sql/token.h"
#include "value/affinity.h"
#include "value/record.h"

namespace godwit {

namespace {

class CreateTableBody final : public SchemaBody {
 public:
  CreateTableBody(Connection* connection, int database, std::shared_ptr<Table> table)
      : SchemaBody(connection, database), table_(std::move(table)) {}
  void set_source(std::unique_ptr<QueryRun> source, uint64_t databases) {
    source_ = std::move(source);
    reads_ |= databases & all_databases(connection_);
  }

 protected:
  Status change(SchemaWriter* writer) override {
    Btree& btree = *connection_->btree(database_);
    TreeKind kind = table_->without_rowid ? TreeKind::kIndex : TreeKind::kTable;
    GW_ASSIGN(PageNumber root, btree.create_tree(kind));
    GW_TRY(writer->add({"table", table_->name, table_->name, root, table_->sql}));
    for (const auto& index : table_->owned_indexes) {
      if (index.get() == table_->primary_index) continue;
      GW_ASSIGN(PageNumber index_root, btree.create_tree(TreeKind::kIndex));
      GW_TRY(writer->add({"index", index->name, table_->name, index_root, {}}));
    }
    if (table_->autoincrement) GW_TRY(create_sequence(writer));
    if (source_ != nullptr) GW_TRY(fill(root, writer));
    return Status();
  }

 private:
  Status create_sequence(SchemaWriter* writer) {
    const Schema& schema = *connection_->databases()[static_cast<size_t>(database_)].schema;
    if (schema.find_table("sqlite_sequence") != nullptr) return Status();
    GW_ASSIGN(PageNumber root, connection_->btree(database_)->create_tree(TreeKind::kTable));
    return writer->add({"table", "sqlite_sequence", "sqlite_sequence", root,
                        "CREATE TABLE sqlite_sequence(name,seq)"});
  }

  // The rows come after the table that they are in.
  Status tell_capture_of_table(ChangeCapture* capture, SchemaWriter* writer) {
    GW_ASSIGN(const auto rows, writer->rows());
    for (const SchemaRow& row : rows) {
      if (row.type != "table" || !names_equal(row.name, table_->name)) continue;
      capture->schema_changed({database_, table_->name, table_->sql, nullptr, &row});
    }
    is_told();
    return Status();
  }

  Status fill(PageNumber root, SchemaWriter* writer) {
    Btree& btree = *connection_->btree(database_);
    ChangeCapture* capture = connection_->capture();
    if (capture != nullptr) GW_TRY(tell_capture_of_table(capture, writer));
    GW_ASSIGN(auto cursor, Cursor::open(&btree, root, TreeKind::kTable, nullptr, true));
    RecordEncoder encoder({btree.encoding(), true});
    std::vector<uint8_t> record;
    std::vector<ValueView> values(source_->column_count());
    Arena arena;
    Rowid rowid = 0;
    for (;;) {
      GW_ASSIGN(bool more, source_->step());
      if (!more) break;
      for (uint32_t i = 0; i < values.size(); ++i) {
        values[i] = source_->column(i);
        Affinity affinity = table_->columns[i].affinity;
        apply_affinity(affinity, &values[i], &arena);
        values[i] = stored_form(affinity, values[i]);
      }
      GW_TRY(encoder.encode(values, &record));
      if (capture != nullptr) {
        capture->row_changed({RowChangeKind::kInsert, table_.get(), rowid + 1, rowid + 1, {}, values,
                              0, -1});
      }
      GW_TRY(cursor->insert(++rowid, record, /*append=*/true));
      arena.reset();
    }
    source_->reset();
    return Status();
  }

  std::shared_ptr<Table> table_;
  std::unique_ptr<QueryRun> source_;
};

const char* type_of_affinity(Affinity affinity) {
  switch (affinity) {
    case Affinity::kText: return " TEXT";
    case Affinity::kNumeric:
    case Affinity::kFlexNum: return " NUM";
    case Affinity::kInteger: return " INT";
    case Affinity::kReal: return " REAL";
    default: return "";
  }
}

// Column names need quotes when they would not read back as one identifier.
std::string plain_or_quoted(std::string_view name) {
  bool plain = !name.empty() && !(name[0] >= '0' && name[0] <= '9');
  for (char c : name) {
    plain &= (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '_';
  }
  return plain && find_keyword(name) == TokenKind::kId ? std::string(name) : double_quoted(name);
}

// The text that SQLite stores for CREATE TABLE ... AS: short lists on one line, long ones on many.
std::string table_text(std::string_view name, const std::vector<std::string>& names,
                       std::span<const Affinity> affinities) {
  constexpr size_t kOneLineMax = 50;
  size_t length = name.size() + 7;
  for (const std::string& column : names) length += column.size() + 7;
  bool one_line = length < kOneLineMax;
  std::string text = "CREATE TABLE " + plain_or_quoted(name) + "(";
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += ",";
    if (!one_line) text += "\n  ";
    text += plain_or_quoted(names[i]) + type_of_affinity(affinities[i]);
  }
  return text + (one_line ? ")" : "\n)");
}

// Result names made unique: a, a:1, a:2.
std::vector<std::string> unique_names(const BoundQuery& query) {
  std::vector<std::string> names;
  const BoundCore& core = *query.cores[0];
  for (uint32_t i = 0; i < query.column_count; ++i) {
    std::string base = core.kind == BoundCore::Kind::kValues
                           ? "column" + std::to_string(i + 1)
                           : std::string(core.results[i].name);
    std::string name = base;
    auto taken = [&](const std::string& candidate) {
      for (const std::string& other : names) {
        if (names_equal(other, candidate)) return true;
      }
      return false;
    };
    for (int n = 1; taken(name); ++n) name = base + ":" + std::to_string(n);
    names.push_back(std::move(name));
  }
  return names;
}

Result<std::unique_ptr<StatementBody>> compile_create_table_as(
    const CompileInput& input, const ast::CreateTableStatement& create, int database) {
  CompileTools tools(input);
  Binder binder(tools.bind);
  auto bound = binder.bind_query(*create.select);
  if (!bound.ok()) {
    *input.error_offset = binder.error_offset();
    return bound.take_status();
  }
  BoundQuery* query = *bound;
  tools.plan.next_source = binder.new_source_id();
  GW_ASSIGN(const QueryPlan* plan, plan_query(query, tools.plan));
  GW_ASSIGN(auto run, QueryRun::make(*plan, input.context));
  std::vector<Affinity> affinities(query->column_affinities.begin(),
                                   query->column_affinities.end());
  const BoundCore& core = *query->cores[0];
  if (query->cores.size() == 1 && core.kind != BoundCore::Kind::kValues) {
    for (size_t i = 0; i < affinities.size(); ++i) affinities[i] = core.results[i].expr->affinity;
  }
  std::string text = table_text(create.name.table.text, unique_names(*query), affinities);
  GW_ASSIGN(auto table, build_table(std::move(text), build_context(input.connection, database)));
  auto body = std::make_unique<CreateTableBody>(input.connection, database, std::move(table));
  body->set_source(std::move(run), tools.used_databases);
  return std::unique_ptr<StatementBody>(std::move(body));
}

}  // namespace

Result<std::unique_ptr<StatementBody>> compile_create_table(
    const CompileInput& input, const ast::CreateTableStatement& create) {
  GW_ASSIGN(int database,
            creation_database(input, create.name, create.temporary, "table"));
  bool exists = false;
  GW_TRY(check_new_name(input.connection, database, create.name.table.text, false,
                        create.if_not_exists, &exists));
  if (exists) return empty_body(uint64_t{1} << database);
  if (create.select != nullptr) return compile_create_table_as(input, create, database);
  bool has_options = create.without_rowid || create.strict;
  std::string text = "CREATE TABLE ";
  text += has_options ? text_to_end(input.sql, create.schema_text)
                      : create.schema_text.of(input.sql);
  GW_ASSIGN(auto table, build_table(std::move(text), build_context(input.connection, database)));
  GW_TRY(check_table_expressions(input, *table));
  return std::unique_ptr<StatementBody>(
      std::make_unique<CreateTableBody>(input.connection, database, std::move(table)));
}

}  // namespace godwit
