#include "exec/row_source.h"

#include "exec/access_index.h"
#include "exec/access_or.h"
#include "exec/access_store.h"
#include "exec/access_table.h"
#include "exec/access_virtual.h"

namespace godwit {

namespace {

Result<std::unique_ptr<RowSource>> as_source(Result<std::unique_ptr<TreeSource>> source) {
  if (!source.ok()) return source.take_status();
  return std::unique_ptr<RowSource>(std::move(*source));
}

}  // namespace

Result<std::unique_ptr<RowSource>> make_row_source(RowSourceSpec spec) {
  switch (spec.node->method) {
    case AccessMethod::kTableScan:
      return as_source(TableScanSource::make(spec));
    case AccessMethod::kRowidLookup:
      return as_source(RowidLookupSource::make(spec));
    case AccessMethod::kRowidRange:
      return as_source(RowidRangeSource::make(spec));
    case AccessMethod::kIndexSeek:
    case AccessMethod::kIndexScan:
      return as_source(IndexSource::make(spec));
    case AccessMethod::kQuery:
      return QuerySource::make(spec);
    case AccessMethod::kHash:
      return HashSource::make(spec);
    case AccessMethod::kVirtual:
      return VirtualSource::make(spec);
    case AccessMethod::kOr:
      return as_source(OrSource::make(spec));
    case AccessMethod::kRecursiveQueue:
      return QueueSource::make(spec);
  }
  return Status(code::kInternal, "an access method that does not exist");
}

}  // namespace godwit
