// Drops rows that were there before; the others go through in the order they come.
#pragma once

#include <vector>

#include "exec/chunk_slicer.h"
#include "exec/operator.h"
#include "exec/row_key_table.h"

namespace godwit {

// Which rows are new. What is remembered is a key a row (row_key_table.h).
class DistinctFilter {
 public:
  explicit DistinctFilter(std::span<const Collation* const> collations) : seen_(collations) {}
  void clear() { seen_.clear(); }
  // The selected rows that were never seen; valid until the next call.
  Selection new_rows(std::span<const Vector* const> columns, const Selection& selection);
  size_t bytes_held() const { return seen_.bytes_held(); }

 private:
  RowKeyTable seen_;
  std::vector<uint32_t> numbers_;
  std::vector<uint16_t> rows_;
};

class DistinctOperator final : public Operator {
 public:
  DistinctOperator(const DistinctNode& node, std::unique_ptr<Operator> child, ExecContext* context)
      : child_(std::move(child)),
        context_(context),
        key_columns_(node.columns),
        distinct_(node.collations.first(node.columns)) {}
  Status open() override;
  Status next(uint32_t max_rows, const Chunk** chunk) override;
  void close() override;

 private:
  std::unique_ptr<Operator> child_;
  ExecContext* context_;
  uint32_t key_columns_;
  DistinctFilter distinct_;
  ChunkSlicer rows_;
};

}  // namespace godwit
