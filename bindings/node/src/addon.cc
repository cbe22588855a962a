// The module's entry: makes the Addon of an environment (the main thread's or a worker's), and ends its
// connections when that environment ends, however it ends.

#include "addon.h"

#include <cstring>

#include "row_batch.h"

namespace godwit::node {

std::string text_of(napi_env env, napi_value value) {
  size_t length = 0;
  if (napi_get_value_string_utf8(env, value, nullptr, 0, &length) != napi_ok) return {};
  std::string text(length, '\0');
  napi_get_value_string_utf8(env, value, text.data(), length + 1, &length);
  return text;
}

napi_value text_value(napi_env env, const char* text, size_t length) {
  napi_value value = nullptr;
  napi_create_string_utf8(env, text, length, &value);
  return value;
}

napi_value throw_type_error(napi_env env, const char* message) {
  napi_throw_type_error(env, nullptr, message);
  return nullptr;
}

bool exception_pending(napi_env env) {
  bool pending = false;
  napi_is_exception_pending(env, &pending);
  return pending;
}

napi_value fail(Addon* addon, int code, const char* message) {
  addon->header[kStatus] = -code;
  if (exception_pending(addon->env)) return nullptr;
  return text_value(addon->env, message);
}

napi_value fail(Connection* connection, int code) {
  return fail(connection->addon, code, sqlite3_errmsg(connection->db));
}

namespace {

void free_addon(napi_env, void* data, void*) {
  auto* addon = static_cast<Addon*>(data);
  for (uint32_t slot = 0; slot < addon->connections.size(); ++slot) {
    if (Connection* connection = addon->connections.get(slot)) close_connection(connection);
  }
  delete addon;
}

// attach(buffer): the ArrayBuffer of the layout above. It stays referenced, so its bytes do not move.
napi_value attach(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  void* data = nullptr;
  size_t length = 0;
  if (napi_get_arraybuffer_info(env, call.arguments[0], &data, &length) != napi_ok ||
      length < kIoBytes) {
    return throw_type_error(env, "Expected the exchange buffer");
  }
  napi_create_reference(env, call.arguments[0], 1, &call.addon->io_ref);
  auto* bytes = static_cast<char*>(data);
  call.addon->header = reinterpret_cast<int32_t*>(bytes);
  call.addon->cells = reinterpret_cast<double*>(bytes + kCellsOffset);
  call.addon->tags = reinterpret_cast<uint8_t*>(bytes + kTagsOffset);
  call.addon->chars = bytes + kCharsOffset;
  return nullptr;
}

const MethodEntry kModuleMethods[] = {{"attach", attach}, {nullptr, nullptr}};

}  // namespace

napi_value initialize(napi_env env, napi_value exports) {
  auto* addon = new Addon;
  addon->env = env;
  napi_set_instance_data(env, addon, free_addon, nullptr);
  for (const MethodEntry* methods : {kModuleMethods, kConnectionMethods, kStatementMethods,
                                     kFunctionMethods, kTableMethods, kBackupMethods,
#ifdef GODWIT_HAVE_SYNC
                                     kReplicaMethods,
#endif
                                     kAsyncMethods, kSessionMethods}) {
    for (; methods->name; ++methods) {
      napi_value function;
      napi_create_function(env, methods->name, NAPI_AUTO_LENGTH, methods->method, addon, &function);
      napi_set_named_property(env, exports, methods->name, function);
    }
  }
  return exports;
}

}  // namespace godwit::node

NAPI_MODULE_INIT() { return godwit::node::initialize(env, exports); }
