// The schema of one database as objects: tables, indexes, views, triggers.
//
// A Schema is immutable once published: connections hold it by shared_ptr, statements hold the one
// they were prepared against. A change of the schema makes a new Schema that shares the objects
// that did not change. Objects own their syntax trees (arena) and SQL text.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "btree/btree.h"
#include "sql/ast.h"
#include "value/collation.h"
#include "value/record.h"
#include "value/value.h"

namespace godwit {

// The place of the temp database among those of a connection.
inline constexpr int kTempDatabase = 1;

using ast::ConflictAction;
using ast::ForeignKeyAction;

enum class Generated : uint8_t { kNo, kVirtual, kStored };

struct Column {
  std::string name;
  std::string declared_type;  // as written, "" if none
  Affinity affinity = Affinity::kBlob;
  const Collation* collation = nullptr;  // never null after loading
  bool not_null = false;
  ConflictAction not_null_conflict = ConflictAction::kDefault;
  uint16_t primary_key_position = 0;  // 1-based place in the PRIMARY KEY; 0: not part of it
  bool hidden = false;
  Generated generated = Generated::kNo;
  const ast::Expr* default_value = nullptr;  // null: NULL
  std::string default_text;                  // as PRAGMA table_info shows it
  const ast::Expr* generated_as = nullptr;
  // Position in the stored record; -1 for VIRTUAL generated columns. In rowid tables the INTEGER
  // PRIMARY KEY column has a position too (NULL is stored there). In WITHOUT ROWID tables: the
  // position in the primary index.
  int32_t storage_position = 0;
};

struct Table;
struct Trigger;

// One key column of an index.
struct IndexColumn {
  static constexpr int32_t kRowid = -1;
  static constexpr int32_t kExpression = -2;
  int32_t column = 0;                     // of the table, kRowid, or kExpression
  const ast::Expr* expression = nullptr;  // kExpression only
  const Collation* collation = nullptr;
  bool descending = false;
};

struct Index {
  enum class Origin : uint8_t { kCreate, kUnique, kPrimaryKey };
  std::string name;
  std::string sql;  // "" for automatic indexes
  const Table* table = nullptr;
  PageNumber root = 0;
  Origin origin = Origin::kCreate;
  bool unique = false;
  ConflictAction conflict = ConflictAction::kDefault;
  // All columns of the stored key: those declared, then what makes it unique (the rowid, or the
  // primary-key columns of a WITHOUT ROWID table that are not among the declared ones).
  std::vector<IndexColumn> columns;
  uint32_t declared_columns = 0;
  const ast::Expr* where = nullptr;  // partial index
  KeyInfo key_info;                  // for cursors; columns.size() columns
  // sqlite_stat1: rows in the index, then average rows per distinct prefix of 1, 2, ... columns.
  // Empty when not analyzed.
  std::vector<uint64_t> stat;
  bool stat_unordered = false;
  bool stat_noskipscan = false;
  Arena arena;  // owns the syntax trees above
};

struct CheckConstraint {
  std::string name;  // "": unnamed
  std::string text;  // the expression's text, for the error message
  const ast::Expr* expression = nullptr;
};

struct ForeignKey {
  std::string parent_table;
  std::vector<int32_t> columns;             // of the child table
  std::vector<std::string> parent_columns;  // empty: the parent's primary key
  ForeignKeyAction on_delete = ForeignKeyAction::kNoAction;
  ForeignKeyAction on_update = ForeignKeyAction::kNoAction;
  bool deferred = false;
  std::string match;  // as written; "NONE" if absent
};

enum class TableKind : uint8_t { kTable, kView, kVirtual };

struct Table {
  std::string name;
  std::string sql;
  TableKind kind = TableKind::kTable;
  int database = 0;  // index of the attached database: 0 main, 1 temp, 2.. attached
  PageNumber root = 0;
  std::vector<Column> columns;
  // The column that is an alias of the rowid (INTEGER PRIMARY KEY), or -1.
  int32_t rowid_column = -1;
  ConflictAction primary_key_conflict = ConflictAction::kDefault;  // of the rowid alias
  bool without_rowid = false;
  bool strict = false;
  bool autoincrement = false;
  bool is_system = false;  // sqlite_schema and friends
  bool has_generated = false;
  std::vector<int32_t> primary_key;  // columns, in order
  // In the order in which SQLite checks and updates them.
  std::vector<const Index*> indexes;
  // WITHOUT ROWID: the index that is the table: all columns, primary key first. Its root is `root`.
  const Index* primary_index = nullptr;
  std::vector<CheckConstraint> checks;
  std::vector<ForeignKey> foreign_keys;
  std::vector<const Trigger*> triggers;
  const ast::Select* view_select = nullptr;  // kView
  std::vector<std::string> view_columns;     // kView: names in CREATE VIEW v(a,b); may be empty
  std::string module;                        // kVirtual
  std::vector<std::string> module_arguments;
  uint64_t row_estimate = 0;  // from sqlite_stat1; 0: unknown
  // A query was planned that statistics of the indexes help (PRAGMA optimize).
  mutable bool wants_statistics = false;
  Arena arena;                // owns the syntax trees above
  std::vector<std::shared_ptr<Index>> owned_indexes;
  std::vector<std::shared_ptr<Trigger>> owned_triggers;
  // A hash table of the columns' names, of tables with many: column + 1, or 0.
  std::vector<uint16_t> name_slots;

