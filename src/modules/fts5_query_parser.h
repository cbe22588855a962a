// From the text of a full-text query to its nodes (fts5_query.h has the grammar).
#pragma once

#include "modules/fts5_query.h"

namespace godwit::modules {

class Fts5QueryParser {
 public:
  Fts5QueryParser(Fts5Query* query, std::string_view text, std::string* error)
      : query_(query), text_(text), error_(error) {}

  // Null: *error says why.
  std::unique_ptr<Fts5Node> parse();

 private:
  // 0: the end; 's': a string or bareword; 'A', 'O', 'N': AND, OR, NOT; else the character itself.
  struct Token {
    char kind = 0;
    std::string_view text;
    std::string value;
  };

  bool advance();
  bool expect(char kind);
  bool fail(std::string message);
  bool fail_at_token();

  std::unique_ptr<Fts5Node> parse_binary(int level, int depth);
  std::unique_ptr<Fts5Node> parse_sets(int depth);
  std::unique_ptr<Fts5Node> parse_set(int depth, bool may_be_group, bool* is_group);
  std::unique_ptr<Fts5Node> parse_group(int depth);
  std::unique_ptr<Fts5Node> parse_near();
  std::unique_ptr<Fts5Node> finish_set(std::unique_ptr<Fts5Node> node);
  bool parse_columns(std::vector<bool>* columns, bool* has_columns);
  bool add_column(std::vector<bool>* columns);
  bool parse_phrase(Fts5Node* node);

  Fts5Query* query_;
  std::string_view text_;
  std::string* error_;
  size_t at_ = 0;
  Token token_;
};

}  // namespace godwit::modules
