// Follows SQL text line by line and knows, without looking at earlier text again, whether it is
// inside a quote or a comment and whether its last token was a semicolon. A long script inside one
// quoted text is thus read in linear time: the exact sqlite3_complete() is asked only when this
// says that the statement can be over.
#pragma once

#include <string_view>

namespace godwit::shell {

class StatementScanner {
 public:
  void scan(std::string_view text) {
    for (size_t i = 0; i < text.size(); ++i)
      step(text[i], i + 1 < text.size() ? text[i + 1] : '\0', &i);
  }
  // Whether there was anything but white space and comments.
  bool has_content() const { return has_content_; }
  bool ends_with_semicolon() const { return quote_ == 0 && semicolon_; }
  bool inside_token() const { return quote_ != 0; }

 private:
  // quote_: 0, the character that ends the quote, '-' in a line comment, '*' in a block comment.
  void step(char c, char next, size_t* i) {
    switch (quote_) {
      case '-':
        if (c == '\n') quote_ = 0;
        return;
      case '*':
        if (c == '*' && next == '/') quote_ = 0, ++*i;
        return;
      case 0:
        break;
      default:
        // A doubled quote ends one quote and begins the next, which comes to the same.
        if (c == quote_) quote_ = 0;
        return;
    }
    if (c == '-' && next == '-') {
      quote_ = '-';
    } else if (c == '/' && next == '*') {
      quote_ = '*';
      ++*i;
    } else if (c != ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\v') {
      has_content_ = true;
      semicolon_ = c == ';';
      if (c == '\'' || c == '"' || c == '`') quote_ = c;
      if (c == '[') quote_ = ']';
    }
  }

  char quote_ = 0;
  bool semicolon_ = false;
  bool has_content_ = false;
};

}  // namespace godwit::shell
