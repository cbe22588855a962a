// Tracing statements, and their text with the values of parameters.
#include <chrono>
#include <cstring>
#include <new>
#include <string>

#include "api/handles.h"
#include "function/printf.h"
#include "sql/token.h"
#include "value/number_text.h"

using namespace godwit;
using namespace godwit::api;

namespace {

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void append_value(const ValueView& value, std::string* out) {
  char digits[kRealTextBytesMax];
  switch (value.type) {
    case ValueType::kNull:
      *out += "NULL";
      return;
    case ValueType::kInteger:
      out->append(digits, static_cast<size_t>(integer_to_text(value.integer, digits)));
      return;
    case ValueType::kReal:
      out->append(digits, static_cast<size_t>(real_to_text(value.real, digits)));
      return;
    case ValueType::kText:
      *out += '\'';
      append_quoted(value.text(), '\'', out);
      *out += '\'';
      return;
    case ValueType::kBlob:
      break;
  }
  if (value.zero_filled) {
    *out += "zeroblob(" + std::to_string(value.size) + ")";
    return;
  }
  static const char kHex[] = "0123456789abcdef";
  *out += "x'";
  for (unsigned char byte : value.text()) {
    *out += kHex[byte >> 4];
    *out += kHex[byte & 15];
  }
  *out += '\'';
}

// "?" takes the number after the largest so far; "?5" says its own; names have one each.
std::string expand(const Statement& statement) {
  const std::string& sql = statement.sql();
  std::string out;
  Tokenizer tokenizer(sql);
  size_t copied = 0;
  int largest = 0;
  for (Token token = tokenizer.next(); token.kind != TokenKind::kEnd; token = tokenizer.next()) {
    if (token.kind != TokenKind::kVariable) continue;
    std::string_view name(sql.data() + token.offset, token.length);
    int number = name == "?" ? largest + 1
                 : name[0] == '?' ? std::atoi(std::string(name.substr(1)).c_str())
                                  : statement.parameter_index(name);
    largest = std::max(largest, number);
    out.append(sql, copied, token.offset - copied);
    append_value(statement.parameter(number), &out);
    copied = token.offset + token.length;
  }
  return out.append(sql, copied, std::string::npos);
}

}  // namespace

namespace godwit::api {

void trace_start(sqlite3_stmt* stmt) {
  sqlite3* db = stmt->db;
  stmt->started_ns = now_ns();
  if ((db->trace_mask & SQLITE_TRACE_STMT) == 0) return;
  db->trace(SQLITE_TRACE_STMT, db->trace_context, stmt,
            const_cast<char*>(stmt->statement->sql().c_str()));
}

void trace_end(sqlite3_stmt* stmt) {
  sqlite3* db = stmt->db;
  if ((db->trace_mask & SQLITE_TRACE_PROFILE) == 0) return;
  sqlite3_int64 elapsed = now_ns() - stmt->started_ns;
  db->trace(SQLITE_TRACE_PROFILE, db->trace_context, stmt, &elapsed);
}

void trace_row(sqlite3_stmt* stmt) {
  sqlite3* db = stmt->db;
  if ((db->trace_mask & SQLITE_TRACE_ROW) == 0) return;
  db->trace(SQLITE_TRACE_ROW, db->trace_context, stmt, nullptr);
}

}  // namespace godwit::api

int sqlite3_trace_v2(sqlite3* db, unsigned mask, int (*trace)(unsigned, void*, void*, void*),
                     void* context) {
  if (db == nullptr) return SQLITE_MISUSE;
  std::lock_guard lock(db->mutex);
  db->trace = mask == 0 ? nullptr : trace;
  db->trace_mask = trace == nullptr ? 0 : mask;
  db->trace_context = context;
  return SQLITE_OK;
}

char* sqlite3_expanded_sql(sqlite3_stmt* stmt) {
  if (stmt == nullptr) return nullptr;
  std::lock_guard lock(stmt->db->mutex);
  try {
    std::string text = expand(*stmt->statement);
    if (static_cast<int64_t>(text.size()) > stmt->db->connection->length_limit()) return nullptr;
    char* copy = static_cast<char*>(sqlite3_malloc64(text.size() + 1));
    if (copy != nullptr) std::memcpy(copy, text.c_str(), text.size() + 1);
    return copy;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
