#include "exec/row_source.h"

#include "exec/access_table.h"

namespace godwit {

Result<std::unique_ptr<RowSource>> make_row_source(RowSourceSpec spec) {
  switch (spec.node->method) {
    case AccessMethod::kTableScan:
      return TableScanSource::make(spec);
    case AccessMethod::kRowidLookup:
      return RowidLookupSource::make(spec);
    case AccessMethod::kRowidRange:
      return RowidRangeSource::make(spec);
    case AccessMethod::kIndexSeek:
    case AccessMethod::kIndexScan:
      return Status::not_implemented("index access");
    case AccessMethod::kQuery:
      return Status::not_implemented("subqueries in FROM");
    case AccessMethod::kHash:
      return Status::not_implemented("hash joins");
    case AccessMethod::kTableFunction:
      return Status::not_implemented("table-valued functions");
    case AccessMethod::kOr:
      return Status::not_implemented("OR over several indexes");
    case AccessMethod::kRecursiveQueue:
      return Status::not_implemented("recursive common table expressions");
  }
  return Status(code::kInternal, "an access method that does not exist");
}

}  // namespace godwit
