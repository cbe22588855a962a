#include "exec/compare_kernels.h"

#include <array>
#include <cstring>

#include "exec/expression_node.h"
#include "value/affinity.h"
#include "value/record.h"

namespace godwit {

namespace {

// Every operator is `a = b` or `a < b`, with sides exchanged and the result negated where needed.
struct Reduced {
  bool less;      // else equality
  bool exchange;
  bool negate;
};

Reduced reduce(CompareOp op) {
  switch (op) {
    case CompareOp::kEq:
    case CompareOp::kIs: return {false, false, false};
    case CompareOp::kNe:
    case CompareOp::kIsNot: return {false, false, true};
    case CompareOp::kLt: return {true, false, false};
    case CompareOp::kGe: return {true, false, true};
    case CompareOp::kGt: return {true, true, false};
    case CompareOp::kLe: return {true, true, true};
  }
  return {false, false, false};
}

// Results as rows.
struct FilterSink {
  uint16_t* rows;
  bool flip;  // select where the test fails
  uint32_t count = 0;

  void put(uint32_t row, bool test) {
    rows[count] = static_cast<uint16_t>(row);
    count += test != flip;
  }
  void put(uint32_t row, bool test, bool valid) {
    rows[count] = static_cast<uint16_t>(row);
    count += (test != flip) & valid;
  }
  void begin(bool) {}
};

// Results as 0, 1 and NULL.
struct BooleanSink {
  Vector* result;
  bool flip;
  Vector::Slot* slots = nullptr;
  uint8_t* tags = nullptr;

  void begin(bool nullable) {
    result->set_form(nullable ? Vector::Form::kNullable : Vector::Form::kUniform,
                     ValueType::kInteger);
    slots = result->slots();
    tags = result->tags();
  }
  void put(uint32_t row, bool test) { slots[row].integer = test != flip; }
  void put(uint32_t row, bool test, bool valid) {
    slots[row].integer = test != flip;
    tags[row] = valid;
  }
};
static_assert(static_cast<int>(ValueType::kNull) == 0 && static_cast<int>(ValueType::kInteger) == 1);

// Stands in for the tags of a vector without NULLs.
constexpr auto kAllValid = [] {
  std::array<uint8_t, kChunkRowsMax> tags{};
  for (uint8_t& tag : tags) tag = 1;
  return tags;
}();

const uint8_t* tags_or_valid(const Vector& v) {
  return v.is_uniform() ? kAllValid.data() : v.tags();
}

template <typename Test, typename Sink>
void run(const Vector& a, const Vector& b, const Selection& selection, Test test, Sink& sink) {
  bool nullable = !a.is_uniform() || !b.is_uniform();
  sink.begin(nullable);
  if (!nullable) {
    for_each_row(selection, [&](uint32_t row) { sink.put(row, test(row)); });
    return;
  }
  const uint8_t* valid_a = tags_or_valid(a);
  const uint8_t* valid_b = tags_or_valid(b);
  for_each_row(selection, [&](uint32_t row) {
    bool valid = (valid_a[row] != 0) & (valid_b[row] != 0);
    sink.put(row, test(row), valid);
  });
}

// Texts are only looked at where both are there.
template <typename Test, typename Sink>
void run_guarded(const Vector& a, const Vector& b, const Selection& selection, Test test,
                 Sink& sink) {
  bool nullable = !a.is_uniform() || !b.is_uniform();
  if (!nullable) return run(a, b, selection, test, sink);
  sink.begin(true);
  const uint8_t* valid_a = tags_or_valid(a);
  const uint8_t* valid_b = tags_or_valid(b);
  for_each_row(selection, [&](uint32_t row) {
    bool valid = valid_a[row] != 0 && valid_b[row] != 0;
    sink.put(row, valid && test(row), valid);
  });
}

// Calls f with a reader of each side: of a column, or of a constant held in a register.
template <typename Read, typename F>
void with_sides(const Vector& a, const Vector& b, Read read, F&& f) {
  if (b.is_constant()) {
    auto constant = read.constant(b);
    f([&a, read](uint32_t row) { return read(a, row); }, [constant](uint32_t) { return constant; });
  } else if (a.is_constant()) {
    auto constant = read.constant(a);
    f([constant](uint32_t) { return constant; }, [&b, read](uint32_t row) { return read(b, row); });
  } else {
    f([&a, read](uint32_t row) { return read(a, row); },
      [&b, read](uint32_t row) { return read(b, row); });
  }
}

// Constants may be numbers of the other type, if is_exact_as() says so.
struct ReadInteger {
  int64_t operator()(const Vector& v, uint32_t row) const { return v.slots()[row].integer; }
  int64_t constant(const Vector& v) const {
    return v.type() == ValueType::kReal ? static_cast<int64_t>(v.slots()[0].real)
                                        : v.slots()[0].integer;
  }
};
struct ReadReal {
  double operator()(const Vector& v, uint32_t row) const { return v.slots()[row].real; }
  double constant(const Vector& v) const {
    return v.type() == ValueType::kInteger ? static_cast<double>(v.slots()[0].integer)
                                           : v.slots()[0].real;
  }
};
struct ReadText {
  std::string_view operator()(const Vector& v, uint32_t row) const {
    return {v.slots()[row].bytes, v.sizes()[row]};
  }
  std::string_view constant(const Vector& v) const { return (*this)(v, 0); }
};

template <typename Read, typename Sink>
void compare_numbers(bool less, const Vector& a, const Vector& b, const Selection& selection,
                     Sink& sink) {
  with_sides(a, b, Read(), [&](auto left, auto right) {
    if (less) {
      run(a, b, selection, [=](uint32_t row) { return left(row) < right(row); }, sink);
    } else {
      run(a, b, selection, [=](uint32_t row) { return left(row) == right(row); }, sink);
    }
  });
}

inline bool equal_bytes(std::string_view x, std::string_view y) {
  return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.size()) == 0);
}

