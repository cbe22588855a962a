// Vectors: columns of values in flight.
//
// A Vector holds up to kChunkRowsMax values as arrays: an 8-byte slot a value (integer, real, or a
// pointer to text or blob bytes), sizes of texts and blobs beside it, and a type tag a value. SQLite
// is dynamically typed, so any row may have any type; but most columns do not make use of that, and
// the vector knows it:
//
//   kUniform   every value has type type()                      tags are not filled
//   kNullable  every value is NULL or of type type()            tags filled
//   kMixed     anything                                         tags filled
//
// Kernels run a tight loop on uniform vectors and fall back to per-value code on others. A constant
// vector (is_constant()) has one value, at row 0, that stands for every row; its form is kUniform.
//
// Text and blob bytes are borrowed: from a pinned page, from the chunk's arena, from a constant.
// They stay valid until the operator that produced the chunk is asked for the next one. A blob whose
// bytes are null although its size is not 0 is that many zeros (zeroblob()); get() says so.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/arena.h"
#include "base/assert.h"
#include "value/value.h"

namespace godwit {

// Rows of a full chunk. Chunk sizes ramp up to it, so that a point query touches one row's worth.
inline constexpr uint32_t kChunkRowsMax = 1024;

class Vector {
 public:
  enum class Form : uint8_t { kUniform, kNullable, kMixed };
  union Slot {
    int64_t integer;
    double real;
    const char* bytes;
  };

  Vector() = default;
  Vector(Vector&&) noexcept = default;
  Vector& operator=(Vector&&) noexcept = default;

  // Makes room for `rows` values; keeps what is there only if `keep`. Rooms grow 1, 8, 64, 1024.
  void reserve(uint32_t rows, bool keep = false);
  uint32_t capacity() const { return capacity_; }

  Form form() const { return form_; }
  bool is_uniform() const { return form_ == Form::kUniform; }
  bool is_uniform(ValueType type) const { return form_ == Form::kUniform && type_ == type; }
  ValueType type() const { return type_; }  // see Form; meaningless for kMixed
  bool is_constant() const { return constant_; }
  // Index of the value for `row`.
  uint32_t index(uint32_t row) const { return constant_ ? 0 : row; }

  ValueType type_at(uint32_t row) const {
    return form_ == Form::kUniform ? type_ : static_cast<ValueType>(tags_[index(row)]);
  }
  bool is_null(uint32_t row) const { return type_at(row) == ValueType::kNull; }
  // No row is NULL as far as the form tells (kMixed tells nothing).
  bool has_no_nulls() const { return form_ == Form::kUniform && type_ != ValueType::kNull; }
  ValueView get(uint32_t row) const {
    row = index(row);
    ValueView value;
    value.type = form_ == Form::kUniform ? type_ : static_cast<ValueType>(tags_[row]);
    if (value.type == ValueType::kNull) {
      if (has_subtypes_) [[unlikely]] {
        value.subtype = subtypes_[row];
        value.integer = slots_[row].integer;
      }
      return value;
    }
    value.integer = slots_[row].integer;
    if (value.type >= ValueType::kText) {
      value.size = sizes_[row];
      value.zero_filled = value.size != 0 && value.bytes == nullptr;
    }
    if (has_subtypes_) value.subtype = subtypes_[row];
    return value;
  }

  // Raw arrays, for kernels. A writer calls set_form() first and fills tags() unless kUniform.
  // Slots of NULLs and sizes of numbers hold nothing of meaning.
  Slot* slots() { return slots_; }
  const Slot* slots() const { return slots_; }
  uint32_t* sizes() { return sizes_; }
  const uint32_t* sizes() const { return sizes_; }
  uint8_t* tags() { return tags_; }
  const uint8_t* tags() const { return tags_; }
  void set_form(Form form, ValueType type) {
    form_ = form;
    type_ = type;
    has_subtypes_ = false;
    empty_ = false;
  }
  bool has_subtypes() const { return has_subtypes_; }
  void set_constant(bool constant) { constant_ = constant; }

