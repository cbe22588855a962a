// Pragmas that describe the schema.
#include <algorithm>

#include "engine/body_ddl.h"
#include "engine/column_info.h"
#include "engine/pragma.h"
#include "engine/schema_order.h"
#include "engine/statement.h"
#include "function/compile_options.h"
#include "value/affinity.h"

namespace godwit {

namespace {

// Also a table-valued function.
const Table* described_table(PragmaCall* call) {
  const Table* table = call->argument_table();
  if (table != nullptr && table->kind == TableKind::kVirtual) {
    auto described = call->connection->virtual_tables().describe(*table);
    return described.ok() ? *described : nullptr;
  }
  if (table != nullptr) return table;
  auto function = call->connection->virtual_tables().find(call->argument);
  return function.ok() ? *function : nullptr;
}

const Index* argument_index(PragmaCall* call) {
  std::string_view schema =
      call->has_schema ? std::string_view(call->attached().name) : std::string_view();
  return call->connection->catalog().find_index(schema, call->argument);
}

// The type of a view's column: the declared one of the table column that it is, if its affinity is that
// of the view's column; else a name for the affinity.
std::string_view view_column_type(std::string_view declared, Affinity affinity) {
  if (!declared.empty() && affinity_of_type_name(declared) == affinity) return declared;
  switch (affinity) {
    case Affinity::kNone: return "";
    case Affinity::kBlob: return "BLOB";
    case Affinity::kText: return "TEXT";
    case Affinity::kNumeric:
    case Affinity::kFlexNum: return "NUM";
    case Affinity::kInteger: return "INT";
    case Affinity::kReal: return "REAL";
  }
  return "";
}

// Columns of a view are known only to the query that it is.
Status view_columns(PragmaCall* call, const Table& view, bool extended) {
  Arena arena;
  int error_offset = -1;
  CompileTools tools({call->connection, nullptr, {}, &arena, nullptr, &error_offset});
  tools.bind.authorizer = nullptr;
  Binder binder(tools.bind);
  binder.push_scope();
  GW_ASSIGN(const BoundSource* source, binder.add_view(view, view.name));
  const BoundQuery& query = *source->query;
  const BoundCore& core = *query.cores[0];
  for (uint32_t i = 0; i < source->column_count; ++i) {
    std::string declared;
    if (core.kind != BoundCore::Kind::kValues) {
      declared = describe_column(call->connection, core, i).declared_type;
    }
    std::string_view type = view_column_type(declared, query.column_affinities[i]);
    std::vector<Value> row = {number(i),  text(source->column_names[i]), text(type), number(0),
                              Value(),    number(0)};
    if (extended) row.push_back(number(0));
    call->add_row(std::move(row));
  }
  return Status();
}

Status describe_columns(PragmaCall* call, bool extended) {
  const Table* table = described_table(call);
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

// 0 for a view that cannot be read.
int64_t count_columns(Connection* connection, const std::string& schema, const Table& table) {
  if (table.kind == TableKind::kVirtual) {
    auto described = connection->virtual_tables().describe(table);
    return described.ok() ? static_cast<int64_t>((*described)->columns.size()) : 0;
  }
  if (table.kind != TableKind::kView) return static_cast<int64_t>(table.columns.size());
  std::string sql =
      "SELECT * FROM " + double_quoted(schema) + "." + double_quoted(table.name);
  auto statement = connection->prepare_internal(sql);
  return statement.ok() ? (*statement)->column_count() : 0;
}

void list_table(PragmaCall* call, const std::string& schema, const Table& table) {
  const AttachedDatabase& db = call->connection->databases()[static_cast<size_t>(table.database)];
  const char* type = table.kind == TableKind::kView      ? "view"
                     : table.kind == TableKind::kVirtual ? "virtual"
                     : call->connection->virtual_tables().is_shadow_name(*db.schema, table.name)
                         ? "shadow"
                         : "table";
  std::string_view name = table.name == "sqlite_master"        ? "sqlite_schema"
                          : table.name == "sqlite_temp_master" ? "sqlite_temp_schema"
                                                               : std::string_view(table.name);
  call->add_row({text(schema), text(name), text(type),
                 number(count_columns(call->connection, schema, table)),
                 number(table.without_rowid ? 1 : 0), number(table.strict ? 1 : 0)});
}

Status table_list(PragmaCall* call) {
  Connection* connection = call->connection;
  for (size_t i = 0; i < connection->databases().size(); ++i) {
    if (call->has_schema && static_cast<int>(i) != call->database) continue;
    GW_ASSIGN(auto tables, tables_in_order(connection, i));
    for (const Table* table : tables) {
      if (call->has_argument && !names_equal(table->name, call->argument)) continue;
      list_table(call, connection->databases()[i].name, *table);
    }
  }
  return Status();
}

Status index_list(PragmaCall* call) {
  const Table* table = described_table(call);
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
  int64_t position = 0;
  for (const Collation* collation : call->connection->collations().list()) {
    call->add_row({number(position++), text(collation->name)});
  }
  for (const char* name : {"RTRIM", "NOCASE", "BINARY"}) {
    call->add_row({number(position++), text(name)});
  }
  return Status();
}

Status pragma_list(PragmaCall* call) {
  std::vector<std::string_view> names;
  for (const PragmaDefinition& pragma : all_pragmas()) names.push_back(pragma.name);
  std::sort(names.begin(), names.end());
  for (std::string_view name : names) call->add_text(name);
  return Status();
}

Status module_list(PragmaCall* call) {
  for (const std::string& name : call->connection->virtual_tables().names()) call->add_text(name);
  return Status();
}

Status compile_options(PragmaCall* call) {
  for (std::string_view option : godwit::compile_options()) call->add_text(option);
  return Status();
}

// The number of arguments in SQLite's code: -1 any, -3 at least one, -4 at least two. A function that
// takes one of several numbers is listed once for each.
void list_function(PragmaCall* call, std::string_view name, bool is_builtin, const char* type,
                   int args_min, int args_max, int64_t flags) {
  auto add = [&](int args) {
    call->add_row({text(name), number(is_builtin ? 1 : 0), text(type), text("utf8"), number(args),
                   number(flags)});
  };
  if (args_max == kVariableArguments) {
    add(args_min == 0 ? -1 : args_min == 1 ? -3 : -4);
    return;
  }
  for (int args = args_min; args <= args_max; ++args) add(args);
}

// SQLITE_DETERMINISTIC, SQLITE_DIRECTONLY, SQLITE_SUBTYPE and SQLITE_INNOCUOUS.
int64_t shown_flags(const ScalarFunction& function) {
  int64_t shown = function.has(function_flag::kDeterministic) ? 0x800 : 0;
  if (function.has(function_flag::kDirectOnly)) return 0x80000;
  if (function.has(function_flag::kReadsSubtype)) shown |= 0x100000;
  if (function.has(function_flag::kInnocuous)) shown |= 0x200000;
  return shown;
}

Status function_list(PragmaCall* call) {
  constexpr int64_t kAggregateFlags = 0x200000;
  for (const ScalarFunction* f : builtin_scalars()) {
    int64_t flags = shown_flags(*f);
    if (!f->has(function_flag::kDirectOnly)) flags |= 0x200000;
    list_function(call, f->name, true, "s", f->args_min, f->args_max, flags);
  }
  for (const AggregateFunction* f : builtin_aggregates()) {
    list_function(call, f->name, true, "w", f->args_min, f->args_max, kAggregateFlags);
  }
  for (const WindowFunction& f : builtin_windows()) {
    list_function(call, f.name, true, "w", f.args_min, f.args_max, kAggregateFlags);
  }
  for (const auto& [name, functions] : call->connection->functions().user_functions()) {
    for (const auto& f : functions) {
      const char* type = !f->is_aggregate               ? "s"
                         : f->aggregate.inverse != nullptr ? "w"
                                                           : "a";
      call->add_row({text(name), number(0), text(type), text("utf8"), number(f->argument_count),
                     number(f->is_aggregate ? 0 : shown_flags(f->scalar))});
    }
  }
  return Status();
}

}  // namespace

std::vector<PragmaDefinition> schema_pragmas() {
  using N = PragmaNeeds;
  using pragma_table::kArgument;
  using pragma_table::kPlain;
  constexpr uint8_t kBoth = kArgument | pragma_table::kSchema;
  return {
      {"table_info", N::kRead, table_info, {"cid", "name", "type", "notnull", "dflt_value", "pk"}, false, kBoth},
      {"table_xinfo",
       N::kRead,
       table_xinfo,
       {"cid", "name", "type", "notnull", "dflt_value", "pk", "hidden"}, false, kBoth},
      {"table_list", N::kRead, table_list, {"schema", "name", "type", "ncol", "wr", "strict"}, false, kArgument},
      {"index_list", N::kRead, index_list, {"seq", "name", "unique", "origin", "partial"}, false, kBoth},
      {"index_info", N::kRead, index_info, {"seqno", "cid", "name"}, false, kBoth},
      {"index_xinfo", N::kRead, index_xinfo, {"seqno", "cid", "name", "desc", "coll", "key"}, false, kBoth},
      {"database_list", N::kNothing, database_list, {"seq", "name", "file"}, false, kPlain},
      {"collation_list", N::kNothing, collation_list, {"seq", "name"}, false, kPlain},
      {"function_list",
       N::kNothing,
       function_list,
       {"name", "builtin", "type", "enc", "narg", "flags"}, false, kPlain},
      {"pragma_list", N::kNothing, pragma_list, {"name"}, false, kPlain},
      {"module_list", N::kNothing, module_list, {"name"}, false, kPlain},
      {"compile_options", N::kNothing, compile_options, {}, false, kPlain},
  };
}

}  // namespace godwit
