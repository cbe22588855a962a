// Incremental reading and writing of one value (sqlite3_blob_*).
//
// A handle is like a statement that has not ended: it holds a read transaction (a write transaction if it
// was opened for writing) until it is closed. When the row that it stands on is changed by anything
// else, the handle expires: reads and writes then fail with kAbort, until reopen().
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/status.h"
#include "btree/btree.h"
#include "catalog/schema.h"

namespace godwit {

class Connection;

class BlobHandle {
 public:
  // Errors: kError with SQLite's text (no such table, column or rowid; a view; a table without rowids; a
  // value that is neither text nor blob; an indexed column opened for writing), kBusy, kReadOnly.
  static Result<std::unique_ptr<BlobHandle>> open(Connection* connection,
                                                  const std::string& database,
                                                  const std::string& table,
                                                  const std::string& column, Rowid rowid,
                                                  bool writable);
  ~BlobHandle();
  BlobHandle(const BlobHandle&) = delete;
  BlobHandle& operator=(const BlobHandle&) = delete;

  uint32_t size() const { return size_; }
  // Errors: kError for a range outside the value, kAbort, kReadOnly.
  Status read(int64_t offset, MutableByteSpan out);
  Status write(int64_t offset, ByteSpan bytes);
  // Moves to the same column of another row. On an error the handle is expired.
  Status reopen(Rowid rowid);
  // Ends the handle's part in the transaction: commits in autocommit mode. Once.
  Status close();

 private:
  BlobHandle() = default;
  Status start(const std::string& database, const std::string& table, const std::string& column);
  Status move_to(Rowid rowid);
  Status locate();
  Status check_range(int64_t offset, size_t bytes) const;
  Status check_unchanged();
  Result<uint64_t> row_hash();
  Status tell_observer();
  Status read_row(std::vector<Value>* row);
  Status tell_capture(const std::vector<Value>& before);

  Connection* connection_ = nullptr;
  int database_ = 0;
  bool writable_ = false;
  bool started_ = false;
  bool expired_ = true;
  std::shared_ptr<const Schema> schema_;  // keeps the table alive
  const Table* table_ = nullptr;
  uint32_t position_ = 0;  // of the column in the record
  std::unique_ptr<Cursor> cursor_;
  Rowid rowid_ = 0;
  uint32_t offset_ = 0;  // of the value in the record
  uint32_t size_ = 0;
  int64_t seen_changes_ = 0;  // total_changes() when the row was last known to be as it was
  uint64_t hash_ = 0;         // of the row then
};

}  // namespace godwit
