// Opening, closing and what concerns a connection as a whole.

#include <cstring>

#include "addon.h"
#include "function.h"
#include "row_batch.h"

namespace godwit::node {

void finalize_statement(Statement* statement) {
  Connection* connection = statement->connection;
  if (statement->program) {
    sqlite3_finalize(statement->program);
    --connection->prepared;
  }
  Statement* last = connection->statements.back();
  connection->statements[statement->index_in_connection] = last;
  last->index_in_connection = statement->index_in_connection;
  connection->statements.pop_back();
  connection->addon->statements.remove(statement->slot);
}

void close_connection(Connection* connection) {
  if (connection->async_running) {
    connection->close_wanted = true;
    sqlite3_interrupt(connection->db);
    return;
  }
  while (!connection->statements.empty()) finalize_statement(connection->statements.back());
  sqlite3_close_v2(connection->db);
  Addon* addon = connection->addon;
  if (connection->trace) napi_delete_reference(addon->env, connection->trace);
  if (connection->authorizer) napi_delete_reference(addon->env, connection->authorizer);
  addon->connections.remove(connection->slot);
}

namespace {

// open(path, flags, timeout): the slot, or an error. The generation is left in kRowCount.
napi_value open(napi_env env, napi_callback_info info) {
  Call<3> call(env, info);
  const std::string path = call.text(0);
  sqlite3* db = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &db, static_cast<int>(call.number(1)), nullptr);
  if (code != SQLITE_OK) {
    const int extended = db ? sqlite3_extended_errcode(db) : code;
    napi_value text = fail(call.addon, extended, db ? sqlite3_errmsg(db) : sqlite3_errstr(code));
    sqlite3_close_v2(db);
    return text;
  }
  sqlite3_extended_result_codes(db, 1);
  sqlite3_busy_timeout(db, static_cast<int>(call.number(2)));
  // As better-sqlite3: loadable extensions by loadExtension(), not by SQL.
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1, nullptr);
  auto object = std::make_unique<Connection>();
  object->addon = call.addon;
  object->db = db;
  Connection* connection = call.addon->connections.add(std::move(object));
  call.addon->header[kStatus] = 0;
  call.addon->header[kRowCount] = static_cast<int32_t>(connection->generation);
  napi_value slot;
  napi_create_uint32(env, connection->slot, &slot);
  return slot;
}

// close(connection[, generation]): with a generation it comes from a finalizer, possibly too late.
napi_value close(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  Connection* connection = call.connection();
  if (!connection || (call.count == 2 && connection->generation != call.number(1))) return nullptr;
  close_connection(connection);
  return nullptr;
}

