// CREATE TRIGGER and the statements of its body, which are plainer than outside: no qualified
// tables, no index hints, no WITH before them, no RETURNING, no DEFAULT VALUES.
#include "sql/parser_impl.h"

namespace godwit::internal {

ast::Statement* Parser::parse_create_trigger(bool temporary) {
  auto* trigger = arena_->make<ast::CreateTriggerStatement>();
  trigger->temporary = temporary;
  advance();
  if (!parse_if_not_exists(&trigger->if_not_exists) || !parse_table_name(&trigger->name) ||
      !parse_trigger_event(trigger) || !expect(Kind::k_ON) || !parse_table_name(&trigger->table)) {
    return nullptr;
  }
  if (accept(Kind::k_FOR)) {
    if (!expect(Kind::k_EACH, Kind::k_ROW)) return nullptr;
    trigger->for_each_row = true;
  }
  if (accept(Kind::k_WHEN)) {
    trigger->when = parse_expr();
    if (trigger->when == nullptr) return nullptr;
  }
  if (temporary && trigger->name.schema) {
    fail_later("temporary trigger may not have qualified name");
  }
  if (!expect(Kind::k_BEGIN) || !parse_trigger_body(trigger)) return nullptr;
  trigger->schema_text = range_from(trigger->name.table.range.offset);
  if (parameter_count_ > 0) deferred_error_ = "trigger cannot use variables";
  return trigger;
}

bool Parser::parse_trigger_event(ast::CreateTriggerStatement* trigger) {
  trigger->explicit_time = true;
  if (accept(Kind::k_BEFORE)) {
    trigger->time = ast::TriggerTime::kBefore;
  } else if (accept(Kind::k_AFTER)) {
    trigger->time = ast::TriggerTime::kAfter;
  } else if (accept(Kind::k_INSTEAD)) {
    trigger->time = ast::TriggerTime::kInsteadOf;
    if (!expect(Kind::k_OF)) return false;
  } else {
    trigger->explicit_time = false;
  }
  if (accept(Kind::k_DELETE)) {
    trigger->event = ast::TriggerEvent::kDelete;
  } else if (accept(Kind::k_INSERT)) {
    trigger->event = ast::TriggerEvent::kInsert;
  } else {
    trigger->event = ast::TriggerEvent::kUpdate;
    if (!expect(Kind::k_UPDATE)) return false;
    if (accept(Kind::k_OF)) return parse_name_list(&trigger->update_of);
  }
  return true;
}

bool Parser::parse_trigger_body(ast::CreateTriggerStatement* trigger) {
  ListBuilder<ast::Statement*> body(arena_);
  in_trigger_ = true;
  do {
    uint32_t start = token_.offset;
    ast::Statement* step = parse_trigger_step();
    if (step == nullptr) return false;
    step->range = range_from(start);
    if (qualified_target_) {
      fail_later(
          "qualified table names are not allowed on INSERT, UPDATE, and DELETE statements within "
          "triggers");
    }
    if (!expect(Kind::kSemicolon)) return false;
    body.add(step);
  } while (!accept(Kind::k_END));
  in_trigger_ = false;
  trigger->body = body.list();
  return true;
}

ast::Statement* Parser::parse_trigger_step() {
  switch (token_.kind) {
    case Kind::k_UPDATE:
      return parse_update(nullptr);
    case Kind::k_INSERT:
    case Kind::k_REPLACE:
      return parse_insert(nullptr);
    case Kind::k_DELETE:
      return parse_delete(nullptr);
    case Kind::k_SELECT:
    case Kind::k_VALUES:
    case Kind::k_WITH: {
      auto* step = arena_->make<ast::SelectStatement>();
      step->select = parse_select();
      return step->select != nullptr ? step : nullptr;
    }
    default:
      syntax_error();
      return nullptr;
  }
}

}  // namespace godwit::internal
