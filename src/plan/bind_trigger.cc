#include "plan/bind_trigger.h"

#include <algorithm>

#include "catalog/foreign_triggers.h"
#include "plan/plan_dml.h"

namespace godwit {

namespace {

bool fires(const Trigger& trigger, ast::TriggerEvent event,
           std::span<const std::string_view> names) {
  const ast::CreateTriggerStatement& definition = *trigger.definition;
  if (definition.event != event) return false;
  if (event != ast::TriggerEvent::kUpdate || definition.update_of.empty()) return true;
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
    return std::any_of(definition.update_of.begin(), definition.update_of.end(),
                       [&](const ast::Name& of) { return names_equal(of.text, name); });
  });
}

std::span<BoundTriggerProgram*> of_time(Arena* arena, std::span<BoundTriggerProgram* const> all,
                                        bool after) {
  std::vector<BoundTriggerProgram*> programs;
  for (BoundTriggerProgram* program : all) {
    bool is_after = program->trigger->definition->time == ast::TriggerTime::kAfter;
    if (is_after == after) programs.push_back(program);
  }
  return arena->copy_array<BoundTriggerProgram*>(programs);
}

void add_used_columns(const BoundSource* row, std::vector<ColumnRef>* columns) {
  if (row == nullptr) return;
  if (row->rowid_used) columns->push_back({row->id, ColumnRef::kRowid});
  for (size_t i = 0; i < row->used_columns.size(); ++i) {
    if (row->used_columns[i]) columns->push_back({row->id, static_cast<int32_t>(i)});
  }
}

}  // namespace

std::vector<std::string_view> assigned_names(std::span<const ast::Assignment> assignments) {
  std::vector<std::string_view> names;
  for (const ast::Assignment& assignment : assignments) {
    for (const ast::Name& name : assignment.columns) names.push_back(name.text);
  }
  return names;
}

// Those of the temp database come first, the oldest before the others; then the table's own, the
// newest first.
TriggerBinder::Found TriggerBinder::find(const Table& table, ast::TriggerEvent event,
                                         std::span<const std::string_view> names) const {
  Found found;
  for (const auto& trigger : foreign_triggers(*bind_.catalog)) {
    if (!fires(*trigger, event, names)) continue;
    if (is_trigger_on(*bind_.catalog, *trigger, table)) found.temp.push_back(trigger.get());
  }
  constexpr int kTempDatabase = 1;
  if (!bind_.triggers && table.database != kTempDatabase) return found;
  for (auto it = table.triggers.rbegin(); it != table.triggers.rend(); ++it) {
    if (fires(**it, event, names)) found.local.push_back(*it);
  }
  return found;
}

bool TriggerBinder::exist(const Table& table, ast::TriggerEvent event,
                          std::span<const std::string_view> names) const {
  Found found = find(table, event, names);
  return !found.temp.empty() || !found.local.empty();
}

bool TriggerBinder::exist(const Table& table) const {
  auto foreign = foreign_triggers(*bind_.catalog);
  return !table.triggers.empty() ||
         std::any_of(foreign.begin(), foreign.end(), [&](const std::shared_ptr<Trigger>& trigger) {
           return is_trigger_on(*bind_.catalog, *trigger, table);
         });
}

Status TriggerBinder::bind(const DmlContext& context, const Table& table, ast::TriggerEvent event,
                           std::span<const std::string_view> names, ConflictAction conflict,
                           BoundTableWrite* write) {
  bool is_view = table.kind == TableKind::kView;
  Found found = find(table, event, names);
  if (found.temp.empty() && found.local.empty() && !is_view) return Status();
  std::vector<BoundTriggerProgram*> temp, local;
  for (const Trigger* trigger : found.temp) {
    GW_ASSIGN(BoundTriggerProgram * program, bind_program(context, *trigger, table, conflict));
    temp.push_back(program);
  }
  for (const Trigger* trigger : found.local) {
    GW_ASSIGN(BoundTriggerProgram * program, bind_program(context, *trigger, table, conflict));
    local.push_back(program);
  }
  if (write->triggers == nullptr) write->triggers = bind_.arena->make<BoundTriggers>();
  BoundEventTriggers& bound = write->triggers->events[static_cast<size_t>(event)];
  bound.after_temp = of_time(bind_.arena, temp, true);
  bound.after = of_time(bind_.arena, local, true);
  temp.insert(temp.end(), local.begin(), local.end());
  bound.before = of_time(bind_.arena, temp, false);
  return Status();
}

