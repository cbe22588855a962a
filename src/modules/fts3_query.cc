#include "modules/fts3_query.h"

#include <algorithm>
#include <iterator>

namespace godwit::modules {

namespace {

using Kind = Fts3Node::Kind;

// Rows of one token, and its places.
class TokenMatches {
 public:
  // Rows of another term of the same prefix are added to the rest.
  bool add(const std::vector<Fts3Row>& rows, const Fts3Node& phrase, bool is_first) {
    std::vector<Fts3Place> places;
    for (const Fts3Row& row : rows) {
      places.clear();
      if (!decode_fts3_places(row.list, &places)) return false;
      if (phrase.column >= 0) std::erase_if(places, [&](Fts3Place place) { return fts3_column(place) != phrase.column; });
      if (is_first) std::erase_if(places, [](Fts3Place place) { return fts3_position(place) != 0; });
      for (Fts3Place place : places) entries_.emplace_back(row.docid, place);
    }
    return true;
  }
  std::vector<std::pair<int64_t, Fts3Place>> sorted() {
    std::sort(entries_.begin(), entries_.end());
    entries_.erase(std::unique(entries_.begin(), entries_.end()), entries_.end());
    return std::move(entries_);
  }

 private:
  std::vector<std::pair<int64_t, Fts3Place>> entries_;
};

bool starts_with(const std::string& term, const std::string& prefix) {
  return term.compare(0, prefix.size(), prefix) == 0;
}

int load_token(Fts3Table* table, int64_t language, const Fts3Node& phrase, const Fts3QueryToken& token,
               TokenMatches* matches) {
  int index = 0;
  bool is_exact = !token.is_prefix;
  for (size_t i = 0; token.is_prefix && i < table->config.prefixes.size(); ++i) {
    if (static_cast<size_t>(table->config.prefixes[i]) != token.text.size()) continue;
    index = static_cast<int>(i) + 1;
    is_exact = true;
    break;
  }
  bool is_good = true;
  int code = table->index.each_term(language, index, token.text, [&](const std::string& term, const std::vector<Fts3Row>& rows) {
    if (is_exact ? term != token.text : !starts_with(term, token.text)) return SQLITE_DONE;
    is_good = is_good && matches->add(rows, phrase, token.is_first);
    return is_exact ? SQLITE_DONE : SQLITE_OK;
  });
  return code == SQLITE_OK && !is_good ? SQLITE_CORRUPT_VTAB : code;
}

Fts3Matches grouped(const std::vector<std::pair<int64_t, Fts3Place>>& entries) {
  Fts3Matches matches;
  for (const auto& [docid, place] : entries) {
    if (matches.docids.empty() || matches.docids.back() != docid) {
      matches.docids.push_back(docid);
      matches.starts.push_back(matches.places.size());
    }
    matches.places.push_back(place);
  }
  matches.starts.push_back(matches.places.size());
  return matches;
}

// ---- NEAR ------------------------------------------------------------------------------------------

// The places of one phrase that are near one of the other's. Sizes in tokens.
std::vector<Fts3Place> near_places(const std::vector<Fts3Place>& places, int64_t size,
                                   const std::vector<Fts3Place>& others, int64_t other_size, int64_t distance) {
  std::vector<Fts3Place> result;
  for (Fts3Place place : places) {
    const int64_t start = fts3_position(place), end = start + size - 1;
    const bool is_near = std::any_of(others.begin(), others.end(), [&](Fts3Place other) {
      if (fts3_column(other) != fts3_column(place)) return false;
      const int64_t other_start = fts3_position(other), other_end = other_start + other_size - 1;
      if (other_end > end) return other_start - end - 1 <= distance;
      return end > other_end && start - other_end - 1 <= distance;
    });
    if (is_near) result.push_back(place);
  }
  return result;
}

struct NearChain {
  std::vector<Fts3Node*> phrases;
  std::vector<int64_t> distances;  // before each phrase but the first

  void add(Fts3Node* node) {
    if (node->kind == Kind::kNear) {
      add(node->left.get());
      distances.push_back(node->distance);
      phrases.push_back(node->right.get());
    } else {
      phrases.push_back(node);
    }
  }

