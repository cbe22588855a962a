#include "capture/recorder.h"

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/handles.h"
#include "base/bytes.h"
#include "capture/op_stream.h"
#include "engine/change_capture.h"
#include "engine/connection.h"
#include "engine/shadow_guard.h"
#include "value/value.h"

namespace godwit::capture {
namespace {

// The codes of changesets.
constexpr char kInsert = 18, kUpdate = 23, kDelete = 9;
constexpr char kUndefined = 0, kInteger = 1, kReal = 2, kText = 3, kBlob = 4, kNull = 5;

void append_big_endian(uint64_t bits, std::string* out) {
  for (int shift = 56; shift >= 0; shift -= 8) out->push_back(static_cast<char>(bits >> shift));
}

void append_field(const ValueView& value, std::string* out) {
  switch (value.type) {
    case ValueType::kNull:
      out->push_back(kNull);
      return;
    case ValueType::kInteger:
      out->push_back(kInteger);
      append_big_endian(static_cast<uint64_t>(value.integer), out);
      return;
    case ValueType::kReal: {
      out->push_back(kReal);
      append_big_endian(std::bit_cast<uint64_t>(value.real), out);
      return;
    }
    case ValueType::kText:
    case ValueType::kBlob: break;
  }
  out->push_back(value.type == ValueType::kText ? kText : kBlob);
  append_varint(value.size, out);
  if (value.zero_filled) {
    out->append(value.size, '\0');
  } else {
    out->append(value.text());
  }
}

bool is_recorded_name(std::string_view name) {
  for (std::string_view prefix : {"sqlite_", "godwit_sync_", "turso_"}) {
    if (names_equal(name.substr(0, prefix.size()), prefix)) return false;
  }
  return true;
}

// What changesets say of a table, and which columns they have.
struct Recorded {
  bool is_wanted = false;
  bool has_rowid_key = false;  // the first field is the rowid
  std::string header;
  std::vector<int32_t> columns;   // of the table, without generated ones
  std::vector<uint8_t> key;       // per field: its place in the key, from 1; 0: none
};

Recorded describe(Connection* connection, const Table& table) {
  Recorded recorded;
  recorded.is_wanted = table.database == Connection::kMain && table.kind == TableKind::kTable &&
                       !table.is_system && is_recorded_name(table.name) &&
                       !connection->virtual_tables().is_shadow_name(
                           *connection->databases()[Connection::kMain].schema, table.name);
  if (!recorded.is_wanted) return recorded;
  recorded.has_rowid_key = table.primary_key.empty() && table.rowid_column < 0;
  if (recorded.has_rowid_key) recorded.key.push_back(1);
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].generated != Generated::kNo) continue;
    const auto column = static_cast<int32_t>(i);
    uint8_t place = column == table.rowid_column ? 1 : 0;
    for (size_t k = 0; k < table.primary_key.size(); ++k) {
      if (table.primary_key[k] == column) place = static_cast<uint8_t>(std::min<size_t>(k + 1, 255));
    }
    recorded.columns.push_back(column);
    recorded.key.push_back(place);
  }
  recorded.header.push_back('T');
  append_varint(recorded.key.size(), &recorded.header);
  recorded.header.append(reinterpret_cast<const char*>(recorded.key.data()), recorded.key.size());
  recorded.header.append(table.name.c_str(), table.name.size() + 1);
  return recorded;
}

class Recorder final : public ChangeCapture {
 public:
  Recorder(sqlite3* db, OpSink* sink) : db_(db), sink_(*sink) {}

  void row_changed(const RowChange& change) override;
  void schema_changed(const SchemaChange& change) override;

  void mark() override {
    marks_.push_back({segments_.size(), segments_.empty() ? 0 : segments_.back().body.size()});
  }
  void undo() override {
    if (!marks_.empty()) cut(marks_.back());
  }
  void unmark() override {
    if (!marks_.empty()) marks_.pop_back();
  }
  Status statement_done() override { return bytes_ >= kPartBytes ? give() : Status(); }

