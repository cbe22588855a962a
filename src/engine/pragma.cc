// PRAGMA as a statement. Unknown pragmas do nothing, as in SQLite.
#include "engine/pragma.h"

#include <algorithm>
#include <cctype>
#include <limits>

#include "engine/body_ddl.h"
#include "value/number_text.h"

namespace godwit {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_hex(std::string_view text) {
  return text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') &&
         std::isxdigit(static_cast<unsigned char>(text[2]));
}

}  // namespace

int pragma_level(std::string_view text, bool knows_full, int otherwise) {
  if (!text.empty() && is_digit(text[0])) return static_cast<uint8_t>(pragma_integer(text));
  for (std::string_view word : {"on", "yes", "true"}) {
    if (names_equal(text, word)) return 1;
  }
  for (std::string_view word : {"off", "no", "false"}) {
    if (names_equal(text, word)) return 0;
  }
  if (knows_full && names_equal(text, "full")) return 2;
  if (knows_full && names_equal(text, "extra")) return 3;
  return otherwise;
}

bool pragma_boolean(std::string_view text, bool otherwise) {
  return pragma_level(text, false, otherwise ? 1 : 0) != 0;
}

bool parse_pragma_integer(std::string_view text, int32_t* value) {
  bool negative = !text.empty() && text[0] == '-';
  if (negative || (!text.empty() && text[0] == '+')) text.remove_prefix(1);
  uint64_t number = 0;
  if (is_hex(text)) {
    size_t end = 2;
    while (end < text.size() && text[end] == '0') ++end;
    size_t first = end;
    for (; end < text.size() && std::isxdigit(static_cast<unsigned char>(text[end])); ++end) {
      int digit = is_digit(text[end]) ? text[end] - '0' : (text[end] | 0x20) - 'a' + 10;
      number = number * 16 + static_cast<uint64_t>(digit);
      if (end - first >= 8) return false;
    }
    if (number > 0x7fffffff) return false;
  } else {
    size_t end = 0;
    while (end < text.size() && text[end] == '0') ++end;
    size_t first = end;
    if (text.empty() || !is_digit(text[0])) return false;
    for (; end < text.size() && is_digit(text[end]); ++end) {
      if (end - first >= 11) return false;
      number = number * 10 + static_cast<uint64_t>(text[end] - '0');
    }
    if (number > (negative ? uint64_t{2147483648} : uint64_t{2147483647})) return false;
  }
  *value = static_cast<int32_t>(negative ? -static_cast<int64_t>(number) : static_cast<int64_t>(number));
  return true;
}

int32_t pragma_integer(std::string_view text) {
  int32_t value = 0;
  return parse_pragma_integer(text, &value) ? value : 0;
}

int64_t pragma_wide(std::string_view text, bool* is_integer) {
  *is_integer = false;
  if (is_hex(text)) {
    size_t end = 2;
    uint64_t number = 0;
    for (; end < text.size() && std::isxdigit(static_cast<unsigned char>(text[end])); ++end) {
      int digit = is_digit(text[end]) ? text[end] - '0' : (text[end] | 0x20) - 'a' + 10;
      number = number * 16 + static_cast<uint64_t>(digit);
    }
    *is_integer = end == text.size() && end <= 18;
    return static_cast<int64_t>(number);
  }
  size_t end = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  size_t first = end;
  while (end < text.size() && is_digit(text[end])) ++end;
  int64_t value = text_to_integer(text.substr(0, end));
  bool is_saturated = (value == std::numeric_limits<int64_t>::max() &&
                       text.substr(first, end - first) != "9223372036854775807") ||
                      (value == std::numeric_limits<int64_t>::min() &&
                       text.substr(first, end - first) != "9223372036854775808");
  *is_integer = end > first && end == text.size() && !is_saturated;
  return value;
}