napi_value exec(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  Connection* connection = call.connection();
  const std::string sql = call.text(1);
  const int code = sqlite3_exec(connection->db, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return fail(connection, sqlite3_extended_errcode(connection->db));
  call.addon->header[kStatus] = 0;
  return nullptr;
}

napi_value in_transaction(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  napi_value value;
  napi_get_boolean(env, !sqlite3_get_autocommit(call.connection()->db), &value);
  return value;
}

napi_value interrupt(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  if (Connection* connection = call.connection()) sqlite3_interrupt(connection->db);
  return nullptr;
}

napi_value set_timeout(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  sqlite3_busy_timeout(call.connection()->db, static_cast<int>(call.number(1)));
  return nullptr;
}

napi_value set_integers(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  call.connection()->integers = static_cast<IntegerMode>(call.number(1));
  return nullptr;
}

// config(connection, option, on): sqlite3_db_config with an on-off option; the new state.
napi_value config(napi_env env, napi_callback_info info) {
  Call<3> call(env, info);
  int state = 0;
  sqlite3_db_config(call.connection()->db, static_cast<int>(call.number(1)),
                    static_cast<int>(call.number(2)), &state);
  napi_value value;
  napi_create_int32(env, state, &value);
  return value;
}

napi_value limit(napi_env env, napi_callback_info info) {
  Call<3> call(env, info);
  int32_t wanted = -1;
  napi_get_value_int32(env, call.arguments[2], &wanted);
  napi_value value;
  napi_create_int32(
      env, sqlite3_limit(call.connection()->db, static_cast<int>(call.number(1)), wanted), &value);
  return value;
}

// load_extension(connection, path, entry point or undefined)
napi_value load_extension(napi_env env, napi_callback_info info) {
  Call<3> call(env, info);
  Connection* connection = call.connection();
  const std::string path = call.text(1);
  const std::string entry = call.text(2);
  char* message = nullptr;
  const int code = sqlite3_load_extension(connection->db, path.c_str(),
                                          entry.empty() ? nullptr : entry.c_str(), &message);
  if (code == SQLITE_OK) {
    call.addon->header[kStatus] = 0;
    return nullptr;
  }
  napi_value text = fail(call.addon, code, message ? message : sqlite3_errmsg(connection->db));
  sqlite3_free(message);
  return text;
}

// serialize(connection, schema): a Buffer
napi_value serialize(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  Connection* connection = call.connection();
  const std::string schema = call.text(1);
  sqlite3_int64 size = -1;
  unsigned char* bytes = sqlite3_serialize(connection->db, schema.c_str(), &size, 0);
  if (!bytes && size) {
    const int code = sqlite3_extended_errcode(connection->db);
    if (code == SQLITE_OK) return fail(call.addon, SQLITE_NOMEM, "out of memory");
    return fail(connection, code);
  }
  call.addon->header[kStatus] = 0;
  napi_value value = blob_value(env, bytes, static_cast<size_t>(size));
  sqlite3_free(bytes);
  return value;
}

// deserialize(connection, bytes, readonly, schema)
napi_value deserialize(napi_env env, napi_callback_info info) {
  Call<4> call(env, info);
  Connection* connection = call.connection();
  const Bytes source = bytes_of(env, call.arguments[1]);
  auto* copy = static_cast<unsigned char*>(sqlite3_malloc64(source.length + 1));
  if (!copy) return fail(call.addon, SQLITE_NOMEM, "Out of memory");
  std::memcpy(copy, source.data, source.length);
  unsigned flags = SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE;
  if (call.number(2)) flags |= SQLITE_DESERIALIZE_READONLY;
  const std::string schema = call.text(3);
  const auto size = static_cast<sqlite3_int64>(source.length);
  const int code = sqlite3_deserialize(connection->db, schema.c_str(), copy, size, size, flags);
  if (code != SQLITE_OK) {
    return fail(call.addon, code,
                code == SQLITE_ERROR ? "unable to deserialize database" : sqlite3_errstr(code));
  }
  call.addon->header[kStatus] = 0;
  return nullptr;
}

int trace_statement(unsigned, void* context, void* program, void*) {
  auto* connection = static_cast<Connection*>(context);
  napi_env env = connection->addon->env;
  if (exception_pending(env)) return 0;
  char* sql = sqlite3_expanded_sql(static_cast<sqlite3_stmt*>(program));
  if (!sql) return 0;
  napi_handle_scope scope;
  napi_open_handle_scope(env, &scope);
  napi_value function, receiver, argument = text_value(env, sql), result;
  sqlite3_free(sql);
  napi_get_reference_value(env, connection->trace, &function);
  napi_get_undefined(env, &receiver);
  napi_call_function(env, receiver, function, 1, &argument, &result);
  napi_close_handle_scope(env, scope);
  return 0;
}

// trace(connection, function): calls it with each statement's text, parameters filled in.
napi_value trace(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  Connection* connection = call.connection();
  napi_create_reference(env, call.arguments[1], 1, &connection->trace);
  sqlite3_trace_v2(connection->db, SQLITE_TRACE_STMT, trace_statement, connection);
  return nullptr;
}

int ask_authorizer(void* context, int action, const char* first, const char* second,
                   const char* database, const char* trigger) {
  auto* connection = static_cast<Connection*>(context);
  napi_env env = connection->addon->env;
  if (exception_pending(env)) return SQLITE_DENY;
  napi_handle_scope scope;
  napi_open_handle_scope(env, &scope);
  napi_value function, receiver, result, arguments[5];
  napi_create_int32(env, action, &arguments[0]);
  int position = 1;
  for (const char* text : {first, second, database, trigger}) {
    if (text) {
      arguments[position++] = text_value(env, text);
    } else {
      napi_get_null(env, &arguments[position++]);
    }
  }
  napi_get_reference_value(env, connection->authorizer, &function);
  napi_get_undefined(env, &receiver);
  int32_t verdict = SQLITE_DENY;
  if (napi_call_function(env, receiver, function, 5, arguments, &result) == napi_ok) {
    napi_get_value_int32(env, result, &verdict);
  }
  napi_close_handle_scope(env, scope);
  return verdict;
}

// authorizer(connection, function or null)
napi_value authorizer(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  Connection* connection = call.connection();
  if (connection->authorizer) napi_delete_reference(env, connection->authorizer);
  connection->authorizer = nullptr;
  napi_valuetype type;
  napi_typeof(env, call.arguments[1], &type);
  if (type != napi_function) {
    sqlite3_set_authorizer(connection->db, nullptr, nullptr);
    return nullptr;
  }
  napi_create_reference(env, call.arguments[1], 1, &connection->authorizer);
  sqlite3_set_authorizer(connection->db, ask_authorizer, connection);
  return nullptr;
}

// filename(connection, schema): the file's full path, "" for memory, null for no such schema.
napi_value filename(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  const char* name = sqlite3_db_filename(call.connection()->db, call.text(1).c_str());
  if (name) return text_value(env, name);
  napi_value value;
  napi_get_null(env, &value);
  return value;
}

// errorString(code): SQLite's text for a result code
napi_value error_string(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  return text_value(env, sqlite3_errstr(static_cast<int>(call.number(0))));
}

}  // namespace

const MethodEntry kConnectionMethods[] = {
    {"open", open},
    {"close", close},
    {"exec", exec},
    {"inTransaction", in_transaction},
    {"interrupt", interrupt},
    {"setTimeout", set_timeout},
    {"setIntegers", set_integers},
    {"config", config},
    {"limit", limit},
    {"loadExtension", load_extension},
    {"serialize", serialize},
    {"deserialize", deserialize},
    {"trace", trace},
    {"authorizer", authorizer},
    {"filename", filename},
    {"errorString", error_string},
    {nullptr, nullptr}};

}  // namespace godwit::node
