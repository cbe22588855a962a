#include "exec/table_lookup.h"

#include <algorithm>

namespace godwit {

Result<Rowid> rowid_of_index_record(const PayloadView& payload) {
  // It is the last column, an integer, and serial types of integers are one byte: so the type is
  // the last byte of the header, and the value the last bytes of the record.
  const uint8_t* record = payload.local;
  uint64_t header_size;
  int used = read_varint(record, record + payload.size, &header_size);
  if (used == 0 || header_size > payload.size || header_size <= static_cast<uint64_t>(used)) {
    return corrupt("index record without a rowid");
  }
  uint8_t serial_type = record[header_size - 1];
  if (serial_type == 0 || serial_type == 7 || serial_type > 9) {
    return corrupt("index record without a rowid");
  }
  if (serial_type >= 8) return static_cast<Rowid>(serial_type - 8);
  uint32_t size = serial_type_size(serial_type);
  if (header_size + size > payload.size) return corrupt("index record without a rowid");
  return decode_serial_integer(serial_type, record + payload.size - size);
}

void TableLookup::prepare(const Index& index, TextEncoding encoding) {
  const Table& table = *index.table;
  has_rowid_ = !table.without_rowid;
  decoder_ = RecordDecoder(encoding);
  key_positions_.clear();
  if (has_rowid_) return;
  const Index& primary = *table.primary_index;
  for (uint32_t i = 0; i < primary.declared_columns; ++i) {
    auto found = std::find_if(index.columns.begin(), index.columns.end(), [&](const IndexColumn& c) {
      return c.column == primary.columns[i].column;
    });
    key_positions_.push_back(static_cast<uint32_t>(found - index.columns.begin()));
  }
  key_.resize(key_positions_.size());
}

Status TableLookup::seek(Cursor* table, const PayloadView& payload) {
  int order;
  if (has_rowid_) {
    GW_ASSIGN(Rowid rowid, rowid_of_index_record(payload));
    GW_TRY(table->seek_rowid(rowid, &order));
  } else {
    GW_TRY(decoder_.reset({payload.local, payload.size}));
    for (size_t i = 0; i < key_.size(); ++i) {
      bool missing;
      GW_TRY(decoder_.column(key_positions_[i], &key_[i], &missing));
    }
    GW_TRY(table->seek_key(key_, &order));
  }
  if (order != 0 || table->at_end()) return corrupt("index entry without a row");
  return Status();
}

}  // namespace godwit
