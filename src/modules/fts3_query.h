// Full-text queries of FTS3: terms, prefixes and phrases, joined by NEAR, AND, OR and NOT.
//
// Two syntaxes: the enhanced one has AND, NOT and parentheses, and OR binds least; the standard one has
// -term, and OR binds more than two terms that follow each other.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "modules/fts3_table.h"

namespace godwit::modules {

struct Fts3QueryToken {
  std::string text;
  bool is_prefix = false;
  bool is_first = false;  // ^: the first of its column
};

// Where a phrase is: rows in order of docids, and the places where it starts in each.
struct Fts3Matches {
  std::vector<int64_t> docids;
  std::vector<size_t> starts;  // of the rows' places; one more than rows
  std::vector<Fts3Place> places;

  // The places in a row.
  void find(int64_t docid, const Fts3Place** begin, const Fts3Place** end) const;
  bool contains(int64_t docid) const;
};

struct Fts3Node {
  enum class Kind : uint8_t { kPhrase, kNear, kAnd, kOr, kNot };
  Kind kind = Kind::kPhrase;
  std::unique_ptr<Fts3Node> left, right;
  int64_t distance = 10;  // kNear: tokens between the two

  // kPhrase
  std::vector<Fts3QueryToken> tokens;
  int column = -1;  // any
  Fts3Matches matches;

  std::vector<int64_t> docids;  // that match, in order
  bool matches_row(int64_t docid) const;
};

struct Fts3ParseContext {
  const Fts3Config* config = nullptr;
  int column = -1;  // where no other is named
  bool is_standard = false;
};

// The node is null if the query is empty.
int parse_fts3_query(const Fts3ParseContext& context, std::string_view text, std::unique_ptr<Fts3Node>* node,
                     std::string* error);

class Fts3Query {
 public:
  int start(Fts3Table* table, int64_t language, int column, std::string_view text);
  void clear();
  const std::vector<int64_t>& docids() const;
  // Those that functions tell of: not the right sides of NOT.
  const std::vector<Fts3Node*>& phrases() const { return phrases_; }
  const Fts3Node* root() const { return root_.get(); }

 private:
  int load(Fts3Table* table, int64_t language, Fts3Node* node);
  int load_phrase(Fts3Table* table, int64_t language, Fts3Node* phrase);
  void join(Fts3Node* node);
  void collect(Fts3Node* node);

  std::unique_ptr<Fts3Node> root_;
  std::vector<Fts3Node*> phrases_;
};

}  // namespace godwit::modules
