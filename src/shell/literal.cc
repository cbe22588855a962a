#include "literal.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>

namespace godwit::shell {
namespace {

// Words that cannot be used as a name without quotes, sorted.
constexpr std::string_view kKeywords[] = {
    "ABORT",
    "ACTION",
    "ADD",
    "AFTER",
    "ALL",
    "ALTER",
    "ALWAYS",
    "ANALYZE",
    "AND",
    "AS",
    "ASC",
    "ATTACH",
    "AUTOINCREMENT",
    "BEFORE",
    "BEGIN",
    "BETWEEN",
    "BY",
    "CASCADE",
    "CASE",
    "CAST",
    "CHECK",
    "COLLATE",
    "COLUMN",
    "COMMIT",
    "CONFLICT",
    "CONSTRAINT",
    "CREATE",
    "CROSS",
    "CURRENT",
    "CURRENT_DATE",
    "CURRENT_TIME",
    "CURRENT_TIMESTAMP",
    "DATABASE",
    "DEFAULT",
    "DEFERRABLE",
    "DEFERRED",
    "DELETE",
    "DESC",
    "DETACH",
    "DISTINCT",
    "DO",
    "DROP",
    "EACH",
    "ELSE",
    "END",
    "ESCAPE",
    "EXCEPT",
    "EXCLUDE",
    "EXCLUSIVE",
    "EXISTS",
    "EXPLAIN",
    "FAIL",
    "FILTER",
    "FIRST",
    "FOLLOWING",
    "FOR",
    "FOREIGN",
    "FROM",
    "FULL",
    "GENERATED",
    "GLOB",
    "GROUP",
    "GROUPS",
    "HAVING",
    "IF",
    "IGNORE",
    "IMMEDIATE",
    "IN",
    "INDEX",
    "INDEXED",
    "INITIALLY",
    "INNER",
    "INSERT",
    "INSTEAD",
    "INTERSECT",
    "INTO",
    "IS",
    "ISNULL",
    "JOIN",
    "KEY",
    "LAST",
    "LEFT",
    "LIKE",
    "LIMIT",
    "MATCH",
    "MATERIALIZED",
    "NATURAL",
    "NO",
    "NOT",
    "NOTHING",
    "NOTNULL",
    "NULL",
    "NULLS",
    "OF",
    "OFFSET",
    "ON",
    "OR",
    "ORDER",
    "OTHERS",
    "OUTER",
    "OVER",
    "PARTITION",
    "PLAN",
    "PRAGMA",
    "PRECEDING",
    "PRIMARY",
    "QUERY",
    "RAISE",
    "RANGE",
    "RECURSIVE",
    "REFERENCES",
    "REGEXP",
    "REINDEX",
    "RELEASE",
    "RENAME",
    "REPLACE",
    "RESTRICT",
    "RETURNING",
    "RIGHT",
    "ROLLBACK",
    "ROW",
    "ROWS",
    "SAVEPOINT",
    "SELECT",
    "SET",
    "TABLE",
    "TEMP",
    "TEMPORARY",
    "THEN",
    "TIES",
    "TO",
    "TRANSACTION",
    "TRIGGER",
    "UNBOUNDED",
    "UNION",
    "UNIQUE",
    "UPDATE",
    "USING",
    "VACUUM",
    "VALUES",
    "VIEW",
    "VIRTUAL",
    "WHEN",
    "WHERE",
    "WINDOW",
    "WITH",
    "WITHIN",
    "WITHOUT",
};

bool is_keyword(std::string_view name) {
  std::string upper(name);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return std::binary_search(std::begin(kKeywords), std::end(kKeywords), std::string_view(upper));
}

std::string hex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (unsigned char c : bytes) {
    text += kDigits[c >> 4];
    text += kDigits[c & 15];
  }
  return text;
}

std::string quoted(std::string_view text, char quote) {
  std::string result(1, quote);
  for (char c : text) {
    if (c == quote) result += quote;
    result += c;
  }
  result += quote;
  return result;
}

// A text that does not occur in `text`, to stand for a line end.
std::string unused_escape(std::string_view text, std::string_view first) {
  std::string candidate(first);
  for (int i = 0; text.find(candidate) != std::string_view::npos; ++i) {
    candidate = "(" + std::string(first) + std::to_string(i) + ")";
  }
  return candidate;
}

void replace_all(std::string& text, char from, const std::string& to) {
  std::string result;
  for (char c : text) {
    if (c == from) {
      result += to;
    } else {
      result += c;
    }
  }
  text = std::move(result);
}

}  // namespace

