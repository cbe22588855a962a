// CREATE TABLE: columns, constraints and the indexes that constraints imply.
#include <algorithm>

#include "catalog/builder.h"
#include "catalog/index_columns.h"
#include "sql/parser.h"
#include "value/affinity.h"

namespace godwit {

namespace {

class TableBuilder {
 public:
  TableBuilder(Table* table, const BuildContext& context) : table_(*table), context_(context) {}

  Status build(const ast::CreateTableStatement& create);

 private:
  Status add_column(const ast::ColumnDef& definition);
  Status add_column_constraint(const ast::ColumnConstraint& constraint, int32_t column);
  Status set_generated(const ast::ColumnConstraint& constraint, Column* column);
  Status add_table_constraint(const ast::TableConstraint& constraint);
  Status add_primary_key(std::vector<IndexColumn> columns, ast::ConflictAction conflict,
                         bool autoincrement, bool inline_descending);
  Status add_unique(std::vector<IndexColumn> columns, ast::ConflictAction conflict,
                    Index::Origin origin);
  Status add_foreign_key(const ast::ForeignKey& key, std::vector<int32_t> columns);
  Status key_columns(std::span<const ast::OrderTerm> terms, std::vector<IndexColumn>* columns);
  Status check_strict_types();
  Status finish_without_rowid();
  void finish_indexes();
  void assign_storage();
  Status check_generated();

