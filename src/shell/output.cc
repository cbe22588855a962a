#include "output.h"

#include <cstring>

namespace godwit::shell {

std::string_view RowWriter::text(sqlite3_stmt* stmt, int column) const {
  const char* text = reinterpret_cast<const char*>(sqlite3_column_text(stmt, column));
  return text ? std::string_view(text, std::strlen(text)) : std::string_view(state_.null_value);
}

std::unique_ptr<RowWriter> make_row_writer(ShellState& state, sqlite3_stmt* stmt) {
  constexpr int kExplainQueryPlan = 2;
  if (sqlite3_stmt_isexplain(stmt) == kExplainQueryPlan) return make_query_plan_writer(state);
  switch (state.mode) {
    case OutputMode::kColumn:
    case OutputMode::kBox:
    case OutputMode::kTable:
    case OutputMode::kMarkdown:
      return make_columnar_writer(state);
    case OutputMode::kLine:
      return make_line_writer(state);
    case OutputMode::kJson:
      return make_json_writer(state);
    case OutputMode::kInsert:
      return make_insert_writer(state);
    case OutputMode::kHtml:
      return make_html_writer(state);
    case OutputMode::kList:
    case OutputMode::kCsv:
    case OutputMode::kQuote:
    case OutputMode::kTcl:
    case OutputMode::kAscii:
      break;
  }
  return make_delimited_writer(state);
}

}  // namespace godwit::shell
