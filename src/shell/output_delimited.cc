// Modes that print a row as values with separators: list (and tabs), csv, quote, tcl, ascii.
#include "literal.h"
#include "output.h"

namespace godwit::shell {
namespace {

class DelimitedWriter : public RowWriter {
 public:
  using RowWriter::RowWriter;

  void begin(const std::vector<std::string>& names) override {
    if (!state_.headers) return;
    std::string line;
    for (size_t i = 0; i < names.size(); ++i) {
      if (i > 0) line += state_.column_separator;
      line += field(names[i]);
    }
    finish(line, !names.empty());
  }

  void row(sqlite3_stmt* stmt) override {
    int columns = sqlite3_column_count(stmt);
    std::string line;
    for (int i = 0; i < columns; ++i) {
      if (i > 0) line += state_.column_separator;
      if (state_.mode == OutputMode::kQuote) {
        line += column_literal(stmt, i, false);
      } else if (sqlite3_column_type(stmt, i) == SQLITE_NULL) {
        line += state_.mode == OutputMode::kTcl ? c_string(state_.null_value) : state_.null_value;
      } else {
        line += field(text(stmt, i));
      }
    }
    finish(line, columns > 0);
  }

 private:
  std::string field(std::string_view value) const {
    switch (state_.mode) {
      case OutputMode::kCsv:
        return csv_field(value);
      case OutputMode::kQuote:
        return text_literal(value);
      case OutputMode::kTcl:
        return c_string(value);
      default:
        return std::string(value);
    }
  }

  std::string csv_field(std::string_view value) const {
    bool plain = !value.empty() && (state_.column_separator.empty() ||
                                    value.find(state_.column_separator) == std::string_view::npos);
    for (unsigned char c : value) {
      if (c <= ' ' || c == '"' || c == '\'' || c >= 0x7f) plain = false;
    }
    return plain ? std::string(value) : quoted_identifier(value);
  }

  void finish(std::string& line, bool any) {
    if (any) line += state_.row_separator;
    write(line);
  }
};

}  // namespace

std::unique_ptr<RowWriter> make_delimited_writer(ShellState& state) {
  return std::make_unique<DelimitedWriter>(state);
}

}  // namespace godwit::shell