const std::vector<PragmaDefinition>& all_pragmas() {
  static const std::vector<PragmaDefinition> all = [] {
    std::vector<PragmaDefinition> list;
    for (auto part : {settings_pragmas(), storage_pragmas(), schema_pragmas(), check_pragmas(),
                      memory_pragmas(), foreign_key_pragmas(), optimize_pragmas(), capture_pragmas()}) {
      list.insert(list.end(), part.begin(), part.end());
    }
    return list;
  }();
  return all;
}

const PragmaDefinition* find_pragma(std::string_view name) {
  for (const PragmaDefinition& pragma : all_pragmas()) {
    if (names_equal(pragma.name, name)) return &pragma;
  }
  return nullptr;
}

namespace {

class PragmaBody final : public StatementBody {
 public:
  PragmaBody(Connection* connection, const PragmaDefinition& definition, PragmaCall call)
      : definition_(definition), call_(std::move(call)) {
    call_.rows = &rows_;
    call_.after_rows = &after_rows_;
    bool silent = (definition.silent_set && call_.has_argument) || definition.gives_empty_rows;
    if (!silent) {
      if (definition.columns.empty()) {
        columns_.push_back({std::string(definition.name), "", "", "", ""});
      }
      for (const char* name : definition.columns) columns_.push_back({name, "", "", "", ""});
    }
    bool writes = definition.needs == PragmaNeeds::kWrite ||
                  (definition.needs == PragmaNeeds::kWriteIfArgument && call_.has_argument);
    bool reads = definition.needs != PragmaNeeds::kNothing;
    uint64_t bit = uint64_t{1} << call_.database;
    if (reads) reads_ = call_.has_schema ? bit : all_databases(connection);
    if (writes) writes_ = bit;
    read_only_ = !writes;
    controls_transaction_ = !reads;
  }

  Status start() override {
    reset();
    return definition_.run(&call_);
  }
  Result<bool> step() override {
    if (columns_.empty() && !definition_.gives_empty_rows) return false;
    if (position_++ < rows_.size()) return true;
    GW_TRY(after_rows_);
    return false;
  }
  void reset() override {
    rows_.clear();
    after_rows_ = Status();
    position_ = 0;
  }
  ValueView column(int index) const override {
    const std::vector<Value>& row = rows_[position_ - 1];
    return static_cast<size_t>(index) < row.size() ? row[static_cast<size_t>(index)].view()
                                                   : ValueView();
  }

 private:
  const PragmaDefinition& definition_;
  PragmaCall call_;
  std::vector<std::vector<Value>> rows_;
  Status after_rows_;
  size_t position_ = 0;
};

// `value` is a part of `sql` unless something in it had to be rewritten.
bool is_quoted(std::string_view value, std::string_view sql) {
  if (value.data() <= sql.data() || value.data() >= sql.data() + sql.size()) return false;
  char before = value.data()[-1];
  return before == '\'' || before == '"' || before == '[' || before == '`';
}

}  // namespace

Result<std::unique_ptr<StatementBody>> compile_pragma(const CompileInput& input,
                                                      const ast::PragmaStatement& statement) {
  PragmaCall call;
  call.connection = input.connection;
  call.database = Connection::kMain;
  call.has_schema = statement.schema.present();
  if (call.has_schema) {
    call.database = input.connection->find_database(statement.schema.text);
    if (call.database < 0) {
      return unknown_database(input, statement.schema);
    }
    if (call.database == Connection::kTemp) GW_TRY(input.connection->open_temp());
  }
  const PragmaDefinition* definition = find_pragma(statement.name.text);
  if (definition == nullptr) return empty_body();
  call.has_argument = statement.form != ast::PragmaForm::kNone;
  call.argument = std::string(statement.value);
  call.argument_is_quoted = is_quoted(statement.value, input.sql);
  return std::unique_ptr<StatementBody>(
      std::make_unique<PragmaBody>(input.connection, *definition, std::move(call)));
}

}  // namespace godwit
