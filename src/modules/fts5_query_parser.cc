#include "modules/fts5_query_parser.h"

#include <cctype>
#include <cstdlib>

#include "modules/statement.h"

namespace godwit::modules {

namespace {

constexpr int kMaxDepth = 256;
constexpr int kDefaultDistance = 10;

bool is_bare_character(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || c == '_' || c == 0x1a || std::isalnum(byte) != 0;
}

}  // namespace

// ---- Tokens --------------------------------------------------------------------------------------

bool Fts5QueryParser::advance() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) {
    ++at_;
  }
  token_ = Token{};
  token_.text = text_.substr(std::min(at_, text_.size()), 0);
  if (at_ >= text_.size() || text_[at_] == '\0') return true;
  const size_t start = at_;
  const char c = text_[at_];
  if (std::string_view("(){}:,+*-^").find(c) != std::string_view::npos) {
    ++at_;
    token_.kind = c;
    token_.text = text_.substr(start, 1);
    return true;
  }
  if (c == '"') {
    token_.kind = 's';
    for (++at_;; ++at_) {
      if (at_ >= text_.size() || text_[at_] == '\0') return fail("unterminated string");
      if (text_[at_] == '"') {
        if (at_ + 1 >= text_.size() || text_[at_ + 1] != '"') break;
        ++at_;
      }
      token_.value.push_back(text_[at_]);
    }
    ++at_;
    token_.text = text_.substr(start, at_ - start);
    return true;
  }
  if (!is_bare_character(c)) {
    token_.text = text_.substr(start, 1);
    return fail_at_token();
  }
  while (at_ < text_.size() && is_bare_character(text_[at_])) ++at_;
  token_.text = text_.substr(start, at_ - start);
  token_.value = token_.text;
  token_.kind = token_.text == "AND" ? 'A' : token_.text == "OR" ? 'O' : token_.text == "NOT" ? 'N' : 's';
  return true;
}

bool Fts5QueryParser::fail(std::string message) {
  if (error_->empty()) *error_ = std::move(message);
  return false;
}

bool Fts5QueryParser::fail_at_token() {
  return fail("fts5: syntax error near \"" + std::string(token_.text) + "\"");
}

bool Fts5QueryParser::expect(char kind) { return token_.kind == kind ? advance() : fail_at_token(); }

// ---- Queries -------------------------------------------------------------------------------------

std::unique_ptr<Fts5Node> Fts5QueryParser::parse() {
  if (!advance()) return nullptr;
  std::unique_ptr<Fts5Node> node = parse_binary(0, 0);
  if (node != nullptr && token_.kind != 0) {
    fail_at_token();
    return nullptr;
  }
  return node;
}

// level 0: OR, 1: AND, 2: NOT.
std::unique_ptr<Fts5Node> Fts5QueryParser::parse_binary(int level, int depth) {
  static constexpr char kOperators[] = {'O', 'A', 'N'};
  static constexpr Fts5Node::Kind kKinds[] = {Fts5Node::Kind::kOr, Fts5Node::Kind::kAnd, Fts5Node::Kind::kNot};
  if (level == 3) return parse_sets(depth);
  std::unique_ptr<Fts5Node> left = parse_binary(level + 1, depth);
  int count = 0;
  while (left != nullptr && token_.kind == kOperators[level]) {
    if (!advance()) return nullptr;
    if (depth + ++count > kMaxDepth) {
      fail(formatted("fts5 expression tree is too large (maximum depth %d)", kMaxDepth));
      return nullptr;
    }
    std::unique_ptr<Fts5Node> right = parse_binary(level + 1, depth + 1);
    if (right == nullptr) return nullptr;
    auto both = std::make_unique<Fts5Node>();
    both->kind = kKinds[level];
    both->children.push_back(std::move(left));
    both->children.push_back(std::move(right));
    left = std::move(both);
  }
  return left;
}

namespace {

// Only rows whose phrases are in the columns.
void restrict_to(Fts5Node* node, const std::vector<bool>& columns) {
  for (auto& child : node->children) restrict_to(child.get(), columns);
  if (node->kind != Fts5Node::Kind::kSet) return;
  if (!node->columns.has_value()) {
    node->columns = columns;
    return;
  }
  for (size_t i = 0; i < columns.size(); ++i) (*node->columns)[i] = (*node->columns)[i] && columns[i];
}

}  // namespace

