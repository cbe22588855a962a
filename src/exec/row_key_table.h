// A hash table that numbers distinct row keys 0, 1, 2, ... in the order they are first seen: the
// core of hash aggregation, DISTINCT, set operators and hash joins. What belongs to a key (aggregate
// states, lists of rows) the owner keeps in arrays indexed by that number.
//
// As long as there is one key column and it holds only integers (or NULL), keys are kept as plain
// integers; the first other value turns the table to encoded keys (row_key.h). Numbers stay.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "exec/row_key.h"
#include "vector/vector.h"

namespace godwit {

class RowKeyTable {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;
  // What a key with a NULL in it is: a key like others (GROUP BY), or one that is never found nor
  // inserted (join with =).
  enum class Nulls : uint8_t { kEqual, kNeverMatch };

  explicit RowKeyTable(std::span<const Collation* const> collations, Nulls nulls = Nulls::kEqual);

  uint32_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  // Forgets all keys; keeps memory.
  void clear();
  size_t bytes_held() const;

  // numbers[i] becomes the number of the key of row selection[i]; new keys are added.
  void find_or_insert(std::span<const Vector* const> columns, const Selection& selection,
                      uint32_t* numbers);
  // The same without adding: kNone for keys that are not there.
  void find(std::span<const Vector* const> columns, const Selection& selection, uint32_t* numbers);

 private:
  struct Entry {
    const char* bytes;
    uint32_t size;
  };
  // A bucket holds the upper half of the hash and number + 1; 0: free.
  using Bucket = uint64_t;

  template <bool kInsert>
  void look_up(std::span<const Vector* const> columns, const Selection& selection,
               uint32_t* numbers);
  template <bool kInsert>
  uint32_t look_up_integer(int64_t key);
  template <bool kInsert>
  uint32_t look_up_bytes(std::string_view key);
  // `text` under BINARY, the only column: without encoding it.
  template <bool kInsert>
  uint32_t look_up_text(std::string_view text);
  template <bool kInsert>
  uint32_t look_up_null();
  uint32_t add(uint64_t hash, size_t bucket);
  void grow();
  void rehash(size_t wanted);
  void leave_integer_mode();
  uint64_t hash_key(std::string_view key) const;
  uint64_t hash_of(uint32_t number) const;

  RowKeyEncoder encoder_;
  Nulls nulls_;
  bool single_column_;
  bool binary_text_;  // the only column compares text as BINARY does
  bool integer_mode_;
  std::vector<Bucket> buckets_;
  uint64_t mask_ = 0;
  uint32_t count_ = 0;
  uint32_t null_number_ = kNone;   // integer mode
  std::vector<int64_t> integers_;  // integer mode: key by number
  std::vector<Entry> entries_;     // encoded keys, by number
  Arena bytes_;
};

}  // namespace godwit
