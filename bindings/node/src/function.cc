// Scalar and aggregate functions written in JavaScript. An exception stays under way in the environment
// while the engine unwinds the statement with an error, and then reaches the caller unchanged; until
// then no more JavaScript is run.
//
// The state of an aggregate lives in lib/functions.js: here a group is a number.

#include "function.h"

#include <vector>

namespace godwit::node {

Bytes bytes_of(napi_env env, napi_value value) {
  Bytes bytes;
  void* data = nullptr;
  bool is = false;
  if (napi_is_typedarray(env, value, &is) == napi_ok && is) {
    napi_typedarray_type type;
    size_t length = 0;
    if (napi_get_typedarray_info(env, value, &type, &length, &data, nullptr, nullptr) != napi_ok) {
      return bytes;
    }
    static constexpr uint8_t kWidths[] = {1, 1, 1, 2, 2, 4, 4, 4, 8, 8, 8, 2};
    bytes.length = length * (type < std::size(kWidths) ? kWidths[type] : 1);
  } else if (napi_is_dataview(env, value, &is) == napi_ok && is) {
    napi_get_dataview_info(env, value, &bytes.length, &data, nullptr, nullptr);
  } else if (napi_is_arraybuffer(env, value, &is) == napi_ok && is) {
    napi_get_arraybuffer_info(env, value, &data, &bytes.length);
  }
  if (data && bytes.length) {
    bytes.data = data;
  } else {
    bytes.length = 0;
  }
  return bytes;
}

namespace {

constexpr int64_t kLargestSafe = (int64_t{1} << 53) - 1;

napi_value integer_to_js(napi_env env, int64_t value, IntegerMode integers) {
  napi_value result = nullptr;
  const bool safe = value <= kLargestSafe && value >= -kLargestSafe;
  if (integers == IntegerMode::kBigInt || (!safe && integers == IntegerMode::kBigIntIfUnsafe)) {
    napi_create_bigint_int64(env, value, &result);
  } else if (!safe && integers == IntegerMode::kThrow) {
    const std::string message =
        "Value is too large to be represented as a JavaScript number: " + std::to_string(value);
    napi_throw_range_error(env, "ERR_OUT_OF_RANGE", message.c_str());
  } else {
    napi_create_double(env, static_cast<double>(value), &result);
  }
  return result;
}

napi_value copy_of_bytes(napi_env env, sqlite3_value* value) {
  const void* source = sqlite3_value_blob(value);
  const auto length = static_cast<size_t>(sqlite3_value_bytes(value));
  void* copy = nullptr;
  napi_value result = nullptr;
  if (napi_create_buffer(env, length, &copy, &result) != napi_ok) return nullptr;
  if (length) __builtin_memcpy(copy, source, length);
  return result;
}

}  // namespace

napi_value value_to_js(napi_env env, sqlite3_value* value, IntegerMode integers) {
  napi_value result = nullptr;
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
      return integer_to_js(env, sqlite3_value_int64(value), integers);
    case SQLITE_FLOAT:
      napi_create_double(env, sqlite3_value_double(value), &result);
      return result;
    case SQLITE_TEXT: {
      const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
      return text_value(env, text, static_cast<size_t>(sqlite3_value_bytes(value)));
    }
    case SQLITE_BLOB:
      return copy_of_bytes(env, value);
    default:
      napi_get_null(env, &result);
      return result;
  }
}

void js_to_result(napi_env env, sqlite3_context* context, napi_value value,
                  const std::string& subject) {
  napi_valuetype type = napi_undefined;
  napi_typeof(env, value, &type);
  switch (type) {
    case napi_undefined:
    case napi_null:
      return sqlite3_result_null(context);
    case napi_number: {
      double number = 0;
      napi_get_value_double(env, value, &number);
      return sqlite3_result_double(context, number);
    }
    case napi_string: {
      const std::string text = text_of(env, value);
      return sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT,
                                   SQLITE_UTF8);
    }
    case napi_bigint: {
      int64_t integer = 0;
      bool lossless = false;
      napi_get_value_bigint_int64(env, value, &integer, &lossless);
      if (lossless) return sqlite3_result_int64(context, integer);
      napi_throw_range_error(env, nullptr, (subject + " a bigint that was too big").c_str());
      return result_pending_exception(context);
    }
    default:
      break;
  }
  bool array = false;
  bool view = false;
  napi_is_typedarray(env, value, &array);
  if (!array) napi_is_dataview(env, value, &view);
  if (array || view) {
    const Bytes bytes = bytes_of(env, value);
    return sqlite3_result_blob64(context, bytes.data, bytes.length, SQLITE_TRANSIENT);
  }
  napi_throw_type_error(env, nullptr, (subject + " an invalid value").c_str());
  result_pending_exception(context);
}

namespace {

// A function's JavaScript side; freed with the connection, or when the function is replaced.
struct Function {
  Addon* addon;
  std::string subject;
  IntegerMode integers;
  napi_ref call = nullptr;     // scalar: the function; aggregate: step(group, ...arguments)
  napi_ref inverse = nullptr;  // inverse(group, ...arguments)
  napi_ref result = nullptr;   // result(group, final)
  uint32_t last_group = 0;

