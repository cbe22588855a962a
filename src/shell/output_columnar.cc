// Modes that align columns: column, box, table, markdown. All rows are kept until the last is
// there, since the widest cell of a column decides its width. A cell with line ends, or longer than
// the wrap limit, takes several lines of its row.
#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "display_width.h"
#include "literal.h"
#include "output.h"

namespace godwit::shell {
namespace {

constexpr int kNoLimit = 1000000;

bool is_space(std::string_view text, size_t i) {
  return i < text.size() && std::isspace(static_cast<unsigned char>(text[i]));
}

bool is_alnum(std::string_view text, size_t i) {
  return i < text.size() && std::isalnum(static_cast<unsigned char>(text[i]));
}

// Where to break text[0, end) so that no word is cut: behind a space, else where a word meets a
// punctuation mark; `end` if neither is in its second half.
size_t word_boundary(std::string_view text, size_t end) {
  if (end >= text.size() || is_space(text, end)) return end;
  size_t i = end;
  while (i > end / 2 && !is_space(text, i - 1)) --i;
  if (i > end / 2) return i;
  i = end;
  while (i > end / 2 && is_alnum(text, i - 1) == is_alnum(text, i)) --i;
  return i > end / 2 ? i : end;
}

// Takes the first line of *rest, at most `limit` cells wide, and leaves what follows. Tabs become
// spaces; other control characters end a line, since they would break the frame.
std::string take_line(std::string_view* rest, int limit, bool word_wrap) {
  std::string_view text = *rest;
  size_t end = 0;
  int width = 0;
  while (end < text.size() && width < limit) {
    unsigned char c = static_cast<unsigned char>(text[end]);
    if (c == '\t') {
      width = std::min((width / 8 + 1) * 8, limit);
      ++end;
    } else if (c < ' ') {
      break;
    } else {
      size_t next = end;
      int cells = character_width(next_character(text, &next));
      if (width > 0 && width + cells > limit) break;
      width += cells;
      end = next;
    }
  }
  // Marks without a width belong to the character before them.
  for (size_t next = end; end < text.size() && static_cast<unsigned char>(text[end]) >= 0x80;) {
    if (character_width(next_character(text, &next)) != 0) break;
    end = next;
  }
  bool full = width >= limit;
  if (full && word_wrap) end = word_boundary(text, end);
  std::string line;
  for (int cells = 0; char c : text.substr(0, end)) {
    if (c == '\t') {
      do {
        line += ' ';
        ++cells;
      } while (cells % 8 != 0 && cells < limit);
    } else {
      line += c;
      if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) ++cells;
    }
  }
  if (full && word_wrap) {
    while (is_space(text, end) && text[end] != '\n') ++end;
  }
  if (end + 1 < text.size() && text[end] == '\r' && text[end + 1] == '\n') {
    end += 2;
  } else if (end < text.size() && static_cast<unsigned char>(text[end]) < ' ' &&
             text[end] != '\t') {
    ++end;
  }
  *rest = text.substr(end);
  return line;
}

// The strings that a frame is drawn with.
struct Frame {
  struct Rule {
    const char* left;
    const char* fill;
    const char* middle;
    const char* right;
  };
  bool has_top;
  bool has_bottom;
  bool divides_rows;  // between rows, when some cell has several lines
  Rule top, head, bottom;
  const char* left;
  const char* middle;
  const char* right;
};

constexpr Frame kBoxFrame = {
    true, true,  true, {"┌", "─", "┬", "┐"}, {"├", "─", "┼", "┤"}, {"└", "─", "┴", "┘"},
    "│ ", " │ ", " │"};
constexpr Frame kTableFrame = {
    true, true,  true, {"+", "-", "+", "+"}, {"+", "-", "+", "+"}, {"+", "-", "+", "+"},
    "| ", " | ", " |"};
constexpr Frame kMarkdownFrame = {
    false, false, false, {"|", "-", "|", "|"}, {"|", "-", "|", "|"}, {"|", "-", "|", "|"},
    "| ",  " | ", " |"};

class ColumnarWriter : public RowWriter {
 public:
  using RowWriter::RowWriter;

  void begin(const std::vector<std::string>& names) override {
    for (size_t i = 0; i < names.size(); ++i) {
      int wanted = i < state_.widths.size() ? state_.widths[i] : 0;
      right_.push_back(wanted < 0);
      widths_.push_back(std::abs(wanted));
      limits_.push_back(wanted != 0 ? std::abs(wanted) : state_.wrap > 0 ? state_.wrap : kNoLimit);
      std::string_view rest = names[i];
      names_.push_back(take_line(&rest, limits_[i], state_.word_wrap));
      widths_[i] = std::max(widths_[i], display_width(names_[i]));
    }
  }

