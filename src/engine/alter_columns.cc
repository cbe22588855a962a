// ALTER TABLE ADD COLUMN and DROP COLUMN. Adding changes the text alone: old rows give the default.
// Dropping a stored column rewrites every row.
#include <algorithm>

#include "engine/alter_table.h"
#include "sql/parser.h"
#include "value/record.h"

namespace godwit {

namespace {

using ConstraintKind = ast::ColumnConstraintKind;

const ast::ColumnConstraint* find_constraint(const ast::ColumnDef& column, ConstraintKind kind) {
  const ast::ColumnConstraint* found = nullptr;
  for (const ast::ColumnConstraint& constraint : column.constraints) {
    if (constraint.kind == kind) found = &constraint;
  }
  return found;
}

bool is_null_literal(const ast::Expr& expr) {
  const auto* literal = expr.try_as<ast::LiteralExpr>();
  return literal != nullptr && literal->literal == ast::LiteralKind::kNull;
}

// Literals with signs before them, and casts of them.
bool is_constant_default(const ast::Expr& expr) {
  if (const auto* unary = expr.try_as<ast::UnaryExpr>()) {
    bool is_sign = unary->op == ast::UnaryOp::kMinus || unary->op == ast::UnaryOp::kPlus;
    return is_sign && is_constant_default(*unary->operand);
  }
  if (const auto* cast = expr.try_as<ast::CastExpr>()) return is_constant_default(*cast->operand);
  if (const auto* column = expr.try_as<ast::ColumnExpr>()) {
    return !column->table.present();  // TRUE or FALSE
  }
  const auto* literal = expr.try_as<ast::LiteralExpr>();
  return literal != nullptr && literal->literal < ast::LiteralKind::kCurrentTime;
}

// ---- ADD COLUMN -----------------------------------------------------------------------------------

class AddColumnBody final : public AlterBody {
 public:
  AddColumnBody(Connection* connection, const Table& table, std::string text,
                std::string refused_with_rows)
      : AlterBody(connection, table),
        text_(std::move(text)),
        refused_with_rows_(std::move(refused_with_rows)) {}

 protected:
  Status change(SchemaWriter* writer) override {
    const Table& old_table = table();
    if (!refused_with_rows_.empty()) {
      GW_TRY(refuse_rows("SELECT 1 FROM " + qualified_name() + " LIMIT 1", code::kError,
                         refused_with_rows_));
    }
    std::string sql = old_table.sql;
    GW_ASSIGN(TableTextPlaces places, find_places(sql));
    sql.insert(places.after_columns, ", " + text_);
    GW_TRY(check_loads(writer, sql, "after add column"));
    return store_text(writer, sql);
  }

  Status check_result() override {
    const Table& changed = table();
    Status bound = bind_schema_text(connection_, database_, changed.sql,
                                    connection_->settings.double_quoted_strings_ddl, nullptr);
    if (!bound.ok()) return error_in("table", table_name_, "after add column", bound);
    return check_rows(changed);
  }