inline bool less_bytes(std::string_view x, std::string_view y) {
  size_t shared = std::min(x.size(), y.size());
  int order = shared == 0 ? 0 : std::memcmp(x.data(), y.data(), shared);
  return order != 0 ? order < 0 : x.size() < y.size();
}

template <typename Sink>
void compare_texts(bool less, const Vector& a, const Vector& b, const Collation* collation,
                   const Selection& selection, Sink& sink) {
  with_sides(a, b, ReadText(), [&](auto left, auto right) {
    if (collation->is_binary()) {
      if (less) {
        run_guarded(a, b, selection,
                    [=](uint32_t row) { return less_bytes(left(row), right(row)); }, sink);
      } else {
        run_guarded(a, b, selection,
                    [=](uint32_t row) { return equal_bytes(left(row), right(row)); }, sink);
      }
      return;
    }
    run_guarded(a, b, selection,
                [=](uint32_t row) {
                  int order = collation->compare(left(row), right(row));
                  return less ? order < 0 : order == 0;
                },
                sink);
  });
}

template <typename Sink>
void compare_any(bool less, const Vector& a, const Vector& b, const Collation* collation,
                 const Selection& selection, Sink& sink) {
  sink.begin(true);
  for_each_row(selection, [&](uint32_t row) {
    ValueView x = a.get(row);
    ValueView y = b.get(row);
    bool valid = !x.is_null() && !y.is_null();
    bool test = false;
    if (valid) {
      int order = compare_values(x, y, collation);
      test = less ? order < 0 : order == 0;
    }
    sink.put(row, test, valid);
  });
}

// IS and IS NOT, where a NULL is possible.
template <typename Sink>
void compare_null_safe(const Vector& a, const Vector& b, const Collation* collation,
                       const Selection& selection, Sink& sink) {
  sink.begin(false);
  for_each_row(selection, [&](uint32_t row) {
    // NULL is a class of its own in the order of values, so it is equal to NULL alone.
    sink.put(row, compare_values(a.get(row), b.get(row), collation) == 0);
  });
}

// A vector whose only values, besides NULL, are of `type`.
bool holds_only(const Vector& v, ValueType type) {
  return v.form() != Vector::Form::kMixed && v.type() == type;
}

// A constant number that is the same number when it is converted to `type`.
bool is_exact_as(const Vector& v, ValueType type) {
  if (!v.is_constant()) return false;
  if (v.type() == ValueType::kInteger && type == ValueType::kReal) {
    constexpr int64_t kExact = int64_t{1} << 53;
    return v.slots()[0].integer >= -kExact && v.slots()[0].integer <= kExact;
  }
  if (v.type() == ValueType::kReal && type == ValueType::kInteger) {
    int64_t integer;
    return real_is_integer(v.slots()[0].real, &integer);
  }
  return false;
}

// Both sides can be compared as values of `type`. At most one constant is converted, beside a column.
bool are_all(const Vector& a, const Vector& b, ValueType type) {
  if (a.is_constant() && b.is_constant()) return holds_only(a, type) && holds_only(b, type);
  return holds_only(a, type) ? holds_only(b, type) || is_exact_as(b, type)
                             : holds_only(b, type) && is_exact_as(a, type);
}

template <typename Sink>
void compare(CompareOp op, const Vector& left, const Vector& right, const Collation* collation,
             const Selection& selection, Sink& sink) {
  Reduced reduced = reduce(op);
  if ((op == CompareOp::kIs || op == CompareOp::kIsNot) &&
      !(left.has_no_nulls() && right.has_no_nulls())) {
    return compare_null_safe(left, right, collation, selection, sink);
  }
  const Vector& a = reduced.exchange ? right : left;
  const Vector& b = reduced.exchange ? left : right;
  // A constant NULL (whose form is uniform, of type NULL) is of no type here: compare_any.
  if (are_all(a, b, ValueType::kInteger)) {
    return compare_numbers<ReadInteger>(reduced.less, a, b, selection, sink);
  }
  if (are_all(a, b, ValueType::kReal)) {
    return compare_numbers<ReadReal>(reduced.less, a, b, selection, sink);
  }
  if (holds_only(a, ValueType::kText) && holds_only(b, ValueType::kText)) {
    return compare_texts(reduced.less, a, b, collation, selection, sink);
  }
  compare_any(reduced.less, a, b, collation, selection, sink);
}

}  // namespace

uint32_t compare_filter(CompareOp op, const Vector& a, const Vector& b, const Collation* collation,
                        const Selection& selection, bool wanted, uint16_t* rows) {
  if (a.is_constant() && b.is_constant()) {
    uint16_t row;
    FilterSink sink{&row, reduce(op).negate == wanted};
    compare(op, a, b, collation, kFirstRow, sink);
    return select_all_or_none(selection, sink.count != 0, rows);
  }
  FilterSink sink{rows, reduce(op).negate == wanted};
  compare(op, a, b, collation, selection, sink);
  return sink.count;
}

void compare_booleans(CompareOp op, const Vector& a, const Vector& b, const Collation* collation,
                      const Selection& selection, uint32_t rows, Vector* result) {
  bool constant = a.is_constant() && b.is_constant();
  result->begin(constant ? 1 : rows);
  BooleanSink sink{result, reduce(op).negate};
  compare(op, a, b, collation, constant ? kFirstRow : selection, sink);
  if (constant) result->make_constant();
}

}  // namespace godwit
