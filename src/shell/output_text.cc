// Modes with a text around each value or row: line, html, insert; and EXPLAIN QUERY PLAN's tree.
#include <algorithm>
#include <cstdint>

#include "display_width.h"
#include "literal.h"
#include "output.h"

namespace godwit::shell {
namespace {

class LineWriter : public RowWriter {
 public:
  using RowWriter::RowWriter;

  void begin(const std::vector<std::string>& names) override {
    constexpr int kLeastNameWidth = 5;
    int width = kLeastNameWidth;
    for (const std::string& name : names) width = std::max(width, display_width(name));
    for (const std::string& name : names) {
      labels_.push_back(std::string(static_cast<size_t>(width - display_width(name)), ' ') + name +
                        " = ");
    }
  }

  void row(sqlite3_stmt* stmt) override {
    std::string lines = rows_++ > 0 ? state_.row_separator : "";
    for (size_t i = 0; i < labels_.size(); ++i) {
      lines += labels_[i];
      lines += text(stmt, static_cast<int>(i));
      lines += state_.row_separator;
    }
    write(lines);
  }

 private:
  std::vector<std::string> labels_;
  int64_t rows_ = 0;
};

std::string html_text(std::string_view text) {
  std::string result;
  for (char c : text) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

class HtmlWriter : public RowWriter {
 public:
  using RowWriter::RowWriter;

  void begin(const std::vector<std::string>& names) override {
    if (!state_.headers) return;
    std::string row = "<TR>";
    for (const std::string& name : names) row += "<TH>" + html_text(name) + "</TH>\n";
    write(row + "</TR>\n");
  }

  void row(sqlite3_stmt* stmt) override {
    std::string row = "<TR>";
    for (int i = 0; i < sqlite3_column_count(stmt); ++i) {
      row += "<TD>" + html_text(text(stmt, i)) + "</TD>\n";
    }
    write(row + "</TR>\n");
  }
};

class InsertWriter : public RowWriter {
 public:
  using RowWriter::RowWriter;

  void begin(const std::vector<std::string>& names) override {
    prefix_ = "INSERT INTO " + identifier(state_.insert_table);
    if (state_.headers) {
      for (size_t i = 0; i < names.size(); ++i)
        prefix_ += (i > 0 ? "," : "(") + identifier(names[i]);
      prefix_ += ")";
    }
    prefix_ += " VALUES(";
  }

  void row(sqlite3_stmt* stmt) override {
    std::string line = prefix_;
    for (int i = 0; i < sqlite3_column_count(stmt); ++i) {
      if (i > 0) line += ',';
      line += column_literal(stmt, i, true);
    }
    write(line + ");\n");
  }

 private:
  std::string prefix_;
};

// The rows are (id, parent, unused, detail): a tree, whose nodes come in the order they are shown.
class QueryPlanWriter : public RowWriter {
 public:
  using RowWriter::RowWriter;

  void begin(const std::vector<std::string>&) override {}

  void row(sqlite3_stmt* stmt) override {
    nodes_.push_back(
        {sqlite3_column_int(stmt, 0), sqlite3_column_int(stmt, 1), std::string(text(stmt, 3))});
  }

  void end() override {
    if (nodes_.empty()) return;
    write("QUERY PLAN\n");
    show_children(0, "");
  }

 private:
  struct Node {
    int id;
    int parent;
    std::string detail;
  };

  void show_children(int parent, const std::string& indent) {
    constexpr size_t kDeepest = 400;
    if (indent.size() > kDeepest) return;
    size_t last = nodes_.size();
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].parent == parent) last = i;
    }
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].parent != parent) continue;
      write(indent + (i == last ? "`--" : "|--") + nodes_[i].detail + "\n");
      if (nodes_[i].id != parent) show_children(nodes_[i].id, indent + (i == last ? "   " : "|  "));
    }
  }

  std::vector<Node> nodes_;
};

}  // namespace

std::unique_ptr<RowWriter> make_line_writer(ShellState& state) {
  return std::make_unique<LineWriter>(state);
}
std::unique_ptr<RowWriter> make_html_writer(ShellState& state) {
  return std::make_unique<HtmlWriter>(state);
}
std::unique_ptr<RowWriter> make_insert_writer(ShellState& state) {
  return std::make_unique<InsertWriter>(state);
}
std::unique_ptr<RowWriter> make_query_plan_writer(ShellState& state) {
  return std::make_unique<QueryPlanWriter>(state);
}

}  // namespace godwit::shell
