// Values on their way between SQL functions and JavaScript.

#pragma once

#include <string>

#include "addon.h"

namespace godwit::node {

class HandleScope {
 public:
  explicit HandleScope(napi_env env) : env_(env) { napi_open_handle_scope(env, &scope_); }
  ~HandleScope() { napi_close_handle_scope(env_, scope_); }

 private:
  napi_env env_;
  napi_handle_scope scope_;
};

// The bytes behind a Buffer, typed array, DataView or ArrayBuffer; none if it is detached or not of these.
struct Bytes {
  const void* data = "";
  size_t length = 0;
};
Bytes bytes_of(napi_env env, napi_value value);

// Null if an exception is under way (an integer that IntegerMode::kThrow refuses, a text too long).
napi_value value_to_js(napi_env env, sqlite3_value* value, IntegerMode integers);

// Makes `value` the result of a function or column. What SQL has no value for throws a TypeError that
// begins with `subject`, and makes the statement fail.
void js_to_result(napi_env env, sqlite3_context* context, napi_value value,
                  const std::string& subject);

// Ends the call of a function or table method with the exception that is under way.
inline void result_pending_exception(sqlite3_context* context) {
  sqlite3_result_error(context, "JavaScript exception", -1);
}

}  // namespace godwit::node