  // What is there is given away, so that all that is gathered is behind the last savepoint.
  Status savepoint() override {
    GW_TRY(give());
    savepoints_.push_back(parts_);
    return Status();
  }
  void rolled_back_to(size_t count) override {
    clear();
    if (count == 0 || count > savepoints_.size()) return;
    savepoints_.resize(count);
    if (parts_ > savepoints_.back()) {
      parts_ = savepoints_.back();
      sink_.cut_back(parts_);
    }
  }
  void released(size_t count) override {
    if (count < savepoints_.size()) savepoints_.resize(count);
  }

  Status before_commit() override {
    GW_TRY(give());
    is_told_ = true;
    ++pauses_;
    Status status = sink_.before_commit(db_);
    --pauses_;
    return status;
  }
  void ended(bool committed) override {
    const bool is_known = is_told_ || has_given_;
    clear();
    savepoints_.clear();
    parts_ = 0;
    is_told_ = has_given_ = false;
    if (is_known) sink_.ended(db_, committed);
  }

  void pause() { ++pauses_; }
  void resume() { --pauses_; }

 private:
  struct Segment {
    OpKind kind;
    std::string body;
  };
  struct Mark {
    size_t segments, bytes_of_last;
  };

  const Recorded& recorded(const Table& table);
  std::string& rows_of(const Recorded& table);
  void append_record(const Recorded& table, const RowChange& change, bool is_old, std::string* out);
  bool append_update(const Recorded& table, const RowChange& change);
  ValueView value(const Recorded& table, const RowChange& change, size_t field, bool is_old) const;
  void cut(const Mark& mark);
  void clear();
  Status give();

  sqlite3* db_;
  OpSink& sink_;
  int pauses_ = 0;
  bool gives_ = false;
  std::vector<Segment> segments_;
  const Recorded* current_ = nullptr;  // whose rows the last segment ends with
  size_t bytes_ = 0;
  std::vector<Mark> marks_;
  std::vector<uint64_t> savepoints_;  // parts when they were opened
  uint64_t parts_ = 0;                // that count
  bool has_given_ = false;            // in this transaction, also what was cut back
  bool is_told_ = false;              // the sink, of the commit
  uint64_t catalog_version_ = 0;
  std::map<const Table*, std::unique_ptr<Recorded>> tables_;  // of that version
  std::string scratch_;
};

const Recorded& Recorder::recorded(const Table& table) {
  Connection* connection = db_->connection.get();
  if (catalog_version_ != connection->catalog_version()) {
    tables_.clear();
    current_ = nullptr;
    catalog_version_ = connection->catalog_version();
  }
  std::unique_ptr<Recorded>& entry = tables_[&table];
  if (entry == nullptr) entry = std::make_unique<Recorded>(describe(connection, table));
  return *entry;
}

std::string& Recorder::rows_of(const Recorded& table) {
  if (segments_.empty() || segments_.back().kind != OpKind::kRows) {
    segments_.push_back({OpKind::kRows, {}});
    current_ = nullptr;
  }
  std::string& rows = segments_.back().body;
  if (current_ != &table) rows += table.header;
  current_ = &table;
  return rows;
}

ValueView Recorder::value(const Recorded& table, const RowChange& change, size_t field,
                          bool is_old) const {
  const Rowid rowid = is_old || change.kind == RowChangeKind::kInsert ? change.old_rowid : change.new_rowid;
  if (table.has_rowid_key) {
    if (field == 0) return ValueView::of(rowid);
    --field;
  }
  const int32_t column = table.columns[field];
  if (column == change.table->rowid_column) return ValueView::of(rowid);
  ValueView view = (is_old ? change.old_values : change.new_values)[static_cast<size_t>(column)];
  const bool is_real = change.table->columns[static_cast<size_t>(column)].affinity == Affinity::kReal;
  return is_real && view.is_integer() ? ValueView::of(static_cast<double>(view.integer)) : view;
}

void Recorder::append_record(const Recorded& table, const RowChange& change, bool is_old,
                             std::string* out) {
  for (size_t i = 0; i < table.key.size(); ++i) append_field(value(table, change, i, is_old), out);
}