 private:
  // Old rows must fit the new column.
  Status check_rows(const Table& changed) {
    const Column& column = changed.columns.back();
    std::string rows = "SELECT 1 FROM " + qualified_name() + " WHERE ";
    if (has_check_) {
      for (const CheckConstraint& check : changed.checks) {
        GW_TRY(refuse_rows(rows + "NOT (" + check.text + ")", code::kError,
                           "CHECK constraint failed"));
      }
    }
    std::string name = double_quoted(column.name);
    if (column.not_null && column.generated != Generated::kNo) {
      GW_TRY(refuse_rows(rows + name + " IS NULL", code::kError, "NOT NULL constraint failed"));
    }
    if (changed.strict && !names_equal(column.declared_type, "ANY")) {
      std::string type = column.declared_type;
      std::transform(type.begin(), type.end(), type.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      if (type == "int") type = "integer";
      GW_TRY(refuse_rows(rows + "typeof(" + name + ") NOT IN ('null', '" + type + "')",
                         code::kError, "type mismatch on DEFAULT"));
    }
    return Status();
  }

  std::string text_;
  std::string refused_with_rows_;

 public:
  bool has_check_ = false;
};

// What may not be added to a table that has rows; "": nothing is in the way.
std::string refused_with_rows(const ast::ColumnDef& column, bool foreign_keys) {
  if (const auto* generated = find_constraint(column, ConstraintKind::kGenerated)) {
    bool stored = generated->storage.present() && names_equal(generated->storage.text, "stored");
    return stored ? "cannot add a STORED column" : "";
  }
  const auto* value = find_constraint(column, ConstraintKind::kDefault);
  if (value != nullptr && is_null_literal(*value->expr)) value = nullptr;
  if (foreign_keys && value != nullptr && find_constraint(column, ConstraintKind::kReferences)) {
    return "Cannot add a REFERENCES column with non-NULL default value";
  }
  if (value == nullptr) {
    bool not_null = find_constraint(column, ConstraintKind::kNotNull) != nullptr;
    return not_null ? "Cannot add a NOT NULL column with default value NULL" : "";
  }
  return is_constant_default(*value->expr) ? "" : "Cannot add a column with non-constant default";
}

// ---- DROP COLUMN ----------------------------------------------------------------------------------

class DropColumnBody final : public AlterBody {
 public:
  DropColumnBody(Connection* connection, const Table& table, int32_t column)
      : AlterBody(connection, table), column_(column) {}

 protected:
  Status change(SchemaWriter* writer) override {
    StringFixer strings;
    GW_TRY(rewrite_texts(&strings, nullptr));
    const Table& old_table = table();
    GW_ASSIGN(std::vector<SchemaRow> rows, writer->rows());
    std::string sql;
    for (const SchemaRow& row : rows) {
      if (row.type == "table" && names_equal(row.name, table_name_)) sql = row.sql;
    }
    GW_TRY(remove_from_text(&sql));
    GW_TRY(check_loads(writer, sql, "after drop column"));
    GW_TRY(store_text(writer, sql));
    if (old_table.columns[static_cast<size_t>(column_)].storage_position < 0) return Status();
    return old_table.without_rowid ? rewrite_key_rows(old_table) : rewrite_rows(old_table);
  }
  Status check_result() override { return check_texts("after drop column"); }

 private:
  // With the comma behind it, or, for the last one, before it.
  Status remove_from_text(std::string* sql) const {
    Arena arena;
    GW_ASSIGN(ParsedStatement parsed, parse_statement(*sql, nullptr, &arena));
    const auto& create = *parsed.statement->as<ast::CreateTableStatement>();
    size_t column = static_cast<size_t>(column_);
    size_t begin = create.columns[column].range.offset;
    size_t end;
    if (column + 1 < create.columns.size()) {
      end = create.columns[column + 1].range.offset;
    } else {
      GW_ASSIGN(TableTextPlaces places, find_places(*sql));
      end = places.after_columns;
      begin = sql->rfind(',', begin);
      if (begin == std::string::npos) return corrupt("schema text of a table");
    }
    sql->erase(begin, end - begin);
    return Status();
  }

  // The values of a record without the one at `position`.
  static Status shorten(RecordDecoder* decoder, uint32_t position, std::vector<ValueView>* values) {
    values->clear();
    GW_ASSIGN(uint32_t count, decoder->column_count());
    for (uint32_t i = 0; i < count; ++i) {
      if (i == position) continue;
      values->emplace_back();
      bool missing = false;
      GW_TRY(decoder->column(i, &values->back(), &missing));
    }
    return Status();
  }

  Status rewrite_rows(const Table& old_table) {
    GW_ASSIGN(auto cursor, Cursor::open(connection_->btree(database_), old_table.root,
                                        TreeKind::kTable, nullptr, true));
    return rewrite_records(old_table, cursor.get(), [&](std::span<const ValueView>, ByteSpan record) {
      return cursor->insert(cursor->rowid(), record);
    });
  }

