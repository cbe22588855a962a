// pragma_NAME(arg, schema): the rows of PRAGMA schema.NAME(arg) as a table. The cursor runs the pragma as
// a statement of its own.
#include "engine/connection.h"
#include "engine/pragma.h"
#include "engine/statement.h"
#include "engine/virtual_tables.h"
#include "value/cast.h"

namespace godwit {

namespace {

int32_t shown_columns(const PragmaDefinition& pragma) {
  return pragma.columns.empty() ? 1 : static_cast<int32_t>(pragma.columns.size());
}

bool has_argument(const PragmaDefinition& pragma) {
  return (pragma.table & pragma_table::kArgument) != 0;
}

int32_t hidden_columns(const PragmaDefinition& pragma) {
  return ((pragma.table & pragma_table::kArgument) != 0 ? 1 : 0) +
         ((pragma.table & pragma_table::kSchema) != 0 ? 1 : 0);
}

std::string text_of(const Value& value) {
  Arena arena;
  return std::string(value_to_text(value.view(), &arena));
}

std::string as_literal(const Value& value) {
  std::string literal = "'";
  for (char c : text_of(value)) literal += c == '\'' ? "''" : std::string(1, c);
  return literal + "'";
}

class PragmaCursor final : public VirtualCursor {
 public:
  PragmaCursor(Connection* connection, const PragmaDefinition& pragma)
      : connection_(connection), pragma_(pragma) {}

  Status filter(int, std::string_view, std::span<const ValueView> arguments) override {
    rowid_ = 0;
    statement_.reset();
    for (size_t i = 0; i < 2; ++i) {
      i < arguments.size() ? hidden_[i].assign(arguments[i]) : hidden_[i].set_null();
    }
    const Value* argument = has_argument(pragma_) ? &hidden_[0] : nullptr;
    const Value* schema = &hidden_[has_argument(pragma_) ? 1 : 0];
    std::string sql = "PRAGMA ";
    if (!schema->view().is_null()) sql += as_literal(*schema) + ".";
    sql += pragma_.name;
    if (argument != nullptr && !argument->view().is_null()) {
      sql += "=" + as_literal(*argument);
    }
    GW_ASSIGN(statement_, connection_->prepare(sql, nullptr));
    return Status();
  }

  Status fetch(VirtualRows* rows) override {
    const int32_t shown = shown_columns(pragma_);
    while (statement_ != nullptr && rows->room() > 0) {
      GW_ASSIGN(bool more, statement_->step());
      if (!more) {
        statement_.reset();
        break;
      }
      for (int32_t i = 0; i < shown; ++i) rows->set(i, statement_->column(i));
      // As in SQLite, the schema can be read only where it stands behind an argument.
      for (int32_t i = 0; i < hidden_columns(pragma_) && has_argument(pragma_); ++i) {
        rows->set(shown + i, hidden_[i].view());
      }
      rows->set_rowid(++rowid_);
      rows->end_row();
    }
    return Status();
  }

 private:
  Connection* connection_;
  const PragmaDefinition& pragma_;
  Value hidden_[2];
  std::unique_ptr<Statement> statement_;
  int64_t rowid_ = 0;
};

class PragmaTable final : public VirtualTable {
 public:
  PragmaTable(Connection* connection, const PragmaDefinition& pragma)
      : connection_(connection), pragma_(pragma) {}

  Status best_index(VirtualQuery* query) override {
    query->cost = 1;
    int32_t hidden = hidden_columns(pragma_);
    if (hidden == 0) return Status();
    VirtualConstraint* given[2] = {};
    for (VirtualConstraint& constraint : query->constraints) {
      int32_t i = constraint.column - shown_columns(pragma_);
      if (i < 0 || constraint.op != VirtualOp::kEq || !constraint.usable) continue;
      given[i] = &constraint;
    }
    // Without the first argument the second one is compared with the rows.
    query->cost = given[0] != nullptr ? 20 : 2147483647;
    query->rows = given[0] != nullptr ? 20 : 2147483647;
    for (int i = 0; i < hidden && given[0] != nullptr; ++i) {
      if (given[i] == nullptr) continue;
      given[i]->argument = i + 1;
      given[i]->omit = true;
    }
    return Status();
  }

  Result<std::unique_ptr<VirtualCursor>> open() override {
    return std::unique_ptr<VirtualCursor>(std::make_unique<PragmaCursor>(connection_, pragma_));
  }

 private:
  Connection* connection_;
  const PragmaDefinition& pragma_;
};

}  // namespace

std::string pragma_table_declaration(const PragmaDefinition& pragma) {
  std::string sql = "CREATE TABLE x(";
  if (pragma.columns.empty()) sql += "\"" + std::string(pragma.name) + "\"";
  for (size_t i = 0; i < pragma.columns.size(); ++i) {
    sql += (i > 0 ? ",\"" : "\"") + std::string(pragma.columns[i]) + "\"";
  }
  if ((pragma.table & pragma_table::kArgument) != 0) sql += ",arg HIDDEN";
  if ((pragma.table & pragma_table::kSchema) != 0) sql += ",schema HIDDEN";
  return sql + ")";
}

std::unique_ptr<VirtualTable> make_pragma_table(Connection* connection,
                                                const PragmaDefinition& pragma) {
  return std::make_unique<PragmaTable>(connection, pragma);
}

}  // namespace godwit
