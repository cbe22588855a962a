// ALTER TABLE ADD CHECK, DROP CONSTRAINT, and ALTER COLUMN SET / DROP NOT NULL. Constraints are found
// in the tokens of the table's text, so that everything else of it stays as it is.
#include <optional>

#include "engine/alter_table.h"
#include "sql/parser.h"
#include "sql/token.h"

namespace godwit {

namespace {

// Tokens of a CREATE TABLE with their places, up to the parenthesis that ends the columns.
class TableTokens {
 public:
  static Result<TableTokens> read(const std::string& sql) {
    GW_ASSIGN(TableTextPlaces places, find_places(sql));
    TableTokens result;
    Tokenizer tokenizer(sql);
    do {
      result.tokens_.push_back(tokenizer.next());
    } while (result.tokens_.back().offset < places.closing);
    return result;
  }

  size_t size() const { return tokens_.size(); }
  const Token& at(size_t i) const { return tokens_[std::min(i, tokens_.size() - 1)]; }
  TokenKind kind(size_t i) const { return at(i).kind; }
  // The first token at or behind `offset`.
  size_t find(uint32_t offset) const {
    size_t i = 0;
    while (i + 1 < size() && tokens_[i].offset < offset) ++i;
    return i;
  }
  // Behind the parenthesis that closes the one at `i`.
  size_t skip_parentheses(size_t i) const {
    int depth = 0;
    for (; i < size(); ++i) {
      if (kind(i) == TokenKind::kLeftParen) ++depth;
      if (kind(i) == TokenKind::kRightParen && --depth == 0) return i + 1;
    }
    return size() - 1;
  }
  // Behind the ON CONFLICT clause at `i`, if there is one.
  size_t skip_on_conflict(size_t i) const {
    bool present = kind(i) == TokenKind::k_ON && kind(i + 1) == TokenKind::k_CONFLICT;
    return present ? i + 3 : i;
  }

  // Takes out the tokens [first, last) with what separates them from the text around.
  void erase(std::string* sql, size_t first, size_t last) const {
    TokenKind next = kind(last);
    bool ends_item = next == TokenKind::kComma || next == TokenKind::kRightParen;
    bool is_item = kind(first - 1) == TokenKind::kComma && ends_item;
    uint32_t begin = is_item ? at(first - 1).offset : at(first - 1).end();
    sql->replace(begin, at(last).offset - begin, ends_item ? "" : " ");
  }

 private:
  std::vector<Token> tokens_;
};

std::string unquoted(std::string_view text) {
  bool is_quoted = !text.empty() && (text[0] == '"' || text[0] == '\'' || text[0] == '`' || text[0] == '[');
  if (!is_quoted) return std::string(text);
  std::string buffer(text.size(), '\0');
  std::string_view inner = unquote(text, [&](size_t) { return buffer.data(); });
  return std::string(inner);
}

// Text that is added to a table: without the space and the line comment behind its last word.
std::string added_text(std::string_view text) {
  size_t end = 0, i = 0;
  while (i < text.size()) {
    if (is_sql_space(static_cast<unsigned char>(text[i]))) {
      ++i;
    } else if (text.substr(i).starts_with("--")) {
      i = std::min(text.find('\n', i), text.size());
    } else if (text.substr(i).starts_with("/*")) {
      size_t close = text.find("*/", i + 2);
      end = i = close == std::string_view::npos ? text.size() : close + 2;
    } else {
      Token token = Tokenizer(text.substr(i)).next();
      if (token.kind == TokenKind::kSemicolon || token.length == 0) break;
      end = i = i + token.end();
    }
  }
  return std::string(text.substr(0, end));
}

class ConstraintBody : public AlterBody {
 public:
  using AlterBody::AlterBody;

 protected:
  Status change(SchemaWriter* writer) override {
    std::string sql = table().sql;
    GW_TRY(edit(&sql));
    return store_text(writer, sql);
  }
  virtual Status edit(std::string* sql) = 0;
};

class AddCheckBody final : public ConstraintBody {
 public:
  AddCheckBody(Connection* connection, const Table& table, std::string text, std::string condition)
      : ConstraintBody(connection, table), text_(std::move(text)), condition_(std::move(condition)) {}

 protected:
  Status edit(std::string* sql) override {
    GW_TRY(refuse_rows("SELECT 1 FROM " + qualified_name() + " WHERE NOT (" + condition_ + ")",
                       code::kConstraint, "constraint failed"));
    GW_ASSIGN(TableTextPlaces places, find_places(*sql));
    sql->insert(places.closing, ", " + text_);
    return Status();
  }

 private:
  std::string text_, condition_;
};

class DropConstraintBody final : public ConstraintBody {
 public:
  DropConstraintBody(Connection* connection, const Table& table, std::string name)
      : ConstraintBody(connection, table), name_(std::move(name)) {}

 protected:
  // CHECK and NOT NULL go; of what follows another word only its name goes.
  Status edit(std::string* sql) override {
    GW_ASSIGN(TableTokens tokens, TableTokens::read(*sql));
    size_t i = 0;
    while (tokens.kind(i) != TokenKind::kLeftParen) ++i;
    for (++i; i + 1 < tokens.size(); ++i) {
      if (tokens.kind(i) == TokenKind::kLeftParen) {
        i = tokens.skip_parentheses(i) - 1;
        continue;
      }
      if (tokens.kind(i) != TokenKind::k_CONSTRAINT) continue;
      const Token& name = tokens.at(i + 1);
      if (!names_equal(unquoted(std::string_view(*sql).substr(name.offset, name.length)), name_)) {
        continue;
      }
      size_t last = i + 2;
      switch (tokens.kind(last)) {
        case TokenKind::k_CHECK:
          last = tokens.skip_on_conflict(tokens.skip_parentheses(last + 1));
          break;
        case TokenKind::k_NOT:
          last = tokens.skip_on_conflict(last + 2);
          break;
        case TokenKind::k_PRIMARY:
        case TokenKind::k_UNIQUE:
        case TokenKind::k_NULL:
        case TokenKind::k_REFERENCES:
        case TokenKind::k_FOREIGN:
          return Status::error("constraint may not be dropped: " + name_);
        default:
          break;
      }
      tokens.erase(sql, i, last);
      return Status();
    }
    return Status::error("no such constraint: " + name_);
  }

