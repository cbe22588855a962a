#include "modules/fts5_query.h"

#include <algorithm>
#include <iterator>

#include "modules/fts5_query_parser.h"

namespace godwit::modules {

void Fts5Phrase::clear() {
  rowids.clear();
  places.clear();
  starts.assign(1, 0);
}

void Fts5Phrase::add_row(int64_t rowid, const std::vector<Fts5Place>& found) {
  rowids.push_back(rowid);
  places.insert(places.end(), found.begin(), found.end());
  starts.push_back(places.size());
}

std::vector<Fts5Place> Fts5Phrase::places_in(int64_t rowid) const {
  auto found = std::lower_bound(rowids.begin(), rowids.end(), rowid);
  if (found == rowids.end() || *found != rowid) return {};
  const auto i = static_cast<size_t>(found - rowids.begin());
  return {places.begin() + static_cast<ptrdiff_t>(starts[i]), places.begin() + static_cast<ptrdiff_t>(starts[i + 1])};
}

int Fts5Query::add(std::string_view text, int column, std::string* error) {
  Fts5QueryParser parser(this, text, error);
  std::unique_ptr<Fts5Node> node = parser.parse();
  if (node == nullptr) return SQLITE_ERROR;
  if (column >= 0) {
    std::vector<bool> columns(config_->columns.size());
    columns[static_cast<size_t>(column)] = true;
    const auto restrict_all = [&](auto& self, Fts5Node* at) -> void {
      for (auto& child : at->children) self(self, child.get());
      if (at->kind != Fts5Node::Kind::kSet) return;
      if (!at->columns.has_value()) at->columns.emplace(columns.size(), true);
      for (size_t i = 0; i < columns.size(); ++i) (*at->columns)[i] = (*at->columns)[i] && columns[i];
    };
    restrict_all(restrict_all, node.get());
  }
  if (root_ == nullptr) {
    root_ = std::move(node);
    return SQLITE_OK;
  }
  auto both = std::make_unique<Fts5Node>();
  both->kind = Fts5Node::Kind::kAnd;
  both->children.push_back(std::move(root_));
  both->children.push_back(std::move(node));
  root_ = std::move(both);
  return SQLITE_OK;
}

std::unique_ptr<Fts5Query> Fts5Query::query_of_phrase(size_t i) const {
  auto query = std::make_unique<Fts5Query>(config_);
  auto phrase = std::make_unique<Fts5Phrase>();
  phrase->terms = phrases_[i]->terms;
  phrase->is_initial = phrases_[i]->is_initial;
  query->phrases_.push_back(std::move(phrase));
  query->root_ = std::make_unique<Fts5Node>();
  if (!query->phrases_[0]->terms.empty()) query->root_->kind = Fts5Node::Kind::kSet;
  query->root_->phrases.push_back(0);
  const auto find_set = [&](const auto& self, const Fts5Node& node) -> void {
    for (const auto& child : node.children) self(self, *child);
    if (std::find(node.phrases.begin(), node.phrases.end(), i) != node.phrases.end()) {
      query->root_->columns = node.columns;
    }
  };
  if (root_ != nullptr) find_set(find_set, *root_);
  return query;
}

const std::vector<int64_t>& Fts5Query::rowids() const {
  static const std::vector<int64_t> none;
  return root_ == nullptr ? none : root_->rowids;
}

int Fts5Query::run(Fts5Index* index) {
  for (auto& phrase : phrases_) phrase->clear();
  return root_ == nullptr ? SQLITE_OK : run_node(index, root_.get());
}

int Fts5Query::run_node(Fts5Index* index, Fts5Node* node) {
  node->rowids.clear();
  if (node->kind == Fts5Node::Kind::kNothing) return SQLITE_OK;
  if (node->kind == Fts5Node::Kind::kSet) return run_set(index, node);
  for (auto& child : node->children) {
    int code = run_node(index, child.get());
    if (code != SQLITE_OK) return code;
  }
  const std::vector<int64_t>& left = node->children[0]->rowids;
  const std::vector<int64_t>& right = node->children[1]->rowids;
  auto out = std::back_inserter(node->rowids);
  if (node->kind == Fts5Node::Kind::kAnd) {
    std::set_intersection(left.begin(), left.end(), right.begin(), right.end(), out);
  } else if (node->kind == Fts5Node::Kind::kOr) {
    std::set_union(left.begin(), left.end(), right.begin(), right.end(), out);
  } else {
    std::set_difference(left.begin(), left.end(), right.begin(), right.end(), out);
  }
  return SQLITE_OK;
}

// ---- Phrases -------------------------------------------------------------------------------------

namespace {

// The rows of one term, with those of its synonyms.
int find_term(Fts5Index* index, const Fts5Term& term, bool columns_alone, bool has_places, Fts5Phrase* found) {
  found->clear();
  Fts5Postings rows;
  int code = index->find(term.text, term.is_prefix, &rows);
  if (code != SQLITE_OK) return code;
  if (term.synonyms.empty()) {
    for (const Fts5Posting& row : rows.rows) {
      found->rowids.push_back(row.rowid);
      if (has_places) decode_places(rows.list(row), columns_alone, &found->places);
      found->starts.push_back(found->places.size());
    }
    return SQLITE_OK;
  }
  std::map<int64_t, std::vector<Fts5Place>> by_row;
  for (const Fts5Posting& row : rows.rows) decode_places(rows.list(row), columns_alone, &by_row[row.rowid]);
  for (const std::string& synonym : term.synonyms) {
    code = index->find(synonym, term.is_prefix, &rows);
    if (code != SQLITE_OK) return code;
    for (const Fts5Posting& row : rows.rows) decode_places(rows.list(row), columns_alone, &by_row[row.rowid]);
  }
  for (auto& [rowid, places] : by_row) {
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    found->add_row(rowid, places);
  }
  return SQLITE_OK;
}

}  // namespace

int Fts5Query::find_phrase(Fts5Index* index, Fts5Phrase* phrase,
                           const std::optional<std::vector<bool>>& columns) {
  const bool columns_alone = config_->detail == Fts5Detail::kColumns;
  const bool has_places = config_->detail != Fts5Detail::kNone;
  std::vector<Fts5Phrase> terms(phrase->terms.size());
  for (size_t i = 0; i < terms.size(); ++i) {
    int code = find_term(index, phrase->terms[i], columns_alone, has_places, &terms[i]);
    if (code != SQLITE_OK) return code;
    if (terms[i].rowids.empty()) return SQLITE_OK;
  }
  std::vector<Fts5Place> places, kept;
  for (size_t row = 0; row < terms[0].rowids.size(); ++row) {
    const int64_t rowid = terms[0].rowids[row];
    if (!has_places) {
      phrase->add_row(rowid, {});
      continue;
    }
    places.assign(terms[0].places.begin() + static_cast<ptrdiff_t>(terms[0].starts[row]),
                  terms[0].places.begin() + static_cast<ptrdiff_t>(terms[0].starts[row + 1]));
    for (size_t i = 1; i < terms.size() && !places.empty(); ++i) {
      const std::vector<Fts5Place> others = terms[i].places_in(rowid);
      const auto offset = static_cast<Fts5Place>(i);
      std::erase_if(places, [&](Fts5Place place) {
        return !std::binary_search(others.begin(), others.end(), place + offset);
      });
    }
    std::erase_if(places, [&](Fts5Place place) {
      const auto column = static_cast<size_t>(column_of(place));
      if (phrase->is_initial && token_of(place) != 0) return true;
      return columns.has_value() && (column >= columns->size() || !(*columns)[column]);
    });
    if (!places.empty()) phrase->add_row(rowid, places);
  }
  return SQLITE_OK;
}

namespace {

// The places of phrases that are near each other: all of a group begin within `distance` tokens and the
// phrase's own ones before the last of them.
bool keep_near(const std::vector<size_t>& sizes, int distance, std::vector<std::vector<Fts5Place>>* places) {
  const size_t count = places->size();
  std::vector<size_t> next(count);
  std::vector<std::vector<Fts5Place>> kept(count);
  const auto at = [&](size_t i) { return (*places)[i][next[i]]; };
  bool is_over = false;
  while (!is_over) {
    Fts5Place last = at(0);
    for (bool is_group = false; !is_group && !is_over;) {
      is_group = true;
      for (size_t i = 0; i < count && !is_over; ++i) {
        const Fts5Place least = last - static_cast<Fts5Place>(sizes[i]) - distance;
        if (at(i) >= least && at(i) <= last) continue;
        is_group = false;
        while (!is_over && at(i) < least) is_over = ++next[i] >= (*places)[i].size();
        if (!is_over) last = std::max(last, at(i));
      }
    }
    if (is_over) break;
    // The phrase whose next place comes first goes on.
    size_t first = count;
    for (size_t i = 0; i < count; ++i) {
      if (kept[i].empty() || kept[i].back() < at(i)) kept[i].push_back(at(i));
      if (next[i] + 1 >= (*places)[i].size()) continue;
      if (first == count || (*places)[i][next[i] + 1] < (*places)[first][next[first] + 1]) first = i;
    }
    is_over = first == count;
    if (!is_over) ++next[first];
  }
  *places = std::move(kept);
  return !(*places)[0].empty();
}

}  // namespace

int Fts5Query::run_set(Fts5Index* index, Fts5Node* node) {
  for (size_t i : node->phrases) {
    phrases_[i]->clear();
    int code = find_phrase(index, phrases_[i].get(), node->columns);
    if (code != SQLITE_OK) return code;
  }
  if (node->phrases.size() == 1) {
    node->rowids = phrases_[node->phrases[0]]->rowids;
    return SQLITE_OK;
  }
  std::vector<Fts5Phrase> kept(node->phrases.size());
  std::vector<size_t> sizes;
  for (size_t i = 0; i < kept.size(); ++i) {
    kept[i].clear();
    sizes.push_back(phrases_[node->phrases[i]]->terms.size());
  }
  for (int64_t rowid : phrases_[node->phrases[0]]->rowids) {
    std::vector<std::vector<Fts5Place>> places;
    bool is_in_all = true;
    for (size_t i : node->phrases) {
      places.push_back(phrases_[i]->places_in(rowid));
      is_in_all &= !places.back().empty();
    }
    if (!is_in_all || !keep_near(sizes, node->distance, &places)) continue;
    node->rowids.push_back(rowid);
    for (size_t i = 0; i < kept.size(); ++i) kept[i].add_row(rowid, places[i]);
  }
  for (size_t i = 0; i < kept.size(); ++i) {
    Fts5Phrase& phrase = *phrases_[node->phrases[i]];
    phrase.rowids = std::move(kept[i].rowids);
    phrase.starts = std::move(kept[i].starts);
    phrase.places = std::move(kept[i].places);
  }
  return SQLITE_OK;
}

// ---- Phrases of a row ----------------------------------------------------------------------------

// The set of a phrase, if it and all that it is part of hold for the row.
const Fts5Node* Fts5Query::active_set(const Fts5Node& node, size_t phrase, int64_t rowid) const {
  if (!std::binary_search(node.rowids.begin(), node.rowids.end(), rowid)) return nullptr;
  if (node.kind == Fts5Node::Kind::kSet) {
    const bool has_phrase = std::find(node.phrases.begin(), node.phrases.end(), phrase) != node.phrases.end();
    return has_phrase ? &node : nullptr;
  }
  const size_t children = node.kind == Fts5Node::Kind::kNot ? 1 : node.children.size();
  for (size_t i = 0; i < children; ++i) {
    if (const Fts5Node* found = active_set(*node.children[i], phrase, rowid)) return found;
  }
  return nullptr;
}

bool Fts5Query::has_part(size_t phrase, int64_t rowid) const {
  return root_ != nullptr && active_set(*root_, phrase, rowid) != nullptr;
}

std::vector<Fts5Place> Fts5Query::places(size_t phrase, int64_t rowid) const {
  if (!has_part(phrase, rowid)) return {};
  return phrases_[phrase]->places_in(rowid);
}

}  // namespace godwit::modules