  napi_ref reference(napi_value function) const {
    napi_ref ref = nullptr;
    napi_create_reference(addon->env, function, 1, &ref);
    return ref;
  }
};

void free_function(void* data) {
  auto* function = static_cast<Function*>(data);
  for (napi_ref ref : {function->call, function->inverse, function->result}) {
    if (ref) napi_delete_reference(function->addon->env, ref);
  }
  delete function;
}

// Calls `ref` with the leading numbers and the SQL values; null if it threw.
napi_value call_js(Function* function, napi_ref ref, std::initializer_list<uint32_t> leading,
                   int argc, sqlite3_value** argv) {
  napi_env env = function->addon->env;
  std::vector<napi_value> arguments;
  arguments.reserve(leading.size() + static_cast<size_t>(argc));
  for (uint32_t number : leading) {
    napi_value value;
    napi_create_uint32(env, number, &value);
    arguments.push_back(value);
  }
  for (int i = 0; i < argc; ++i) {
    napi_value value = value_to_js(env, argv[i], function->integers);
    if (!value) return nullptr;
    arguments.push_back(value);
  }
  napi_value callee, receiver, result = nullptr;
  napi_get_reference_value(env, ref, &callee);
  napi_get_undefined(env, &receiver);
  if (napi_call_function(env, receiver, callee, arguments.size(), arguments.data(), &result) !=
      napi_ok) {
    return nullptr;
  }
  return result;
}

void call_scalar(sqlite3_context* context, int argc, sqlite3_value** argv) {
  auto* function = static_cast<Function*>(sqlite3_user_data(context));
  napi_env env = function->addon->env;
  if (exception_pending(env)) return result_pending_exception(context);
  HandleScope scope(env);
  napi_value result = call_js(function, function->call, {}, argc, argv);
  if (!result) return result_pending_exception(context);
  js_to_result(env, context, result, function->subject);
}

uint32_t group_of(sqlite3_context* context, Function* function) {
  auto* group = static_cast<uint32_t*>(sqlite3_aggregate_context(context, sizeof(uint32_t)));
  if (group && *group == 0) *group = ++function->last_group;
  return group ? *group : 0;
}

void call_group(sqlite3_context* context, int argc, sqlite3_value** argv, bool inverse) {
  auto* function = static_cast<Function*>(sqlite3_user_data(context));
  napi_env env = function->addon->env;
  if (exception_pending(env)) return result_pending_exception(context);
  HandleScope scope(env);
  napi_ref ref = inverse ? function->inverse : function->call;
  if (!call_js(function, ref, {group_of(context, function)}, argc, argv)) {
    result_pending_exception(context);
  }
}

void call_step(sqlite3_context* context, int argc, sqlite3_value** argv) {
  call_group(context, argc, argv, false);
}

void call_inverse(sqlite3_context* context, int argc, sqlite3_value** argv) {
  call_group(context, argc, argv, true);
}

void call_result(sqlite3_context* context, bool final) {
  auto* function = static_cast<Function*>(sqlite3_user_data(context));
  napi_env env = function->addon->env;
  if (exception_pending(env)) return result_pending_exception(context);
  HandleScope scope(env);
  auto* group = static_cast<uint32_t*>(sqlite3_aggregate_context(context, 0));
  napi_value result =
      call_js(function, function->result, {group ? *group : 0, final ? 1u : 0u}, 0, nullptr);
  if (!result) return result_pending_exception(context);
  js_to_result(env, context, result, function->subject);
}

void call_value(sqlite3_context* context) { call_result(context, false); }
void call_final(sqlite3_context* context) { call_result(context, true); }

// What createFunction and createAggregate have in common: integers and the function called for a row.
template <size_t N>
Function* new_function(Call<N>& call, const std::string& name) {
  auto* function = new Function{call.addon, "User-defined function " + name + "() returned",
                                static_cast<IntegerMode>(call.number(4))};
  function->call = function->reference(call.arguments[5]);
  return function;
}

// createFunction(connection, name, arguments or -1, flags, integers, function)
napi_value create_function(napi_env env, napi_callback_info info) {
  Call<6> call(env, info);
  Connection* connection = call.connection();
  const std::string name = call.text(1);
  int32_t argc = 0;
  napi_get_value_int32(env, call.arguments[2], &argc);
  Function* function = new_function(call, name);
  const int code = sqlite3_create_function_v2(
      connection->db, name.c_str(), argc, SQLITE_UTF8 | static_cast<int>(call.number(3)), function,
      call_scalar, nullptr, nullptr, free_function);
  if (code != SQLITE_OK) return fail(connection, code);
  call.addon->header[kStatus] = 0;
  return nullptr;
}

// createAggregate(connection, name, arguments or -1, flags, integers, step, inverse or null, result)
napi_value create_aggregate(napi_env env, napi_callback_info info) {
  Call<8> call(env, info);
  Connection* connection = call.connection();
  const std::string name = call.text(1);
  int32_t argc = 0;
  napi_get_value_int32(env, call.arguments[2], &argc);
  Function* function = new_function(call, name);
  napi_valuetype type;
  napi_typeof(env, call.arguments[6], &type);
  const bool window = type == napi_function;
  if (window) function->inverse = function->reference(call.arguments[6]);
  function->result = function->reference(call.arguments[7]);
  const int flags = SQLITE_UTF8 | static_cast<int>(call.number(3));
  const int code = sqlite3_create_window_function(
      connection->db, name.c_str(), argc, flags, function, call_step, call_final,
      window ? call_value : nullptr, window ? call_inverse : nullptr, free_function);
  if (code != SQLITE_OK) return fail(connection, code);
  call.addon->header[kStatus] = 0;
  return nullptr;
}

}  // namespace

const MethodEntry kFunctionMethods[] = {{"createFunction", create_function},
                                        {"createAggregate", create_aggregate},
                                        {nullptr, nullptr}};

}  // namespace godwit::node
