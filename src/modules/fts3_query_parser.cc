#include <algorithm>
#include <charconv>

#include "modules/fts3_query.h"

namespace godwit::modules {

namespace {

using Kind = Fts3Node::Kind;
using NodePointer = std::unique_ptr<Fts3Node>;

// Of nested expressions; SQLite's limit.
constexpr int kMaxFts3Depth = 12;
constexpr int kMaxNesting = 200;
constexpr int kMaxFts3Phrases = 1 << kMaxFts3Depth;

bool is_query_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\v' || c == '\f' || c == '\r'; }

class QueryParser {
 public:
  QueryParser(const Fts3ParseContext& context, std::string_view text) : context_(context), text_(text) {}

  bool parse(NodePointer* node) {
    advance();
    *node = context_.is_standard ? parse_standard() : parse_or(0);
    return !is_bad_ && word_ == Word::kEnd;
  }
  bool is_too_large() const { return phrases_ > kMaxFts3Phrases; }

 private:
  enum class Word : uint8_t { kEnd, kPhrase, kAnd, kOr, kNot, kNear, kOpen, kClose };

  // ---- Words ---------------------------------------------------------------------------------------

  // An operator is followed by what cannot be part of a word.
  bool take_operator(std::string_view name, Word word) {
    if (!text_.substr(at_).starts_with(name)) return false;
    size_t end = at_ + name.size();
    int64_t distance = 10;
    if (word == Word::kNear && end + 1 < text_.size() && text_[end] == '/' && text_[end + 1] >= '0' && text_[end + 1] <= '9') {
      const auto result = std::from_chars(text_.data() + end + 1, text_.data() + text_.size(), distance);
      if (result.ec != std::errc()) distance = INT32_MAX;
      end = static_cast<size_t>(result.ptr - text_.data());
    }
    if (end < text_.size()) {
      const char c = text_[end];
      if (!is_query_space(c) && c != '"' && c != '(' && c != ')') return false;
    }
    at_ = end;
    word_ = word;
    distance_ = distance;
    return true;
  }

  void take_column(int* column) {
    for (size_t i = 0; i < context_.config->columns.size(); ++i) {
      const std::string& name = context_.config->columns[i];
      if (text_.size() - at_ <= name.size() || text_[at_ + name.size()] != ':') continue;
      if (sqlite3_strnicmp(text_.data() + at_, name.c_str(), static_cast<int>(name.size())) != 0) continue;
      *column = static_cast<int>(i);
      at_ += name.size() + 1;
      return;
    }
  }

  // The tokens between two quotes.
  void take_phrase(std::string_view text, Fts3Node* phrase) {
    context_.config->tokenizer->tokenize(text, [&](const Fts3Token& token) {
      const auto start = static_cast<size_t>(token.start), end = static_cast<size_t>(token.end);
      phrase->tokens.push_back({std::string(token.text), end < text.size() && text[end] == '*', start > 0 && text[start - 1] == '^'});
      return true;
    });
  }

  // One token without quotes; none if there is nothing but separators.
  bool take_token(Fts3Node* phrase) {
    size_t end = at_;
    while (end < text_.size() && text_[end] != '"' &&
           (context_.is_standard || (text_[end] != '(' && text_[end] != ')'))) {
      ++end;
    }
    const std::string_view rest = text_.substr(at_, end - at_);
    bool is_found = false;
    size_t used = rest.size();
    context_.config->tokenizer->tokenize(rest, [&](const Fts3Token& token) {
      is_found = true;
      used = static_cast<size_t>(token.end);
      Fts3QueryToken taken{std::string(token.text), false, false};
      if (used < rest.size() && rest[used] == '*') {
        taken.is_prefix = true;
        ++used;
      }
      for (auto before = static_cast<size_t>(token.start); before > 0; --before) {
        const char c = rest[before - 1];
        if (context_.is_standard && c == '-') {
          is_negated_ = true;
        } else if (context_.config->version == 4 && c == '^') {
          taken.is_first = true;
        } else {
          break;
        }
      }
      phrase->tokens.push_back(std::move(taken));
      return false;
    });
    at_ += used;
    return is_found;
  }

  void advance() {
    while (true) {
      while (at_ < text_.size() && is_query_space(text_[at_])) ++at_;
      is_negated_ = false;
      if (at_ >= text_.size()) {
        word_ = Word::kEnd;
        return;
      }
      if (take_operator("OR", Word::kOr) || take_operator("NEAR", Word::kNear)) return;
      if (!context_.is_standard) {
        if (take_operator("AND", Word::kAnd) || take_operator("NOT", Word::kNot)) return;
        if (skip_empty_group()) continue;
        if (text_[at_] == '(' || text_[at_] == ')') {
          word_ = text_[at_++] == '(' ? Word::kOpen : Word::kClose;
          return;
        }
      }
      if (!take_operand()) continue;
      if (!is_negated_ || word_ != Word::kPhrase) return;
      excluded_.push_back(std::move(phrase_));
    }
  }

  bool skip_empty_group() {
    if (text_[at_] != '(') return false;
    size_t end = at_ + 1;
    while (end < text_.size() && is_query_space(text_[end])) ++end;
    if (end >= text_.size() || text_[end] != ')') return false;
    at_ = end + 1;
    return true;
  }

