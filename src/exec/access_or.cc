#include "exec/access_or.h"

#include "exec/access_index.h"

namespace godwit {

Result<std::unique_ptr<TreeSource>> OrSource::make(const RowSourceSpec& spec) {
  const AccessNode& node = *spec.node;
  const Table& table = *node.source->table;
  std::unique_ptr<OrSource> source(
      new OrSource(spec, table.without_rowid ? table.primary_index : nullptr));
  GW_TRY(source->prepare());
  for (const AccessNode* branch : node.branches) {
    RowSourceSpec branch_spec = spec;
    branch_spec.node = branch;
    std::unique_ptr<TreeSource> rows;
    switch (branch->method) {
      case AccessMethod::kRowidLookup: {
        GW_ASSIGN(rows, RowidLookupSource::make(branch_spec, source->rows_));
        break;
      }
      case AccessMethod::kRowidRange: {
        GW_ASSIGN(rows, RowidRangeSource::make(branch_spec, source->rows_));
        break;
      }
      case AccessMethod::kIndexSeek: {
        if (branch->covering) return Status(code::kInternal, "a branch of OR must find table rows");
        GW_ASSIGN(rows, IndexSource::make(branch_spec, source->rows_));
        break;
      }
      default:
        return Status(code::kInternal, "a branch of OR that does not seek");
    }
    source->branches_.push_back(std::move(rows));
  }
  return std::unique_ptr<TreeSource>(std::move(source));
}

Status OrSource::open() {
  GW_TRY(TreeSource::open());
  for (auto& branch : branches_) GW_TRY(branch->open());
  return Status();
}

void OrSource::close() {
  for (auto& branch : branches_) branch->close();
  TreeSource::close();
}

Status OrSource::begin_left(const Chunk& left) {
  for (auto& branch : branches_) GW_TRY(branch->begin_left(left));
  return Status();
}

Status OrSource::seek(uint32_t left_row) {
  seen_.clear();
  left_row_ = left_row;
  branch_ = 0;
  return branches_.empty() ? Status() : branches_[0]->seek(left_row);
}

Status OrSource::fetch(uint32_t max, uint32_t* fetched) {
  if (unmatched_) return fetch_unmatched(max, fetched);
  const uint32_t start = rows_->size();
  while (rows_->size() - start < max && branch_ < branches_.size()) {
    uint32_t kept = rows_->size();
    uint32_t want = max - (kept - start);
    uint32_t count = 0;
    GW_TRY(branches_[branch_]->fetch(want, &count));
    for (uint32_t row = kept, end = kept + count; row < end; ++row) {
      if (seen_.insert(rows_->entry(row))) rows_->entry(kept++) = rows_->entry(row);
    }
    rows_->truncate(kept);
    if (count == want) continue;
    if (++branch_ < branches_.size()) GW_TRY(branches_[branch_]->seek(left_row_));
  }
  *fetched = rows_->size() - start;
  return Status();
}

}  // namespace godwit
