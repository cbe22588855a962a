#include "capture/data_changes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/handles.h"
#include "capture/record_json.h"
#include "engine/change_capture.h"
#include "engine/connection.h"
#include "engine/schema_writer.h"
#include "value/record.h"
#include "value/value.h"

namespace godwit::capture {
namespace {

constexpr std::string_view kVersionTable = "turso_cdc_version";
constexpr std::string_view kVersion = "v2";
constexpr int kInserted = 1, kUpdated = 0, kDeleted = -1, kCommitted = 2;

enum class Mode : uint8_t { kOff, kId, kBefore, kAfter, kFull };
constexpr std::array<std::string_view, 5> kModeNames = {"off", "id", "before", "after", "full"};

std::string quoted(std::string_view name, char quote) {
  std::string text(1, quote);
  for (char c : name) {
    if (c == quote) text += quote;
    text += c;
  }
  return text + quote;
}

bool is_same(const ValueView& a, const ValueView& b) {
  if (a.type != b.type) return false;
  switch (a.type) {
    case ValueType::kNull: return true;
    case ValueType::kInteger: return a.integer == b.integer;
    case ValueType::kReal: return std::bit_cast<uint64_t>(a.real) == std::bit_cast<uint64_t>(b.real);
    case ValueType::kText:
    case ValueType::kBlob: break;
  }
  return a.size == b.size && a.zero_filled == b.zero_filled && (a.zero_filled || a.text() == b.text());
}

class DataChanges final : public ChangeCapture {
 public:
  DataChanges(sqlite3* db, Mode mode, std::string table)
      : connection_(db->connection.get()), mode_(mode), table_(std::move(table)) {}

  Mode mode() const { return mode_; }
  const std::string& table() const { return table_; }

  void row_changed(const RowChange& change) override;
  void schema_changed(const SchemaChange& change) override;

  void mark() override { marks_.push_back(entries_.size()); }
  void undo() override {
    if (!marks_.empty() && marks_.back() < entries_.size()) entries_.resize(marks_.back());
  }
  void unmark() override {
    if (!marks_.empty()) marks_.pop_back();
  }
  Status statement_done() override { return write(); }

  Status savepoint() override {
    savepoints_.push_back(transaction_id_);
    return Status();
  }
  void rolled_back_to(size_t count) override {
    entries_.clear();
    marks_.clear();
    commit_id_ = 0;
    if (count == 0 || count > savepoints_.size()) return;
    savepoints_.resize(count);
    transaction_id_ = savepoints_.back();
  }
  void released(size_t count) override {
    if (count < savepoints_.size()) savepoints_.resize(count);
  }

  Status before_commit() override;
  void ended(bool) override {
    entries_.clear();
    marks_.clear();
    savepoints_.clear();
    transaction_id_ = commit_id_ = 0;
  }

 private:
  using Record = std::vector<uint8_t>;  // empty: NULL
  struct Entry {
    int type = 0;
    std::string table;
    Value id;
    Record before, after, updates;
  };

  bool is_wanted(std::string_view table) const;
  bool wants_before() const { return mode_ == Mode::kBefore || mode_ == Mode::kFull; }
  bool wants_after() const { return mode_ == Mode::kAfter || mode_ == Mode::kFull; }
  ValueView value(const RowChange& change, size_t column, bool is_old) const;
  Record record(const RowChange& change, bool is_old);
  Record updates(const RowChange& change);
  Record schema_record(const SchemaRow& row);
  Record encoded(const std::vector<ValueView>& values);
  Value id(const RowChange& change, bool is_old);
  bool key_changes(const RowChange& change) const;
  void add_removed(const RowChange& change);
  void add_inserted(const RowChange& change);
  Status write();
  Status insert(const std::vector<Entry>& entries);
  Result<int64_t> next_change_id();

