// sqlite3_result_*(): what a function of the application returns.
#include <cstring>
#include <utility>

#include "api/handles.h"
#include "api/utf16.h"

using namespace godwit;
using namespace godwit::api;

namespace {

void release(const void* data, void (*destroy)(void*)) {
  if (destroy != SQLITE_STATIC && destroy != reinterpret_cast<sqlite3_destructor_type>(-1)) {
    destroy(const_cast<void*>(data));
  }
}

void set(sqlite3_context* context, const ValueView& value) {
  if (context != nullptr && context->result != nullptr) *context->result = value;
}

void fail(sqlite3_context* context, Status status) {
  if (context != nullptr) context->call->fail(std::move(status));
}

// Copies, as the result must outlive what the caller holds.
void set_bytes(sqlite3_context* context, const void* data, uint64_t size, bool is_text) {
  if (data == nullptr) return set(context, ValueView());
  if (context == nullptr || context->result == nullptr || !context->call->fits_length_limit(size)) return;
  std::string_view copy =
      context->call->arena().copy({static_cast<const char*>(data), static_cast<size_t>(size)});
  set(context, is_text ? ValueView::of_text(copy) : ValueView::of_blob(copy));
}

void set_text16(sqlite3_context* context, const void* data, int bytes, bool big_endian) {
  if (data == nullptr) return set(context, ValueView());
  std::string utf8 = utf16_to_utf8(data, bytes, big_endian);
  set_bytes(context, utf8.data(), utf8.size(), true);
}

}  // namespace

void sqlite3_result_blob(sqlite3_context* context, const void* data, int bytes,
                         void (*destroy)(void*)) {
  set_bytes(context, data, bytes < 0 ? 0 : static_cast<uint64_t>(bytes), false);
  release(data, destroy);
}
void sqlite3_result_blob64(sqlite3_context* context, const void* data, sqlite3_uint64 bytes,
                           void (*destroy)(void*)) {
  set_bytes(context, data, bytes, false);
  release(data, destroy);
}
void sqlite3_result_double(sqlite3_context* context, double value) {
  set(context, value != value ? ValueView() : ValueView::of(value));
}
void sqlite3_result_int(sqlite3_context* context, int value) {
  set(context, ValueView::of(int64_t{value}));
}
void sqlite3_result_int64(sqlite3_context* context, sqlite3_int64 value) {
  set(context, ValueView::of(int64_t{value}));
}
void sqlite3_result_null(sqlite3_context* context) { set(context, ValueView()); }

void sqlite3_result_text(sqlite3_context* context, const char* text, int bytes,
                         void (*destroy)(void*)) {
  uint64_t size = text == nullptr ? 0
                  : bytes < 0     ? std::strlen(text)
                                  : static_cast<uint64_t>(bytes);
  set_bytes(context, text, size, true);
  release(text, destroy);
}
void sqlite3_result_text64(sqlite3_context* context, const char* text, sqlite3_uint64 bytes,
                           void (*destroy)(void*), unsigned char encoding) {
  if (encoding == SQLITE_UTF8) {
    set_bytes(context, text, bytes, true);
  } else if (bytes > INT32_MAX) {
    sqlite3_result_error_toobig(context);
  } else {
    set_text16(context, text, static_cast<int>(bytes), encoding == SQLITE_UTF16BE);
  }
  release(text, destroy);
}
void sqlite3_result_text16(sqlite3_context* context, const void* text, int bytes,
                           void (*destroy)(void*)) {
  sqlite3_result_text16le(context, text, bytes, destroy);
}
void sqlite3_result_text16le(sqlite3_context* context, const void* text, int bytes,
                             void (*destroy)(void*)) {
  set_text16(context, text, bytes, false);
  release(text, destroy);
}
void sqlite3_result_text16be(sqlite3_context* context, const void* text, int bytes,
                             void (*destroy)(void*)) {
  set_text16(context, text, bytes, true);
  release(text, destroy);
}

void sqlite3_result_value(sqlite3_context* context, sqlite3_value* value) {
  if (context == nullptr) return;
  if (value == nullptr) return set(context, ValueView());
  const ValueView& view = value->view;
  if (view.type < ValueType::kText || view.zero_filled) return set(context, view);
  set_bytes(context, view.size == 0 ? "" : view.bytes, view.size, view.type == ValueType::kText);
  if (context->result != nullptr) context->result->subtype = view.subtype;
}
void sqlite3_result_zeroblob(sqlite3_context* context, int bytes) {
  sqlite3_result_zeroblob64(context, bytes < 0 ? 0 : static_cast<sqlite3_uint64>(bytes));
}
int sqlite3_result_zeroblob64(sqlite3_context* context, sqlite3_uint64 bytes) {
  if (context == nullptr) return SQLITE_MISUSE;
  if (!context->call->fits_length_limit(bytes)) return SQLITE_TOOBIG;
  ValueView value = ValueView::of_blob(std::string_view());
  value.size = static_cast<uint32_t>(bytes);
  value.zero_filled = bytes > 0;
  set(context, value);
  return SQLITE_OK;
}
void sqlite3_result_subtype(sqlite3_context* context, unsigned int subtype) {
  if (context == nullptr || context->result == nullptr) return;
  context->result->subtype = static_cast<uint8_t>(subtype);
}

void sqlite3_result_error(sqlite3_context* context, const char* message, int bytes) {
  std::string text;
  if (message != nullptr) {
    text = bytes < 0 ? std::string(message) : std::string(message, static_cast<size_t>(bytes));
  }
  fail(context, Status(code::kError, std::move(text)));
}
void sqlite3_result_error16(sqlite3_context* context, const void* message, int bytes) {
  fail(context, Status(code::kError, message == nullptr ? "" : utf16_to_utf8(message, bytes)));
}
// After sqlite3_result_error() it changes the code and keeps the message.
void sqlite3_result_error_code(sqlite3_context* context, int code) {
  if (context == nullptr) return;
  if (context->call->failed()) {
    std::string message = context->call->take_status().message();
    context->call->fail(Status(code, std::move(message)));
  } else {
    context->call->fail(Status(code == SQLITE_OK ? SQLITE_ERROR : code));
  }
}
void sqlite3_result_error_nomem(sqlite3_context* context) {
  fail(context, Status(code::kNoMem));
}
void sqlite3_result_error_toobig(sqlite3_context* context) {
  fail(context, Status(code::kTooBig));
}
