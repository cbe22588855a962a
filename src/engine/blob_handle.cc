#include "engine/blob_handle.h"

#include <vector>

#include "base/hash.h"
#include "engine/connection.h"
#include "exec/row_observer.h"
#include "value/record.h"

namespace godwit {

namespace {

constexpr size_t kHeaderBytesMax = 64 * 1024;

const char* type_name(uint64_t serial_type) {
  if (serial_type == 0) return "null";
  return serial_type == 7 ? "real" : "integer";
}

// Columns whose values other places depend on are not written behind their back.
const char* why_not_writable(const Table& table, int32_t column) {
  for (const Index* index : table.indexes) {
    for (const IndexColumn& key : index->columns) {
      if (key.column == column || key.column == IndexColumn::kExpression) return "indexed";
    }
  }
  for (const ForeignKey& key : table.foreign_keys) {
    for (int32_t child : key.columns) {
      if (child == column) return "foreign key";
    }
  }
  return nullptr;
}

}  // namespace

Result<std::unique_ptr<BlobHandle>> BlobHandle::open(Connection* connection,
                                                     const std::string& database,
                                                     const std::string& table,
                                                     const std::string& column, Rowid rowid,
                                                     bool writable) {
  std::unique_ptr<BlobHandle> handle(new BlobHandle());
  handle->connection_ = connection;
  handle->writable_ = writable;
  Status status = handle->start(database, table, column);
  if (status.ok()) status = handle->move_to(rowid);
  if (status.ok()) return handle;
  (void)handle->close();
  return status;
}

BlobHandle::~BlobHandle() { (void)close(); }

Status BlobHandle::start(const std::string& database, const std::string& table,
                         const std::string& column) {
  GW_TRY(connection_->ensure_schema());
  database_ = connection_->find_database(database);
  if (database_ < 0) return Status::error("no such table: " + database + "." + table);
  connection_->statement_started();
  connection_->statement_is_reader();
  started_ = true;
  const uint64_t bit = uint64_t{1} << database_;
  GW_TRY(connection_->statement_begin_read(bit));
  schema_ = connection_->databases()[static_cast<size_t>(database_)].schema;
  table_ = schema_->find_table(table);
  if (table_ == nullptr) return Status::error("no such table: " + database + "." + table);
  if (table_->kind == TableKind::kView) return Status::error("cannot open view: " + table);
  if (table_->kind == TableKind::kVirtual) {
    return Status::error("cannot open virtual table: " + table);
  }
  if (table_->without_rowid) return Status::error("cannot open table without rowid: " + table);
  int32_t number = table_->find_column(column);
  if (number < 0) return Status::error("no such column: \"" + column + "\"");
  const Column& definition = table_->columns[static_cast<size_t>(number)];
  if (definition.generated != Generated::kNo) {
    return Status::error("cannot open table with generated columns: " + table);
  }
  if (writable_) {
    if (const char* reason = why_not_writable(*table_, number)) {
      return Status::error(std::string("cannot open ") + reason + " column for writing");
    }
    GW_TRY(connection_->statement_begin_write(bit));
    connection_->statement_is_writer();
  }
  position_ = static_cast<uint32_t>(definition.storage_position);
  GW_ASSIGN(cursor_, Cursor::open(connection_->btree(database_), table_->root, TreeKind::kTable,
                                  nullptr, writable_));
  return Status();
}

Status BlobHandle::move_to(Rowid rowid) {
  expired_ = true;
  rowid_ = rowid;
  int order = 0;
  GW_TRY(cursor_->seek_rowid(rowid, &order));
  if (cursor_->at_end() || order != 0) {
    return Status::error("no such rowid: " + std::to_string(rowid));
  }
  GW_TRY(locate());
  GW_ASSIGN(hash_, row_hash());
  seen_changes_ = connection_->total_changes();
  expired_ = false;
  return Status();
}

// Finds the value in the record that the cursor is on.
Status BlobHandle::locate() {
  PayloadView view;
  GW_TRY(cursor_->payload(&view));
  std::vector<uint8_t> header(std::min<size_t>(view.size, kHeaderBytesMax));
  GW_TRY(cursor_->read_payload(0, header));
  const uint8_t* at = header.data();
  const uint8_t* end = at + header.size();
  uint64_t header_size = 0;
  int used = read_varint(at, end, &header_size);
  if (used == 0 || header_size > header.size()) return corrupt("record header");
  at += used;
  end = header.data() + header_size;
  uint64_t body = header_size;
  uint64_t serial_type = 0;
  for (uint32_t i = 0; i <= position_; ++i) {
    if (i > 0) body += serial_type_size(serial_type);
    if (at >= end) return Status::error("cannot open value of type null");  // a short record
    used = read_varint(at, end, &serial_type);
    if (used == 0) return corrupt("record header");
    at += used;
  }
  if (serial_type < 12) {
    return Status::error(std::string("cannot open value of type ") + type_name(serial_type));
  }
  const uint64_t size = (serial_type - 12) / 2;
  if (body + size > view.size) return corrupt("record shorter than its header says");
  offset_ = static_cast<uint32_t>(body);
  size_ = static_cast<uint32_t>(size);
  return Status();
}

Result<uint64_t> BlobHandle::row_hash() {
  std::vector<uint8_t> scratch;
  ByteSpan bytes;
  GW_TRY(cursor_->complete_payload(&scratch, &bytes));
  return hash_bytes(as_text(bytes));
}

Status BlobHandle::check_range(int64_t offset, size_t bytes) const {
  if (offset < 0 || offset + static_cast<int64_t>(bytes) > static_cast<int64_t>(size_)) {
    return Status(code::kError);
  }
  return Status();
}

// The row is looked at again only when rows were changed since.
Status BlobHandle::check_unchanged() {
  if (expired_) return Status(code::kAbort, "query aborted");
  int order = 0;
  GW_TRY(cursor_->seek_rowid(rowid_, &order));
  if (connection_->total_changes() == seen_changes_) return Status();
  expired_ = true;
  if (cursor_->at_end() || order != 0) return Status(code::kAbort, "query aborted");
  GW_ASSIGN(uint64_t hash, row_hash());
  if (hash != hash_) return Status(code::kAbort, "query aborted");
  expired_ = false;
  seen_changes_ = connection_->total_changes();
  return Status();
}

Status BlobHandle::read(int64_t offset, MutableByteSpan out) {
  GW_TRY(check_range(offset, out.size()));
  GW_TRY(check_unchanged());
  return out.empty() ? Status()
                     : cursor_->read_payload(offset_ + static_cast<uint32_t>(offset), out);
}

Status BlobHandle::write(int64_t offset, ByteSpan bytes) {
  if (!writable_) return Status(code::kReadOnly);
  GW_TRY(check_range(offset, bytes.size()));
  GW_TRY(check_unchanged());
  if (bytes.empty()) return Status();
  if (connection_->row_observer() != nullptr) GW_TRY(tell_observer());
  std::vector<Value> before;
  if (connection_->capture() != nullptr) GW_TRY(read_row(&before));
  GW_TRY(cursor_->write_payload(offset_ + static_cast<uint32_t>(offset), bytes));
  int order = 0;
  GW_TRY(cursor_->seek_rowid(rowid_, &order));
  if (connection_->capture() != nullptr) GW_TRY(tell_capture(before));
  GW_ASSIGN(hash_, row_hash());
  return Status();
}

// Shows the row as one that goes, as SQLite does.
Status BlobHandle::tell_observer() {
  if (!connection_->row_observer()->wants_each_row()) return Status();
  std::vector<uint8_t> scratch;
  ByteSpan payload;
  GW_TRY(cursor_->complete_payload(&scratch, &payload));
  RecordDecoder decoder(connection_->btree(database_)->encoding());
  GW_TRY(decoder.reset(payload));
  std::vector<ValueView> values(table_->columns.size());
  RowChange change{RowChangeKind::kDelete, table_, rowid_, 0, values, {}, 0, -1};
  for (size_t i = 0; i < values.size(); ++i) {
    const int32_t position = table_->columns[i].storage_position;
    bool missing = false;
    if (position >= 0) GW_TRY(decoder.column(static_cast<uint32_t>(position), &values[i], &missing));
    if (static_cast<uint32_t>(position) == position_) change.blob_column = static_cast<int32_t>(i);
  }
  connection_->row_observer()->before_change(change);
  int order = 0;
  return cursor_->seek_rowid(rowid_, &order);
}

Status BlobHandle::read_row(std::vector<Value>* row) {
  std::vector<uint8_t> scratch;
  ByteSpan payload;
  GW_TRY(cursor_->complete_payload(&scratch, &payload));
  RecordDecoder decoder(connection_->btree(database_)->encoding());
  GW_TRY(decoder.reset(payload));
  row->assign(table_->columns.size(), Value());
  for (size_t i = 0; i < row->size(); ++i) {
    const int32_t position = table_->columns[i].storage_position;
    ValueView value;
    bool missing = false;
    if (position >= 0) GW_TRY(decoder.column(static_cast<uint32_t>(position), &value, &missing));
    (*row)[i].assign(value);
  }
  int order = 0;
  return cursor_->seek_rowid(rowid_, &order);
}

// To the capture it is an UPDATE.
Status BlobHandle::tell_capture(const std::vector<Value>& before) {
  std::vector<Value> after;
  GW_TRY(read_row(&after));
  std::vector<ValueView> old_values, new_values;
  for (const Value& value : before) old_values.push_back(value.view());
  for (const Value& value : after) new_values.push_back(value.view());
  connection_->capture()->row_changed(
      {RowChangeKind::kUpdate, table_, rowid_, rowid_, old_values, new_values, 0, -1});
  return Status();
}

Status BlobHandle::reopen(Rowid rowid) {
  Status status = move_to(rowid);
  if (!status.ok()) expired_ = true;
  return status;
}

Status BlobHandle::close() {
  if (!started_) return Status();
  started_ = false;
  cursor_.reset();
  return connection_->statement_ended(true, writable_ && table_ != nullptr, true);
}

}  // namespace godwit