  Connection* connection_;
  const Mode mode_;
  const std::string table_;
  RecordEncoder encoder_;
  std::vector<Entry> entries_;
  std::vector<size_t> marks_;
  int64_t transaction_id_ = 0;        // 0: nothing of this transaction is in the table
  int64_t commit_id_ = 0;             // of a commit that was refused
  std::vector<int64_t> savepoints_;   // transaction_id_ when they were opened
};

bool DataChanges::is_wanted(std::string_view table) const {
  return !names_equal(table, table_) && !names_equal(table, kVersionTable) &&
         !names_equal(table.substr(0, 7), "sqlite_") && !names_equal(table.substr(0, 12), "godwit_sync_");
}

ValueView DataChanges::value(const RowChange& change, size_t column, bool is_old) const {
  const Table& table = *change.table;
  if (static_cast<int32_t>(column) == table.rowid_column) {
    const bool is_first = is_old || change.kind == RowChangeKind::kInsert;
    return ValueView::of(is_first ? change.old_rowid : change.new_rowid);
  }
  const ValueView view = (is_old ? change.old_values : change.new_values)[column];
  const bool is_real = table.columns[column].affinity == Affinity::kReal;
  return is_real && view.is_integer() ? ValueView::of(static_cast<double>(view.integer)) : view;
}

DataChanges::Record DataChanges::encoded(const std::vector<ValueView>& values) {
  Record record;
  // Only rows beyond 2 GB do not fit, which the table that they come from would not hold either.
  if (!encoder_.encode(values, &record).ok()) record.clear();
  return record;
}

DataChanges::Record DataChanges::record(const RowChange& change, bool is_old) {
  std::vector<ValueView> values;
  for (size_t i = 0; i < change.table->columns.size(); ++i) {
    if (change.table->columns[i].generated == Generated::kNo) values.push_back(value(change, i, is_old));
  }
  return encoded(values);
}

DataChanges::Record DataChanges::updates(const RowChange& change) {
  std::vector<ValueView> flags, values;
  for (size_t i = 0; i < change.table->columns.size(); ++i) {
    if (change.table->columns[i].generated != Generated::kNo) continue;
    const ValueView after = value(change, i, false);
    const bool is_assigned = std::ranges::find(change.assigned, static_cast<int32_t>(i)) != change.assigned.end() ||
                             !is_same(value(change, i, true), after);
    flags.push_back(ValueView::of(int64_t{is_assigned}));
    values.push_back(is_assigned ? after : ValueView());
  }
  flags.insert(flags.end(), values.begin(), values.end());
  return encoded(flags);
}

Value DataChanges::id(const RowChange& change, bool is_old) {
  const Table& table = *change.table;
  if (!table.without_rowid) {
    return Value(ValueView::of(is_old || change.kind == RowChangeKind::kInsert ? change.old_rowid : change.new_rowid));
  }
  std::vector<ValueView> key;
  for (int32_t column : table.primary_key) key.push_back(value(change, static_cast<size_t>(column), is_old));
  if (key.size() == 1) return Value(key[0]);
  const Record record = encoded(key);
  return Value(ValueView::of_blob({reinterpret_cast<const char*>(record.data()), record.size()}));
}

bool DataChanges::key_changes(const RowChange& change) const {
  if (change.old_rowid != change.new_rowid) return true;
  return std::ranges::any_of(change.table->primary_key, [&](int32_t column) {
    const auto i = static_cast<size_t>(column);
    return !is_same(value(change, i, true), value(change, i, false));
  });
}

void DataChanges::add_removed(const RowChange& change) {
  Entry& entry = entries_.emplace_back();
  entry.type = kDeleted;
  entry.table = change.table->name;
  entry.id = id(change, true);
  if (wants_before()) entry.before = record(change, true);
}

void DataChanges::add_inserted(const RowChange& change) {
  Entry& entry = entries_.emplace_back();
  entry.type = kInserted;
  entry.table = change.table->name;
  entry.id = id(change, false);
  if (wants_after()) entry.after = record(change, false);
}

void DataChanges::row_changed(const RowChange& change) {
  const Table& table = *change.table;
  if (table.database != Connection::kMain || table.kind != TableKind::kTable || table.is_system) return;
  if (!is_wanted(table.name)) return;
  if (change.kind != RowChangeKind::kUpdate || key_changes(change)) {
    if (change.kind != RowChangeKind::kInsert) add_removed(change);
    if (change.kind != RowChangeKind::kDelete) add_inserted(change);
    return;
  }
  Entry& entry = entries_.emplace_back();
  entry.type = kUpdated;
  entry.table = table.name;
  entry.id = id(change, true);
  if (wants_before()) entry.before = record(change, true);
  if (wants_after()) entry.after = record(change, false);
  if (mode_ == Mode::kFull) entry.updates = updates(change);
}

DataChanges::Record DataChanges::schema_record(const SchemaRow& row) {
  return encoded({ValueView::of_text(row.type), ValueView::of_text(row.name), ValueView::of_text(row.table),
                  ValueView::of(row.root), row.has_sql ? ValueView::of_text(row.sql) : ValueView()});
}

void DataChanges::schema_changed(const SchemaChange& change) {
  const SchemaRow* object = change.before != nullptr ? change.before : change.after;
  if (change.database != Connection::kMain || object == nullptr) return;
  if (!is_wanted(object->name) || !is_wanted(object->table)) return;
  Entry& entry = entries_.emplace_back();
  entry.type = change.before == nullptr ? kInserted : change.after == nullptr ? kDeleted : kUpdated;
  entry.table = "sqlite_schema";
  entry.id = Value(ValueView::of(object->rowid));
  if (change.before != nullptr && wants_before()) entry.before = schema_record(*change.before);
  if (change.after != nullptr && wants_after()) entry.after = schema_record(*change.after);
  if (entry.type == kUpdated && mode_ == Mode::kFull) {
    const ValueView no = ValueView::of(int64_t{0});
    const ValueView null;
    entry.updates = encoded({no, no, no, no, ValueView::of(int64_t{1}), null, null, null, null,
                             ValueView::of_text(change.sql)});
  }
}

Result<int64_t> DataChanges::next_change_id() {
  const std::string name = quoted(table_, '\'');
  GW_ASSIGN(auto query, connection_->prepare_internal(
                            "SELECT max(ifnull((SELECT seq FROM main.sqlite_sequence WHERE name = " + name +
                            "), 0), ifnull((SELECT max(change_id) FROM main." + quoted(table_, '"') + "), 0)) + 1"));
  GW_ASSIGN(const bool has_row, query->step());
  return has_row ? query->column(0).integer : 1;
}

Status DataChanges::insert(const std::vector<Entry>& entries) {
  if (transaction_id_ == 0) {
    GW_ASSIGN(transaction_id_, next_change_id());
  }
  GW_ASSIGN(auto insert, connection_->prepare_internal(
                             "INSERT INTO main." + quoted(table_, '"') +
                             "(change_time, change_txn_id, change_type, table_name, id, \"before\", \"after\","
                             " updates) VALUES(?, ?, ?, ?, ?, ?, ?, ?)"));
  const auto now = static_cast<int64_t>(std::time(nullptr));
  auto blob = [](const Record& record) {
    if (record.empty()) return ValueView();
    return ValueView::of_blob({reinterpret_cast<const char*>(record.data()), record.size()});
  };
  for (const Entry& entry : entries) {
    const ValueView values[] = {ValueView::of(now), ValueView::of(transaction_id_),
                                ValueView::of(int64_t{entry.type}),
                                entry.table.empty() ? ValueView() : ValueView::of_text(entry.table),
                                entry.id.view(), blob(entry.before), blob(entry.after), blob(entry.updates)};
    for (int i = 0; i < 8; ++i) GW_TRY(insert->bind(i + 1, values[i]));
    GW_TRY(insert->step().take_status());
    GW_TRY(insert->reset());
  }
  return Status();
}

Status DataChanges::write() {
  if (entries_.empty()) return Status();
  const std::vector<Entry> entries = std::exchange(entries_, {});
  connection_->pause_capture();
  Status status = insert(entries);
  connection_->resume_capture();
  return status;
}

// A commit that is refused as busy is tried again, perhaps with more rows.
Status DataChanges::before_commit() {
  GW_TRY(write());
  if (transaction_id_ == 0) return Status();
  connection_->pause_capture();
  Status status;
  if (commit_id_ != 0) {
    auto remove = connection_->prepare_internal("DELETE FROM main." + quoted(table_, '"') +
                                                " WHERE change_id = " + std::to_string(commit_id_));
    status = remove.ok() ? (*remove)->step().take_status() : remove.status();
  }
  if (status.ok()) {
    std::vector<Entry> commit(1);
    commit[0].type = kCommitted;
    status = insert(commit);
    commit_id_ = connection_->last_insert_rowid();
  }
  connection_->resume_capture();
  return status;
}

DataChanges* data_changes_of(sqlite3* db) {
  return static_cast<DataChanges*>(db->connection->capture(CaptureKind::kDataChanges));
}

// The tables are no change of the user's.
Status make_tables(sqlite3* db, const std::string& table) {
  const std::string name = quoted(table, '"');
  const std::string sql =
      "CREATE TABLE IF NOT EXISTS main." + name +
      " (change_id INTEGER PRIMARY KEY AUTOINCREMENT, change_time INTEGER, change_txn_id INTEGER,"
      " change_type INTEGER, table_name TEXT, id, \"before\" BLOB, \"after\" BLOB, updates BLOB);"
      "CREATE TABLE IF NOT EXISTS main." + std::string(kVersionTable) +
      " (table_name TEXT PRIMARY KEY, version TEXT NOT NULL);"
      "INSERT OR IGNORE INTO main." + std::string(kVersionTable) + " VALUES(" + quoted(table, '\'') + ", '" +
      std::string(kVersion) + "');"
      // An error where the table has another layout.
      "SELECT change_id, change_time, change_txn_id, change_type, table_name, id, \"before\", \"after\","
      " updates FROM main." + name + " LIMIT 0";
  db->connection->pause_capture();
  const int code = sqlite3_exec(db, ("SAVEPOINT godwit_capture;" + sql).c_str(), nullptr, nullptr, nullptr);
  Status status;
  if (code != SQLITE_OK) {
    status = Status(code, sqlite3_errmsg(db));
    (void)sqlite3_exec(db, "ROLLBACK TO godwit_capture", nullptr, nullptr, nullptr);
  }
  const int released = sqlite3_exec(db, "RELEASE godwit_capture", nullptr, nullptr, nullptr);
  db->connection->resume_capture();
  if (status.ok() && released != SQLITE_OK) status = Status(released, sqlite3_errmsg(db));
  return status;
}

Status set_data_capture(sqlite3* db, std::string_view setting) {
  const size_t comma = setting.find(',');
  const std::string_view word = setting.substr(0, comma);
  std::string table = comma == std::string_view::npos ? "turso_cdc" : std::string(setting.substr(comma + 1));
  const auto* found = std::ranges::find_if(kModeNames, [&](std::string_view name) { return names_equal(word, name); });
  if (found == kModeNames.end() || table.empty()) {
    return Status::error("unexpected value of capture_data_changes_conn: '" + std::string(setting) +
                         "', expected MODE or MODE,TABLE where MODE is off, id, before, after or full");
  }
  const auto mode = static_cast<Mode>(found - kModeNames.begin());
  if (mode != Mode::kOff) GW_TRY(make_tables(db, table));
  std::unique_ptr<ChangeCapture> capture;
  if (mode != Mode::kOff) capture = std::make_unique<DataChanges>(db, mode, std::move(table));
  db->connection->set_capture(CaptureKind::kDataChanges, std::move(capture));
  return Status();
}

Status ask_data_capture(void* context, const std::string* setting, DataCaptureState* state) {
  auto* db = static_cast<sqlite3*>(context);
  if (setting != nullptr) return set_data_capture(db, *setting);
  const DataChanges* changes = data_changes_of(db);
  if (changes == nullptr) return Status();
  *state = {std::string(kModeNames[static_cast<size_t>(changes->mode())]), changes->table(), std::string(kVersion)};
  return Status();
}

}  // namespace

int register_data_capture(sqlite3* db) {
  db->connection->set_data_capture_hook(ask_data_capture, db);
  return register_record_functions(db);
}

}  // namespace godwit::capture
