// AUTOINCREMENT: the largest rowid that a table ever had, kept in sqlite_sequence(name, seq).
#pragma once

#include <string>

#include "base/status.h"
#include "btree/btree.h"
#include "catalog/schema.h"

namespace godwit {

// Life: load() at the start of a statement, next()/used() for its rows, store() at its end.
class Autoincrement {
 public:
  // Reads the table's row of sqlite_sequence, whose root is `root`. Requires a write transaction.
  Status load(Btree* btree, PageNumber root, const std::string& table);
  // The rowid after all that were ever used, `largest` being the largest in the table now.
  // Errors: kFull.
  Result<Rowid> next(Rowid largest) const;
  void used(Rowid rowid) {
    if (rowid > sequence_) sequence_ = rowid;
  }
  // Writes the row if the sequence advanced.
  Status store();

 private:
  Btree* btree_ = nullptr;
  PageNumber root_ = 0;
  std::string table_;
  Rowid sequence_ = 0;
  Rowid stored_ = 0;
  Rowid row_ = 0;  // of the entry in sqlite_sequence; 0: none yet
};

}  // namespace godwit
