// Sorts rows: collects them in a ColumnStore and orders their numbers.
//
// Each row has a prefix: 64 bits of its first key that order like the key does, as far as they
// differ. Rows are sorted by their prefixes alone; runs of equal ones then get new prefixes, from
// the rest of the key or from the next key, and are sorted again. So each row's values are fetched
// once a round, not once a comparison. Only what 64 bits do not tell is compared value by value. The
// sort is stable.
//
// With a limit of n rows, rows that cannot be among the first n are dropped early: memory stays in
// proportion to n.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exec/column_store.h"
#include "value/collation.h"
#include "vector/vector.h"

namespace godwit {

struct SortKey {
  size_t column = 0;  // of the rows
  const Collation* collation = nullptr;
  bool descending = false;
  bool nulls_first = true;  // in the output, whatever the direction
};

// <0, 0, >0 as row `a` comes before, with, after row `b`.
int compare_rows(std::span<const SortKey> keys, const ColumnStore& a_store, uint32_t a,
                 const ColumnStore& b_store, uint32_t b);
int compare_key_values(const SortKey& key, const ValueView& a, const ValueView& b);

class RowSorter {
 public:
  RowSorter(size_t columns, std::vector<SortKey> keys);

  // Forgets all rows and the limit.
  void clear();
  // Only the first `rows` will be asked for; negative: all.
  void set_limit(int64_t rows) { limit_ = rows; }
  void append(std::span<const Vector* const> columns, const Selection& selection);
  void sort();

  std::span<const SortKey> keys() const { return keys_; }
  // After sort(): rows by place in the order.
  uint32_t size() const { return static_cast<uint32_t>(entries_.size()); }
  uint32_t row(uint32_t place) const { return entries_[place].row; }
  size_t column_count() const { return store_.column_count(); }
  const ColumnStore& rows() const { return store_; }
  size_t bytes_held() const {
    return store_.bytes_held() + entries_.capacity() * sizeof(Entry);
  }

 private:
  struct Entry {
    uint64_t prefix;
    uint32_t row;
  };

  void sort_by_key(Entry* begin, Entry* end, size_t key);
  void sort_by_rest_of_text(Entry* begin, Entry* end, size_t key);
  void sort_equal_prefixes(Entry* begin, Entry* end, size_t key);
  void sort_equal_keys(Entry* begin, Entry* end, size_t key);
  void sort_by_values(Entry* begin, Entry* end, size_t key);
  void note_prefix_types(const Vector& vector, const Selection& selection);
  static uint64_t prefix_of(const SortKey& key, const ValueView& value);
  bool comes_before(const Entry& a, const Entry& b) const;
  void drop_excess();

  std::vector<SortKey> keys_;
  ColumnStore store_;
  std::vector<Entry> entries_;
  int64_t limit_ = -1;
  bool has_cutoff_ = false;     // rows whose prefix is above cutoff_ are of no use
  uint64_t cutoff_ = 0;
  bool prefix_is_exact_ = true; // equal prefixes: equal first keys
  std::vector<uint16_t> kept_;
};

}  // namespace godwit