  Table& table_;
  const BuildContext& context_;
  std::vector<std::shared_ptr<Index>> indexes_;  // in order of appearance
  Index* primary_index_ = nullptr;
  bool has_primary_key_ = false;
  bool wants_autoincrement_ = false;
};

Status TableBuilder::build(const ast::CreateTableStatement& create) {
  table_.without_rowid = create.without_rowid;
  table_.strict = create.strict;
  for (const ast::ColumnDef& definition : create.columns) GW_TRY(add_column(definition));
  for (size_t i = 0; i < create.columns.size(); ++i) {
    for (const ast::ColumnConstraint& constraint : create.columns[i].constraints) {
      GW_TRY(add_column_constraint(constraint, static_cast<int32_t>(i)));
    }
  }
  for (const ast::TableConstraint& constraint : create.constraints) {
    GW_TRY(add_table_constraint(constraint));
  }
  if (table_.strict) GW_TRY(check_strict_types());
  if (wants_autoincrement_ && table_.without_rowid) {
    return Status::error("AUTOINCREMENT not allowed on WITHOUT ROWID tables");
  }
  if (table_.without_rowid) GW_TRY(finish_without_rowid());
  GW_TRY(check_generated());
  finish_indexes();
  assign_storage();
  return Status();
}

Status TableBuilder::add_column(const ast::ColumnDef& definition) {
  if (table_.find_column(definition.name.text) >= 0) {
    return Status::error("duplicate column name: " + std::string(definition.name.text));
  }
  Column column;
  column.name = definition.name.text;
  column.declared_type = definition.type;
  // SQLite keeps these types as numbers, so that they come back in capitals.
  for (std::string_view standard : {"ANY", "BLOB", "INT", "INTEGER", "REAL", "TEXT"}) {
    if (names_equal(column.declared_type, standard)) column.declared_type = standard;
  }
  column.affinity =
      definition.type.empty() ? Affinity::kBlob : affinity_of_type_name(definition.type);
  column.collation = binary_collation(context_.encoding);
  // The type of a column comes before its constraints, but COLLATE may stand anywhere among them.
  for (const ast::ColumnConstraint& constraint : definition.constraints) {
    if (constraint.kind != ast::ColumnConstraintKind::kCollate) continue;
    const Collation* collation = context_.collations(constraint.collation.text);
    if (collation == nullptr) {
      if (context_.strict) {
        return Status(code::kErrorMissingCollSeq,
                      "no such collation sequence: " + std::string(constraint.collation.text));
      }
      collation = column.collation;
    }
    column.collation = collation;
  }
  table_.add_column(std::move(column));
  return Status();
}

Status TableBuilder::set_generated(const ast::ColumnConstraint& constraint, Column* column) {
  bool stored = false;
  if (constraint.storage.present()) {
    if (names_equal(constraint.storage.text, "stored")) {
      stored = true;
    } else if (!names_equal(constraint.storage.text, "virtual")) {
      return Status::error("error in generated column \"" + column->name + "\"");
    }
  }
  if (column->generated != Generated::kNo || column->default_value != nullptr) {
    return Status::error("error in generated column \"" + column->name + "\"");
  }
  column->generated = stored ? Generated::kStored : Generated::kVirtual;
  column->generated_as = constraint.expr;
  table_.has_generated = true;
  return Status();
}

Status TableBuilder::add_column_constraint(const ast::ColumnConstraint& constraint, int32_t i) {
  Column& column = table_.columns[i];
  using Kind = ast::ColumnConstraintKind;
  switch (constraint.kind) {
    case Kind::kPrimaryKey: {
      if (column.generated != Generated::kNo) {
        return Status::error("generated columns cannot be part of the PRIMARY KEY");
      }
      IndexColumn key{i, nullptr, column.collation, constraint.descending};
      return add_primary_key({key}, constraint.conflict, constraint.autoincrement,
                             constraint.descending);
    }
    case Kind::kNotNull:
      column.not_null = true;
      column.not_null_conflict = constraint.conflict;
      return Status();
    case Kind::kUnique:
      return add_unique({IndexColumn{i, nullptr, column.collation, false}}, constraint.conflict,
                        Index::Origin::kUnique);
    case Kind::kCheck:
      table_.checks.push_back({std::string(constraint.name.text),
                               std::string(constraint.expr_text.of(table_.sql)), constraint.expr});
      return Status();
    case Kind::kDefault:
      if (column.generated != Generated::kNo) {
        return Status::error("cannot use DEFAULT on a generated column");
      }
      column.default_value = constraint.expr;
      column.default_text = constraint.expr_text.of(table_.sql);
      return Status();
    case Kind::kReferences:
      return add_foreign_key(*constraint.foreign_key, {i});
    case Kind::kGenerated:
      return set_generated(constraint, &column);
    case Kind::kCollate:
    case Kind::kNull:
      return Status();
  }
  return Status();
}

Status TableBuilder::add_table_constraint(const ast::TableConstraint& constraint) {
  using Kind = ast::TableConstraintKind;
  switch (constraint.kind) {
    case Kind::kPrimaryKey: {
      std::vector<IndexColumn> columns;
      GW_TRY(key_columns(constraint.columns, &columns));
      return add_primary_key(std::move(columns), constraint.conflict, constraint.autoincrement,
                             false);
    }
    case Kind::kUnique: {
      std::vector<IndexColumn> columns;
      GW_TRY(key_columns(constraint.columns, &columns));
      return add_unique(std::move(columns), constraint.conflict, Index::Origin::kUnique);
    }
    case Kind::kCheck:
      table_.checks.push_back({std::string(constraint.name.text),
                               std::string(constraint.expr_text.of(table_.sql)), constraint.expr});
      return Status();
    case Kind::kForeignKey: {
      std::vector<int32_t> columns;
      for (const ast::Name& name : constraint.child_columns) {
        int32_t i = table_.find_column(name.text);
        if (i < 0) {
          return Status::error("unknown column \"" + std::string(name.text) +
                               "\" in foreign key definition");
        }
        columns.push_back(i);
      }
      return add_foreign_key(*constraint.foreign_key, std::move(columns));
    }
  }
  return Status();
}

Status TableBuilder::key_columns(std::span<const ast::OrderTerm> terms,
                                 std::vector<IndexColumn>* columns) {
  for (const ast::OrderTerm& term : terms) {
    IndexColumn key;
    GW_TRY(resolve_index_column(term, table_, context_, /*expressions=*/false, &key));
    columns->push_back(key);
  }
  return Status();
}

Status TableBuilder::add_primary_key(std::vector<IndexColumn> columns, ast::ConflictAction conflict,
                                     bool autoincrement, bool inline_descending) {
  if (has_primary_key_) {
    return Status::error("table \"" + table_.name + "\" has more than one primary key");
  }
  has_primary_key_ = true;
  for (const IndexColumn& key : columns) {
    Column& column = table_.columns[key.column];
    if (column.generated != Generated::kNo) {
      return Status::error("generated columns cannot be part of the PRIMARY KEY");
    }
    if (column.primary_key_position == 0) {
      table_.primary_key.push_back(key.column);
      column.primary_key_position = static_cast<uint16_t>(table_.primary_key.size());
    }
  }
  // INTEGER PRIMARY KEY is the rowid itself; "INTEGER PRIMARY KEY DESC" on a column is not, for
  // compatibility with an old mistake (lang_createtable.html).
  bool is_rowid = columns.size() == 1 && !inline_descending &&
                  names_equal(table_.columns[columns[0].column].declared_type, "INTEGER");
  if (is_rowid && !table_.without_rowid) {
    table_.rowid_column = columns[0].column;
    table_.primary_key_conflict = conflict;
    table_.autoincrement = autoincrement;
    wants_autoincrement_ = autoincrement;
    return Status();
  }
  if (autoincrement) {
    if (!is_rowid) {
      return Status::error("AUTOINCREMENT is only allowed on an INTEGER PRIMARY KEY");
    }
    wants_autoincrement_ = true;
  }
  return add_unique(std::move(columns), conflict, Index::Origin::kPrimaryKey);
}

bool same_key(const Index& index, const std::vector<IndexColumn>& columns) {
  if (index.declared_columns != columns.size()) return false;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (index.columns[i].column != columns[i].column ||
        index.columns[i].collation != columns[i].collation) {
      return false;
    }
  }
  return true;
}

Status TableBuilder::add_unique(std::vector<IndexColumn> columns, ast::ConflictAction conflict,
                                Index::Origin origin) {
  for (const auto& existing : indexes_) {
    if (!same_key(*existing, columns)) continue;
    // UNIQUE(a) beside PRIMARY KEY(a): one index serves both.
    if (existing->conflict != conflict) {
      if (existing->conflict != ast::ConflictAction::kDefault &&
          conflict != ast::ConflictAction::kDefault) {
        return Status::error("conflicting ON CONFLICT clauses specified");
      }
      if (existing->conflict == ast::ConflictAction::kDefault) existing->conflict = conflict;
    }
    if (origin == Index::Origin::kPrimaryKey) {
      existing->origin = origin;
      primary_index_ = existing.get();
    }
    return Status();
  }
  auto index = std::make_shared<Index>();
  index->name = "sqlite_autoindex_" + table_.name + "_" + std::to_string(indexes_.size() + 1);
  index->table = &table_;
  index->unique = true;
  index->conflict = conflict;
  index->origin = origin;
  index->declared_columns = static_cast<uint32_t>(columns.size());
  index->columns = std::move(columns);
  if (origin == Index::Origin::kPrimaryKey) primary_index_ = index.get();
  indexes_.push_back(std::move(index));
  return Status();
}

Status TableBuilder::add_foreign_key(const ast::ForeignKey& key, std::vector<int32_t> columns) {
  if (!key.columns.empty() && key.columns.size() != columns.size()) {
    if (columns.size() == 1) {
      return Status::error("foreign key on " + table_.columns[columns[0]].name +
                           " should reference only one column of table " +
                           std::string(key.table.text));
    }
    return Status::error(
        "number of columns in foreign key does not match the number of columns in the referenced "
        "table");
  }
  ForeignKey foreign;
  foreign.parent_table = key.table.text;
  foreign.columns = std::move(columns);
  for (const ast::Name& name : key.columns) foreign.parent_columns.emplace_back(name.text);
  foreign.on_delete = key.on_delete;
  foreign.on_update = key.on_update;
  foreign.deferred = key.deferred();
  foreign.match = "NONE";
  table_.foreign_keys.push_back(std::move(foreign));
  return Status();
}

Status TableBuilder::check_strict_types() {
  static constexpr std::string_view kTypes[] = {"INT", "INTEGER", "REAL", "TEXT", "BLOB", "ANY"};
  for (Column& column : table_.columns) {
    const std::string& type = column.declared_type;
    if (type.empty()) {
      return Status::error("missing datatype for " + table_.name + "." + column.name);
    }
    bool known = std::any_of(std::begin(kTypes), std::end(kTypes),
                             [&](std::string_view t) { return names_equal(t, type); });
    if (!known) {
      return Status::error("unknown datatype for " + table_.name + "." + column.name + ": \"" +
                           type + "\"");
    }
    if (names_equal(type, "ANY")) column.affinity = Affinity::kBlob;
    // PRIMARY KEY columns of STRICT tables are NOT NULL, except the rowid itself.
    if (column.primary_key_position > 0 && table_.rowid_column < 0) column.not_null = true;
  }
  return Status();
}

Status TableBuilder::finish_without_rowid() {
  if (!has_primary_key_) return Status::error("PRIMARY KEY missing on table " + table_.name);
  for (int32_t i : table_.primary_key) table_.columns[i].not_null = true;
  Index& index = *primary_index_;
  // Columns named twice in the key count once.
  std::vector<IndexColumn> unique;
  for (const IndexColumn& key : index.columns) {
    bool seen = std::any_of(unique.begin(), unique.end(), [&](const IndexColumn& u) {
      return u.column == key.column && u.collation == key.collation;
    });
    if (!seen) unique.push_back(key);
  }
  index.columns = std::move(unique);
  index.declared_columns = static_cast<uint32_t>(index.columns.size());
  table_.primary_index = primary_index_;
  for (size_t i = 0; i < table_.columns.size(); ++i) {
    const Column& column = table_.columns[i];
    if (column.generated == Generated::kVirtual) continue;
    bool in_key = std::any_of(index.columns.begin(), index.columns.begin() + index.declared_columns,
                              [&](const IndexColumn& key) {
                                return key.column == static_cast<int32_t>(i);
                              });
    if (!in_key) {
      index.columns.push_back({static_cast<int32_t>(i), nullptr,
                               binary_collation(context_.encoding), false});
    }
  }
  return Status();
}

void TableBuilder::finish_indexes() {
  for (const auto& index : indexes_) {
    finish_index_columns(index.get(), table_, context_);
    attach_index(&table_, index);
  }
}

void TableBuilder::assign_storage() {
  int32_t position = 0;
  for (size_t i = 0; i < table_.columns.size(); ++i) {
    Column& column = table_.columns[i];
    if (column.generated == Generated::kVirtual) {
      column.storage_position = -1;
    } else if (!table_.without_rowid) {
      column.storage_position = position++;
    } else {
      const auto& stored = table_.primary_index->columns;
      auto it = std::find_if(stored.begin(), stored.end(), [&](const IndexColumn& key) {
        return key.column == static_cast<int32_t>(i);
      });
      column.storage_position = static_cast<int32_t>(it - stored.begin());
    }
  }
}

Status TableBuilder::check_generated() {
  bool any_stored = std::any_of(table_.columns.begin(), table_.columns.end(), [](const Column& c) {
    return c.generated == Generated::kNo;
  });
  if (!any_stored) return Status::error("must have at least one non-generated column");
  return Status();
}

}  // namespace