  int32_t find_column(std::string_view column_name) const;  // any case; -1: none
  void add_column(Column column);  // so that find_column() of a wide table is fast
  bool has_rowid() const { return kind == TableKind::kTable && !without_rowid; }
};

struct Trigger {
  std::string name;
  std::string sql;
  std::string table;
  int database = 0;  // where the trigger lives
  const ast::CreateTriggerStatement* definition = nullptr;
  Arena arena;
};

// Names of schema objects compare without case (ASCII).
bool names_equal(std::string_view a, std::string_view b);
struct NameLess {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const;
};

// The objects of one database.
class Schema {
 public:
  const Table* find_table(std::string_view name) const;  // tables, views, virtual tables
  const Index* find_index(std::string_view name) const;
  const Trigger* find_trigger(std::string_view name) const;

  std::map<std::string, std::shared_ptr<const Table>, NameLess> tables;
  std::vector<const Table*> tables_in_order;  // as sqlite_schema has them: the oldest first
  std::map<std::string, const Index*, NameLess> indexes;
  std::map<std::string, const Trigger*, NameLess> triggers;

  uint32_t cookie = 0;  // header field it was loaded at
  uint32_t format = 4;  // schema format (DESC indexes from 4, boolean serial types from 4)
  TextEncoding encoding = TextEncoding::kUtf8;
  // For each table, a hash of all rows of sqlite_schema and sqlite_stat1 that describe it: while it
  // is equal, a newer schema may share the object.
  std::map<std::string, uint64_t, NameLess> fingerprints;
};

// What name resolution sees: the databases of a connection.
class Catalog {
 public:
  struct Entry {
    std::string name;  // "main", "temp", or the ATTACH name
    std::shared_ptr<const Schema> schema;
  };
  std::vector<Entry> databases;  // [0] main, [kTempDatabase], [2..] attached

  // `database` empty: searched in SQLite's order (temp, main, attached). sqlite_master,
  // sqlite_schema, sqlite_temp_master and sqlite_temp_schema resolve here too. Null: none.
  const Table* find_table(std::string_view database, std::string_view name) const;
  const Index* find_index(std::string_view database, std::string_view name) const;
  const Trigger* find_trigger(std::string_view database, std::string_view name) const;
  int find_database(std::string_view name) const;  // -1: none
};

}  // namespace godwit