  // The key comes first in the record and is not touched, so each entry replaces its old one.
  Status rewrite_key_rows(const Table& old_table) {
    const Index& primary = *old_table.primary_index;
    GW_ASSIGN(auto cursor, Cursor::open(connection_->btree(database_), old_table.root,
                                        TreeKind::kIndex, &primary.key_info, true));
    return rewrite_records(
        old_table, cursor.get(), [&](std::span<const ValueView> values, ByteSpan record) {
          return cursor->insert_key(values.first(primary.declared_columns), record);
        });
  }

  // Calls store(values, record) with each record of the tree without the column.
  template <typename Store>
  Status rewrite_records(const Table& old_table, Cursor* cursor, const Store& store) {
    Btree& btree = *connection_->btree(database_);
    auto position = static_cast<uint32_t>(
        old_table.columns[static_cast<size_t>(column_)].storage_position);
    RecordDecoder decoder(btree.encoding());
    RecordEncoder encoder({btree.encoding(), true});
    std::vector<uint8_t> scratch, record;
    std::vector<ValueView> values;
    GW_TRY(cursor->first());
    while (!cursor->at_end()) {
      ByteSpan payload;
      GW_TRY(cursor->complete_payload(&scratch, &payload));
      GW_TRY(decoder.reset(payload));
      GW_TRY(shorten(&decoder, position, &values));
      GW_TRY(encoder.encode(values, &record));
      GW_TRY(store(values, record));
      GW_TRY(cursor->next());
    }
    return Status();
  }

  int32_t column_;
};

}  // namespace

AlterResult compile_add_column(const CompileInput& input, const ast::AlterTableStatement& alter,
                               const Table& table) {
  const ast::ColumnDef& column = *alter.column_def;
  Connection* connection = input.connection;
  if (table.find_column(column.name.text) >= 0) {
    return Status::error("duplicate column name: " + std::string(column.name.text));
  }
  if (const auto* collate = find_constraint(column, ConstraintKind::kCollate)) {
    if (connection->find_collation(collate->collation.text) == nullptr) {
      return Status(code::kErrorMissingCollSeq,
                    "no such collation sequence: " + std::string(collate->collation.text));
    }
  }
  if (find_constraint(column, ConstraintKind::kPrimaryKey) != nullptr) {
    return Status::error("Cannot add a PRIMARY KEY column");
  }
  if (find_constraint(column, ConstraintKind::kUnique) != nullptr) {
    return Status::error("Cannot add a UNIQUE column");
  }
  std::string text(text_to_end(input.sql, alter.added_text));
  while (!text.empty() && (text.back() == ';' || std::isspace(static_cast<unsigned char>(text.back())))) {
    text.pop_back();
  }
  auto body = std::make_unique<AddColumnBody>(
      connection, table, std::move(text),
      refused_with_rows(column, connection->settings.foreign_keys));
  body->has_check_ = find_constraint(column, ConstraintKind::kCheck) != nullptr;
  return std::unique_ptr<StatementBody>(std::move(body));
}

AlterResult compile_drop_column(const CompileInput& input, const ast::AlterTableStatement& alter,
                                const Table& table) {
  std::string quoted = "\"" + std::string(alter.column.text) + "\"";
  int32_t column = table.find_column(alter.column.text);
  if (column < 0) return Status::error("no such column: " + quoted);
  if (table.columns[static_cast<size_t>(column)].primary_key_position > 0) {
    return Status::error("cannot drop PRIMARY KEY column: " + quoted);
  }
  for (const Index* index : table.indexes) {
    if (index->origin == Index::Origin::kUnique && index->declared_columns == 1 &&
        index->columns[0].column == column) {
      return Status::error("cannot drop UNIQUE column: " + quoted);
    }
  }
  if (table.columns.size() < 2) {
    return Status::error("cannot drop column " + quoted + ": no other columns exist");
  }
  return std::unique_ptr<StatementBody>(
      std::make_unique<DropColumnBody>(input.connection, table, column));
}

}  // namespace godwit
