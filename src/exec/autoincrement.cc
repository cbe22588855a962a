#include "exec/autoincrement.h"

#include <array>
#include <limits>
#include <vector>

#include "value/cast.h"
#include "value/record.h"

namespace godwit {

Status Autoincrement::load(Btree* btree, PageNumber root, const std::string& table) {
  btree_ = btree;
  root_ = root;
  table_ = table;
  sequence_ = stored_ = row_ = 0;
  GW_ASSIGN(auto cursor, Cursor::open(btree, root, TreeKind::kTable, nullptr, false));
  RecordDecoder decoder(btree->encoding());
  std::vector<uint8_t> scratch;
  GW_TRY(cursor->first());
  while (!cursor->at_end()) {
    ByteSpan record;
    GW_TRY(cursor->complete_payload(&scratch, &record));
    GW_TRY(decoder.reset(record));
    ValueView name, sequence;
    bool missing = false;
    GW_TRY(decoder.column(0, &name, &missing));
    if (name.is_text() && name.text() == table) {
      GW_TRY(decoder.column(1, &sequence, &missing));
      sequence_ = stored_ = value_to_integer(sequence);
      row_ = cursor->rowid();
      return Status();
    }
    GW_TRY(cursor->next());
  }
  return Status();
}

Result<Rowid> Autoincrement::next(Rowid largest) const {
  Rowid last = largest > sequence_ ? largest : sequence_;
  if (last == std::numeric_limits<Rowid>::max()) return Status(code::kFull);
  return last + 1;
}

Status Autoincrement::store() {
  // Without a row there will be one, also if nothing was inserted.
  if (btree_ == nullptr || (row_ != 0 && sequence_ <= stored_)) return Status();
  GW_ASSIGN(auto cursor, Cursor::open(btree_, root_, TreeKind::kTable, nullptr, true));
  if (row_ == 0) {
    GW_TRY(cursor->last());
    row_ = cursor->at_end() ? 1 : cursor->rowid() + 1;
  }
  std::array<ValueView, 2> values = {ValueView::of_text(table_), ValueView::of(sequence_)};
  RecordEncoder encoder({btree_->encoding(), true});
  std::vector<uint8_t> record;
  GW_TRY(encoder.encode(values, &record));
  stored_ = sequence_;
  return cursor->insert(row_, record);
}

}  // namespace godwit
