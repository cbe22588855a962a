// PRAGMA as a statement. Unknown pragmas do nothing, as in SQLite.
#include "engine/pragma.h"

#include <algorithm>
#include <cstdlib>

#include "engine/body_ddl.h"
#include "value/number_text.h"

namespace godwit {

bool pragma_boolean(std::string_view text) {
  for (std::string_view word : {"on", "yes", "true"}) {
    if (names_equal(text, word)) return true;
  }
  return pragma_integer(text) != 0;
}

int64_t pragma_integer(std::string_view text) { return text_to_integer(text); }

namespace {

const std::vector<PragmaDefinition>& all_pragmas() {
  static const std::vector<PragmaDefinition> all = [] {
    std::vector<PragmaDefinition> list;
    for (auto part : {settings_pragmas(), storage_pragmas(), schema_pragmas(), check_pragmas()}) {
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

class PragmaBody final : public StatementBody {
 public:
  PragmaBody(Connection* connection, const PragmaDefinition& definition, PragmaCall call)
      : definition_(definition), call_(std::move(call)) {
    call_.rows = &rows_;
    bool silent = definition.silent_set && call_.has_argument;
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
    rows_.clear();
    position_ = 0;
    return definition_.run(&call_);
  }
  Result<bool> step() override {
    if (columns_.empty()) return false;
    return position_++ < rows_.size();
  }
  void reset() override {
    rows_.clear();
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
  size_t position_ = 0;
};

}  // namespace

Result<std::unique_ptr<StatementBody>> compile_pragma(const CompileInput& input,
                                                      const ast::PragmaStatement& statement) {
  const PragmaDefinition* definition = find_pragma(statement.name.text);
  if (definition == nullptr) return empty_body();
  PragmaCall call;
  call.connection = input.connection;
  call.database = Connection::kMain;
  call.has_schema = statement.schema.present();
  if (call.has_schema) {
    call.database = input.connection->find_database(statement.schema.text);
    if (call.database < 0) {
      return Status::error("unknown database " + std::string(statement.schema.text));
    }
    if (call.database == Connection::kTemp) GW_TRY(input.connection->open_temp());
  }
  call.has_argument = statement.form != ast::PragmaForm::kNone;
  call.argument = std::string(statement.value);
  return std::unique_ptr<StatementBody>(
      std::make_unique<PragmaBody>(input.connection, *definition, std::move(call)));
}

}  // namespace godwit
