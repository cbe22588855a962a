// From an entry of an index to the row of its table.
#pragma once

#include <vector>

#include "base/status.h"
#include "btree/btree.h"
#include "catalog/schema.h"
#include "value/record.h"

namespace godwit {

// The rowid at the end of an index record of a rowid table. `payload` is complete.
Result<Rowid> rowid_of_index_record(const PayloadView& payload);

class TableLookup {
 public:
  void prepare(const Index& index, TextEncoding encoding);
  // Moves `table` (a cursor on the table's tree) to the row that the index record belongs to; that
  // there is none is kCorrupt. `payload` is complete.
  Status seek(Cursor* table, const PayloadView& payload);

 private:
  bool has_rowid_ = true;
  // WITHOUT ROWID: where the columns of the primary key are in the index.
  std::vector<uint32_t> key_positions_;
  std::vector<ValueView> key_;
  RecordDecoder decoder_;
};

}  // namespace godwit