// False: the key has changed.
bool Recorder::append_update(const Recorded& table, const RowChange& change) {
  std::string old_record, new_record, old_field, new_field;
  bool changes = false;
  for (size_t i = 0; i < table.key.size(); ++i) {
    old_field.clear();
    new_field.clear();
    append_field(value(table, change, i, true), &old_field);
    append_field(value(table, change, i, false), &new_field);
    const bool is_equal = old_field == new_field;
    if (table.key[i] != 0 && !is_equal) return false;
    changes |= !is_equal;
    old_record += is_equal && table.key[i] == 0 ? std::string(1, kUndefined) : old_field;
    new_record += is_equal ? std::string(1, kUndefined) : new_field;
  }
  if (!changes) return true;
  std::string& out = rows_of(table);
  out.push_back(kUpdate);
  out.push_back(change.depth > 0 ? 1 : 0);
  out += old_record;
  out += new_record;
  return true;
}

void Recorder::row_changed(const RowChange& change) {
  if (pauses_ > 0) return;
  const Recorded& table = recorded(*change.table);
  if (!table.is_wanted) return;
  const size_t before = segments_.empty() ? 0 : segments_.back().body.size();
  const char indirect = change.depth > 0 ? 1 : 0;
  if (change.kind != RowChangeKind::kUpdate || !append_update(table, change)) {
    if (change.kind != RowChangeKind::kInsert) {
      std::string& out = rows_of(table);
      out.push_back(kDelete);
      out.push_back(indirect);
      append_record(table, change, true, &out);
    }
    if (change.kind != RowChangeKind::kDelete) {
      std::string& out = rows_of(table);
      out.push_back(kInsert);
      out.push_back(indirect);
      append_record(table, change, false, &out);
    }
  }
  if (!segments_.empty()) {
    const size_t after = segments_.back().body.size();
    bytes_ += after > before ? after - before : after;
  }
}

void Recorder::schema_changed(const SchemaChange& change) {
  if (pauses_ > 0 || change.database != Connection::kMain || !is_recorded_name(change.table)) return;
  segments_.push_back({OpKind::kSchema, std::string(change.sql)});
  bytes_ += change.sql.size();
  current_ = nullptr;
}

void Recorder::cut(const Mark& mark) {
  if (segments_.size() > mark.segments) segments_.resize(mark.segments);
  if (!segments_.empty() && segments_.size() == mark.segments) {
    segments_.back().body.resize(mark.bytes_of_last);
  }
  current_ = nullptr;  // a header more does no harm
  bytes_ = 0;
  for (const Segment& segment : segments_) bytes_ += segment.body.size();
}

void Recorder::clear() {
  segments_.clear();
  marks_.clear();
  current_ = nullptr;
  bytes_ = 0;
}

Status Recorder::give() {
  if (gives_ || segments_.empty()) return Status();
  scratch_.clear();
  for (const Segment& segment : segments_) {
    if (!segment.body.empty()) append_op(segment.kind, segment.body, &scratch_);
  }
  clear();
  if (scratch_.empty()) return Status();
  ++parts_;
  has_given_ = true;
  ++pauses_;
  gives_ = true;
  Status status = sink_.take(db_, scratch_);
  gives_ = false;
  --pauses_;
  return status;
}

Recorder* recorder_of(sqlite3* db) {
  return static_cast<Recorder*>(db->connection->capture(CaptureKind::kRecorder));
}

}  // namespace

Status set_sink(sqlite3* db, OpSink* sink) {
  std::lock_guard lock(db->mutex);
  if (db->connection->has_changes()) return Status(code::kMisuse);
  db->connection->set_capture(CaptureKind::kRecorder,
                              sink == nullptr ? nullptr : std::make_unique<Recorder>(db, sink));
  return Status();
}

Pause::Pause(sqlite3* db) : db_(db) {
  if (Recorder* recorder = recorder_of(db)) recorder->pause();
}

Pause::~Pause() {
  if (Recorder* recorder = recorder_of(db_)) recorder->resume();
}

}  // namespace godwit::capture
