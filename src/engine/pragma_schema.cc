// Pragmas that describe the schema.
#include <algorithm>

#include "engine/pragma.h"

namespace godwit {

namespace {

Value text(std::string_view t) { return Value(ValueView::of_text(t)); }
Value number(int64_t i) { return Value(ValueView::of(i)); }

const Table* argument_table(PragmaCall* call) {
  std::string_view schema =
      call->has_schema ? std::string_view(call->attached().name) : std::string_view();
  return call->connection->catalog().find_table(schema, call->argument);
}

const Index* argument_index(PragmaCall* call) {
  std::string_view schema =
      call->has_schema ? std::string_view(call->attached().name) : std::string_view();
  return call->connection->catalog().find_index(schema, call->argument);
}

// Columns of a view are known only to the query that it is.
Status view_columns(PragmaCall* call, const Table& view, bool extended) {
  std::string schema = call->connection->databases()[static_cast<size_t>(view.database)].name;
  std::string sql = "SELECT * FROM \"" + schema + "\".\"";
  for (char c : view.name) sql += c == '"' ? "\"\"" : std::string(1, c);
  GW_ASSIGN(auto statement, call->connection->prepare(sql + "\"", nullptr));
  for (int i = 0; i < statement->column_count(); ++i) {
    const ColumnInfo& info = statement->column_info(i);
    std::vector<Value> row = {number(i), text(info.name), text(info.declared_type),
                              number(0), Value(),         number(0)};
    if (extended) row.push_back(number(0));
    call->add_row(std::move(row));
  }
  return Status();
}

Status describe_columns(PragmaCall* call, bool extended) {
  const Table* table = argument_table(call);
  if (table == nullptr) return Status();
  if (table->kind == TableKind::kView) return view_columns(call, *table, extended);
  int64_t position = 0;
  for (const Column& column : table->columns) {
    bool is_hidden = column.hidden || column.generated != Generated::kNo;
    if (is_hidden && !extended) {
      if (column.generated == Generated::kNo) ++position;
      continue;
    }
    std::vector<Value> row = {number(position++),
                              text(column.name),
                              text(column.declared_type),
                              number(column.not_null ? 1 : 0),
                              column.default_value == nullptr ? Value() : text(column.default_text),
                              number(column.primary_key_position)};
    if (extended) {
      row.push_back(number(column.generated == Generated::kVirtual  ? 2
                           : column.generated == Generated::kStored ? 3
                           : column.hidden                          ? 1
                                                                    : 0));
    }
    call->add_row(std::move(row));
  }
  return Status();
}

Status table_info(PragmaCall* call) { return describe_columns(call, false); }
Status table_xinfo(PragmaCall* call) { return describe_columns(call, true); }

Status table_list(PragmaCall* call) {
  const Catalog& catalog = call->connection->catalog();
  for (size_t i = catalog.databases.size(); i-- > 0;) {
    if (call->has_schema && static_cast<int>(i) != call->database) continue;
    for (const auto& [name, table] : catalog.databases[i].schema->tables) {
      if (call->has_argument && !names_equal(name, call->argument)) continue;
      const char* type = table->kind == TableKind::kView      ? "view"
                         : table->kind == TableKind::kVirtual ? "virtual"
                                                              : "table";
      std::string shown = name == "sqlite_master"        ? "sqlite_schema"
                          : name == "sqlite_temp_master" ? "sqlite_temp_schema"
                                                         : name;
      call->add_row({text(catalog.databases[i].name), text(shown), text(type),
                     number(static_cast<int64_t>(table->columns.size())),
                     number(table->without_rowid ? 1 : 0), number(table->strict ? 1 : 0)});
    }
  }
  return Status();
}

Status index_list(PragmaCall* call) {
  const Table* table = argument_table(call);
  if (table == nullptr) return Status();
  int64_t position = 0;
  for (const Index* index : table->indexes) {
    const char* origin = index->origin == Index::Origin::kCreate   ? "c"
                         : index->origin == Index::Origin::kUnique ? "u"
                                                                   : "pk";
    call->add_row({number(position++), text(index->name), number(index->unique ? 1 : 0),
                   text(origin), number(index->where != nullptr ? 1 : 0)});
  }
  return Status();
}

Status describe_index(PragmaCall* call, bool extended) {
  const Index* index = argument_index(call);
  if (index == nullptr) return Status();
  uint32_t count =
      extended ? static_cast<uint32_t>(index->columns.size()) : index->declared_columns;
  for (uint32_t i = 0; i < count; ++i) {
    const IndexColumn& column = index->columns[i];
    Value name;
    if (column.column >= 0) {
      name = text(index->table->columns[static_cast<size_t>(column.column)].name);
    }
    std::vector<Value> row = {number(i), number(column.column), std::move(name)};
    if (extended) {
      row.push_back(number(column.descending ? 1 : 0));
      row.push_back(text(column.collation->name));
      row.push_back(number(i < index->declared_columns ? 1 : 0));
    }
    call->add_row(std::move(row));
  }
  return Status();
}

Status index_info(PragmaCall* call) { return describe_index(call, false); }
Status index_xinfo(PragmaCall* call) { return describe_index(call, true); }

const char* action_name(ForeignKeyAction action) {
  switch (action) {
    case ForeignKeyAction::kRestrict: return "RESTRICT";
    case ForeignKeyAction::kSetNull: return "SET NULL";
    case ForeignKeyAction::kSetDefault: return "SET DEFAULT";
    case ForeignKeyAction::kCascade: return "CASCADE";
    default: return "NO ACTION";
  }
}

// Newest first, as SQLite lists them.
Status foreign_key_list(PragmaCall* call) {
  const Table* table = argument_table(call);
  if (table == nullptr) return Status();
  int64_t id = 0;
  for (auto key = table->foreign_keys.rbegin(); key != table->foreign_keys.rend(); ++key, ++id) {
    for (size_t i = 0; i < key->columns.size(); ++i) {
      Value to = key->parent_columns.empty() ? Value() : text(key->parent_columns[i]);
      call->add_row({number(id), number(static_cast<int64_t>(i)), text(key->parent_table),
                     text(table->columns[static_cast<size_t>(key->columns[i])].name),
                     std::move(to), text(action_name(key->on_update)),
                     text(action_name(key->on_delete)), text(key->match)});
    }
  }
  return Status();
}

Status database_list(PragmaCall* call) {
  int64_t position = 0;
  for (const AttachedDatabase& db : call->connection->databases()) {
    int64_t number_of = position++;
    if (db.btree == nullptr) continue;
    call->add_row({number(number_of), text(db.name), text(db.path)});
  }
  return Status();
}

Status collation_list(PragmaCall* call) {
  constexpr const char* kNames[] = {"RTRIM", "NOCASE", "BINARY"};
  int64_t position = 0;
  for (const char* name : kNames) call->add_row({number(position++), text(name)});
  return Status();
}

Status pragma_list(PragmaCall* call) {
  std::vector<std::string_view> names;
  for (const auto& part :
       {settings_pragmas(), storage_pragmas(), schema_pragmas(), check_pragmas()}) {
    for (const PragmaDefinition& pragma : part) names.push_back(pragma.name);
  }
  std::sort(names.begin(), names.end());
  for (std::string_view name : names) call->add_text(name);
  return Status();
}

Status compile_options(PragmaCall* call) {
  call->add_text("THREADSAFE=1");
  return Status();
}

Status function_list(PragmaCall* call) {
  auto add = [&](std::string_view name, const char* type, int args, uint32_t flags) {
    int64_t shown = 0x200000;  // innocuous and deterministic, in SQLite's numbers
    if ((flags & function_flag::kDeterministic) != 0) shown |= 0x800;
    call->add_row({text(name), number(1), text(type), text("utf8"), number(args), number(shown)});
  };
  for (const ScalarFunction* f : builtin_scalars()) {
    add(f->name, "s", f->args_min == f->args_max ? f->args_max : -1, f->flags);
  }
  for (const AggregateFunction* f : builtin_aggregates()) {
    add(f->name, "w", f->args_min == f->args_max ? f->args_max : -1, f->flags);
  }
  return Status();
}

}  // namespace

std::vector<PragmaDefinition> schema_pragmas() {
  using N = PragmaNeeds;
  return {
      {"table_info", N::kRead, table_info, {"cid", "name", "type", "notnull", "dflt_value", "pk"}},
      {"table_xinfo",
       N::kRead,
       table_xinfo,
       {"cid", "name", "type", "notnull", "dflt_value", "pk", "hidden"}},
      {"table_list", N::kRead, table_list, {"schema", "name", "type", "ncol", "wr", "strict"}},
      {"index_list", N::kRead, index_list, {"seq", "name", "unique", "origin", "partial"}},
      {"index_info", N::kRead, index_info, {"seqno", "cid", "name"}},
      {"index_xinfo", N::kRead, index_xinfo, {"seqno", "cid", "name", "desc", "coll", "key"}},
      {"foreign_key_list",
       N::kRead,
       foreign_key_list,
       {"id", "seq", "table", "from", "to", "on_update", "on_delete", "match"}},
      {"database_list", N::kNothing, database_list, {"seq", "name", "file"}},
      {"collation_list", N::kNothing, collation_list, {"seq", "name"}},
      {"function_list",
       N::kNothing,
       function_list,
       {"name", "builtin", "type", "enc", "narg", "flags"}},
      {"pragma_list", N::kNothing, pragma_list, {"name"}},
      {"compile_options", N::kNothing, compile_options, {}},
  };
}

}  // namespace godwit
