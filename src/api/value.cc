// Values as C sees them.
#include <cstdlib>
#include <new>

#include "api/handles.h"
#include "base/utf.h"
#include "value/affinity.h"
#include "value/cast.h"
#include "value/number_text.h"

using namespace godwit;

namespace godwit::api {

int type_of(const ValueView& value) {
  switch (value.type) {
    case ValueType::kInteger: return SQLITE_INTEGER;
    case ValueType::kReal: return SQLITE_FLOAT;
    case ValueType::kText: return SQLITE_TEXT;
    case ValueType::kBlob: return SQLITE_BLOB;
    default: return SQLITE_NULL;
  }
}

// The value as text with a NUL behind it. Asking for the text of a number changes nothing that
// sqlite3_value_type() shows.
const unsigned char* text_of(sqlite3_value* value) {
  if (value->view.is_null()) return nullptr;
  if (!value->has_text) {
    const ValueView& view = value->view;
    char digits[kRealTextBytesMax];
    if (view.is_integer()) {
      value->text.assign(digits, static_cast<size_t>(integer_to_text(view.integer, digits)));
    } else if (view.is_real()) {
      value->text.assign(digits, static_cast<size_t>(real_to_text(view.real, digits)));
    } else if (view.zero_filled) {
      value->text.assign(view.size, '\0');
    } else {
      value->text.assign(view.bytes == nullptr ? "" : view.bytes, view.size);
    }
    value->has_text = true;
  }
  return reinterpret_cast<const unsigned char*>(value->text.c_str());
}

const void* blob_of(sqlite3_value* value) {
  const ValueView& view = value->view;
  if (view.is_null()) return nullptr;
  if (view.is_number() || view.zero_filled) {
    const void* text = text_of(value);
    return value->text.empty() ? nullptr : text;
  }
  if (view.size == 0) return nullptr;
  return value->has_text ? value->text.data() : view.bytes;
}

int bytes_of(sqlite3_value* value) {
  if (value->view.is_null()) return 0;
  if (value->view.is_number()) text_of(value);
  return static_cast<int>(value->has_text ? value->text.size() : value->view.size);
}

const void* text16_of(sqlite3_value* value, bool big_endian) {
  if (value == nullptr || value->view.is_null()) return nullptr;
  text_of(value);
  value->text16.clear();
  append_utf8_as_utf16(value->text, big_endian, &value->text16);
  value->text16.insert(value->text16.end(), 2, 0);
  return value->text16.data();
}

}  // namespace godwit::api

using namespace godwit::api;

const void* sqlite3_value_blob(sqlite3_value* value) {
  return value == nullptr ? nullptr : blob_of(value);
}
double sqlite3_value_double(sqlite3_value* value) {
  return value == nullptr ? 0.0 : value_to_real(value->view);
}
int sqlite3_value_int(sqlite3_value* value) {
  return static_cast<int>(sqlite3_value_int64(value));
}
sqlite3_int64 sqlite3_value_int64(sqlite3_value* value) {
  return value == nullptr ? 0 : value_to_integer(value->view);
}
const unsigned char* sqlite3_value_text(sqlite3_value* value) {
  return value == nullptr ? nullptr : text_of(value);
}
int sqlite3_value_bytes(sqlite3_value* value) { return value == nullptr ? 0 : bytes_of(value); }
int sqlite3_value_type(sqlite3_value* value) {
  return value == nullptr ? SQLITE_NULL : type_of(value->view);
}

int sqlite3_value_numeric_type(sqlite3_value* value) {
  if (value == nullptr) return SQLITE_NULL;
  if (value->view.type != ValueType::kText) return type_of(value->view);
  Arena arena;
  ValueView number = value->view;
  apply_affinity(Affinity::kNumeric, &number, &arena);
  return type_of(number);
}
unsigned int sqlite3_value_subtype(sqlite3_value* value) {
  return value == nullptr || value->view.is_null() ? 0 : value->view.subtype;
}
int sqlite3_value_encoding(sqlite3_value*) { return SQLITE_UTF8; }

const void* sqlite3_value_text16(sqlite3_value* value) { return text16_of(value, false); }
const void* sqlite3_value_text16le(sqlite3_value* value) { return text16_of(value, false); }
const void* sqlite3_value_text16be(sqlite3_value* value) { return text16_of(value, true); }
int sqlite3_value_bytes16(sqlite3_value* value) {
  return text16_of(value, false) == nullptr ? 0 : static_cast<int>(value->text16.size() - 2);
}

sqlite3_value* sqlite3_value_dup(const sqlite3_value* value) {
  if (value == nullptr) return nullptr;
  auto* copy = new (std::nothrow) sqlite3_value;
  if (copy == nullptr) return nullptr;
  copy->owner.assign(value->view.is_null() ? ValueView() : value->view);
  copy->set(copy->owner.view());
  return copy;
}
void sqlite3_value_free(sqlite3_value* value) { delete value; }