  bool take_operand() {
    if (++phrases_ > kMaxFts3Phrases) {
      is_bad_ = true;
      word_ = Word::kEnd;
      return true;
    }
    auto phrase = std::make_unique<Fts3Node>();
    phrase->column = context_.column;
    bool is_found = true;
    word_ = Word::kPhrase;
    if (text_[at_] == '"') {
      const size_t end = text_.find('"', at_ + 1);
      if (end == std::string_view::npos) {
        is_bad_ = true;
        word_ = Word::kEnd;
        return true;
      }
      take_phrase(text_.substr(at_ + 1, end - at_ - 1), phrase.get());
      at_ = end + 1;
    } else {
      // A column is for a term: before a phrase it ends the query, or, apart from it, says nothing.
      take_column(&phrase->column);
      const size_t start = at_;
      is_found = take_token(phrase.get());
      if (at_ == start) {
        at_ = text_.size();
        word_ = Word::kEnd;
        return true;
      }
    }
    if (is_found) phrase_ = std::move(phrase);
    return is_found;
  }

  // ---- Expressions ---------------------------------------------------------------------------------

  NodePointer fail() {
    is_bad_ = true;
    return nullptr;
  }

  NodePointer join(Kind kind, NodePointer left, NodePointer right) {
    if (left == nullptr || right == nullptr) return fail();
    auto node = std::make_unique<Fts3Node>();
    node->kind = kind;
    node->left = std::move(left);
    node->right = std::move(right);
    return node;
  }

  NodePointer parse_or(int depth) {
    if (depth > kMaxNesting) return fail();
    if (word_ == Word::kEnd || word_ == Word::kClose) return nullptr;
    NodePointer node = parse_and(depth);
    while (!is_bad_ && word_ == Word::kOr) {
      advance();
      node = join(Kind::kOr, std::move(node), parse_and(depth));
    }
    return node;
  }

  NodePointer parse_and(int depth) {
    NodePointer node = parse_not(depth);
    while (!is_bad_ && (word_ == Word::kAnd || word_ == Word::kPhrase || word_ == Word::kOpen)) {
      if (word_ == Word::kAnd) advance();
      node = join(Kind::kAnd, std::move(node), parse_not(depth));
    }
    return node;
  }

  NodePointer parse_not(int depth) {
    NodePointer node = parse_near(depth);
    while (!is_bad_ && word_ == Word::kNot) {
      advance();
      node = join(Kind::kNot, std::move(node), parse_near(depth));
    }
    return node;
  }

  NodePointer parse_near(int depth) {
    const bool is_group = word_ == Word::kOpen;
    NodePointer node = parse_operand(depth);
    while (!is_bad_ && word_ == Word::kNear) {
      const int64_t distance = distance_;
      advance();
      if (is_group || word_ != Word::kPhrase) return fail();
      node = join(Kind::kNear, std::move(node), parse_operand(depth));
      if (node != nullptr) node->distance = distance;
    }
    return node;
  }

  NodePointer parse_operand(int depth) {
    if (word_ == Word::kPhrase) {
      NodePointer node = std::move(phrase_);
      advance();
      return node;
    }
    if (word_ != Word::kOpen) return fail();
    advance();
    NodePointer node = parse_or(depth + 1);
    if (word_ != Word::kClose || node == nullptr) return fail();
    advance();
    return node;
  }

  // Terms that follow each other, each perhaps of several joined by OR; and what is excluded, wherever it is.
  NodePointer parse_standard() {
    NodePointer node;
    while (!is_bad_ && word_ != Word::kEnd) {
      NodePointer part = parse_near(0);
      while (!is_bad_ && word_ == Word::kOr) {
        advance();
        part = join(Kind::kOr, std::move(part), parse_near(0));
      }
      node = node == nullptr ? std::move(part) : join(Kind::kAnd, std::move(node), std::move(part));
    }
    if (node == nullptr && !excluded_.empty()) return fail();
    for (NodePointer& phrase : excluded_) node = join(Kind::kNot, std::move(node), std::move(phrase));
    return node;
  }

  const Fts3ParseContext& context_;
  std::string_view text_;
  size_t at_ = 0;
  bool is_bad_ = false;
  Word word_ = Word::kEnd;
  int64_t distance_ = 10;
  bool is_negated_ = false;
  int phrases_ = 0;
  NodePointer phrase_;
  std::vector<NodePointer> excluded_;
};

// Levels, where those of one operator are balanced.
int fts3_depth(const Fts3Node* node) {
  if (node->left == nullptr) return 1;
  if (node->kind != Kind::kAnd && node->kind != Kind::kOr) {
    return 1 + std::max(fts3_depth(node->left.get()), fts3_depth(node->right.get()));
  }
  int deepest = 0;
  size_t count = 1;
  const Fts3Node* at = node;
  for (; at->kind == node->kind; at = at->left.get(), ++count) deepest = std::max(deepest, fts3_depth(at->right.get()));
  deepest = std::max(deepest, fts3_depth(at));
  int levels = 0;
  while ((size_t{1} << levels) < count) ++levels;
  return levels + deepest;
}

}  // namespace

int parse_fts3_query(const Fts3ParseContext& context, std::string_view text, NodePointer* node, std::string* error) {
  QueryParser parser(context, text);
  const bool is_good = parser.parse(node);
  if (!is_good && !parser.is_too_large()) {
    *error = "malformed MATCH expression: [" + std::string(text) + "]";
    return SQLITE_ERROR;
  }
  if (!is_good || (*node != nullptr && fts3_depth(node->get()) > kMaxFts3Depth)) {
    *error = "FTS expression tree is too large (maximum depth " + std::to_string(kMaxFts3Depth) + ")";
    return SQLITE_ERROR;
  }
  return SQLITE_OK;
}

}  // namespace godwit::modules
