// snippet(), offsets(), matchinfo() and optimize() of FTS3.
#include <algorithm>
#include <limits>

#include "modules/fts3_cursor.h"

namespace godwit::modules {

namespace {

constexpr int kMaxSnippet = 64, kMaxFragments = 4;

Fts3Cursor* take_cursor(sqlite3_context* context, sqlite3_value* value, const char* function) {
  auto* cursor = static_cast<Fts3Cursor*>(sqlite3_value_pointer(value, kFts3CursorType));
  if (cursor == nullptr) {
    sqlite3_result_error(context, formatted("illegal first argument to %s", function).c_str(), -1);
  }
  return cursor;
}

// Where the phrase starts in a column of the cursor's row.
std::vector<int64_t> phrase_positions(const Fts3Cursor& cursor, const Fts3Node& phrase, int column) {
  const Fts3Place *begin = nullptr, *end = nullptr;
  phrase.matches.find(cursor.docid(), &begin, &end);
  std::vector<int64_t> positions;
  for (; begin != end; ++begin) {
    if (fts3_column(*begin) == column) positions.push_back(fts3_position(*begin));
  }
  return positions;
}

// ---- snippet ---------------------------------------------------------------------------------------

struct Fragment {
  int column = 0;
  int64_t start = 0;
  uint64_t covered = 0;    // phrases, a bit each
  uint64_t highlight = 0;  // tokens, from the start on
  int64_t score = -1;
};

// Where the phrases of a query are in one column: each place by its last token.
struct ColumnHits {
  struct Phrase {
    std::vector<int64_t> ends;
    size_t size = 0;
  };
  std::vector<Phrase> phrases;
  uint64_t seen = 0;

  ColumnHits(const Fts3Cursor& cursor, int column) {
    const auto& all = cursor.query().phrases();
    for (size_t i = 0; i < all.size(); ++i) {
      Phrase& phrase = phrases.emplace_back();
      phrase.size = all[i]->tokens.size();
      phrase.ends = phrase_positions(cursor, *all[i], column);
      for (int64_t& position : phrase.ends) position += static_cast<int64_t>(phrase.size) - 1;
      if (!phrase.ends.empty()) seen |= uint64_t{1} << (i % 64);
    }
  }

  // A phrase that no other fragment has counts far more than one that is there again.
  Fragment fragment(int column, int64_t start, int64_t size, uint64_t elsewhere) const {
    Fragment made{column, start, 0, 0, 0};
    for (size_t i = 0; i < phrases.size(); ++i) {
      const uint64_t bit = uint64_t{1} << (i % 64);
      for (int64_t end : phrases[i].ends) {
        if (end < start || end >= start + size) continue;
        made.score += ((made.covered | elsewhere) & bit) != 0 ? 1 : 1000;
        made.covered |= bit;
        const uint64_t last = uint64_t{1} << (end - start);
        for (size_t token = 0; token < phrases[i].size && token < 64; ++token) made.highlight |= last >> token;
      }
    }
    return made;
  }

