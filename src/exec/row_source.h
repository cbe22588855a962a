// How the rows of one FROM source that match a left row are found: the part of an Access operator
// that differs by method (scan, rowid, index, hash table, ...).
//
// A source works in batches. A batch collects references to rows, of one left row or of several in
// turn; then columns are loaded into vectors for the rows that are still wanted:
//
//   begin_left(chunk)                      keys are evaluated for a chunk of left rows
//     begin_batch()
//       seek(row) fetch() ... fetch()      again and again, for one left row after another
//       append_null()                      the NULL row of an outer join
//     load(early columns, all rows)        filters run
//     load(late columns, rows that passed)
//
// Columns stay valid until the next begin_batch() or close(), even if the left chunk goes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "exec/exec_context.h"
#include "plan/plan_node.h"
#include "vector/vector.h"

namespace godwit {

// What a source has to know about its place in the plan.
struct RowSourceSpec {
  const AccessNode* node = nullptr;
  std::span<const ColumnRef> left;  // columns of the left chunks
  // By position in node->columns: needed by the node's `on` or `filter`; the others are loaded late.
  std::vector<bool> early;
  ExecContext* context = nullptr;
  OuterRow* outer = nullptr;
};

class RowSource {
 public:
  virtual ~RowSource() = default;

  virtual Status open() = 0;
  virtual void close() = 0;
  // As Operator::reopen().
  virtual Status reopen() {
    close();
    return open();
  }

  virtual Status begin_left(const Chunk& left) = 0;
  // Before the first match of row `left_row` of that chunk.
  virtual Status seek(uint32_t left_row) = 0;

  // Forgets the batch; at most `rows` (<= kChunkRowsMax) will be in the new one.
  virtual void begin_batch(uint32_t rows) = 0;
  // Appends up to `max` (> 0) of the matches. *fetched < max: there are no more for this left row.
  // *fetched also counts those before an error.
  virtual Status fetch(uint32_t max, uint32_t* fetched) = 0;
  virtual void append_null() = 0;
  // Makes the vectors of all early (or all late) columns, for the given rows of the batch. Once a
  // batch for each.
  virtual Status load(bool early, const Selection& rows) = 0;
  // A larger batch must not be asked for.
  virtual uint32_t max_batch() const { return kChunkRowsMax; }
  // By position in node->columns.
  virtual const Vector* column(size_t index) const = 0;

  // Right and full joins. Marks rows of the batch as matched; then, after the last left row,
  // begin_unmatched() makes fetch() give the rows never marked.
  virtual Status mark_matched(const Selection&) {
    return Status::not_implemented("RIGHT JOIN on this kind of source");
  }
  virtual Status begin_unmatched() {
    return Status::not_implemented("RIGHT JOIN on this kind of source");
  }
};

Result<std::unique_ptr<RowSource>> make_row_source(RowSourceSpec spec);

}  // namespace godwit