std::unique_ptr<Fts5Node> Fts5QueryParser::parse_sets(int depth) {
  if (depth > kMaxDepth) {
    fail(formatted("fts5 expression tree is too large (maximum depth %d)", kMaxDepth));
    return nullptr;
  }
  std::unique_ptr<Fts5Node> all;
  for (;;) {
    bool is_group = false;
    std::unique_ptr<Fts5Node> node = parse_set(depth, all == nullptr, &is_group);
    if (node == nullptr) return nullptr;
    if (is_group) return node;
    if (all == nullptr || all->kind == Fts5Node::Kind::kNothing) {
      all = std::move(node);
    } else if (node->kind != Fts5Node::Kind::kNothing) {
      auto both = std::make_unique<Fts5Node>();
      both->kind = Fts5Node::Kind::kAnd;
      both->children.push_back(std::move(all));
      both->children.push_back(std::move(node));
      all = std::move(both);
    }
    const bool goes_on = token_.kind == 's' || token_.kind == '^' || token_.kind == '{' || token_.kind == '-';
    if (!goes_on) return all;
  }
}

std::unique_ptr<Fts5Node> Fts5QueryParser::parse_group(int depth) {
  if (!expect('(')) return nullptr;
  std::unique_ptr<Fts5Node> node = parse_binary(0, depth + 1);
  return node != nullptr && expect(')') ? std::move(node) : nullptr;
}

std::unique_ptr<Fts5Node> Fts5QueryParser::parse_set(int depth, bool may_be_group, bool* is_group) {
  if (token_.kind == '(' && may_be_group) {
    *is_group = true;
    return parse_group(depth);
  }
  std::vector<bool> columns;
  bool has_columns = false;
  if (!parse_columns(&columns, &has_columns)) return nullptr;
  std::unique_ptr<Fts5Node> node;
  if (has_columns && token_.kind == '(') {
    if (!may_be_group) {
      fail_at_token();
      return nullptr;
    }
    *is_group = true;
    node = parse_group(depth);
  } else {
    node = parse_near();
  }
  if (node == nullptr) return nullptr;
  if (has_columns) {
    if (query_->config_->detail == Fts5Detail::kNone) {
      fail("fts5: column queries are not supported (detail=none)");
      return nullptr;
    }
    restrict_to(node.get(), columns);
  }
  return node;
}

bool Fts5QueryParser::add_column(std::vector<bool>* columns) {
  const Fts5Config& config = *query_->config_;
  for (size_t i = 0; i < config.columns.size(); ++i) {
    if (sqlite3_stricmp(config.columns[i].c_str(), token_.value.c_str()) != 0) continue;
    (*columns)[i] = true;
    return advance();
  }
  return fail("no such column: " + token_.value);
}

bool Fts5QueryParser::parse_columns(std::vector<bool>* columns, bool* has_columns) {
  const Token before = token_;
  const size_t at_before = at_;
  const bool negates = token_.kind == '-';
  columns->assign(query_->config_->columns.size(), false);
  if (negates && !advance()) return false;
  if (token_.kind == '{') {
    if (!advance()) return false;
    if (token_.kind != 's') return fail_at_token();
    while (token_.kind == 's') {
      if (!add_column(columns)) return false;
    }
    if (!expect('}')) return false;
  } else if (token_.kind == 's') {
    const std::string name = token_.value;
    const Token word = token_;
    if (!advance()) return false;
    if (token_.kind != ':' && !negates) {
      token_ = before;
      at_ = at_before;
      return true;
    }
    const Token after = token_;
    const size_t at_after = at_;
    token_ = word;
    if (!add_column(columns)) return false;
    token_ = after;
    at_ = at_after;
  } else {
    return negates ? fail_at_token() : true;
  }
  if (!expect(':')) return false;
  if (negates) columns->flip();
  *has_columns = true;
  return true;
}

