// Is told of what a connection does to its database "main", so that it can be kept as changes: rows,
// below triggers and constraints, schema statements, and what was undone again.
//
//     statement  mark  row row ...  unmark            rows count
//                mark  row row ...  undo unmark       they do not
//     ROLLBACK, or a failed statement outside of a transaction: ended(false)
//
// Rows are told before they change. Rows of temporary and attached databases are told too; which
// matter is for the capture to say. Threads: as the connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "exec/row_observer.h"

namespace godwit {

struct SchemaRow;

// A statement that has changed the schema of a database, or its header.
struct SchemaChange {
  int database = 0;
  std::string_view table;  // whose definition, index or trigger it is, or the view; of the header ""
  std::string_view sql;  // in the form in which it can be run again
  // The row of the object in sqlite_schema; null: there is none.
  const SchemaRow* before = nullptr;
  const SchemaRow* after = nullptr;
};

// A connection has at most one of each.
enum class CaptureKind : uint8_t { kRecorder, kDataChanges };

class ChangeCapture {
 public:
  virtual ~ChangeCapture() = default;

  virtual void row_changed(const RowChange& change) = 0;
  virtual void schema_changed(const SchemaChange& change) = 0;

  virtual void mark() = 0;
  virtual void undo() = 0;    // back to the last mark, which stays
  virtual void unmark() = 0;
  // A statement that wrote has ended well, inside a transaction.
  virtual Status statement_done() = 0;

  // Savepoints of the user, by number from 0. Before it is opened; after it was rolled back to or
  // released (with all that were opened later). `count`: how many are left.
  virtual Status savepoint() = 0;
  virtual void rolled_back_to(size_t count) = 0;
  virtual void released(size_t count) = 0;

  // The database has changed, all constraints hold, the write lock is held. Statements that are run on
  // the connection now belong to the transaction. May be called again if the commit was refused as busy.
  virtual Status before_commit() = 0;
  virtual void ended(bool committed) = 0;
};

}  // namespace godwit