std::string real_literal(double value) {
  if (std::isinf(value)) return value < 0 ? "-9.0e+999" : "9.0e+999";
  char digits[40];
  auto end =
      std::to_chars(digits, digits + sizeof digits, value, std::chars_format::scientific).ptr;
  std::string_view scientific(digits, static_cast<size_t>(end - digits));
  size_t e = scientific.find('e');
  int exponent = std::atoi(std::string(scientific.substr(e + 1)).c_str());
  if (exponent < -4 || exponent >= 17) {
    std::string mantissa(scientific.substr(0, e));
    if (mantissa.find('.') == std::string::npos) mantissa += ".0";
    return mantissa + std::string(scientific.substr(e));
  }
  char plain[64];
  end = std::to_chars(plain, plain + sizeof plain, value, std::chars_format::fixed).ptr;
  std::string text(plain, static_cast<size_t>(end - plain));
  if (text.find('.') == std::string::npos) text += ".0";
  return text;
}

std::string text_literal(std::string_view text) {
  // SQL texts in the shell's input end at a NUL, so such a value cannot stand in quotes.
  if (text.find('\0') != std::string_view::npos) {
    return "CAST(" + blob_literal(text) + " AS TEXT)";
  }
  return quoted(text, '\'');
}

std::string text_literal_one_line(std::string_view text) {
  bool has_lf = text.find('\n') != std::string_view::npos;
  bool has_cr = text.find('\r') != std::string_view::npos;
  if ((!has_lf && !has_cr) || text.find('\0') != std::string_view::npos) return text_literal(text);
  std::string lf = unused_escape(text, "\\n");
  std::string cr = unused_escape(text, "\\r");
  std::string body = quoted(text, '\'');
  if (has_lf) replace_all(body, '\n', lf);
  if (has_cr) replace_all(body, '\r', cr);
  if (has_cr) body = "replace(" + body + ",'" + cr + "',char(13))";
  if (has_lf) body = "replace(" + body + ",'" + lf + "',char(10))";
  return body;
}

std::string blob_literal(std::string_view bytes) {
  return "X'" + hex(bytes) + "'";
}

std::string_view column_view(sqlite3_stmt* stmt, int column) {
  const char* data = sqlite3_column_type(stmt, column) == SQLITE_BLOB
                         ? static_cast<const char*>(sqlite3_column_blob(stmt, column))
                         : reinterpret_cast<const char*>(sqlite3_column_text(stmt, column));
  int bytes = sqlite3_column_bytes(stmt, column);
  return data ? std::string_view(data, static_cast<size_t>(bytes)) : std::string_view();
}

std::string column_literal(sqlite3_stmt* stmt, int column, bool one_line) {
  switch (sqlite3_column_type(stmt, column)) {
    case SQLITE_INTEGER:
      return std::to_string(sqlite3_column_int64(stmt, column));
    case SQLITE_FLOAT:
      return real_literal(sqlite3_column_double(stmt, column));
    case SQLITE_BLOB:
      return blob_literal(column_view(stmt, column));
    case SQLITE_TEXT: {
      std::string_view text = column_view(stmt, column);
      return one_line ? text_literal_one_line(text) : text_literal(text);
    }
    default:
      return "NULL";
  }
}

std::string quoted_identifier(std::string_view name) {
  return quoted(name, '"');
}

std::string identifier(std::string_view name) {
  bool plain = !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0]));
  for (char c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') plain = false;
  }
  return plain && !is_keyword(name) ? std::string(name) : quoted_identifier(name);
}

std::string c_string(std::string_view text) {
  std::string result = "\"";
  for (unsigned char c : text) {
    switch (c) {
      case '\\':
        result += "\\\\";
        break;
      case '"':
        result += "\\\"";
        break;
      case '\t':
        result += "\\t";
        break;
      case '\n':
        result += "\\n";
        break;
      case '\r':
        result += "\\r";
        break;
      default:
        if (c < 0x20 || c >= 0x7f) {
          char octal[8];
          std::snprintf(octal, sizeof octal, "\\%03o", c);
          result += octal;
        } else {
          result += static_cast<char>(c);
        }
    }
  }
  return result + '"';
}

std::string json_string(std::string_view text, bool is_blob) {
  std::string result = "\"";
  for (unsigned char c : text) {
    switch (c) {
      case '\\':
        result += "\\\\";
        break;
      case '"':
        result += "\\\"";
        break;
      case '\b':
        result += "\\b";
        break;
      case '\f':
        result += "\\f";
        break;
      case '\n':
        result += "\\n";
        break;
      case '\r':
        result += "\\r";
        break;
      case '\t':
        result += "\\t";
        break;
      default:
        // The bytes of a blob are no UTF-8: each becomes the character of its number.
        if (c < 0x20 || (is_blob && c >= 0x7f)) {
          char escape[8];
          std::snprintf(escape, sizeof escape, "\\u%04x", c);
          result += escape;
        } else {
          result += static_cast<char>(c);
        }
    }
  }
  return result + '"';
}

}  // namespace godwit::shell
