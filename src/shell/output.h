// Writers of query results, one for each output mode. A writer sees the column names when the first
// row is there (a result without rows prints nothing), then every row, then the end.
#pragma once

#include <sqlite3.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "shell_state.h"

namespace godwit::shell {

class RowWriter {
 public:
  explicit RowWriter(ShellState& state) : state_(state) {}
  virtual ~RowWriter() = default;

  virtual void begin(const std::vector<std::string>& names) = 0;
  virtual void row(sqlite3_stmt* stmt) = 0;
  virtual void end() {}

 protected:
  void write(std::string_view text) { std::fwrite(text.data(), 1, text.size(), state_.out); }
  // The text of a column up to its first NUL byte; the null value for NULL.
  std::string_view text(sqlite3_stmt* stmt, int column) const;

  ShellState& state_;
};

// The writer for the mode of `state`, to be used for one statement.
std::unique_ptr<RowWriter> make_row_writer(ShellState& state, sqlite3_stmt* stmt);

std::unique_ptr<RowWriter> make_delimited_writer(
    ShellState& state);                                              // list, csv, quote, tcl, ascii
std::unique_ptr<RowWriter> make_columnar_writer(ShellState& state);  // column, box, table, markdown
std::unique_ptr<RowWriter> make_json_writer(ShellState& state);
std::unique_ptr<RowWriter> make_line_writer(ShellState& state);
std::unique_ptr<RowWriter> make_html_writer(ShellState& state);
std::unique_ptr<RowWriter> make_insert_writer(ShellState& state);
std::unique_ptr<RowWriter> make_query_plan_writer(ShellState& state);

}  // namespace godwit::shell
