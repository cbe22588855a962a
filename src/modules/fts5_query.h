// Full-text queries of FTS5: their syntax, and the rows that they find.
//
//   query    := query AND query | query OR query | query NOT query | ( query ) | columns : ( query ) | set...
//   set      := [columns :] [^] phrase | [columns :] NEAR( phrase... [, number] )
//   phrase   := string [*] [+ phrase]
//   columns  := [-] name | [-] { name... }
//
// NOT binds closest, then AND, then OR; sets that follow each other are an AND before all others.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "modules/fts5_index.h"

namespace godwit::modules {

struct Fts5Term {
  std::string text;
  bool is_prefix = false;
  std::vector<std::string> synonyms;
};

struct Fts5Phrase {
  std::vector<Fts5Term> terms;
  bool is_initial = false;
  // Found: rows in order, and where the phrase is in row i: places[starts[i]] to places[starts[i + 1]].
  std::vector<int64_t> rowids;
  std::vector<size_t> starts;
  std::vector<Fts5Place> places;

  void clear();
  void add_row(int64_t rowid, const std::vector<Fts5Place>& found);
  std::vector<Fts5Place> places_in(int64_t rowid) const;
};

struct Fts5Node {
  enum class Kind : uint8_t { kNothing, kSet, kAnd, kOr, kNot };
  Kind kind = Kind::kNothing;
  std::vector<std::unique_ptr<Fts5Node>> children;
  std::vector<size_t> phrases;  // kSet
  int distance = 0;             // kSet of several phrases
  std::optional<std::vector<bool>> columns;  // kSet
  std::vector<int64_t> rowids;  // found
};

class Fts5Query {
 public:
  explicit Fts5Query(const Fts5Config* config) : config_(config) {}

  // Adds a query that must hold as well; `column` < 0: in any one.
  int add(std::string_view text, int column, std::string* error);
  int run(Fts5Index* index);

  const std::vector<int64_t>& rowids() const;
  size_t phrase_count() const { return phrases_.size(); }
  const Fts5Phrase& phrase(size_t i) const { return *phrases_[i]; }
  bool has_part(size_t phrase, int64_t rowid) const;
  // Where a phrase is in a row that the query found; empty if it had no part in that.
  std::vector<Fts5Place> places(size_t phrase, int64_t rowid) const;
  // A query of one phrase of this one alone.
  std::unique_ptr<Fts5Query> query_of_phrase(size_t i) const;

 private:
  friend class Fts5QueryParser;

  int find_phrase(Fts5Index* index, Fts5Phrase* phrase, const std::optional<std::vector<bool>>& columns);
  int run_set(Fts5Index* index, Fts5Node* node);
  int run_node(Fts5Index* index, Fts5Node* node);
  const Fts5Node* active_set(const Fts5Node& node, size_t phrase, int64_t rowid) const;

  const Fts5Config* config_;
  std::unique_ptr<Fts5Node> root_;
  std::vector<std::unique_ptr<Fts5Phrase>> phrases_;
};

}  // namespace godwit::modules