  // The best of those that start the column, or end with a hit.
  Fragment best(int column, int64_t size, uint64_t elsewhere) const {
    std::vector<int64_t> starts{0};
    for (const Phrase& phrase : phrases) {
      for (int64_t end : phrase.ends) {
        if (end >= size) starts.push_back(end - size + 1);
      }
    }
    std::sort(starts.begin(), starts.end());
    Fragment found{column, 0, 0, 0, -1};
    for (int64_t start : starts) {
      Fragment candidate = fragment(column, start, size, elsewhere);
      if (candidate.score > found.score) found = candidate;
    }
    return found;
  }
};

// Moves the fragment forward, so that what is highlighted comes to its middle, as far as there is text.
void center_fragment(const std::vector<Fts3Token>& tokens, int64_t size, Fragment* fragment) {
  if (fragment->highlight == 0) return;
  int64_t left = 0, right = 0;
  while ((fragment->highlight & uint64_t{1} << left) == 0) ++left;
  while ((fragment->highlight & uint64_t{1} << (size - 1 - right)) == 0) ++right;
  const int64_t wanted = (left - right) / 2;
  if (wanted <= 0) return;
  const int64_t rest = static_cast<int64_t>(tokens.size()) - fragment->start;
  const int64_t shift = std::min(wanted, rest - size);
  if (shift <= 0) return;
  fragment->start += shift;
  fragment->highlight >>= shift;
}

struct SnippetStyle {
  std::string_view open = "<b>", close = "</b>", ellipsis = "<b>...</b>";
};

int append_fragment(Fts3Cursor* cursor, Fragment fragment, size_t number, bool is_last, int64_t size,
                    const SnippetStyle& style, std::string* out) {
  std::string_view text;
  bool has = false;
  int code = cursor->text(fragment.column, &text, &has);
  if (code != SQLITE_OK || !has) return code;
  std::vector<Fts3Token> tokens;
  cursor->table()->config.tokenizer->tokenize(text, [&](const Fts3Token& token) {
    tokens.push_back({{}, token.start, token.end, token.position});
    return true;
  });
  if (fragment.start >= static_cast<int64_t>(tokens.size())) return SQLITE_OK;
  const auto bytes = [&](int start, int end) {
    return text.substr(static_cast<size_t>(start), static_cast<size_t>(end - start));
  };
  center_fragment(tokens, size, &fragment);
  if (fragment.start > 0 || number > 0) {
    out->append(style.ellipsis);
  } else {
    out->append(bytes(0, tokens[0].start));
  }
  int last_end = 0;
  for (int64_t i = fragment.start;; ++i) {
    if (i >= static_cast<int64_t>(tokens.size())) {
      out->append(text.substr(static_cast<size_t>(last_end)));
      return SQLITE_OK;
    }
    const Fts3Token& token = tokens[static_cast<size_t>(i)];
    if (i >= fragment.start + size) {
      if (is_last) out->append(style.ellipsis);
      return SQLITE_OK;
    }
    if (i > fragment.start) out->append(bytes(last_end, token.start));
    const bool is_hit = (fragment.highlight >> (i - fragment.start) & 1) != 0;
    if (is_hit) out->append(style.open);
    out->append(bytes(token.start, token.end));
    if (is_hit) out->append(style.close);
    last_end = token.end;
  }
}

// Up to four fragments that have all phrases between them.
std::vector<Fragment> choose_fragments(const Fts3Cursor& cursor, int column, int64_t tokens, int64_t* size) {
  std::vector<Fragment> fragments;
  const Fts3Config& config = cursor.table()->config;
  std::vector<ColumnHits> hits;
  for (int i = 0; i < config.column_count(); ++i) hits.emplace_back(cursor, i);
  for (int64_t count = 1;; ++count) {
    *size = tokens >= 0 ? (tokens + count - 1) / count : -tokens;
    fragments.clear();
    uint64_t covered = 0, seen = 0;
    for (int64_t i = 0; i < count; ++i) {
      Fragment best{0, 0, 0, 0, -1};
      for (int at = 0; at < config.column_count(); ++at) {
        if (column >= 0 && column != at) continue;
        const ColumnHits& in_column = hits[static_cast<size_t>(at)];
        seen |= in_column.seen;
        Fragment found = in_column.best(at, *size, covered);
        if (found.score > best.score) best = found;
      }
      covered |= best.covered;
      fragments.push_back(best);
    }
    if (seen == covered || count == kMaxFragments) return fragments;
  }
}

void snippet(sqlite3_context* context, int count, sqlite3_value** values) {
  if (count > 6) return sqlite3_result_error(context, "wrong number of arguments to function snippet()", -1);
  Fts3Cursor* cursor = take_cursor(context, values[0], "snippet");
  if (cursor == nullptr) return;
  SnippetStyle style;
  int column = -1;
  int64_t tokens = 15;
  if (count > 5) tokens = sqlite3_value_int(values[5]);
  if (count > 4) column = sqlite3_value_int(values[4]);
  if (count > 3) style.ellipsis = fts3_text(values[3]);
  if (count > 2) style.close = fts3_text(values[2]);
  if (count > 1) style.open = fts3_text(values[1]);
  for (int i = 1; i < std::min(count, 4); ++i) {
    if (sqlite3_value_type(values[i]) == SQLITE_NULL) return sqlite3_result_error_nomem(context);
  }
  if (tokens == 0 || !cursor->is_query() || cursor->query().root() == nullptr) {
    return sqlite3_result_text(context, "", 0, SQLITE_STATIC);
  }
  tokens = std::clamp<int64_t>(tokens, -kMaxSnippet, kMaxSnippet);
  int64_t size = 0;
  const std::vector<Fragment> fragments = choose_fragments(*cursor, column, tokens, &size);
  std::string out;
  for (size_t i = 0; i < fragments.size(); ++i) {
    int code = append_fragment(cursor, fragments[i], i, i + 1 == fragments.size(), size, style, &out);
    if (code != SQLITE_OK) return sqlite3_result_error_code(context, code);
  }
  sqlite3_result_text64(context, out.data(), out.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

// ---- offsets ---------------------------------------------------------------------------------------

struct TermHit {
  int64_t position;
  int term;
};

void offsets(sqlite3_context* context, int, sqlite3_value** values) {
  Fts3Cursor* cursor = take_cursor(context, values[0], "offsets");
  if (cursor == nullptr) return;
  std::string out;
  for (int column = 0; cursor->is_query() && column < cursor->table()->config.column_count(); ++column) {
    std::vector<TermHit> hits;
    int term = 0;
    for (const Fts3Node* phrase : cursor->query().phrases()) {
      for (int64_t position : phrase_positions(*cursor, *phrase, column)) {
        for (size_t i = 0; i < phrase->tokens.size(); ++i) {
          hits.push_back({position + static_cast<int64_t>(i), term + static_cast<int>(i)});
        }
      }
      term += static_cast<int>(phrase->tokens.size());
    }
    if (hits.empty()) continue;
    std::sort(hits.begin(), hits.end(), [](const TermHit& a, const TermHit& b) {
      return a.position != b.position ? a.position < b.position : a.term < b.term;
    });
    std::string_view text;
    bool has = false;
    int code = cursor->text(column, &text, &has);
    if (code != SQLITE_OK) return sqlite3_result_error_code(context, code);
    if (!has) continue;
    size_t at = 0;
    cursor->table()->config.tokenizer->tokenize(text, [&](const Fts3Token& token) {
      for (; at < hits.size() && hits[at].position == token.position; ++at) {
        out += formatted("%d %d %d %d ", column, hits[at].term, token.start, token.end - token.start);
      }
      return at < hits.size();
    });
    if (at < hits.size()) return sqlite3_result_error_code(context, SQLITE_CORRUPT_VTAB);
  }
  if (!out.empty()) out.pop_back();
  sqlite3_result_text64(context, out.data(), out.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

// ---- matchinfo -------------------------------------------------------------------------------------

class MatchInfo {
 public:
  explicit MatchInfo(Fts3Cursor* cursor)
      : cursor_(cursor), columns_(cursor->table()->config.column_count()), phrases_(cursor->query().phrases()) {}

  // False: there is no such request of this table.
  bool accepts(char request) const {
    const Fts3Config& config = cursor_->table()->config;
    if (request == 'n' || request == 'a') return config.version == 4;
    if (request == 'l') return config.has_sizes;
    return request != '\0' && std::string_view("pcxysb").find(request) != std::string_view::npos;
  }

  int add(char request) {
    switch (request) {
      case 'p': append(static_cast<int64_t>(phrases_.size())); return SQLITE_OK;
      case 'c': append(columns_); return SQLITE_OK;
      case 'x': add_hits(); return SQLITE_OK;
      case 'y': add_local_hits(); return SQLITE_OK;
      case 'b': add_bits(); return SQLITE_OK;
      case 's': add_subsequences(); return SQLITE_OK;
      case 'l': return add_sizes();
      default: return add_totals(request);
    }
  }
  const std::vector<uint32_t>& values() const { return values_; }

 private:
  void append(int64_t value) { values_.push_back(static_cast<uint32_t>(value)); }

  void add_hits() {
    for (const Fts3Node* phrase : phrases_) {
      for (int column = 0; column < columns_; ++column) {
        int64_t all = 0, rows = 0;
        const Fts3Matches& matches = phrase->matches;
        for (size_t row = 0; row < matches.docids.size(); ++row) {
          int64_t in_row = 0;
          for (size_t i = matches.starts[row]; i < matches.starts[row + 1]; ++i) {
            if (fts3_column(matches.places[i]) == column) ++in_row;
          }
          all += in_row;
          if (in_row > 0) ++rows;
        }
        append(static_cast<int64_t>(phrase_positions(*cursor_, *phrase, column).size()));
        append(all);
        append(rows);
      }
    }
  }

  // Hits of the parts of the expression that the row matches.
  void count_local(const Fts3Node* node, bool counts, std::vector<std::vector<int64_t>>* hits) const {
    counts = counts && node->matches_row(cursor_->docid());
    if (node->kind == Fts3Node::Kind::kPhrase) {
      std::vector<int64_t>& by_column = hits->emplace_back(static_cast<size_t>(columns_), 0);
      for (int column = 0; counts && column < columns_; ++column) {
        by_column[static_cast<size_t>(column)] = static_cast<int64_t>(phrase_positions(*cursor_, *node, column).size());
      }
      return;
    }
    count_local(node->left.get(), counts, hits);
    if (node->kind != Fts3Node::Kind::kNot) count_local(node->right.get(), counts, hits);
  }
  std::vector<std::vector<int64_t>> local_hits() const {
    std::vector<std::vector<int64_t>> hits;
    count_local(cursor_->query().root(), true, &hits);
    return hits;
  }
  void add_local_hits() {
    for (const auto& by_column : local_hits()) {
      for (int64_t hits : by_column) append(hits);
    }
  }
  void add_bits() {
    for (const auto& by_column : local_hits()) {
      for (size_t first = 0; first < by_column.size(); first += 32) {
        uint32_t bits = 0;
        for (size_t i = first; i < by_column.size() && i < first + 32; ++i) {
          if (by_column[i] > 0) bits |= uint32_t{1} << (i - first);
        }
        append(bits);
      }
    }
  }

  // The longest run of phrases that follow each other in the text as they do in the query.
  void add_subsequences() {
    for (int column = 0; column < columns_; ++column) {
      std::vector<std::pair<int64_t, int64_t>> runs, before;  // place of the query's start, length
      int64_t longest = 0, offset = 0;
      for (const Fts3Node* phrase : phrases_) {
        runs.clear();
        for (int64_t position : phrase_positions(*cursor_, *phrase, column)) {
          const int64_t start = position - offset;
          auto found = std::find_if(before.begin(), before.end(), [&](const auto& run) { return run.first == start; });
          runs.emplace_back(start, found == before.end() ? 1 : found->second + 1);
          longest = std::max(longest, runs.back().second);
        }
        offset += static_cast<int64_t>(phrase->tokens.size());
        std::swap(runs, before);
      }
      append(longest);
    }
  }

  int add_sizes() {
    std::vector<int64_t> sizes;
    int code = cursor_->table()->read_sizes(cursor_->docid(), &sizes);
    for (int64_t size : sizes) append(size);
    return code;
  }

  int add_totals(char request) {
    Fts3Totals totals;
    int code = cursor_->table()->read_totals(&totals);
    if (code != SQLITE_OK) return code;
    if (totals.rows <= 0) return SQLITE_CORRUPT_VTAB;
    if (request == 'n') {
      append(totals.rows);
      return SQLITE_OK;
    }
    for (int64_t tokens : totals.tokens) append((tokens + totals.rows / 2) / totals.rows);
    return SQLITE_OK;
  }

  Fts3Cursor* cursor_;
  int columns_;
  const std::vector<Fts3Node*>& phrases_;
  std::vector<uint32_t> values_;
};

void matchinfo(sqlite3_context* context, int count, sqlite3_value** values) {
  Fts3Cursor* cursor = take_cursor(context, values[0], "matchinfo");
  if (cursor == nullptr) return;
  std::string requests = "pcx";
  if (count > 1 && sqlite3_value_type(values[1]) != SQLITE_NULL) requests = fts3_text(values[1]);
  if (!cursor->is_query() || cursor->query().root() == nullptr) return sqlite3_result_blob(context, "", 0, SQLITE_STATIC);
  MatchInfo info(cursor);
  for (char request : requests) {
    if (info.accepts(request)) continue;
    return sqlite3_result_error(context, formatted("unrecognized matchinfo request: %c", request).c_str(), -1);
  }
  for (char request : requests) {
    int code = info.add(request);
    if (code != SQLITE_OK) return sqlite3_result_error_code(context, code);
  }
  sqlite3_result_blob64(context, info.values().data(), info.values().size() * sizeof(uint32_t), SQLITE_TRANSIENT);
}

void optimize(sqlite3_context* context, int, sqlite3_value** values) {
  Fts3Cursor* cursor = take_cursor(context, values[0], "optimize");
  if (cursor == nullptr) return;
  bool merged = false;
  int code = cursor->table()->optimize(&merged);
  if (code != SQLITE_OK) return sqlite3_result_error_code(context, code);
  sqlite3_result_text(context, merged ? "Index optimized" : "Index already optimal", -1, SQLITE_STATIC);
}

}  // namespace

Fts3Function find_fts3_function(const char* name) {
  if (sqlite3_stricmp(name, "snippet") == 0) return snippet;
  if (sqlite3_stricmp(name, "offsets") == 0) return offsets;
  if (sqlite3_stricmp(name, "matchinfo") == 0) return matchinfo;
  if (sqlite3_stricmp(name, "optimize") == 0) return optimize;
  return nullptr;
}

}  // namespace godwit::modules
