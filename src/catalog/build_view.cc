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

namespace {

// Takes the word HIDDEN out of a declared type. False: it is not there.
bool remove_hidden(std::string* type) {
  constexpr size_t kLength = 6;
  for (size_t i = 0; i + kLength <= type->size(); ++i) {
    bool starts = i == 0 || (*type)[i - 1] == ' ';
    bool ends = i + kLength == type->size() || (*type)[i + kLength] == ' ';
    if (!starts || !ends || !names_equal(std::string_view(*type).substr(i, kLength), "hidden")) {
      continue;
    }
    bool space_behind = i + kLength < type->size();
    bool space_before = !space_behind && i > 0;
    type->erase(space_before ? i - 1 : i, kLength + (space_behind || space_before ? 1 : 0));
    return true;
  }
  return false;
}

}  // namespace

Result<std::shared_ptr<Table>> build_declared_table(std::string sql, const BuildContext& context) {
  GW_ASSIGN(std::shared_ptr<Table> table, build_table(std::move(sql), context));
  table->kind = TableKind::kVirtual;
  for (Column& column : table->columns) column.hidden = remove_hidden(&column.declared_type);
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
