// bm25(), highlight(), snippet(): written against Fts5ExtensionApi, as functions of applications are.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "modules/fts5_global.h"

namespace godwit::modules {

namespace {

// ---- bm25 ----------------------------------------------------------------------------------------

// What is the same for all rows of a query.
struct Bm25Data {
  double average_size = 0;
  std::vector<double> phrase_weights;  // inverse document frequencies
};

int count_row(const Fts5ExtensionApi*, Fts5Context*, void* context) {
  ++*static_cast<sqlite3_int64*>(context);
  return SQLITE_OK;
}

int bm25_data(const Fts5ExtensionApi* api, Fts5Context* fts, const Bm25Data** out) {
  auto* data = static_cast<Bm25Data*>(api->xGetAuxdata(fts, 0));
  *out = data;
  if (data != nullptr) return SQLITE_OK;
  auto made = std::make_unique<Bm25Data>();
  sqlite3_int64 rows = 0, tokens = 0;
  int code = api->xRowCount(fts, &rows);
  if (code == SQLITE_OK) code = api->xColumnTotalSize(fts, -1, &tokens);
  if (rows > 0) made->average_size = static_cast<double>(tokens) / static_cast<double>(rows);
  for (int i = 0; code == SQLITE_OK && i < api->xPhraseCount(fts); ++i) {
    sqlite3_int64 hits = 0;
    code = api->xQueryPhrase(fts, i, &hits, count_row);
    const double weight = std::log((static_cast<double>(rows - hits) + 0.5) / (static_cast<double>(hits) + 0.5));
    // A phrase in more than half of the rows must not count against a row.
    made->phrase_weights.push_back(weight <= 0 ? 1e-6 : weight);
  }
  if (code != SQLITE_OK) return code;
  *out = made.get();
  return api->xSetAuxdata(fts, made.release(), [](void* pointer) { delete static_cast<Bm25Data*>(pointer); });
}

void bm25(const Fts5ExtensionApi* api, Fts5Context* fts, sqlite3_context* context, int count, sqlite3_value** values) {
  constexpr double k1 = 1.2, b = 0.75;
  const Bm25Data* data = nullptr;
  int instances = 0, size = 0;
  int code = bm25_data(api, fts, &data);
  std::vector<double> frequencies;
  if (code == SQLITE_OK) {
    frequencies.resize(data->phrase_weights.size());
    code = api->xInstCount(fts, &instances);
  }
  for (int i = 0; code == SQLITE_OK && i < instances; ++i) {
    int phrase = 0, column = 0, offset = 0;
    code = api->xInst(fts, i, &phrase, &column, &offset);
    if (code == SQLITE_OK) {
      frequencies[static_cast<size_t>(phrase)] += count > column ? sqlite3_value_double(values[column]) : 1.0;
    }
  }
  if (code == SQLITE_OK) code = api->xColumnSize(fts, -1, &size);
  if (code != SQLITE_OK) return sqlite3_result_error_code(context, code);
  double score = 0;
  for (size_t i = 0; i < frequencies.size(); ++i) {
    score += data->phrase_weights[i] * ((frequencies[i] * (k1 + 1.0)) /
                                        (frequencies[i] + k1 * (1 - b + b * size / data->average_size)));
  }
  sqlite3_result_double(context, -1.0 * score);
}

// ---- highlight -----------------------------------------------------------------------------------

std::string argument_text(sqlite3_value* value) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  return text == nullptr ? std::string() : std::string(text, static_cast<size_t>(sqlite3_value_bytes(value)));
}

struct Range {
  int first, last;  // tokens
};

// The phrases in a column; what overlaps is one.
int marked_ranges(const Fts5ExtensionApi* api, Fts5Context* fts, int column, std::vector<Range>* ranges) {
  int count = 0;
  int code = api->xInstCount(fts, &count);
  for (int i = 0; code == SQLITE_OK && i < count; ++i) {
    int phrase = 0, in_column = 0, offset = 0;
    code = api->xInst(fts, i, &phrase, &in_column, &offset);
    if (code != SQLITE_OK || in_column != column) continue;
    const int last = offset + api->xPhraseSize(fts, phrase) - 1;
    if (!ranges->empty() && offset <= ranges->back().last) {
      ranges->back().last = std::max(ranges->back().last, last);
    } else {
      ranges->push_back({offset, last});
    }
  }
  return code;
}

// Copies a text, or the tokens `first` to `last` of it, with marks around ranges of tokens.
struct Highlighter {
  std::string_view text;
  std::string open, close;
  std::vector<Range> ranges;
  int first = 0, last = -1;  // last < 0: all
  bool copies_rest = true;
  std::string out;