  // Row-at-a-time writing, in any row order, for code that does not know types beforehand: begin()
  // forgets all values; set() adapts the form as values arrive; rows never set are undefined.
  void begin(uint32_t rows) {
    if (rows > capacity_) [[unlikely]]
      reserve(rows);
    written_ = rows;
    form_ = Form::kUniform;
    type_ = ValueType::kNull;
    constant_ = false;
    empty_ = true;
    has_subtypes_ = false;
  }
  void set(uint32_t row, const ValueView& value) {
    GW_ASSERT(row < written_);
    if (form_ != Form::kUniform || value.type != type_ || empty_) {
      adapt_form(value.type);
      if (form_ != Form::kUniform) tags_[row] = static_cast<uint8_t>(value.type);
    }
    slots_[row].integer = value.integer;
    sizes_[row] = value.size;
    if (value.zero_filled) [[unlikely]]
      slots_[row].bytes = nullptr;
    if (value.subtype != 0 || has_subtypes_) [[unlikely]]
      set_subtype(row, value.subtype);
  }
  // This vector becomes the constant `value` (bytes borrowed).
  void set_constant_value(const ValueView& value);
  // The value that has been written to row 0 becomes the constant.
  void make_constant() { set_constant_value(get(0)); }
  // Rows at .. at + count - 1 become source's values of rows[0..count) (null: rows 0 .. count-1).
  // begin() must have made room. Bytes are borrowed from where source borrows them.
  void gather(uint32_t at, const Vector& source, const uint16_t* rows, uint32_t count);

 private:
  // Makes the form hold a value of `type` too.
  void adapt_form(ValueType type) {
    if (form_ == Form::kMixed) return;
    if (form_ == Form::kNullable && (type == type_ || type == ValueType::kNull)) return;
    adapt_form_slow(type);
  }
  void adapt_form_slow(ValueType type);
  void materialize_tags();
  void set_subtype(uint32_t row, uint8_t subtype);

  std::unique_ptr<uint8_t[]> memory_;  // slots, sizes, tags, subtypes
  Slot* slots_ = nullptr;
  uint32_t* sizes_ = nullptr;
  uint8_t* tags_ = nullptr;
  uint8_t* subtypes_ = nullptr;  // filled where has_subtypes_
  uint32_t capacity_ = 0;
  uint32_t written_ = 0;         // rows that tags must cover when the form changes
  Form form_ = Form::kUniform;
  ValueType type_ = ValueType::kNull;
  bool constant_ = false;
  bool empty_ = true;            // begin() was called and nothing set yet
  bool has_subtypes_ = false;
};

// Rows of a chunk that are live, ascending. `rows` null: all rows 0 .. count-1.
struct Selection {
  const uint16_t* rows = nullptr;
  uint32_t count = 0;
  uint32_t operator[](uint32_t i) const { return rows == nullptr ? i : rows[i]; }
  bool is_all() const { return rows == nullptr; }
};

// Keeps something alive (a page image) as long as views into it may be used.
class Pin {
 public:
  using Release = void (*)(void*);
  Pin() = default;
  Pin(void* object, Release release) : object_(object), release_(release) {}
  Pin(Pin&& o) noexcept : object_(o.object_), release_(o.release_) { o.object_ = nullptr; }
  Pin& operator=(Pin&& o) noexcept {
    std::swap(object_, o.object_);
    std::swap(release_, o.release_);
    return *this;
  }
  ~Pin() {
    if (object_ != nullptr) release_(object_);
  }

 private:
  void* object_ = nullptr;
  Release release_ = nullptr;
};

// A batch of rows: borrowed column vectors, one per slot of the operator's layout, and the live rows.
// Valid until the operator that returned it is asked for the next chunk, or is reset.
struct Chunk {
  std::vector<const Vector*> columns;
  uint32_t rows = 0;      // values in each non-constant vector
  Selection selection;    // live rows; count 0: the stream has ended
  uint32_t size() const { return selection.count; }
  bool at_end() const { return selection.count == 0; }
};

}  // namespace godwit
