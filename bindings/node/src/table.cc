// Virtual tables whose rows a JavaScript generator yields. lib/table.js checks definitions and rows; here
// a table is a SQL declaration and a function open(...parameters), which gives the cursor's function
// next(): an array with a value for each column, or undefined at the end.
//
// Parameters are hidden columns after the visible ones. A query hands them over as equality constraints;
// the plan's number is a set of bits, one for each parameter that has a value.

#include <cstring>
#include <memory>
#include <vector>

#include "addon.h"
#include "function.h"

namespace godwit::node {

namespace {

struct Module {
  Addon* addon;
  std::string name;
  std::string subject;
  napi_ref connect = nullptr;
};

struct Table : sqlite3_vtab {
  Module* module;
  napi_ref open = nullptr;
  int columns = 0;
  std::vector<std::string> parameters;
  IntegerMode integers = IntegerMode::kRound;
};

struct Cursor : sqlite3_vtab_cursor {
  napi_ref next = nullptr;
  napi_ref row = nullptr;
  int64_t rowid = 0;
  std::vector<sqlite3_value*> values;  // of the parameters, in their order; null if not given
};

napi_env env_of(const sqlite3_vtab* table) {
  return static_cast<const Table*>(table)->module->addon->env;
}

void drop_reference(napi_env env, napi_ref& ref) {
  if (ref) napi_delete_reference(env, ref);
  ref = nullptr;
}

napi_value call_reference(napi_env env, napi_ref ref, const std::vector<napi_value>& arguments) {
  napi_value function, receiver, result = nullptr;
  napi_get_reference_value(env, ref, &function);
  napi_get_undefined(env, &receiver);
  if (napi_call_function(env, receiver, function, arguments.size(), arguments.data(), &result) !=
      napi_ok) {
    return nullptr;
  }
  return result;
}

napi_value element(napi_env env, napi_value array, uint32_t index) {
  napi_value value;
  napi_get_element(env, array, index, &value);
  return value;
}

uint32_t length_of(napi_env env, napi_value array) {
  uint32_t length = 0;
  napi_get_array_length(env, array, &length);
  return length;
}

// Calls connect(...arguments of CREATE VIRTUAL TABLE), which gives
// [declaration, columns, names of parameters, direct only, integers, open].
int connect_table(sqlite3* db, void* data, int argc, const char* const* argv, sqlite3_vtab** result,
                  char** error) {
  auto* module = static_cast<Module*>(data);
  napi_env env = module->addon->env;
  if (exception_pending(env)) return SQLITE_ERROR;
  HandleScope scope(env);
  std::vector<napi_value> arguments;
  for (int i = 3; i < argc; ++i) arguments.push_back(text_value(env, argv[i]));
  napi_value definition = call_reference(env, module->connect, arguments);
  if (!definition) return SQLITE_ERROR;

  const std::string declaration = text_of(env, element(env, definition, 0));
  if (sqlite3_declare_vtab(db, declaration.c_str()) != SQLITE_OK) {
    *error = sqlite3_mprintf("failed to declare virtual table \"%s\"", argv[2]);
    return SQLITE_ERROR;
  }
  uint32_t number = 0;
  napi_get_value_uint32(env, element(env, definition, 3), &number);
  sqlite3_vtab_config(db, number ? SQLITE_VTAB_DIRECTONLY : SQLITE_VTAB_INNOCUOUS);
  auto table = std::make_unique<Table>();
  static_cast<sqlite3_vtab&>(*table) = {};
  table->module = module;
  napi_get_value_int32(env, element(env, definition, 1), &table->columns);
  napi_value names = element(env, definition, 2);
  for (uint32_t i = 0; i < length_of(env, names); ++i) {
    table->parameters.push_back(text_of(env, element(env, names, i)));
  }
  napi_get_value_uint32(env, element(env, definition, 4), &number);
  table->integers = static_cast<IntegerMode>(number);
  napi_create_reference(env, element(env, definition, 5), 1, &table->open);
  *result = table.release();
  return SQLITE_OK;
}

int disconnect_table(sqlite3_vtab* base) {
  drop_reference(env_of(base), static_cast<Table*>(base)->open);
  delete static_cast<Table*>(base);
  return SQLITE_OK;
}

int best_index(sqlite3_vtab* base, sqlite3_index_info* info) {
  auto* table = static_cast<Table*>(base);
  unsigned given = 0;
  std::vector<int> constraint_of(table->parameters.size(), -1);
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    const int parameter = constraint.iColumn - table->columns;
    if (parameter < 0 || constraint.op == SQLITE_INDEX_CONSTRAINT_LIMIT ||
        constraint.op == SQLITE_INDEX_CONSTRAINT_OFFSET) {
      continue;
    }
    if (constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) {
      sqlite3_free(base->zErrMsg);
      base->zErrMsg =
          sqlite3_mprintf("virtual table parameter \"%s\" can only be constrained by the '=' operator",
                          table->parameters[static_cast<size_t>(parameter)].c_str());
      return SQLITE_ERROR;
    }
    if (!constraint.usable) return SQLITE_CONSTRAINT;
    constraint_of[static_cast<size_t>(parameter)] = i;
    given |= 1u << parameter;
  }
  int position = 0;
  for (int constraint : constraint_of) {
    if (constraint < 0) continue;
    info->aConstraintUsage[constraint].argvIndex = ++position;
    info->aConstraintUsage[constraint].omit = 1;
  }
  info->idxNum = static_cast<int>(given);
  // The more parameters are given, the fewer rows are to be expected.
  const auto missing = static_cast<double>(table->parameters.size()) - position;
  info->estimatedCost = 1000 * (missing + 1);
  info->estimatedRows = static_cast<sqlite3_int64>(1000 * (missing + 1));
  return SQLITE_OK;
}

int open_cursor(sqlite3_vtab*, sqlite3_vtab_cursor** result) {
  auto* cursor = new Cursor;
  static_cast<sqlite3_vtab_cursor&>(*cursor) = {};
  *result = cursor;
  return SQLITE_OK;
}

void clear_cursor(Cursor* cursor) {
  napi_env env = env_of(cursor->pVtab);
  drop_reference(env, cursor->next);
  drop_reference(env, cursor->row);
  for (sqlite3_value* value : cursor->values) sqlite3_value_free(value);
  cursor->values.clear();
  cursor->rowid = 0;
}

int close_cursor(sqlite3_vtab_cursor* base) {
  clear_cursor(static_cast<Cursor*>(base));
  delete static_cast<Cursor*>(base);
  return SQLITE_OK;
}

int next_row(sqlite3_vtab_cursor* base) {
  auto* cursor = static_cast<Cursor*>(base);
  napi_env env = env_of(base->pVtab);
  drop_reference(env, cursor->row);
  if (exception_pending(env)) return SQLITE_ERROR;
  HandleScope scope(env);
  napi_value row = call_reference(env, cursor->next, {});
  if (!row) return SQLITE_ERROR;
  napi_valuetype type;
  napi_typeof(env, row, &type);
  if (type != napi_undefined) napi_create_reference(env, row, 1, &cursor->row);
  ++cursor->rowid;
  return SQLITE_OK;
}

int filter(sqlite3_vtab_cursor* base, int given, const char*, int, sqlite3_value** argv) {
  auto* cursor = static_cast<Cursor*>(base);
  auto* table = static_cast<Table*>(base->pVtab);
  napi_env env = env_of(table);
  clear_cursor(cursor);
  if (exception_pending(env)) return SQLITE_ERROR;
  HandleScope scope(env);
  std::vector<napi_value> arguments;
  for (size_t i = 0; i < table->parameters.size(); ++i) {
    napi_value value;
    if (static_cast<unsigned>(given) >> i & 1) {
      cursor->values.push_back(sqlite3_value_dup(*argv));
      value = value_to_js(env, *argv++, table->integers);
      if (!value) return SQLITE_ERROR;
    } else {
      cursor->values.push_back(nullptr);
      napi_get_undefined(env, &value);
    }
    arguments.push_back(value);
  }
  napi_value next = call_reference(env, table->open, arguments);
  if (!next) return SQLITE_ERROR;
  napi_create_reference(env, next, 1, &cursor->next);
  return next_row(base);
}

int at_end(sqlite3_vtab_cursor* base) { return static_cast<Cursor*>(base)->row == nullptr; }

int column(sqlite3_vtab_cursor* base, sqlite3_context* context, int index) {
  auto* cursor = static_cast<Cursor*>(base);
  auto* table = static_cast<Table*>(base->pVtab);
  if (index >= table->columns) {
    sqlite3_value* value = cursor->values[static_cast<size_t>(index - table->columns)];
    if (value) sqlite3_result_value(context, value);
    return SQLITE_OK;
  }
  napi_env env = env_of(table);
  if (exception_pending(env)) return SQLITE_ERROR;
  HandleScope scope(env);
  napi_value row;
  napi_get_reference_value(env, cursor->row, &row);
  js_to_result(env, context, element(env, row, static_cast<uint32_t>(index)),
               table->module->subject);
  return SQLITE_OK;
}

int rowid(sqlite3_vtab_cursor* base, sqlite3_int64* result) {
  *result = static_cast<Cursor*>(base)->rowid;
  return SQLITE_OK;
}

void free_module(void* data) {
  auto* module = static_cast<Module*>(data);
  drop_reference(module->addon->env, module->connect);
  delete module;
}

// A module is not eponymous if its xCreate differs from its xConnect.
int create_table(sqlite3* db, void* data, int argc, const char* const* argv, sqlite3_vtab** result,
                 char** error) {
  return connect_table(db, data, argc, argv, result, error);
}

sqlite3_module methods(bool eponymous_only) {
  sqlite3_module module = {};
  module.xCreate = eponymous_only ? nullptr : create_table;
  module.xConnect = connect_table;
  module.xBestIndex = best_index;
  module.xDisconnect = disconnect_table;
  module.xDestroy = disconnect_table;
  module.xOpen = open_cursor;
  module.xClose = close_cursor;
  module.xFilter = filter;
  module.xNext = next_row;
  module.xEof = at_end;
  module.xColumn = column;
  module.xRowid = rowid;
  return module;
}

// createModule(connection, name, eponymous only, connect)
napi_value create_module(napi_env env, napi_callback_info info) {
  static const sqlite3_module kEponymous = methods(true);
  static const sqlite3_module kFactory = methods(false);
  Call<4> call(env, info);
  Connection* connection = call.connection();
  auto* module = new Module{call.addon, call.text(1), {}};
  module->subject = "Virtual table module \"" + module->name + "\" yielded";
  napi_create_reference(env, call.arguments[3], 1, &module->connect);
  const int code =
      sqlite3_create_module_v2(connection->db, module->name.c_str(),
                               call.number(2) ? &kEponymous : &kFactory, module, free_module);
  if (code != SQLITE_OK) return fail(connection, code);
  call.addon->header[kStatus] = 0;
  return nullptr;
}

}  // namespace

const MethodEntry kTableMethods[] = {{"createModule", create_module}, {nullptr, nullptr}};

}  // namespace godwit::node