  size_t next_range = 0;
  bool is_open = false;
  int token = -1;
  size_t copied = 0;  // of the text

  void copy_to(size_t end) {
    if (end > copied) out += text.substr(copied, end - copied);
    copied = std::max(copied, end);
  }

  void take(int flags, size_t start, size_t end) {
    if ((flags & FTS5_TOKEN_COLOCATED) != 0) return;
    ++token;
    if (last >= 0 && (token < first || token > last)) return;
    if (last >= 0 && first > 0 && token == first) copied = start;
    while (next_range < ranges.size() && ranges[next_range].last < token) ++next_range;
    const bool has_range = next_range < ranges.size();
    // A range that begins before the first token of a part is open from there on.
    if (!is_open && has_range && token >= ranges[next_range].first) {
      copy_to(start);
      out += open;
      is_open = true;
    }
    if (is_open && has_range && token == ranges[next_range].last) {
      copy_to(end);
      out += close;
      is_open = false;
    }
    if (token == last) {
      copy_to(end);
      if (is_open) out += close;
      is_open = false;
    }
  }

  void finish() {
    if (is_open) out += close;
    if (copies_rest) copy_to(text.size());
  }
};

int highlight_token(void* context, int flags, const char*, int, int start, int end) {
  static_cast<Highlighter*>(context)->take(flags, static_cast<size_t>(start), static_cast<size_t>(end));
  return SQLITE_OK;
}

int run_highlighter(const Fts5ExtensionApi* api, Fts5Context* fts, int column, Highlighter* highlighter) {
  const char* text = nullptr;
  int size = 0;
  int code = api->xColumnText(fts, column, &text, &size);
  if (code != SQLITE_OK || text == nullptr) return code;
  highlighter->text = {text, static_cast<size_t>(size)};
  code = marked_ranges(api, fts, column, &highlighter->ranges);
  if (code == SQLITE_OK) code = api->xTokenize(fts, text, size, highlighter, highlight_token);
  if (code == SQLITE_OK) highlighter->finish();
  return code;
}

void highlight(const Fts5ExtensionApi* api, Fts5Context* fts, sqlite3_context* context, int count, sqlite3_value** values) {
  if (count != 3) {
    sqlite3_result_error(context, "wrong number of arguments to function highlight()", -1);
    return;
  }
  Highlighter highlighter;
  highlighter.open = argument_text(values[1]);
  highlighter.close = argument_text(values[2]);
  int code = run_highlighter(api, fts, sqlite3_value_int(values[0]), &highlighter);
  if (code == SQLITE_RANGE) {
    sqlite3_result_text(context, "", -1, SQLITE_STATIC);
  } else if (code != SQLITE_OK) {
    sqlite3_result_error_code(context, code);
  } else if (highlighter.text.data() != nullptr) {
    sqlite3_result_text(context, highlighter.out.data(), static_cast<int>(highlighter.out.size()), SQLITE_TRANSIENT);
  }
}

// ---- snippet -------------------------------------------------------------------------------------

struct SentenceFinder {
  std::string_view text;
  int token = 0;
  std::vector<int> first_tokens;
};

int find_sentence(void* context, int flags, const char*, int, int start, int) {
  auto* finder = static_cast<SentenceFinder*>(context);
  if ((flags & FTS5_TOKEN_COLOCATED) != 0) return SQLITE_OK;
  int before = start - 1;
  while (before >= 0 && std::string_view(" \t\n\r").find(finder->text[static_cast<size_t>(before)]) != std::string_view::npos) {
    --before;
  }
  const bool after_space = before != start - 1;
  const char last = before >= 0 ? finder->text[static_cast<size_t>(before)] : '.';
  if (before < 0 || (after_space && (last == '.' || last == ':'))) finder->first_tokens.push_back(finder->token);
  ++finder->token;
  return SQLITE_OK;
}

struct Fragment {
  int column = 0, start = 0, score = 0;
};

// A fragment is worth its phrases: much for each that is in it, a little for each further time. `start`
// moves so that they stand in its middle.
int score_fragment(const Fts5ExtensionApi* api, Fts5Context* fts, int size, int column, int position, int tokens,
                   int* score, int* start) {
  std::vector<bool> is_seen(static_cast<size_t>(api->xPhraseCount(fts)));
  int count = 0, first = -1, last = 0;
  int code = api->xInstCount(fts, &count);
  *score = 0;
  for (int i = 0; code == SQLITE_OK && i < count; ++i) {
    int phrase = 0, in_column = 0, offset = 0;
    code = api->xInst(fts, i, &phrase, &in_column, &offset);
    if (code != SQLITE_OK || in_column != column || offset < position || offset >= position + tokens) continue;
    *score += is_seen[static_cast<size_t>(phrase)] ? 1 : 1000;
    is_seen[static_cast<size_t>(phrase)] = true;
    if (first < 0) first = offset;
    last = offset + api->xPhraseSize(fts, phrase);
  }
  if (start != nullptr) {
    int moved = first - (tokens - (last - first)) / 2;
    if (moved + tokens > size) moved = size - tokens;
    *start = std::max(moved, 0);
  }
  return code;
}

int best_in_column(const Fts5ExtensionApi* api, Fts5Context* fts, int column, int tokens, Fragment* best) {
  const char* text = nullptr;
  int size = 0, column_tokens = 0, count = 0;
  SentenceFinder sentences;
  int code = api->xColumnText(fts, column, &text, &size);
  if (code != SQLITE_OK) return code;
  sentences.text = {text, static_cast<size_t>(size)};
  if (text != nullptr) code = api->xTokenize(fts, text, size, &sentences, find_sentence);
  if (code == SQLITE_OK) code = api->xColumnSize(fts, column, &column_tokens);
  if (code == SQLITE_OK) code = api->xInstCount(fts, &count);
  for (int i = 0; code == SQLITE_OK && i < count; ++i) {
    int phrase = 0, in_column = 0, offset = 0, score = 0, start = 0;
    code = api->xInst(fts, i, &phrase, &in_column, &offset);
    if (code != SQLITE_OK || in_column != column) continue;
    code = score_fragment(api, fts, column_tokens, column, offset, tokens, &score, &start);
    if (code == SQLITE_OK && score > best->score) *best = {column, start, score};
    if (code != SQLITE_OK || sentences.first_tokens.empty() || column_tokens <= tokens) continue;
    // The beginning of the sentence is better still.
    auto after = std::upper_bound(sentences.first_tokens.begin(), sentences.first_tokens.end(), offset);
    const int sentence = after == sentences.first_tokens.begin() ? sentences.first_tokens[0] : *(after - 1);
    if (sentence >= offset) continue;
    code = score_fragment(api, fts, column_tokens, column, sentence, tokens, &score, nullptr);
    score += sentence == 0 ? 120 : 100;
    if (code == SQLITE_OK && score > best->score) *best = {column, sentence, score};
  }
  return code;
}

void snippet(const Fts5ExtensionApi* api, Fts5Context* fts, sqlite3_context* context, int count, sqlite3_value** values) {
  if (count != 5) {
    sqlite3_result_error(context, "wrong number of arguments to function snippet()", -1);
    return;
  }
  const int wanted = sqlite3_value_int(values[0]), tokens = sqlite3_value_int(values[4]);
  const std::string ellipsis = argument_text(values[3]);
  Fragment best;
  best.column = std::max(wanted, 0);
  int code = SQLITE_OK;
  for (int column = 0; code == SQLITE_OK && column < api->xColumnCount(fts); ++column) {
    if (wanted < 0 || wanted == column) code = best_in_column(api, fts, column, tokens, &best);
  }
  int column_tokens = 0;
  if (code == SQLITE_OK) code = api->xColumnSize(fts, best.column, &column_tokens);
  Highlighter highlighter;
  highlighter.open = argument_text(values[1]);
  highlighter.close = argument_text(values[2]);
  highlighter.first = best.start;
  highlighter.last = best.start + tokens - 1;
  highlighter.copies_rest = highlighter.last >= column_tokens - 1;
  if (best.start > 0) highlighter.out = ellipsis;
  if (code == SQLITE_OK) code = run_highlighter(api, fts, best.column, &highlighter);
  if (code == SQLITE_OK && !highlighter.copies_rest) highlighter.out += ellipsis;
  if (code == SQLITE_RANGE) {
    sqlite3_result_text(context, "", -1, SQLITE_STATIC);
  } else if (code != SQLITE_OK) {
    sqlite3_result_error_code(context, code);
  } else if (highlighter.text.data() != nullptr) {
    sqlite3_result_text(context, highlighter.out.data(), static_cast<int>(highlighter.out.size()), SQLITE_TRANSIENT);
  }
}

}  // namespace

int add_fts5_functions(fts5_api* api) {
  int code = api->xCreateFunction(api, "bm25", nullptr, bm25, nullptr);
  if (code == SQLITE_OK) code = api->xCreateFunction(api, "highlight", nullptr, highlight, nullptr);
  if (code == SQLITE_OK) code = api->xCreateFunction(api, "snippet", nullptr, snippet, nullptr);
  return code;
}

}  // namespace godwit::modules