std::unique_ptr<Fts5Node> Fts5QueryParser::parse_near() {
  auto node = std::make_unique<Fts5Node>();
  node->kind = Fts5Node::Kind::kSet;
  const bool is_initial = token_.kind == '^';
  if (is_initial && !advance()) return nullptr;
  if (token_.kind != 's') {
    fail_at_token();
    return nullptr;
  }
  size_t look = at_;
  while (look < text_.size() && text_[look] == ' ') ++look;
  const bool is_near = !is_initial && token_.text == "NEAR" && look < text_.size() && text_[look] == '(';
  if (!is_near) {
    if (!parse_phrase(node.get())) return nullptr;
    Fts5Phrase& phrase = *query_->phrases_[node->phrases[0]];
    phrase.is_initial = is_initial;
  } else {
    if (!advance() || !advance()) return nullptr;
    if (token_.kind != 's') {
      fail_at_token();
      return nullptr;
    }
    while (token_.kind == 's') {
      if (!parse_phrase(node.get())) return nullptr;
    }
    node->distance = kDefaultDistance;
    if (token_.kind == ',') {
      if (!advance()) return nullptr;
      if (token_.kind != 's') {
        fail_at_token();
        return nullptr;
      }
      for (char c : token_.value) {
        if (c < '0' || c > '9') {
          fail("expected integer, got \"" + token_.value + "\"");
          return nullptr;
        }
      }
      node->distance = std::atoi(token_.value.c_str());
      if (!advance()) return nullptr;
    }
    if (!expect(')')) return nullptr;
  }
  return finish_set(std::move(node));
}

// A phrase without tokens is as if it were not there; what is left without phrases finds nothing.
std::unique_ptr<Fts5Node> Fts5QueryParser::finish_set(std::unique_ptr<Fts5Node> node) {
  const bool is_full = query_->config_->detail == Fts5Detail::kFull;
  bool has_long = false;
  std::vector<size_t> kept;
  for (size_t i : node->phrases) {
    const Fts5Phrase& phrase = *query_->phrases_[i];
    if (!phrase.terms.empty()) kept.push_back(i);
    has_long |= phrase.terms.size() > 1 || (phrase.is_initial && !phrase.terms.empty());
  }
  if (!is_full && (node->phrases.size() > 1 || has_long)) {
    fail(formatted("fts5: %s queries are not supported (detail!=full)",
                   node->phrases.size() == 1 ? "phrase" : "NEAR"));
    return nullptr;
  }
  node->phrases = std::move(kept);
  if (node->phrases.empty()) node->kind = Fts5Node::Kind::kNothing;
  return node;
}

namespace {

struct TermCollector {
  Fts5Phrase* phrase;
  size_t before;  // terms of the phrase before this string
};

int collect_term(void* context, int flags, const char* token, int size, int, int) {
  auto* collector = static_cast<TermCollector*>(context);
  const std::string text(token, static_cast<size_t>(size));
  std::vector<Fts5Term>& terms = collector->phrase->terms;
  if ((flags & FTS5_TOKEN_COLOCATED) != 0 && terms.size() > collector->before) {
    terms.back().synonyms.push_back(text);
    return SQLITE_OK;
  }
  terms.push_back({text, false, {}});
  return SQLITE_OK;
}

}  // namespace

bool Fts5QueryParser::parse_phrase(Fts5Node* node) {
  auto made = std::make_unique<Fts5Phrase>();
  Fts5Phrase* phrase = made.get();
  node->phrases.push_back(query_->phrases_.size());
  query_->phrases_.push_back(std::move(made));
  for (;;) {
    if (token_.kind != 's') return fail_at_token();
    const std::string value = token_.value;
    if (!advance()) return false;
    const bool is_prefix = token_.kind == '*';
    if (is_prefix && !advance()) return false;
    TermCollector collector{phrase, phrase->terms.size()};
    const int flags = FTS5_TOKENIZE_QUERY | (is_prefix ? FTS5_TOKENIZE_PREFIX : 0);
    if (query_->config_->tokenize(value, flags, &collector, collect_term) != SQLITE_OK) {
      return fail("tokenizer failed");
    }
    if (phrase->terms.size() > collector.before) phrase->terms.back().is_prefix = is_prefix;
    if (token_.kind != '+') return true;
    if (!advance()) return false;
  }
}

}  // namespace godwit::modules
