#include "capture/record_json.h"

#include <cmath>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "value/number_text.h"
#include "value/record.h"

namespace godwit::capture {
namespace {

using Names = std::vector<std::string>;

struct Finalize {
  void operator()(sqlite3_stmt* stmt) const { sqlite3_finalize(stmt); }
};
using Stmt = std::unique_ptr<sqlite3_stmt, Finalize>;

Stmt prepare_for(sqlite3_context* context, const char* sql, sqlite3_value* argument) {
  sqlite3_stmt* stmt = nullptr;
  if (sqlite3_prepare_v2(sqlite3_context_db_handle(context), sql, -1, &stmt, nullptr) == SQLITE_OK) {
    sqlite3_bind_value(stmt, 1, argument);
  }
  return Stmt(stmt);
}

void fail(sqlite3_context* context) {
  sqlite3_result_error(context, sqlite3_errmsg(sqlite3_context_db_handle(context)), -1);
}

void table_columns(sqlite3_context* context, int, sqlite3_value** arguments) {
  Stmt names = prepare_for(context, "SELECT json_group_array(name) FROM pragma_table_info(?1, 'main')",
                           arguments[0]);
  if (names == nullptr || sqlite3_step(names.get()) != SQLITE_ROW) return fail(context);
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(names.get(), 0));
  sqlite3_result_text(context, text, sqlite3_column_bytes(names.get(), 0), SQLITE_TRANSIENT);
}

void append_json_text(std::string_view text, std::string* out) {
  static constexpr char kHex[] = "0123456789abcdef";
  out->push_back('"');
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out->push_back('\\');
      out->push_back(c);
    } else if (byte < 0x20) {
      *out += "\\u00";
      out->push_back(kHex[byte >> 4]);
      out->push_back(kHex[byte & 15]);
    } else {
      out->push_back(c);
    }
  }
  out->push_back('"');
}

void append_json_value(const ValueView& value, std::string* out) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  switch (value.type) {
    case ValueType::kNull: *out += "null"; return;
    case ValueType::kInteger: *out += std::to_string(value.integer); return;
    case ValueType::kReal: {
      if (std::isinf(value.real)) {
        *out += value.real < 0 ? "-9e999" : "9e999";
        return;
      }
      char digits[64];
      out->append(digits, static_cast<size_t>(real_to_text(value.real, digits)));
      return;
    }
    case ValueType::kText: append_json_text(value.text(), out); return;
    case ValueType::kBlob: break;
  }
  out->push_back('"');
  for (char c : value.text()) {
    out->push_back(kHex[static_cast<unsigned char>(c) >> 4]);
    out->push_back(kHex[static_cast<unsigned char>(c) & 15]);
  }
  out->push_back('"');
}

// Of the first argument, kept from row to row while that is a constant. Null: an error is set.
const Names* names_of(sqlite3_context* context, sqlite3_value* argument, Names* room) {
  if (const void* kept = sqlite3_get_auxdata(context, 0)) return static_cast<const Names*>(kept);
  Stmt each = prepare_for(context, "SELECT value FROM json_each(?1)", argument);
  if (each == nullptr) return fail(context), nullptr;
  int code;
  while ((code = sqlite3_step(each.get())) == SQLITE_ROW) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(each.get(), 0));
    room->emplace_back(text == nullptr ? "" : text);
  }
  if (code != SQLITE_DONE) return fail(context), nullptr;
  sqlite3_set_auxdata(context, 0, new Names(*room), [](void* names) { delete static_cast<Names*>(names); });
  return room;
}

Status append_object(const Names& names, ByteSpan record, std::string* out) {
  RecordDecoder decoder;
  GW_TRY(decoder.reset(record));
  GW_ASSIGN(const uint32_t count, decoder.column_count());
  if (count > names.size()) return Status::error("the record has more columns than names were given");
  out->push_back('{');
  for (uint32_t i = 0; i < count; ++i) {
    ValueView value;
    bool is_missing = false;
    GW_TRY(decoder.column(i, &value, &is_missing));
    if (i > 0) out->push_back(',');
    append_json_text(names[i], out);
    out->push_back(':');
    append_json_value(value, out);
  }
  out->push_back('}');
  return Status();
}

void record_object(sqlite3_context* context, int, sqlite3_value** arguments) {
  if (sqlite3_value_type(arguments[1]) == SQLITE_NULL) return;
  try {
    Names room;
    const Names* names = names_of(context, arguments[0], &room);
    if (names == nullptr) return;
    const auto* bytes = static_cast<const uint8_t*>(sqlite3_value_blob(arguments[1]));
    const ByteSpan record(bytes, static_cast<size_t>(sqlite3_value_bytes(arguments[1])));
    std::string object;
    Status status = append_object(*names, record, &object);
    if (!status.ok()) {
      const std::string text = status.message().empty() ? "malformed record" : std::string(status.message());
      return sqlite3_result_error(context, text.c_str(), -1);
    }
    sqlite3_result_text64(context, object.data(), object.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

}  // namespace

int register_record_functions(sqlite3* db) {
  int code = sqlite3_create_function_v2(db, "table_columns_json_array", 1, SQLITE_UTF8, nullptr, table_columns,
                                        nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return code;
  return sqlite3_create_function_v2(db, "bin_record_json_object", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr,
                                    record_object, nullptr, nullptr, nullptr);
}

}  // namespace godwit::capture