Result<BoundTriggerProgram*> TriggerBinder::bind_program(const DmlContext& context,
                                                         const Trigger& trigger,
                                                         const Table& table,
                                                         ConflictAction conflict) {
  for (BoundTriggerProgram* program : programs_) {
    if (program->trigger == &trigger && program->conflict == conflict) return program;
  }
  auto* program = bind_.arena->make<BoundTriggerProgram>();
  program->trigger = &trigger;
  program->conflict = conflict;
  program->may_recurse = recursive_triggers_;
  programs_.push_back(program);
  Binder binder(bind_);
  DmlContext own = context;
  own.binder = &binder;
  own.conflict = conflict;
  GW_TRY(bind_body(own, table, program));
  program->next_source = binder.new_source_id();
  return program;
}

Status TriggerBinder::bind_body(const DmlContext& context, const Table& table,
                                BoundTriggerProgram* program) {
  Binder& binder = *context.binder;
  const Trigger& trigger = *program->trigger;
  const ast::CreateTriggerStatement& definition = *trigger.definition;
  binder.enter_schema_text(trigger.database, trigger.sql, true);
  binder.set_inner_name(trigger.name);
  binder.push_scope();
  if (definition.event != ast::TriggerEvent::kInsert) {
    program->old_row = binder.add_trigger_row(table, "old");
  }
  if (definition.event != ast::TriggerEvent::kDelete) {
    program->new_row = binder.add_trigger_row(table, "new");
  }
  if (definition.when != nullptr) {
    GW_ASSIGN(program->when, binder.bind_expr(*definition.when));
  }
  program->steps = bind_.arena->make_array<BoundTriggerStep>(definition.body.size());
  for (size_t i = 0; i < definition.body.size(); ++i) {
    GW_TRY(bind_step(context, *definition.body[i], &program->steps[i]));
    note_write(program->steps[i]);
  }
  binder.pop_scope();
  binder.leave_schema_text();
  std::vector<ColumnRef> columns;
  add_used_columns(program->old_row, &columns);
  add_used_columns(program->new_row, &columns);
  program->columns = bind_.arena->copy_array<ColumnRef>(columns);
  return Status();
}

Status TriggerBinder::bind_step(const DmlContext& context, const ast::Statement& statement,
                                BoundTriggerStep* step) {
  using Kind = ast::StatementKind;
  switch (statement.kind) {
    case Kind::kInsert: {
      GW_ASSIGN(step->insert, bind_insert(context, *statement.as<ast::InsertStatement>()));
      break;
    }
    case Kind::kUpdate: {
      GW_ASSIGN(step->update, bind_update(context, *statement.as<ast::UpdateStatement>()));
      break;
    }
    case Kind::kDelete: {
      GW_ASSIGN(step->remove, bind_delete(context, *statement.as<ast::DeleteStatement>()));
      break;
    }
    default: {
      const auto& query = *statement.as<ast::SelectStatement>();
      GW_ASSIGN(step->query, context.binder->bind_query(*query.select));
      break;
    }
  }
  return Status();
}

void TriggerBinder::note_write(const BoundTriggerStep& step) {
  const BoundTableWrite* write = step.insert != nullptr   ? step.insert->write
                                 : step.update != nullptr ? step.update->write
                                 : step.remove != nullptr ? step.remove->write
                                                          : nullptr;
  if (write != nullptr) written_ |= uint64_t{1} << write->table->database;
}

Status TriggerBinder::plan(const PlanContext& context) {
  for (BoundTriggerProgram* program : programs_) {
    PlanContext own = context;
    own.next_source = program->next_source;
    GW_TRY(plan_expression(program->when, own));
    for (BoundTriggerStep& step : program->steps) {
      if (step.insert != nullptr) GW_TRY(plan_insert(step.insert, own));
      if (step.update != nullptr) GW_TRY(plan_update(step.update, own));
      if (step.remove != nullptr) GW_TRY(plan_delete(step.remove, own));
      if (step.query != nullptr) GW_TRY(plan_query(step.query, own).status());
    }
  }
  return Status();
}

Result<const Table*> TriggerBinder::describe_view(const Table& view) {
  for (const Table* known : views_) {
    if (known->database == view.database && names_equal(known->name, view.name)) return known;
  }
  // Nothing of it is read: no authorizer is asked.
  BindContext quiet = bind_;
  quiet.authorizer = nullptr;
  Binder binder(quiet);
  binder.push_scope();
  GW_ASSIGN(BoundSource * source, binder.add_view(view, view.name));
  Table* table = bind_.arena->make<Table>();
  table->name = view.name;
  table->kind = TableKind::kView;
  table->database = view.database;
  table->sql = view.sql;
  table->view_select = view.view_select;
  table->view_columns = view.view_columns;
  table->triggers = view.triggers;
  for (uint32_t i = 0; i < source->column_count; ++i) {
    Column column;
    column.name = source->column_names[i];
    column.affinity = source->query->column_affinities[i];
    column.collation = source->query->column_collations[i];
    table->columns.push_back(std::move(column));
  }
  views_.push_back(table);
  return table;
}

}  // namespace godwit
