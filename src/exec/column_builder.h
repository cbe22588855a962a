// A vector under construction: values are stored at any rows, in any order, and their types noted on
// the way, so that the vector is uniform whenever the data is.
//
// begin(rows) -> put...() -> finish(). Tags are always written (a byte a value) and the set of types
// is kept in a mask; finish() then chooses the vector's form. Bytes of text and blobs are borrowed.
#pragma once

#include <cstdint>
#include <cstring>

#include "base/arena.h"
#include "vector/vector.h"

namespace godwit {

class ColumnBuilder {
 public:
  // Forgets all values and makes room for `rows`.
  void begin(uint32_t rows) {
    vector_.begin(rows);
    vector_.set_constant(false);
    slots_ = vector_.slots();
    sizes_ = vector_.sizes();
    tags_ = vector_.tags();
    types_ = 0;
  }

  void put_null(uint32_t row) { note(row, ValueType::kNull); }
  void put_integer(uint32_t row, int64_t value) {
    slots_[row].integer = value;
    note(row, ValueType::kInteger);
  }
  void put_real(uint32_t row, double value) {
    slots_[row].real = value;
    note(row, ValueType::kReal);
  }
  void put_bytes(uint32_t row, ValueType type, const char* bytes, uint32_t size) {
    slots_[row].bytes = bytes;
    sizes_[row] = size;
    note(row, type);
  }
  void put(uint32_t row, const ValueView& value) {
    slots_[row].integer = value.integer;
    sizes_[row] = value.size;
    note(row, value.type);
  }

  // The same with bytes copied into `arena`.
  void put_copy(uint32_t row, ValueView value, Arena* arena) {
    if (value.type >= ValueType::kText && value.bytes != nullptr) {
      auto* copy = static_cast<char*>(arena->allocate(value.size, 1));
      std::memcpy(copy, value.bytes, value.size);
      value.bytes = copy;
    }
    put(row, value);
  }

  // Stores from.get(rows[i]) at row i, for i < count.
  void gather(const Vector& from, const uint16_t* rows, uint32_t count);
  // The same for the rows in `targets` only: from.get(rows[t]) at row t.
  void gather_selected(const Vector& from, const uint16_t* rows, const Selection& targets);
  // Stores the values of `count` rows of the selection, from its `first` on, at row `at` and behind.
  // Bytes are copied into `arena`.
  void append_copy(const Vector& from, const Selection& selection, uint32_t first, uint32_t count,
                   uint32_t at, Arena* arena);

  // Chooses the form. The vector may be read from now on; more values may follow before another
  // finish().
  void finish();

  const Vector& vector() const { return vector_; }
  Vector& mutable_vector() { return vector_; }

  // Raw access for decoding loops, which note the types themselves.
  Vector::Slot* slots() { return slots_; }
  uint32_t* sizes() { return sizes_; }
  uint8_t* tags() { return tags_; }
  void add_types(uint32_t mask) { types_ |= mask; }
  static constexpr uint32_t mask_of(ValueType type) { return 1u << static_cast<uint32_t>(type); }

 private:
  void note(uint32_t row, ValueType type) {
    tags_[row] = static_cast<uint8_t>(type);
    types_ |= mask_of(type);
  }
  template <typename RowAt>
  void gather_loop(const Vector& from, uint32_t count, RowAt row_at);

  Vector vector_;
  Vector::Slot* slots_ = nullptr;
  uint32_t* sizes_ = nullptr;
  uint8_t* tags_ = nullptr;
  uint32_t types_ = 0;
};

}  // namespace godwit
