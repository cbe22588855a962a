// Reads the few shapes of statements that sync clients push, to say which row one is about.
#include <algorithm>
#include <cctype>

#include "server/json_writer.h"
#include "server/push.h"

namespace godwit::server {
namespace {

// Words, quoted names and single characters of a statement, one after another.
class Scanner {
 public:
  explicit Scanner(std::string_view sql) : sql_(sql) {}

  // Empty: the end. A quoted name comes without its quotes.
  std::string next() {
    is_quoted_ = false;
    while (at_ < sql_.size() && std::isspace(static_cast<unsigned char>(sql_[at_]))) ++at_;
    if (at_ == sql_.size()) return {};
    char c = sql_[at_];
    if (c == '"' || c == '`' || c == '[') return quoted(c == '[' ? ']' : c);
    size_t start = at_++;
    if (!is_word(c)) return std::string(1, c);
    while (at_ < sql_.size() && is_word(sql_[at_])) ++at_;
    return std::string(sql_.substr(start, at_ - start));
  }
  bool is_quoted() const { return is_quoted_; }

 private:
  static bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80);
  }
  std::string quoted(char end) {
    is_quoted_ = true;
    std::string name;
    for (++at_; at_ < sql_.size(); ++at_) {
      if (sql_[at_] == end) {
        if (at_ + 1 == sql_.size() || sql_[at_ + 1] != end || end == ']') break;
        ++at_;
      }
      name += sql_[at_];
    }
    if (at_ < sql_.size()) ++at_;
    return name;
  }

  std::string_view sql_;
  size_t at_ = 0;
  bool is_quoted_ = false;
};

std::string upper(std::string s) {
  for (char& c : s) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return s;
}

void write_value(const WireValue& value, JsonWriter* json) {
  switch (value.kind) {
    case WireValue::kInteger: json->integer(value.integer); break;
    case WireValue::kReal: json->real(value.real); break;
    case WireValue::kText: json->text(value.bytes); break;
    case WireValue::kBlob: json->base64(value.bytes); break;
    default: json->null();
  }
}

using Key = std::vector<std::pair<std::string, const WireValue*>>;

std::string key_json(const Key& key) {
  if (key.empty()) return {};
  std::string out;
  JsonWriter json(&out);
  json.begin_object();
  for (const auto& [name, value] : key) {
    std::string quoted;
    JsonWriter(&quoted).text(name);
    json.key(std::string_view(quoted).substr(1, quoted.size() - 2));
    write_value(*value, &json);
  }
  json.end_object();
  return out;
}

// INSERT INTO "t"("a", "b") VALUES (?, ?) ON CONFLICT("a") DO ...
Key key_of_insert(Scanner& scanner, const WireStatement& statement) {
  std::vector<std::string> columns;
  std::string word = scanner.next();
  if (word != "(") return {};
  for (word = scanner.next(); !word.empty() && word != ")"; word = scanner.next()) {
    if (word != ",") columns.push_back(word);
  }
  while (!(word = scanner.next()).empty() && upper(word) != "CONFLICT") continue;
  Key key;
  if (scanner.next() != "(") return key;
  for (word = scanner.next(); !word.empty() && word != ")"; word = scanner.next()) {
    auto found = std::find(columns.begin(), columns.end(), word);
    size_t index = static_cast<size_t>(found - columns.begin());
    if (found != columns.end() && index < statement.arguments.size()) {
      key.emplace_back(word, &statement.arguments[index]);
    }
  }
  return key;
}

// ... "a" = ? AND "b" IS ?, whose values are the last arguments
Key key_of_where(Scanner& scanner, const WireStatement& statement, bool after_where) {
  std::vector<std::string> columns;
  std::string word, name;
  while (!(word = scanner.next()).empty()) {
    bool is_name = scanner.is_quoted() || (word.size() > 1 && upper(word) != "IS");
    if (!after_where) {
      after_where = !scanner.is_quoted() && upper(word) == "WHERE";
    } else if (word == "?") {
      columns.push_back(name);
    } else if (is_name && (scanner.is_quoted() || upper(word) != "AND")) {
      name = word;
    }
  }
  Key key;
  if (columns.size() > statement.arguments.size()) return key;
  size_t first = statement.arguments.size() - columns.size();
  for (size_t i = 0; i < columns.size(); ++i) {
    key.emplace_back(columns[i], &statement.arguments[first + i]);
  }
  return key;
}

}  // namespace

PushedChange describe_change(const WireStatement& statement) {
  PushedChange change;
  Scanner scanner(statement.text.sql ? std::string_view(*statement.text.sql) : "");
  change.kind = upper(scanner.next());
  if (change.kind == "UPDATE") {
    change.table = scanner.next();
    change.key = key_json(key_of_where(scanner, statement, false));
  } else if (change.kind == "INSERT" || change.kind == "DELETE") {
    std::string word = upper(scanner.next());  // INTO, FROM; or OR ...
    if (word != "INTO" && word != "FROM") return change;
    change.table = scanner.next();
    change.key = key_json(change.kind == "INSERT" ? key_of_insert(scanner, statement)
                                                  : key_of_where(scanner, statement, false));
  } else {
    // CREATE TABLE [IF NOT EXISTS] x, ALTER TABLE x, DROP TABLE x
    scanner.next();
    std::string word = scanner.next();
    while (!scanner.is_quoted() &&
           (upper(word) == "IF" || upper(word) == "NOT" || upper(word) == "EXISTS")) {
      word = scanner.next();
    }
    change.table = word;
  }
  return change;
}

}  // namespace godwit::server
