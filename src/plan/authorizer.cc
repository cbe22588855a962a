#include "plan/authorizer.h"

#include "plan/binder_state.h"

namespace godwit {

namespace {

Status malfunction() { return Status::error("authorizer malfunction"); }

constexpr std::string_view kRowidName = "ROWID";

}  // namespace

Status Authorizer::check(const AuthQuestion& question, bool* ignored) {
  int answer = ask(question);
  if (answer == kDeny) return Status(code::kAuth, "not authorized");
  if (answer != kOk && answer != kIgnore) return malfunction();
  *ignored = answer == kIgnore;
  return Status();
}

Status Authorizer::check_read(const AuthQuestion& question, bool qualified, bool* ignored) {
  int answer = ask(question);
  if (answer == kDeny) {
    std::string database = qualified ? concat(question.database, ".") : std::string();
    return Status(code::kAuth, concat("access to ", database, question.first, ".", question.second,
                                      " is prohibited"));
  }
  if (answer != kOk && answer != kIgnore) return malfunction();
  *ignored = answer == kIgnore;
  return Status();
}

bool BinderState::asks_authorizer() const {
  return context.authorizer != nullptr && use == ExprUse::kStatement;
}

Status BinderState::authorize(AuthAction action, std::string_view first, std::string_view second,
                              std::string_view database, bool* ignored) {
  *ignored = false;
  if (!asks_authorizer()) return Status();
  return context.authorizer->check({action, first, second, database, inner_name}, ignored);
}

// A column of a table or view that an expression names.
Status BinderState::authorize_column(const ScopeSource& item, int32_t column, bool* ignored) {
  *ignored = false;
  if (!asks_authorizer()) return Status();
  const BoundSource& source = *item.source;
  const Table* table = source.table;
  AuthQuestion question{AuthAction::kRead, {}, {}, {}, inner_name};
  int database = 0;
  if (table != nullptr) {
    question.first = table->name;
    database = table->database;
    int32_t shown = column == ColumnRef::kRowid ? table->rowid_column : column;
    question.second = shown < 0 ? kRowidName
                                : std::string_view(table->columns[static_cast<size_t>(shown)].name);
  } else if (source.view != nullptr) {
    question.first = source.view->name;
    database = source.view->database;
    question.second = source.column_names[static_cast<size_t>(column)];
  } else {
    return Status();
  }
  const auto& databases = context.catalog->databases;
  question.database = databases[static_cast<size_t>(database)].name;
  return context.authorizer->check_read(question, databases.size() > 2 || database != 0, ignored);
}

// The questions about queries inside come after those about all names, as SQLite asks them.
void BinderState::authorize_later(AuthAction action) {
  if (asks_authorizer()) pending_questions.push_back({action, inner_name});
}

Status BinderState::ask_pending(bool* ignored) {
  std::vector<PendingQuestion> questions;
  questions.swap(pending_questions);
  for (const PendingQuestion& question : questions) {
    bool leave_out = false;
    GW_TRY(context.authorizer->check({question.action, {}, {}, {}, question.inner_name},
                                     &leave_out));
    *ignored |= leave_out;
  }
  return Status();
}

// A table of FROM of which no column is used is asked for all the same.
Status BinderState::authorize_unused(SourceId first) {
  for (SourceId id = first; id < next_source; ++id) {
    const BoundSource* source = sources[id];
    if (source == nullptr || source->kind != BoundSource::Kind::kTable) continue;
    bool uses_column = false;
    for (bool used : source->used_columns) uses_column |= used;
    if (uses_column) continue;
    bool ignored = false;
    GW_TRY(context.authorizer->check({AuthAction::kRead, source->table->name, "", {}, inner_name},
                                     &ignored));
  }
  return Status();
}

}  // namespace godwit