 private:
  std::string name_;
};

class NotNullBody final : public ConstraintBody {
 public:
  // `text`: what SET adds; empty for DROP.
  NotNullBody(Connection* connection, const Table& table, int32_t column, std::string text)
      : ConstraintBody(connection, table), column_(column), text_(std::move(text)) {}

 protected:
  Status edit(std::string* sql) override {
    if (!text_.empty()) {
      const Column& column = table().columns[static_cast<size_t>(column_)];
      GW_TRY(refuse_rows("SELECT 1 FROM " + qualified_name() + " WHERE " +
                             double_quoted(column.name) + " IS NULL",
                         code::kConstraint, "constraint failed"));
    }
    GW_TRY(remove(sql));
    if (text_.empty()) return Status();
    GW_ASSIGN(TableTokens tokens, TableTokens::read(*sql));
    GW_ASSIGN(size_t i, first_token(*sql, tokens));
    sql->insert(tokens.at(column_end(tokens, i)).offset, " " + text_);
    return Status();
  }

 private:
  Result<size_t> first_token(const std::string& sql, const TableTokens& tokens) const {
    Arena arena;
    GW_ASSIGN(ParsedStatement parsed, parse_statement(sql, nullptr, &arena));
    const auto& create = *parsed.statement->as<ast::CreateTableStatement>();
    return tokens.find(create.columns[static_cast<size_t>(column_)].range.offset);
  }

  static size_t column_end(const TableTokens& tokens, size_t i) {
    while (tokens.kind(i) != TokenKind::kComma && tokens.kind(i) != TokenKind::kRightParen) {
      i = tokens.kind(i) == TokenKind::kLeftParen ? tokens.skip_parentheses(i) : i + 1;
    }
    return i;
  }

  // The first NOT NULL of the column, with its name.
  Status remove(std::string* sql) const {
    GW_ASSIGN(TableTokens tokens, TableTokens::read(*sql));
    GW_ASSIGN(size_t begin, first_token(*sql, tokens));
    size_t end = column_end(tokens, begin);
    for (size_t i = begin + 1; i < end;) {
      if (tokens.kind(i) == TokenKind::kLeftParen) {
        i = tokens.skip_parentheses(i);
        continue;
      }
      if (tokens.kind(i) == TokenKind::k_NOT && tokens.kind(i + 1) == TokenKind::k_NULL) {
        bool is_named = i >= begin + 3 && tokens.kind(i - 2) == TokenKind::k_CONSTRAINT;
        tokens.erase(sql, is_named ? i - 2 : i, tokens.skip_on_conflict(i + 2));
        return Status();
      }
      ++i;
    }
    return Status();
  }

  int32_t column_;
  std::string text_;
};

bool has_constraint(const std::string& sql, std::string_view name) {
  auto tokens = TableTokens::read(sql);
  if (!tokens.ok()) return false;
  for (size_t i = 0; i + 1 < tokens->size(); ++i) {
    if (tokens->kind(i) != TokenKind::k_CONSTRAINT) continue;
    const Token& token = tokens->at(i + 1);
    std::string other = unquoted(std::string_view(sql).substr(token.offset, token.length));
    if (names_equal(other, name)) return true;
  }
  return false;
}

AlterResult compile_add_check(const CompileInput& input, const ast::AlterTableStatement& alter,
                              const Table& table) {
  const ast::TableConstraint& check = *alter.check;
  if (check.name.present() && has_constraint(table.sql, check.name.text)) {
    return Status::error("constraint " + std::string(check.name.text) + " already exists");
  }
  CompileTools tools(input);
  Binder binder(tools.bind);
  binder.push_scope();
  binder.add_table(table, table.name);
  auto bound = binder.bind_expr(*check.expr, ExprUse::kCheck);
  if (!bound.ok()) {
    *input.error_offset = binder.error_offset();
    return bound.take_status();
  }
  return std::unique_ptr<StatementBody>(std::make_unique<AddCheckBody>(
      input.connection, table, added_text(text_to_end(input.sql, alter.added_text)),
      std::string(check.expr_text.of(input.sql))));
}

}  // namespace

AlterResult compile_alter_constraint(const CompileInput& input,
                                     const ast::AlterTableStatement& alter, const Table& table) {
  if (alter.action == ast::AlterKind::kAddCheck) return compile_add_check(input, alter, table);
  if (alter.action == ast::AlterKind::kDropConstraint) {
    return std::unique_ptr<StatementBody>(std::make_unique<DropConstraintBody>(
        input.connection, table, std::string(alter.constraint.text)));
  }
  int32_t column = table.find_column(alter.column.text);
  if (column < 0) return Status::error("no such column: " + std::string(alter.column.text));
  std::string text;
  if (alter.action == ast::AlterKind::kSetNotNull) {
    text = added_text(text_to_end(input.sql, alter.added_text));
  }
  return std::unique_ptr<StatementBody>(
      std::make_unique<NotNullBody>(input.connection, table, column, std::move(text)));
}

}  // namespace godwit