Result<std::shared_ptr<Table>> build_table(std::string sql, const BuildContext& context) {
  auto table = std::make_shared<Table>();
  table->sql = std::move(sql);
  table->database = context.database;
  GW_ASSIGN(ParsedStatement parsed, parse_statement(table->sql, nullptr, &table->arena));
  if (parsed.statement == nullptr || parsed.statement->kind != ast::StatementKind::kCreateTable) {
    return corrupt("schema text is not a CREATE TABLE");
  }
  const auto& create = *static_cast<const ast::CreateTableStatement*>(parsed.statement);
  table->name = create.name.table.text;
  GW_TRY(TableBuilder(table.get(), context).build(create));
  return table;
}

std::shared_ptr<Table> make_schema_table(int database, TextEncoding encoding) {
  BuildContext context;
  context.collations = {[](void*, std::string_view) -> const Collation* { return nullptr; },
                        nullptr};
  context.encoding = encoding;
  context.database = database;
  std::string name = database == 1 ? "sqlite_temp_master" : "sqlite_master";
  auto table = build_table("CREATE TABLE x(type text,name text,tbl_name text,rootpage int,sql text)",
                           context);
  GW_ASSERT(table.ok());
  std::shared_ptr<Table> result = *std::move(table);
  result->name = name;
  result->root = 1;
  result->is_system = true;
  return result;
}

}  // namespace godwit