  void row(sqlite3_stmt* stmt) override {
    std::vector<std::string> cells;
    for (size_t i = 0; i < names_.size(); ++i) {
      int column = static_cast<int>(i);
      cells.push_back(state_.quote_cells ? quoted_cell(stmt, column)
                                         : std::string(text(stmt, column)));
    }
    std::vector<std::string_view> rests(cells.begin(), cells.end());
    bool more = true;
    for (bool first = true; more; first = false) {
      if (!first) any_multiline_ = true;
      more = false;
      Line line;
      line.starts_row = first;
      for (size_t i = 0; i < rests.size(); ++i) {
        line.cells.push_back(take_line(&rests[i], limits_[i], state_.word_wrap));
        widths_[i] = std::max(widths_[i], display_width(line.cells.back()));
        more = more || !rests[i].empty();
      }
      lines_.push_back(std::move(line));
    }
  }

  void end() override {
    switch (state_.mode) {
      case OutputMode::kBox:
        return framed(kBoxFrame);
      case OutputMode::kTable:
        return framed(kTableFrame);
      case OutputMode::kMarkdown:
        return framed(kMarkdownFrame);
      default:
        return plain();
    }
  }

 private:
  struct Line {
    bool starts_row = true;
    std::vector<std::string> cells;
  };

  static std::string quoted_cell(sqlite3_stmt* stmt, int column) {
    std::string literal = column_literal(stmt, column, false);
    // In tables a lower-case x stands before the digits.
    if (sqlite3_column_type(stmt, column) == SQLITE_BLOB) literal[0] = 'x';
    return literal;
  }

  std::string padded(const std::string& text, size_t column) const {
    std::string spaces(static_cast<size_t>(widths_[column] - display_width(text)), ' ');
    return right_[column] ? spaces + text : text + spaces;
  }

  std::string centred(const std::string& text, size_t column) const {
    size_t spaces = static_cast<size_t>(widths_[column] - display_width(text));
    return std::string(spaces / 2, ' ') + text + std::string(spaces - spaces / 2, ' ');
  }

  void plain() {
    constexpr std::string_view kGap = "  ";
    std::string out;
    if (state_.headers) {
      std::string dashes;
      for (size_t i = 0; i < names_.size(); ++i) {
        if (i > 0) out += kGap, dashes += kGap;
        out += padded(names_[i], i);
        dashes.append(static_cast<size_t>(widths_[i]), '-');
      }
      out += "\n" + dashes + "\n";
    }
    for (size_t n = 0; n < lines_.size(); ++n) {
      if (n > 0 && any_multiline_ && lines_[n].starts_row) out += "\n";
      for (size_t i = 0; i < names_.size(); ++i) {
        if (i > 0) out += kGap;
        out += padded(lines_[n].cells[i], i);
      }
      out += "\n";
    }
    write(out);
  }

  void rule(std::string& out, const Frame::Rule& rule) const {
    for (size_t i = 0; i < names_.size(); ++i) {
      out += i == 0 ? rule.left : rule.middle;
      for (int n = 0; n < widths_[i] + 2; ++n) out += rule.fill;
    }
    out += rule.right;
    out += "\n";
  }

  void framed(const Frame& frame) {
    std::string out;
    if (frame.has_top) rule(out, frame.top);
    for (size_t i = 0; i < names_.size(); ++i) {
      out += i == 0 ? frame.left : frame.middle;
      out += centred(names_[i], i);
    }
    out += frame.right;
    out += "\n";
    rule(out, frame.head);
    for (size_t n = 0; n < lines_.size(); ++n) {
      if (n > 0 && any_multiline_ && frame.divides_rows && lines_[n].starts_row) {
        rule(out, frame.head);
      }
      for (size_t i = 0; i < names_.size(); ++i) {
        out += i == 0 ? frame.left : frame.middle;
        out += padded(lines_[n].cells[i], i);
      }
      out += frame.right;
      out += "\n";
    }
    if (frame.has_bottom) rule(out, frame.bottom);
    write(out);
  }

  std::vector<std::string> names_;
  std::vector<int> widths_;
  std::vector<int> limits_;
  std::vector<bool> right_;
  std::vector<Line> lines_;
  bool any_multiline_ = false;
};

}  // namespace

std::unique_ptr<RowWriter> make_columnar_writer(ShellState& state) {
  return std::make_unique<ColumnarWriter>(state);
}

}  // namespace godwit::shell
