// PRAGMA optimize: ANALYZE for the tables whose statistics are missing or old.
#include "engine/body_ddl.h"
#include "engine/pragma.h"
#include "engine/schema_order.h"
#include "engine/statement.h"
#include "plan/log_est.h"

namespace godwit {

namespace {

// The bits of the argument.
constexpr int kOnlyShow = 0x00001;    // rows of what would be done
constexpr int kAnalyze = 0x00002;
constexpr int kLimitRows = 0x00010;   // ANALYZE looks at no more rows of an index than kRowsMax
constexpr int kAllTables = 0x10000;   // not only those that queries would have used statistics of
constexpr int kDefault = 0x0fffe;

constexpr int kRowsMax = 2000;
// What SQLite takes for the size of a table that was never analyzed.
constexpr uint64_t kUnknownRows = 1048576;
// A table that has become ten times larger or smaller is analyzed again.
constexpr LogEst kTenTimes = 33;

class Optimizer {
 public:
  Optimizer(PragmaCall* call, int mask) : call_(call), mask_(mask) {}

  Status optimize(int database) {
    Connection* connection = call_->connection;
    const AttachedDatabase& db = connection->databases()[static_cast<size_t>(database)];
    if (db.btree == nullptr) return Status();
    std::vector<std::string> names;
    {
      // ANALYZE makes new schemas.
      std::shared_ptr<const Schema> schema = db.schema;
      GW_ASSIGN(auto tables, tables_in_order(connection, static_cast<size_t>(database)));
      for (const Table* table : tables) {
        GW_ASSIGN(bool wanted, needs_analysis(db.btree.get(), *table));
        if (wanted) names.push_back(table->name);
      }
    }
    for (const std::string& name : names) GW_TRY(analyze(db.name, name));
    return Status();
  }

 private:
  Result<bool> needs_analysis(Btree* btree, const Table& table) const {
    if (table.kind != TableKind::kTable || table.is_system) return false;
    bool is_complete = true;
    for (const Index* index : table.indexes) is_complete &= !index->stat.empty();
    bool is_asked_for = table.wants_statistics || (mask_ & kAllTables) != 0;
    if (!is_asked_for && is_complete) return false;
    TreeKind kind = table.without_rowid ? TreeKind::kIndex : TreeKind::kTable;
    const KeyInfo* info = table.without_rowid ? &table.primary_index->key_info : nullptr;
    GW_ASSIGN(auto cursor, Cursor::open(btree, table.root, kind, info, false));
    GW_ASSIGN(uint64_t rows, cursor->estimated_count());
    if (!is_complete) return rows > 0;
    LogEst known = log_est(table.row_estimate != 0 ? table.row_estimate : kUnknownRows);
    if (rows == 0) return known >= kTenTimes;
    LogEst now = log_est(rows);
    return now > known + kTenTimes || now < known - kTenTimes;
  }

  Status analyze(const std::string& database, const std::string& table) {
    std::string sql = "ANALYZE " + double_quoted(database) + "." + double_quoted(table);
    if ((mask_ & kOnlyShow) != 0) {
      call_->add_text(sql);
      return Status();
    }
    int& limit = call_->connection->settings.analysis_limit;
    const int limit_of_user = limit;
    if ((mask_ & kLimitRows) != 0 && (limit == 0 || limit > kRowsMax)) limit = kRowsMax;
    auto statement = call_->connection->prepare(sql, nullptr);
    Status status = statement.ok() ? (*statement)->step().status() : statement.status();
    limit = limit_of_user;
    return status;
  }

  PragmaCall* call_;
  int mask_;
};

Status optimize(PragmaCall* call) {
  int mask = call->has_argument ? pragma_integer(call->argument) : kDefault;
  if ((mask & kAnalyze) == 0) return Status();
  Optimizer optimizer(call, mask);
  const size_t count = call->connection->databases().size();
  for (size_t i = 0; i < count; ++i) {
    if (i == Connection::kTemp) continue;
    if (call->has_schema && static_cast<int>(i) != call->database) continue;
    GW_TRY(optimizer.optimize(static_cast<int>(i)));
  }
  return Status();
}

}  // namespace

std::vector<PragmaDefinition> optimize_pragmas() {
  constexpr uint8_t kBoth = pragma_table::kArgument | pragma_table::kSchema;
  return {{"optimize", PragmaNeeds::kRead, optimize, {}, false, kBoth}};
}

}  // namespace godwit
