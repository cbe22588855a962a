// Mode json: an array with one object a row.
#include <cstdint>

#include "literal.h"
#include "output.h"

namespace godwit::shell {
namespace {

class JsonWriter : public RowWriter {
 public:
  using RowWriter::RowWriter;

  void begin(const std::vector<std::string>& names) override {
    for (const std::string& name : names) names_.push_back(json_string(name, false) + ":");
  }

  void row(sqlite3_stmt* stmt) override {
    std::string object = rows_++ == 0 ? "[{" : ",\n{";
    for (size_t i = 0; i < names_.size(); ++i) {
      if (i > 0) object += ',';
      object += names_[i];
      object += value(stmt, static_cast<int>(i));
    }
    write(object + "}");
  }

  void end() override {
    if (rows_ > 0) write("]\n");
  }

 private:
  static std::string value(sqlite3_stmt* stmt, int column) {
    switch (sqlite3_column_type(stmt, column)) {
      case SQLITE_NULL:
        return "null";
      case SQLITE_TEXT:
        return json_string(column_view(stmt, column), false);
      case SQLITE_BLOB:
        return json_string(column_view(stmt, column), true);
      default:
        return column_literal(stmt, column, false);
    }
  }

  std::vector<std::string> names_;
  int64_t rows_ = 0;
};

}  // namespace

std::unique_ptr<RowWriter> make_json_writer(ShellState& state) {
  return std::make_unique<JsonWriter>(state);
}

}  // namespace godwit::shell
