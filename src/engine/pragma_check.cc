// integrity_check and quick_check: the structure of the file, then rows against indexes and
// constraints.
#include "engine/body_ddl.h"
#include "engine/pragma.h"
#include "engine/statement.h"

namespace godwit {

namespace {

constexpr int kDefaultProblems = 100;

class Checker {
 public:
  Checker(Connection* connection, int database, int limit, bool quick)
      : connection_(connection), database_(database), limit_(limit), quick_(quick) {}

  Status check(const std::string* only_table) {
    const Schema& schema = *connection_->databases()[static_cast<size_t>(database_)].schema;
    std::vector<PageNumber> roots;
    for (const auto& [name, table] : schema.tables) {
      if (table->kind != TableKind::kTable) continue;
      if (only_table != nullptr && !names_equal(name, *only_table)) continue;
      roots.push_back(table->root);
      for (const Index* index : table->indexes) {
        if (index != table->primary_index) roots.push_back(index->root);
      }
    }
    if (only_table == nullptr) {
      GW_TRY(connection_->btree(database_)->integrity_check(roots, limit_, &problems_));
    }
    for (const auto& [name, table] : schema.tables) {
      if (table->kind != TableKind::kTable || table->root <= 1) continue;
      if (only_table != nullptr && !names_equal(name, *only_table)) continue;
      Status status = check_table(*table);
      if (status.primary() == code::kCorrupt) continue;  // reported by the structure's check
      GW_TRY(status);
    }
    return Status();
  }

  const std::vector<std::string>& problems() const { return problems_; }

 private:
  bool is_full() const { return static_cast<int>(problems_.size()) >= limit_; }
  void add(std::string problem) {
    if (!is_full()) problems_.push_back(std::move(problem));
  }

  std::string table_name(const Table& table) const {
    return double_quoted(connection_->databases()[static_cast<size_t>(database_)].name) + "." +
           double_quoted(table.name);
  }

  Status check_table(const Table& table) {
    GW_TRY(check_not_null(table));
    for (const CheckConstraint& check : table.checks) GW_TRY(check_condition(table, check));
    if (quick_) return Status();
    for (const Index* index : table.indexes) {
      if (index != table.primary_index) GW_TRY(check_index(table, *index));
    }
    return Status();
  }

  Status check_not_null(const Table& table) {
    for (size_t i = 0; i < table.columns.size(); ++i) {
      const Column& column = table.columns[i];
      if (!column.not_null || static_cast<int32_t>(i) == table.rowid_column || is_full()) continue;
      std::string sql = "SELECT 1 FROM " + table_name(table) + " NOT INDEXED WHERE " +
                        double_quoted(column.name) + " IS NULL";
      GW_ASSIGN(auto statement, connection_->prepare_internal(sql));
      for (;;) {
        GW_ASSIGN(bool more, statement->step());
        if (!more) break;
        add("NULL value in " + table.name + "." + column.name);
      }
    }
    return Status();
  }

  Status check_condition(const Table& table, const CheckConstraint& check) {
    std::string sql = "SELECT 1 FROM " + table_name(table) + " NOT INDEXED WHERE NOT (" +
                      check.text + ")";
    GW_ASSIGN(auto statement, connection_->prepare_internal(sql));
    for (;;) {
      GW_ASSIGN(bool more, statement->step());
      if (!more) return Status();
      add("CHECK constraint failed in " + table.name);
    }
  }

  // Every row has its entry, and there are no others.
  Status check_index(const Table& table, const Index& index) {
    Btree& btree = *connection_->btree(database_);
    GW_ASSIGN(auto cursor,
              Cursor::open(&btree, index.root, TreeKind::kIndex, &index.key_info, false));
    WiderQueries wider(&connection_->limits);
    GW_ASSIGN(auto rows, connection_->prepare_internal(index_entries_query(connection_, table, index)));
    std::vector<ValueView> key(index.columns.size());
    int64_t entries = 0, row = 0;
    for (;;) {
      GW_ASSIGN(bool more, rows->step());
      if (!more) break;
      ++row;
      ++entries;
      for (size_t i = 0; i < key.size(); ++i) key[i] = rows->column(static_cast<int>(i));
      int order = 0;
      GW_TRY(cursor->seek_key(key, &order));
      if (cursor->at_end() || order != 0) {
        add("row " + std::to_string(row) + " missing from index " + index.name);
      }
    }
    GW_ASSIGN(int64_t stored, cursor->count());
    if (stored != entries) add("wrong # of entries in index " + index.name);
    return Status();
  }

  Connection* connection_;
  int database_;
  int limit_;
  bool quick_;
  std::vector<std::string> problems_;
};

Status run_check(PragmaCall* call, bool quick) {
  int limit = kDefaultProblems;
  const std::string* table = nullptr;
  if (call->has_argument) {
    int32_t number = 0;
    if (!call->argument_is_quoted && parse_pragma_integer(call->argument, &number)) {
      if (number > 0) limit = number;
    } else if (call->connection->catalog().find_table(
                   call->has_schema ? std::string_view(call->attached().name) : std::string_view(),
                   call->argument) != nullptr) {
      table = &call->argument;
    } else {
      std::string schema = call->has_schema ? call->attached().name + "." : "";
      return Status::error("no such table: " + schema + call->argument);
    }
  }
  std::vector<std::string> problems;
  auto& databases = call->connection->databases();
  for (size_t i = 0; i < databases.size(); ++i) {
    if (databases[i].btree == nullptr || (call->has_schema && static_cast<int>(i) != call->database)) {
      continue;
    }
    Checker checker(call->connection, static_cast<int>(i), limit, quick);
    GW_TRY(checker.check(table));
    for (const std::string& problem : checker.problems()) {
      if (static_cast<int>(problems.size()) < limit) problems.push_back(problem);
    }
  }
  for (const std::string& problem : problems) call->add_text(problem);
  if (problems.empty()) call->add_text("ok");
  return Status();
}

Status integrity_check(PragmaCall* call) { return run_check(call, false); }
Status quick_check(PragmaCall* call) { return run_check(call, true); }

}  // namespace

std::vector<PragmaDefinition> check_pragmas() {
  constexpr uint8_t kBoth = pragma_table::kArgument | pragma_table::kSchema;
  return {
      {"integrity_check", PragmaNeeds::kRead, integrity_check, {}, false, kBoth},
      {"quick_check", PragmaNeeds::kRead, quick_check, {}, false, kBoth},
  };
}

}  // namespace godwit
