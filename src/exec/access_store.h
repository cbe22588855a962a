// Rows of a subquery that are kept in memory: scanned again for each left row, or found by hash.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "exec/column_store.h"
#include "exec/expression.h"
#include "exec/operator.h"
#include "exec/row_key_table.h"
#include "exec/row_sorter.h"
#include "exec/row_source.h"
#include "exec/vector_affinity.h"

namespace godwit {

// A batch of rows of a ColumnStore. Where it is just one block from its first row on, the block's
// vectors are the columns; else columns are gathered.
class StoreSource : public RowSource {
 public:
  void begin_batch(uint32_t rows) override;
  void append_null() override { append_row(kNullRow); }
  Status load(bool early, const Selection& rows) override;
  const Vector* column(size_t index) const override { return columns_[index]; }
  Status mark_matched(const Selection& rows) override;
  Status begin_unmatched() override;

 protected:
  static constexpr uint32_t kNullRow = ColumnStore::kNoRow;

  // `store` must outlive the source.
  StoreSource(const RowSourceSpec& spec, const ColumnStore* store) : spec_(spec), stored_(*store) {}
  // `columns`: what the columns of the store are.
  Status prepare(std::span<const ColumnRef> columns);
  void open_store();
  void append_row(uint32_t row);
  // Appends up to `max` rows of the store from *position on, which stop at `end`.
  void append_all(uint32_t max, uint32_t* position, uint32_t end, uint32_t* fetched);
  Status fetch_unmatched(uint32_t max, uint32_t* fetched);

  const RowSourceSpec spec_;
  const ColumnStore& stored_;
  bool unmatched_ = false;

 private:
  uint32_t append_range(uint32_t max, uint32_t* position, uint32_t end);
  void leave_block_mode();

  std::vector<size_t> store_columns_;    // by position in node->columns
  std::vector<const Vector*> columns_;
  std::vector<ColumnBuilder> builders_;
  std::vector<uint32_t> rows_;           // of the store, by row of the batch, unless in block mode
  uint32_t count_ = 0;
  bool block_mode_ = false;
  uint32_t block_ = 0;
  std::vector<bool> matched_;            // right and full joins, by row of the store
  uint32_t unmatched_position_ = 0;
};

// The plan below a source of kind kQuery or kHash, run once and kept as long as it is right: for one
// run if it depends on enclosing queries, else for one execution of the statement.
class MaterializedInput {
 public:
  Status prepare(const RowSourceSpec& spec);
  void open();
  // The rows that were given last are still right.
  bool is_known() const { return known_; }
  // Runs the plan; calls add(chunk) for each chunk.
  template <typename Add>
  Status run(Add add);

 private:
  std::unique_ptr<Operator> input_;
  ExecContext* context_ = nullptr;
  bool correlated_ = false;
  bool known_ = false;
  uint64_t execution_ = 0;
};

class QuerySource final : public StoreSource {
 public:
  static Result<std::unique_ptr<RowSource>> make(const RowSourceSpec& spec);
  Status open() override;
  void close() override {}
  Status begin_left(const Chunk& left) override;
  Status seek(uint32_t left_row) override;
  Status fetch(uint32_t max, uint32_t* fetched) override;
  Status begin_unmatched() override;

 private:
  QuerySource(const RowSourceSpec& spec, size_t columns)
      : StoreSource(spec, &store_), store_(columns) {}
  Status fill_store();

  ColumnStore store_;
  MaterializedInput input_;
  uint32_t position_ = 0;
};

// Rows of a recursive query that its recursive part is working on.
struct RecursiveQueue {
  SourceId source = 0;
  const ColumnStore* rows = nullptr;
  uint32_t begin = 0, end = 0;  // of `rows`
};

class QueueSource final : public StoreSource {
 public:
  static Result<std::unique_ptr<RowSource>> make(const RowSourceSpec& spec);
  Status open() override;
  void close() override {}
  Status begin_left(const Chunk&) override { return Status(); }
  Status seek(uint32_t left_row) override;
  Status fetch(uint32_t max, uint32_t* fetched) override;

 private:
  QueueSource(const RowSourceSpec& spec, const RecursiveQueue* queue)
      : StoreSource(spec, queue->rows), queue_(queue) {}
  const RecursiveQueue* queue_;
  uint32_t position_ = 0;
};

class HashSource final : public StoreSource {
 public:
  static Result<std::unique_ptr<RowSource>> make(const RowSourceSpec& spec);
  Status open() override;
  void close() override {}
  Status begin_left(const Chunk& left) override;
  Status seek(uint32_t left_row) override;
  Status fetch(uint32_t max, uint32_t* fetched) override;
  Status begin_unmatched() override;

 private:
  HashSource(const RowSourceSpec& spec, size_t store_columns);
  // One side of the comparisons that join: expressions, then affinities.
  struct KeySide {
    std::vector<std::unique_ptr<Expression>> expressions;
    std::deque<ComparisonAffinity> affinities;
    std::vector<const Vector*> vectors;
    Status evaluate(const Chunk& chunk, const Selection& selection);
  };

  void choose_order(std::span<const ColumnRef> columns);
  Status build();
  Status add_chunk(const Chunk& chunk);
  // Rows with equal keys come as an automatic index of SQLite has them: ordered by the other
  // columns. A key's rows are sorted when they are first asked for.
  void sort_matches(uint32_t number);
  // The rows without NULLs where NULL never matches.
  Selection rows_with_keys(const KeySide& side, const Selection& selection);

  ColumnStore store_;
  MaterializedInput input_;
  KeySide build_keys_, probe_keys_;
  RowKeyTable table_;
  std::vector<uint32_t> numbers_;
  // Rows of the store with equal keys, in the order they were added.
  std::vector<uint32_t> first_row_, last_row_;  // by number of the key
  std::vector<uint32_t> next_row_;              // by row of the store; kNullRow ends
  std::vector<bool> is_sorted_;                 // by number of the key
  std::vector<SortKey> order_;
  std::vector<uint32_t> equal_rows_;            // scratch
  std::vector<uint32_t> match_number_;          // by left row of the chunk: number of the key
  std::vector<uint16_t> key_rows_;
  uint32_t match_ = kNullRow;
};

}  // namespace godwit
