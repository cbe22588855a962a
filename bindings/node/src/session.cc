// Sessions and changesets, for the API of node:sqlite. A session ends with its connection: lib/node-sqlite.js
// keeps the list of those that are open.

#include "addon.h"
#include "function.h"
#include "row_batch.h"

namespace godwit::node {

namespace {

sqlite3_session* session_of(napi_env env, napi_value value) {
  void* data = nullptr;
  napi_get_value_external(env, value, &data);
  return static_cast<sqlite3_session*>(data);
}

// sessionCreate(connection, schema, table or ""): a handle
napi_value session_create(napi_env env, napi_callback_info info) {
  Call<3> call(env, info);
  Connection* connection = call.connection();
  sqlite3_session* session = nullptr;
  int code = sqlite3session_create(connection->db, call.text(1).c_str(), &session);
  if (code == SQLITE_OK) {
    const std::string table = call.text(2);
    code = sqlite3session_attach(session, table.empty() ? nullptr : table.c_str());
  }
  if (code != SQLITE_OK) {
    sqlite3session_delete(session);
    return fail(call.addon, code, sqlite3_errstr(code));
  }
  call.addon->header[kStatus] = 0;
  napi_value handle;
  napi_create_external(env, session, nullptr, nullptr, &handle);
  return handle;
}

// sessionChanges(handle, patchset): a Buffer
napi_value session_changes(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  sqlite3_session* session = session_of(env, call.arguments[0]);
  int size = 0;
  void* bytes = nullptr;
  const int code = call.number(1) ? sqlite3session_patchset(session, &size, &bytes)
                                  : sqlite3session_changeset(session, &size, &bytes);
  if (code != SQLITE_OK) return fail(call.addon, code, sqlite3_errstr(code));
  call.addon->header[kStatus] = 0;
  napi_value value = blob_value(env, bytes, static_cast<size_t>(size));
  sqlite3_free(bytes);
  return value;
}

napi_value session_delete(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  sqlite3session_delete(session_of(env, call.arguments[0]));
  return nullptr;
}

struct Handlers {
  napi_env env;
  napi_value conflict;  // functions, or null
  napi_value filter;
};

bool call_handler(napi_env env, napi_value function, napi_value argument, napi_value* result) {
  napi_value receiver;
  napi_get_undefined(env, &receiver);
  return napi_call_function(env, receiver, function, 1, &argument, result) == napi_ok;
}

int on_filter(void* context, const char* table) {
  auto* handlers = static_cast<Handlers*>(context);
  if (!handlers->filter) return 1;
  if (exception_pending(handlers->env)) return 0;
  HandleScope scope(handlers->env);
  napi_value result;
  bool wanted = false;
  if (call_handler(handlers->env, handlers->filter, text_value(handlers->env, table), &result)) {
    napi_coerce_to_bool(handlers->env, result, &result);
    napi_get_value_bool(handlers->env, result, &wanted);
  }
  return wanted;
}

int on_conflict(void* context, int kind, sqlite3_changeset_iter*) {
  auto* handlers = static_cast<Handlers*>(context);
  if (!handlers->conflict) return SQLITE_CHANGESET_ABORT;
  if (exception_pending(handlers->env)) return SQLITE_CHANGESET_ABORT;
  HandleScope scope(handlers->env);
  napi_value argument, result;
  napi_create_int32(handlers->env, kind, &argument);
  int32_t verdict = -1;
  if (!call_handler(handlers->env, handlers->conflict, argument, &result) ||
      napi_get_value_int32(handlers->env, result, &verdict) != napi_ok) {
    return -1;  // makes the call fail with SQLITE_MISUSE
  }
  return verdict;
}

napi_value function_or_null(napi_env env, napi_value value) {
  napi_valuetype type;
  napi_typeof(env, value, &type);
  return type == napi_function ? value : nullptr;
}

// changesetApply(connection, bytes, on conflict, filter): false if it was aborted
napi_value changeset_apply(napi_env env, napi_callback_info info) {
  Call<4> call(env, info);
  Connection* connection = call.connection();
  const Bytes bytes = bytes_of(env, call.arguments[1]);
  Handlers handlers{env, function_or_null(env, call.arguments[2]),
                    function_or_null(env, call.arguments[3])};
  const std::string copy(static_cast<const char*>(bytes.data), bytes.length);
  const int code =
      sqlite3changeset_apply(connection->db, static_cast<int>(copy.size()),
                             const_cast<char*>(copy.data()), on_filter, on_conflict, &handlers);
  if (exception_pending(env)) return nullptr;
  if (code != SQLITE_OK && code != SQLITE_ABORT) {
    return fail(call.addon, code, sqlite3_errstr(code));
  }
  call.addon->header[kStatus] = 0;
  napi_value done;
  napi_get_boolean(env, code == SQLITE_OK, &done);
  return done;
}

}  // namespace

const MethodEntry kSessionMethods[] = {{"sessionCreate", session_create},
                                       {"sessionChanges", session_changes},
                                       {"sessionDelete", session_delete},
                                       {"changesetApply", changeset_apply},
                                       {nullptr, nullptr}};

}  // namespace godwit::node
