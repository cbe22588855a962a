#include "execute.h"

#include <algorithm>
#include <cctype>

#include "output.h"

namespace godwit::shell {
namespace {

SqlError describe(ShellState& state, SqlError::Phase phase, int code, std::string_view sql) {
  SqlError error;
  error.phase = phase;
  error.code = code;
  error.message = sqlite3_errmsg(state.db);
  // The plain SQLITE_ERROR says nothing that the message does not.
  if (code > SQLITE_ERROR) error.message += " (" + std::to_string(code) + ")";
  if (phase == SqlError::Phase::kPrepare) {
    error.message += error_context(sql, sqlite3_error_offset(state.db));
  }
  return error;
}

void print_rows(ShellState& state, sqlite3_stmt* stmt, int* rc) {
  *rc = sqlite3_step(stmt);
  if (*rc != SQLITE_ROW) return;
  std::vector<std::string> names;
  for (int i = 0; i < sqlite3_column_count(stmt); ++i) {
    const char* name = sqlite3_column_name(stmt, i);
    names.emplace_back(name ? name : "");
  }
  std::unique_ptr<RowWriter> writer = make_row_writer(state, stmt);
  writer->begin(names);
  do {
    writer->row(stmt);
    *rc = sqlite3_step(stmt);
  } while (*rc == SQLITE_ROW);
  writer->end();
}

}  // namespace

std::string error_context(std::string_view sql, int offset) {
  constexpr int kFurthestArrow = 50;
  constexpr size_t kLineLength = 78;
  constexpr int kArrowOnLeft = 25;
  if (offset < 0 || static_cast<size_t>(offset) >= sql.size()) return "";
  auto is_continuation = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  while (offset > kFurthestArrow) {
    do {
      sql.remove_prefix(1);
      --offset;
    } while (!sql.empty() && is_continuation(sql[0]));
  }
  size_t length = std::min(sql.size(), kLineLength);
  if (length < sql.size()) {
    while (length > 0 && is_continuation(sql[length])) --length;
  }
  std::string line(sql.substr(0, length));
  for (char& c : line) {
    if (std::isspace(static_cast<unsigned char>(c))) c = ' ';
  }
  std::string context = "\n  " + line + "\n  ";
  if (offset < kArrowOnLeft)
    return context + std::string(static_cast<size_t>(offset), ' ') + "^--- error here";
  constexpr int kArrowLength = 14;
  return context + std::string(static_cast<size_t>(offset - kArrowLength), ' ') + "error here ---^";
}

bool execute(ShellState& state, const std::string& sql, SqlError* error) {
  require_database(state);
  const char* text = sql.c_str();
  const char* end = text + sql.size();
  while (text < end) {
    sqlite3_stmt* stmt = nullptr;
    const char* tail = nullptr;
    int rc = sqlite3_prepare_v2(state.db, text, -1, &stmt, &tail);
    if (rc != SQLITE_OK) {
      *error = describe(state, SqlError::Phase::kPrepare, rc,
                        std::string_view(text, static_cast<size_t>(end - text)));
      return false;
    }
    if (stmt) {
      print_rows(state, stmt, &rc);
      rc = sqlite3_finalize(stmt);
      if (rc != SQLITE_OK) {
        *error = describe(state, SqlError::Phase::kStep, rc, {});
        return false;
      }
    }
    if (tail == text) break;
    text = tail;
    while (text < end && std::isspace(static_cast<unsigned char>(*text))) ++text;
  }
  return true;
}

}  // namespace godwit::shell