  // The places of each phrase in a row that satisfy all; false: there are none.
  bool trim(int64_t docid, std::vector<std::vector<Fts3Place>>* lists) const {
    lists->clear();
    for (const Fts3Node* phrase : phrases) {
      const Fts3Place *begin = nullptr, *end = nullptr;
      phrase->matches.find(docid, &begin, &end);
      lists->emplace_back(begin, end);
    }
    const auto narrow = [&](size_t i, size_t by, int64_t distance) {
      (*lists)[i] = near_places((*lists)[i], size_of(i), (*lists)[by], size_of(by), distance);
      return !(*lists)[i].empty();
    };
    for (size_t i = 1; i < phrases.size(); ++i) {
      if (!narrow(i, i - 1, distances[i - 1])) return false;
    }
    for (size_t i = phrases.size() - 1; i > 0; --i) {
      if (!narrow(i - 1, i, distances[i - 1])) return false;
    }
    return true;
  }
  int64_t size_of(size_t i) const { return static_cast<int64_t>(phrases[i]->tokens.size()); }
};

// What is not near counts nowhere.
void join_near(Fts3Node* node) {
  NearChain chain;
  chain.add(node);
  std::vector<int64_t> candidates = chain.phrases[0]->matches.docids;
  std::vector<std::vector<std::pair<int64_t, Fts3Place>>> kept(chain.phrases.size());
  std::vector<std::vector<Fts3Place>> lists;
  for (int64_t docid : candidates) {
    if (!chain.trim(docid, &lists)) continue;
    node->docids.push_back(docid);
    for (size_t i = 0; i < lists.size(); ++i) {
      for (Fts3Place place : lists[i]) kept[i].emplace_back(docid, place);
    }
  }
  for (size_t i = 0; i < kept.size(); ++i) chain.phrases[i]->matches = grouped(kept[i]);
  for (Fts3Node* part = node->left.get(); part->kind == Kind::kNear; part = part->left.get()) part->docids = node->docids;
}

}  // namespace

void Fts3Matches::find(int64_t docid, const Fts3Place** begin, const Fts3Place** end) const {
  auto found = std::lower_bound(docids.begin(), docids.end(), docid);
  *begin = *end = nullptr;
  if (found == docids.end() || *found != docid) return;
  const auto row = static_cast<size_t>(found - docids.begin());
  *begin = places.data() + starts[row];
  *end = places.data() + starts[row + 1];
}

bool Fts3Matches::contains(int64_t docid) const { return std::binary_search(docids.begin(), docids.end(), docid); }

bool Fts3Node::matches_row(int64_t docid) const {
  return kind == Kind::kPhrase ? matches.contains(docid) : std::binary_search(docids.begin(), docids.end(), docid);
}

int Fts3Query::load_phrase(Fts3Table* table, int64_t language, Fts3Node* phrase) {
  std::vector<std::pair<int64_t, Fts3Place>> found;
  for (size_t i = 0; i < phrase->tokens.size(); ++i) {
    TokenMatches matches;
    int code = load_token(table, language, *phrase, phrase->tokens[i], &matches);
    if (code != SQLITE_OK) return code;
    std::vector<std::pair<int64_t, Fts3Place>> entries = matches.sorted();
    if (i == 0) {
      found = std::move(entries);
      continue;
    }
    std::erase_if(found, [&](const auto& entry) {
      return !std::binary_search(entries.begin(), entries.end(), std::pair(entry.first, entry.second + i));
    });
  }
  phrase->matches = grouped(found);
  return SQLITE_OK;
}

int Fts3Query::load(Fts3Table* table, int64_t language, Fts3Node* node) {
  if (node->kind == Kind::kPhrase) return load_phrase(table, language, node);
  int code = load(table, language, node->left.get());
  return code == SQLITE_OK ? load(table, language, node->right.get()) : code;
}

void Fts3Query::join(Fts3Node* node) {
  if (node->kind == Kind::kPhrase) return;
  if (node->kind == Kind::kNear) return join_near(node);
  join(node->left.get());
  join(node->right.get());
  const auto rows_of = [](const Fts3Node& part) -> const std::vector<int64_t>& {
    return part.kind == Kind::kPhrase ? part.matches.docids : part.docids;
  };
  const std::vector<int64_t>&left = rows_of(*node->left), &right = rows_of(*node->right);
  auto out = std::back_inserter(node->docids);
  if (node->kind == Kind::kAnd) std::set_intersection(left.begin(), left.end(), right.begin(), right.end(), out);
  if (node->kind == Kind::kOr) std::set_union(left.begin(), left.end(), right.begin(), right.end(), out);
  if (node->kind == Kind::kNot) std::set_difference(left.begin(), left.end(), right.begin(), right.end(), out);
}

void Fts3Query::collect(Fts3Node* node) {
  if (node->kind == Kind::kPhrase) {
    phrases_.push_back(node);
    return;
  }
  collect(node->left.get());
  if (node->kind != Kind::kNot) collect(node->right.get());
}

void Fts3Query::clear() {
  root_ = nullptr;
  phrases_.clear();
}

const std::vector<int64_t>& Fts3Query::docids() const {
  static const std::vector<int64_t> kNone;
  if (root_ == nullptr) return kNone;
  return root_->kind == Kind::kPhrase ? root_->matches.docids : root_->docids;
}

int Fts3Query::start(Fts3Table* table, int64_t language, int column, std::string_view text) {
  clear();
  std::string error;
  const Fts3ParseContext context{&table->config, column, table->uses_standard_syntax};
  int code = parse_fts3_query(context, text, &root_, &error);
  if (code != SQLITE_OK) return table->fail(error, code);
  if (root_ == nullptr) return SQLITE_OK;
  code = load(table, language, root_.get());
  if (code != SQLITE_OK) return code;
  join(root_.get());
  collect(root_.get());
  return SQLITE_OK;
}

}  // namespace godwit::modules
