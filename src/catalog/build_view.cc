// CREATE VIEW, CREATE VIRTUAL TABLE and CREATE TRIGGER.
#include "catalog/builder.h"
#include "sql/parser.h"

namespace godwit {

Result<std::shared_ptr<Table>> build_view(std::string sql, const BuildContext& context) {
  auto view = std::make_shared<Table>();
  view->sql = std::move(sql);
  view->kind = TableKind::kView;
  view->database = context.database;
  GW_ASSIGN(ParsedStatement parsed, parse_statement(view->sql, nullptr, &view->arena));
  if (parsed.statement == nullptr || parsed.statement->kind != ast::StatementKind::kCreateView) {
    return corrupt("schema text is not a CREATE VIEW");
  }
  const auto& create = *static_cast<const ast::CreateViewStatement*>(parsed.statement);
  view->name = create.name.table.text;
  view->view_select = create.select;
  for (const ast::Name& name : create.columns) view->view_columns.emplace_back(name.text);
  return view;
}

Result<std::shared_ptr<Table>> build_virtual_table(std::string sql, const BuildContext& context) {
  auto table = std::make_shared<Table>();
  table->sql = std::move(sql);
  table->kind = TableKind::kVirtual;
  table->database = context.database;
  GW_ASSIGN(ParsedStatement parsed, parse_statement(table->sql, nullptr, &table->arena));
  if (parsed.statement == nullptr ||
      parsed.statement->kind != ast::StatementKind::kCreateVirtualTable) {
    return corrupt("schema text is not a CREATE VIRTUAL TABLE");
  }
  const auto& create = *static_cast<const ast::CreateVirtualTableStatement*>(parsed.statement);
  table->name = create.name.table.text;
  table->module = create.module.text;
  for (std::string_view argument : create.arguments) {
    table->module_arguments.emplace_back(argument);
  }
  return table;
}

Result<std::shared_ptr<Trigger>> build_trigger(std::string sql, const BuildContext& context) {
  auto trigger = std::make_shared<Trigger>();
  trigger->sql = std::move(sql);
  trigger->database = context.database;
  GW_ASSIGN(ParsedStatement parsed, parse_statement(trigger->sql, nullptr, &trigger->arena));
  if (parsed.statement == nullptr || parsed.statement->kind != ast::StatementKind::kCreateTrigger) {
    return corrupt("schema text is not a CREATE TRIGGER");
  }
  const auto& create = *static_cast<const ast::CreateTriggerStatement*>(parsed.statement);
  trigger->name = create.name.table.text;
  trigger->table = create.table.table.text;
  trigger->definition = &create;
  return trigger;
}

}  // namespace godwit
