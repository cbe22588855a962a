// Printing of statements: INSERT, UPDATE, DELETE, transactions, the connection.
#include "sql/printer.h"
#include "sql/printer_impl.h"
#include "sql/token.h"

namespace godwit {

std::string print(const ast::Statement& statement) {
  internal::Printer printer;
  printer.statement(statement);
  return printer.take();
}

namespace internal {

using ast::StatementKind;

void Printer::statement(const ast::Statement& s) {
  if (s.explain == ast::Explain::kExplain) put("EXPLAIN ");
  if (s.explain == ast::Explain::kQueryPlan) put("EXPLAIN QUERY PLAN ");
  switch (s.kind) {
    case StatementKind::kSelect:
      return select(*s.as<ast::SelectStatement>()->select);
    case StatementKind::kInsert:
      return insert(*s.as<ast::InsertStatement>());
    case StatementKind::kUpdate:
      return update(*s.as<ast::UpdateStatement>());
    case StatementKind::kDelete:
      return delete_from(*s.as<ast::DeleteStatement>());
    case StatementKind::kBegin:
    case StatementKind::kCommit:
    case StatementKind::kRollback:
    case StatementKind::kSavepoint:
    case StatementKind::kRelease:
      return transaction(s);
    case StatementKind::kPragma:
      return pragma(*s.as<ast::PragmaStatement>());
    case StatementKind::kAttach:
      return attach(*s.as<ast::AttachStatement>());
    case StatementKind::kDetach:
      return clause("DETACH DATABASE ", s.as<ast::DetachStatement>()->schema);
    case StatementKind::kVacuum:
      object("VACUUM", s.as<ast::VacuumStatement>()->schema, {});
      return clause(" INTO ", s.as<ast::VacuumStatement>()->into);
    case StatementKind::kAnalyze:
      return object("ANALYZE", s.as<ast::AnalyzeStatement>()->first,
                    s.as<ast::AnalyzeStatement>()->second);
    case StatementKind::kReindex:
      return object("REINDEX", s.as<ast::ReindexStatement>()->first,
                    s.as<ast::ReindexStatement>()->second);
    default:
      return schema_statement(s);
  }
}

namespace {

const char* conflict_word(ast::ConflictAction action) {
  constexpr const char* kWords[] = {"", "ROLLBACK", "ABORT", "FAIL", "IGNORE", "REPLACE"};
  return kWords[static_cast<int>(action)];
}

}  // namespace

void Printer::or_conflict(ast::ConflictAction action) {
  if (action == ast::ConflictAction::kDefault) return;
  put("OR ");
  put(conflict_word(action));
  put(" ");
}

void Printer::on_conflict(ast::ConflictAction action) {
  if (action == ast::ConflictAction::kDefault) return;
  put(" ON CONFLICT ");
  put(conflict_word(action));
}

void Printer::insert(const ast::InsertStatement& insert) {
  with(insert.with);
  put("INSERT ");
  or_conflict(insert.conflict);
  put("INTO ");
  qualified(insert.target);
  alias(insert.alias);
  if (!insert.columns.empty()) names_in_parentheses(insert.columns);
  put(" ");
  if (insert.select != nullptr) {
    select(*insert.select);
  } else {
    put("DEFAULT VALUES");
  }
  for (const ast::Upsert& clause : insert.upserts) upsert(clause);
  returning(insert.returning);
}

void Printer::upsert(const ast::Upsert& upsert) {
  put(" ON CONFLICT");
  if (!upsert.target.empty()) {
    put(" (");
    order_terms(upsert.target);
    put(")");
    clause(" WHERE ", upsert.target_where);
  }
  if (upsert.do_nothing) return put(" DO NOTHING");
  put(" DO UPDATE SET ");
  assignments(upsert.assignments);
  clause(" WHERE ", upsert.where);
}

void Printer::assignments(std::span<const ast::Assignment> assignments) {
  list(assignments, [this](const ast::Assignment& assignment) {
    if (assignment.is_row) {
      names_in_parentheses(assignment.columns);
    } else {
      names(assignment.columns);
    }
    put(" = ");
    expr(*assignment.expr);
  });
}

void Printer::returning(std::span<const ast::ResultColumn> columns) {
  if (columns.empty()) return;
  put(" RETURNING ");
  result_columns(columns);
}

void Printer::update(const ast::UpdateStatement& update) {
  with(update.with);
  put("UPDATE ");
  or_conflict(update.conflict);
  qualified(update.target);
  alias(update.alias);
  index_hint(update.index_hint, update.index);
  put(" SET ");
  assignments(update.assignments);
  from(update.from);
  clause(" WHERE ", update.where);
  returning(update.returning);
  order_and_limit(update.order_by, update.limit, update.offset);
}

void Printer::delete_from(const ast::DeleteStatement& statement) {
  with(statement.with);
  put("DELETE FROM ");
  qualified(statement.target);
  alias(statement.alias);
  index_hint(statement.index_hint, statement.index);
  clause(" WHERE ", statement.where);
  returning(statement.returning);
  order_and_limit(statement.order_by, statement.limit, statement.offset);
}

void Printer::transaction(const ast::Statement& s) {
  constexpr const char* kModes[] = {"", " IMMEDIATE", " EXCLUSIVE", " CONCURRENT"};
  switch (s.kind) {
    case StatementKind::kBegin:
      put("BEGIN");
      return put(kModes[static_cast<int>(s.as<ast::BeginStatement>()->mode)]);
    case StatementKind::kCommit:
      return put("COMMIT");
    case StatementKind::kRollback:
      put("ROLLBACK");
      if (!s.as<ast::RollbackStatement>()->savepoint) return;
      put(" TO SAVEPOINT ");
      return name(s.as<ast::RollbackStatement>()->savepoint);
    case StatementKind::kSavepoint:
      put("SAVEPOINT ");
      return name(s.as<ast::SavepointStatement>()->name);
    default:
      put("RELEASE SAVEPOINT ");
      return name(s.as<ast::ReleaseStatement>()->name);
  }
}

void Printer::pragma(const ast::PragmaStatement& pragma) {
  put("PRAGMA ");
  qualified(pragma.schema, pragma.name);
  if (pragma.form == ast::PragmaForm::kNone) return;
  std::string_view magnitude = pragma.value;
  if (magnitude.starts_with('-')) magnitude.remove_prefix(1);
  Token token = Tokenizer(magnitude).next();
  bool is_number = (token.kind == TokenKind::kInteger || token.kind == TokenKind::kReal) &&
                   token.length == magnitude.size();
  put(pragma.form == ast::PragmaForm::kEquals ? " = " : "(");
  put(is_number ? std::string(pragma.value) : quote_string(pragma.value));
  if (pragma.form == ast::PragmaForm::kCall) put(")");
}

void Printer::attach(const ast::AttachStatement& attach) {
  clause("ATTACH DATABASE ", attach.file);
  clause(" AS ", attach.schema);
  clause(" KEY ", attach.key);
}

void Printer::object(std::string_view word, const ast::Name& first, const ast::Name& second) {
  put(word);
  if (!first) return;
  put(" ");
  if (second) {
    qualified(first, second);
  } else {
    name(first);
  }
}

}  // namespace internal
}  // namespace godwit
