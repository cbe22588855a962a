// SQL values: the five storage classes, as a borrowed view and as an owner.
//
// Text is UTF-8 inside the engine, whatever the database's encoding: records of a UTF-16 database
// are converted when they are decoded and encoded (value/record.h). Text may hold NUL characters
// and invalid UTF-8; both are kept byte for byte.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/bytes.h"

namespace godwit {

// In comparison order, except that integers and reals compare with each other by value.
// The numbers are internal; the C ABI's SQLITE_INTEGER ... SQLITE_NULL are mapped in api/.
enum class ValueType : uint8_t { kNull = 0, kInteger = 1, kReal = 2, kText = 3, kBlob = 4 };

// The subtype of a NULL that stands for a column that an UPDATE of a virtual table leaves as it is.
inline constexpr uint8_t kUnchangedSubtype = 'u';

// A value that somebody else owns: 16 bytes, trivially copyable. Text and blob bytes stay valid as
// long as their owner says (a pinned page, a Value, an arena).
struct ValueView {
  union {
    int64_t integer;
    double real;
    const char* bytes;  // text or blob; may be null when size is 0
  };
  uint32_t size = 0;  // bytes of text or blob
  ValueType type = ValueType::kNull;
  uint8_t subtype = 0;  // as sqlite3_result_subtype(); 'J' marks JSON
  // A blob of this value stands for `size` zero bytes that are not materialized (zeroblob()).
  bool zero_filled = false;
  uint8_t reserved = 0;

  ValueView() : integer(0) {}
  static ValueView null() { return ValueView(); }
  static ValueView of(int64_t i) {
    ValueView v;
    v.integer = i;
    v.type = ValueType::kInteger;
    return v;
  }
  static ValueView of(double r) {
    ValueView v;
    v.real = r;
    v.type = ValueType::kReal;
    return v;
  }
  static ValueView boolean(bool b) { return of(static_cast<int64_t>(b)); }
  static ValueView of_text(std::string_view t) {
    ValueView v;
    v.bytes = t.data();
    v.size = static_cast<uint32_t>(t.size());
    v.type = ValueType::kText;
    return v;
  }
  static ValueView of_blob(std::string_view b) {
    ValueView v = of_text(b);
    v.type = ValueType::kBlob;
    return v;
  }
  static ValueView of_blob(ByteSpan b) { return of_blob(as_text(b)); }

  bool is_null() const { return type == ValueType::kNull; }
  bool is_integer() const { return type == ValueType::kInteger; }
  bool is_real() const { return type == ValueType::kReal; }
  bool is_number() const { return type == ValueType::kInteger || type == ValueType::kReal; }
  bool is_text() const { return type == ValueType::kText; }
  bool is_blob() const { return type == ValueType::kBlob; }
  // Valid for text and materialized blobs.
  std::string_view text() const { return {bytes, size}; }
};
static_assert(sizeof(ValueView) == 16);

// A value that owns its bytes. Numbers and NULL allocate nothing. The buffer is kept when a shorter
// value is assigned, so that a value reused in a loop stops allocating. Assigning from a view of
// this value's own bytes is allowed.
class Value {
 public:
  Value() = default;
  explicit Value(const ValueView& v) { assign(v); }
  Value(Value&& other) noexcept;
  Value& operator=(Value&& other) noexcept;
  Value(const Value& other) { assign(other.view_); }
  Value& operator=(const Value& other) {
    assign(other.view_);
    return *this;
  }
  ~Value();

  // Copies v; throws std::bad_alloc when memory runs out.
  void assign(const ValueView& v);
  // The same for what is neither text nor blob.
  void assign_number(const ValueView& v) { view_ = v; }
  void mark(uint8_t reserved) { view_.reserved = reserved; }
  void set_null() { view_ = ValueView(); }
  // Makes this text (or a blob) of `size` bytes and returns the room for them, uninitialized.
  char* prepare_text(uint32_t size);
  char* prepare_blob(uint32_t size);

  const ValueView& view() const { return view_; }
  operator const ValueView&() const { return view_; }  // NOLINT: implicit by design

 private:
  char* reserve(uint32_t size);

  ValueView view_;
  char* buffer_ = nullptr;
  uint32_t capacity_ = 0;
};

// Column affinity, in SQLite's order (the order is used: >= kNumeric means "numeric").
enum class Affinity : uint8_t { kNone = 0, kBlob, kText, kNumeric, kInteger, kReal, kFlexNum };
inline bool is_numeric(Affinity a) {
  return a >= Affinity::kNumeric;
}

enum class TextEncoding : uint8_t { kUtf8 = 1, kUtf16le = 2, kUtf16be = 3 };  // on disk: header 56

}  // namespace godwit
