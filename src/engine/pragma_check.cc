// integrity_check and quick_check: the structure of the file, then rows against indexes and
// constraints.
#include <algorithm>

#include "engine/body_ddl.h"
#include "engine/pragma.h"
#include "engine/statement.h"
#include "value/affinity.h"
#include "value/record.h"

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
      GW_TRY(check_structure(roots));
    }
    for (const auto& [name, table] : schema.tables) {
      if (table->kind != TableKind::kTable || table->root <= 1) continue;
      if (only_table != nullptr && !names_equal(name, *only_table)) continue;
      GW_TRY(check_entry_counts(*table));
    }
    for (const auto& [name, table] : schema.tables) {
      if (table->kind != TableKind::kTable || table->root <= 1) continue;
      if (only_table != nullptr && !names_equal(name, *only_table)) continue;
      Status status = check_table(*table);
      if (status.primary() == code::kCorrupt) found_corruption_ = true;
      if (status.primary() == code::kCorrupt) continue;  // reported by the structure's check
      GW_TRY(status);
    }
    for (const auto& [name, table] : schema.tables) {
      if (table->kind != TableKind::kVirtual) continue;
      if (only_table != nullptr && !names_equal(name, *only_table)) continue;
      GW_TRY(check_virtual(*table));
    }
    return Status();
  }

  const std::vector<std::string>& problems() const { return problems_; }
  int count() const { return count_; }
  // Whether rows could not be read.
  bool found_corruption() const { return found_corruption_; }

 private:
  bool is_full() const { return count_ >= limit_; }
  void add(std::string problem) {
    if (is_full()) return;
    problems_.push_back(std::move(problem));
    ++count_;
  }

  // What is wrong with the pages counts one by one, but is one text.
  Status check_structure(const std::vector<PageNumber>& roots) {
    std::vector<std::string> found;
    GW_TRY(connection_->btree(database_)->integrity_check(roots, limit_, &found));
    if (found.empty()) return Status();
    std::string text = "*** in database " +
                       connection_->databases()[static_cast<size_t>(database_)].name + " ***";
    for (const std::string& problem : found) text += "\n" + problem;
    problems_.push_back(std::move(text));
    count_ += static_cast<int>(found.size());
    return Status();
  }

  std::string table_name(const Table& table) const {
    return double_quoted(connection_->databases()[static_cast<size_t>(database_)].name) + "." +
           double_quoted(table.name);
  }

  Status check_table(const Table& table) {
    GW_TRY(check_columns(table));
    GW_TRY(check_conditions(table));
    if (quick_) return Status();
    if (table.primary_index != nullptr) GW_TRY(check_key_order(table));
    for (const Index* index : table.indexes) {
      if (index != table.primary_index) GW_TRY(check_index(table, *index));
    }
    return Status();
  }

  // As many entries as rows, where the structure lets them be counted.
  Status check_entry_counts(const Table& table) {
    Btree& btree = *connection_->btree(database_);
    auto count = [&btree](PageNumber root, const KeyInfo* key_info) -> Result<int64_t> {
      const TreeKind kind = key_info == nullptr ? TreeKind::kTable : TreeKind::kIndex;
      GW_ASSIGN(auto cursor, Cursor::open(&btree, root, kind, key_info, false));
      return cursor->count();
    };
    const Index* primary = table.primary_index;
    int64_t rows = -1;
    for (const Index* index : table.indexes) {
      if (index == primary || index->where != nullptr) continue;
      if (rows < 0) {
        auto counted = count(table.root, primary == nullptr ? nullptr : &primary->key_info);
        if (counted.status().primary() == code::kCorrupt) return Status();
        GW_ASSIGN(rows, std::move(counted));
      }
      auto entries = count(index->root, &index->key_info);
      if (entries.status().primary() == code::kCorrupt) continue;
      GW_TRY(entries.status());
      if (*entries != rows) add("wrong # of entries in index " + index->name);
    }
    return Status();
  }

  // What a column's type promises: by affinity, or strictly. Null: the value may be there.
  static const char* type_problem(const Table& table, const Column& column, const ValueView& value) {
    const ValueType type = value.type;
    const bool is_number = type == ValueType::kInteger || type == ValueType::kReal;
    if (type == ValueType::kNull) return column.not_null ? "NULL" : nullptr;
    if (table.strict) {
      const std::string_view declared = column.declared_type;
      if (names_equal(declared, "INT")) return type == ValueType::kInteger ? nullptr : "non-INT";
      if (names_equal(declared, "INTEGER")) {
        return type == ValueType::kInteger ? nullptr : "non-INTEGER";
      }
      if (names_equal(declared, "REAL")) return is_number ? nullptr : "non-REAL";
      if (names_equal(declared, "TEXT")) return type == ValueType::kText ? nullptr : "non-TEXT";
      if (names_equal(declared, "BLOB")) return type == ValueType::kBlob ? nullptr : "non-BLOB";
      return nullptr;
    }
    if (column.affinity == Affinity::kText) return is_number ? "NUMERIC" : nullptr;
    if (!is_numeric(column.affinity) || type != ValueType::kText) return nullptr;
    ValueView number = value;
    apply_numeric_affinity_to_text(&number);
    return number.type == ValueType::kText ? nullptr : "TEXT";
  }

  Status check_columns(const Table& table) {
    std::vector<const Column*> columns;
    std::string names;
    for (size_t i = 0; i < table.columns.size(); ++i) {
      const Column& column = table.columns[i];
      if (static_cast<int32_t>(i) == table.rowid_column) continue;
      if (!column.not_null && !table.strict && column.affinity <= Affinity::kBlob) continue;
      names += (columns.empty() ? "" : ", ") + double_quoted(column.name);
      columns.push_back(&column);
    }
    if (columns.empty()) return Status();
    GW_ASSIGN(auto rows, connection_->prepare_internal("SELECT " + names + " FROM " +
                                                       table_name(table) + " NOT INDEXED"));
    while (!is_full()) {
      GW_ASSIGN(bool more, rows->step());
      if (!more) break;
      for (size_t i = 0; i < columns.size(); ++i) {
        const char* problem = type_problem(table, *columns[i], rows->column(static_cast<int>(i)));
        if (problem == nullptr) continue;
        add(std::string(problem) + " value in " + table.name + "." + columns[i]->name);
      }
    }
    return Status();
  }

  // One problem for each row, however many conditions it breaks.
  Status check_conditions(const Table& table) {
    if (table.checks.empty()) return Status();
    std::string sql = "SELECT 1 FROM " + table_name(table) + " NOT INDEXED WHERE ";
    for (const CheckConstraint& check : table.checks) {
      if (&check != &table.checks.front()) sql += " OR ";
      sql += "NOT (" + check.text + ")";
    }
    GW_ASSIGN(auto statement, connection_->prepare_internal(sql));
    for (;;) {
      GW_ASSIGN(bool more, statement->step());
      if (!more) return Status();
      add("CHECK constraint failed in " + table.name);
    }
  }

  // A table whose module is not there is not looked at.
  Status check_virtual(const Table& table) {
    const std::vector<std::string> modules = connection_->virtual_tables().names();
    if (std::none_of(modules.begin(), modules.end(),
                     [&](const std::string& name) { return names_equal(name, table.module); })) {
      return Status();
    }
    GW_ASSIGN(auto instance, connection_->virtual_tables().connect(table));
    std::string problem;
    GW_TRY(instance->code->check_integrity(
        connection_->databases()[static_cast<size_t>(database_)].name, table.name, quick_,
        &problem));
    if (!problem.empty()) add(std::move(problem));
    return Status();
  }

  // The rows of a WITHOUT ROWID table are stored in the order of its primary key.
  Status check_key_order(const Table& table) {
    const Index& index = *table.primary_index;
    std::string names;
    for (uint32_t i = 0; i < index.declared_columns; ++i) {
      const Column& column = table.columns[static_cast<size_t>(index.columns[i].column)];
      names += (i == 0 ? "" : ", ") + double_quoted(column.name);
    }
    GW_ASSIGN(auto rows, connection_->prepare_internal("SELECT " + names + " FROM " +
                                                       table_name(table) + " NOT INDEXED"));
    std::vector<Value> previous(index.declared_columns);
    for (bool first = true;; first = false) {
      GW_ASSIGN(bool more, rows->step());
      if (!more) return Status();
      int order = -1;
      for (uint32_t i = 0; i < index.declared_columns; ++i) {
        const ValueView value = rows->column(static_cast<int>(i));
        const IndexColumn& key = index.columns[i];
        if (!first && (i == 0 || order == 0)) {
          order = compare_values(previous[i].view(), value, key.collation);
          if (key.descending) order = -order;
        }
      }
      for (uint32_t i = 0; i < index.declared_columns; ++i) {
        previous[i].assign(rows->column(static_cast<int>(i)));
      }
      if (order >= 0) add("row not in PRIMARY KEY order for " + table.name);
    }
  }

  // Whether the entry that the cursor is on has a neighbour with the same columns, none of them NULL.
  static Result<bool> has_duplicate(Cursor* cursor, const Index& index,
                                    std::span<const ValueView> key) {
    const auto declared = key.first(index.declared_columns);
    for (const ValueView& value : declared) {
      if (value.type == ValueType::kNull) return false;
    }
    GW_TRY(cursor->next());
    if (cursor->at_end()) return false;
    std::vector<uint8_t> scratch;
    ByteSpan stored;
    GW_TRY(cursor->complete_payload(&scratch, &stored));
    Status status;
    const int order = compare_key_record(index.key_info, declared, stored, &status);
    GW_TRY(std::move(status));
    return order == 0;
  }

  // Every row has its entry; in a UNIQUE index no other row has an equal one.
  Status check_index(const Table& table, const Index& index) {
    Btree& btree = *connection_->btree(database_);
    GW_ASSIGN(auto cursor,
              Cursor::open(&btree, index.root, TreeKind::kIndex, &index.key_info, false));
    WiderQueries wider(&connection_->limits);
    GW_ASSIGN(auto rows, connection_->prepare_internal(index_entries_query(connection_, table, index)));
    std::vector<ValueView> key(index.columns.size());
    for (int64_t row = 1;; ++row) {
      GW_ASSIGN(bool more, rows->step());
      if (!more) return Status();
      for (size_t i = 0; i < key.size(); ++i) key[i] = rows->column(static_cast<int>(i));
      int order = 0;
      GW_TRY(cursor->seek_key(key, &order));
      if (cursor->at_end() || order != 0) {
        add("row " + std::to_string(row) + " missing from index " + index.name);
      } else if (index.unique) {
        GW_ASSIGN(bool duplicate, has_duplicate(cursor.get(), index, key));
        if (duplicate) add("non-unique entry in index " + index.name);
      }
    }
  }

  Connection* connection_;
  int database_;
  int limit_;
  bool quick_;
  std::vector<std::string> problems_;
  int count_ = 0;
  bool found_corruption_ = false;
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
  auto& databases = call->connection->databases();
  for (size_t i = 0; i < databases.size() && limit > 0; ++i) {
    if (databases[i].btree == nullptr || (call->has_schema && static_cast<int>(i) != call->database)) {
      continue;
    }
    Checker checker(call->connection, static_cast<int>(i), limit, quick);
    GW_TRY(checker.check(table));
    if (checker.found_corruption()) *call->after_rows = Status(code::kCorrupt);
    for (const std::string& problem : checker.problems()) call->add_text(problem);
    limit -= checker.count();
  }
  if (call->rows->empty() && call->after_rows->ok()) call->add_text("ok");
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
