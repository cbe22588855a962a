#include "exec/arithmetic_kernels.h"

#include <cstring>
#include <limits>

#include "exec/expression_node.h"
#include "value/cast.h"

namespace godwit {

namespace {

constexpr int64_t kIntegerMin = std::numeric_limits<int64_t>::min();

// False: the result does not fit, or (division) there is none.
bool integer_result(BinaryOp op, int64_t a, int64_t b, int64_t* result) {
  switch (op) {
    case BinaryOp::kAdd: return !__builtin_add_overflow(a, b, result);
    case BinaryOp::kSubtract: return !__builtin_sub_overflow(a, b, result);
    case BinaryOp::kMultiply: return !__builtin_mul_overflow(a, b, result);
    case BinaryOp::kDivide:
      if (a == kIntegerMin && b == -1) return false;
      *result = a / b;
      return true;
    default:
      *result = b == -1 ? 0 : a % b;
      return true;
  }
}

ValueView real_or_null(double r) { return r == r ? ValueView::of(r) : ValueView::null(); }

ValueView real_result(BinaryOp op, const ValueView& a, const ValueView& b) {
  double x = value_to_real(a);
  double y = value_to_real(b);
  switch (op) {
    case BinaryOp::kAdd: return real_or_null(x + y);
    case BinaryOp::kSubtract: return real_or_null(x - y);
    case BinaryOp::kMultiply: return real_or_null(x * y);
    case BinaryOp::kDivide: return y == 0.0 ? ValueView::null() : real_or_null(x / y);
    default: {
      int64_t i = value_to_integer(a);
      int64_t j = value_to_integer(b);
      if (j == 0) return ValueView::null();
      return ValueView::of(j == -1 ? 0.0 : static_cast<double>(i % j));
    }
  }
}

}  // namespace

ValueView arithmetic_value(BinaryOp op, const ValueView& a, const ValueView& b) {
  if (a.is_null() || b.is_null()) return ValueView::null();
  ValueView x = a.is_number() ? a : value_to_number(a);
  ValueView y = b.is_number() ? b : value_to_number(b);
  if (x.is_integer() && y.is_integer()) {
    bool divides = op == BinaryOp::kDivide || op == BinaryOp::kRemainder;
    if (divides && y.integer == 0) return ValueView::null();
    int64_t result;
    if (integer_result(op, x.integer, y.integer, &result)) return ValueView::of(result);
  }
  // The remainder of texts is that of their leading integers, not of the reals they begin with.
  return op == BinaryOp::kRemainder ? real_result(op, a, b) : real_result(op, x, y);
}

namespace {

ValueView shift(int64_t value, int64_t count, bool left) {
  if (count < 0) {
    left = !left;
    count = count > -64 ? -count : 64;
  }
  if (count >= 64) return ValueView::of(int64_t{value < 0 && !left ? -1 : 0});
  if (left) return ValueView::of(static_cast<int64_t>(static_cast<uint64_t>(value) << count));
  return ValueView::of(value >> count);
}

}  // namespace

ValueView bits_value(BinaryOp op, const ValueView& a, const ValueView& b) {
  if (a.is_null() || b.is_null()) return ValueView::null();
  int64_t x = value_to_integer(a);
  int64_t y = value_to_integer(b);
  switch (op) {
    case BinaryOp::kBitAnd: return ValueView::of(x & y);
    case BinaryOp::kBitOr: return ValueView::of(x | y);
    default: return shift(x, y, op == BinaryOp::kShiftLeft);
  }
}

namespace {

// The result is NULL where an operand is.
void set_form_of_operands(const Vector& a, const Vector& b, const Selection& selection,
                          ValueType type, Vector* result) {
  if (a.is_uniform() && b.is_uniform()) {
    result->set_form(Vector::Form::kUniform, type);
    return;
  }
  result->set_form(Vector::Form::kNullable, type);
  uint8_t* tags = result->tags();
  uint8_t tag = static_cast<uint8_t>(type);
  if (a.is_uniform() || b.is_uniform()) {
    const uint8_t* from = a.is_uniform() ? b.tags() : a.tags();
    for_each_row(selection, [=](uint32_t row) { tags[row] = from[row] == 0 ? 0 : tag; });
  } else {
    const uint8_t* from_a = a.tags();
    const uint8_t* from_b = b.tags();
    for_each_row(selection, [=](uint32_t row) {
      tags[row] = ((from_a[row] == 0) | (from_b[row] == 0)) ? 0 : tag;
    });
  }
}

// Calls f with a reader of each side, a column or a constant held in a register.
template <typename T, typename F>
void with_sides(const Vector& a, const Vector& b, F&& f) {
  auto read = [](const Vector::Slot& slot) -> T {
    if constexpr (std::is_same_v<T, double>) {
      return slot.real;
    } else {
      return slot.integer;
    }
  };
  const Vector::Slot* x = a.slots();
  const Vector::Slot* y = b.slots();
  if (b.is_constant()) {
    f([=](uint32_t row) { return read(x[row]); }, [c = read(y[0])](uint32_t) { return c; });
  } else if (a.is_constant()) {
    f([c = read(x[0])](uint32_t) { return c; }, [=](uint32_t row) { return read(y[row]); });
  } else {
    f([=](uint32_t row) { return read(x[row]); }, [=](uint32_t row) { return read(y[row]); });
  }
}

// Each returns whether the result overflowed, without a branch.
struct Add {
  static bool apply(int64_t a, int64_t b, int64_t* r) { return __builtin_add_overflow(a, b, r); }
  static double apply(double a, double b) { return a + b; }
};
struct Subtract {
  static bool apply(int64_t a, int64_t b, int64_t* r) { return __builtin_sub_overflow(a, b, r); }
  static double apply(double a, double b) { return a - b; }
};
struct Multiply {
  static bool apply(int64_t a, int64_t b, int64_t* r) { return __builtin_mul_overflow(a, b, r); }
  static double apply(double a, double b) { return a * b; }
};

// Returns false if any row overflowed (perhaps one that is NULL, whose slot holds anything).
template <typename Op>
bool compute_integers(const Vector& a, const Vector& b, const Selection& selection,
                      Vector::Slot* out) {
  bool overflow = false;
  with_sides<int64_t>(a, b, [&](auto left, auto right) {
    bool any = false;
    for_each_row(selection, [&, out](uint32_t row) {
      int64_t r;
      any |= Op::apply(left(row), right(row), &r);
      out[row].integer = r;
    });
    overflow = any;
  });
  return !overflow;
}

// Returns false if some divisor is 0 (the result is NULL) or -1 (it may overflow).
template <bool kRemainder>
bool divide_integers(const Vector& a, const Vector& b, const Selection& selection,
                     Vector::Slot* out) {
  bool special = false;
  with_sides<int64_t>(a, b, [&](auto left, auto right) {
    bool any = false;
    for_each_row(selection, [&, out](uint32_t row) {
      int64_t divisor = right(row);
      bool unsafe = static_cast<uint64_t>(divisor) + 1 <= 1;
      any |= unsafe;
      divisor = unsafe ? 1 : divisor;
      out[row].integer = kRemainder ? left(row) % divisor : left(row) / divisor;
    });
    special = any;
  });
  return !special;
}

bool arithmetic_integers(BinaryOp op, const Vector& a, const Vector& b, const Selection& selection,
                         Vector* result) {
  Vector::Slot* out = result->slots();
  bool done = false;
  switch (op) {
    case BinaryOp::kAdd: done = compute_integers<Add>(a, b, selection, out); break;
    case BinaryOp::kSubtract: done = compute_integers<Subtract>(a, b, selection, out); break;
    case BinaryOp::kMultiply: done = compute_integers<Multiply>(a, b, selection, out); break;
    case BinaryOp::kDivide: done = divide_integers<false>(a, b, selection, out); break;
    default: done = divide_integers<true>(a, b, selection, out); break;
  }
  if (done) set_form_of_operands(a, b, selection, ValueType::kInteger, result);
  return done;
}

// Returns false if some result is not a number.
template <typename Op>
bool compute_reals(const Vector& a, const Vector& b, const Selection& selection,
                   Vector::Slot* out) {
  bool nan = false;
  with_sides<double>(a, b, [&](auto left, auto right) {
    bool any = false;
    for_each_row(selection, [&, out](uint32_t row) {
      double r = Op::apply(left(row), right(row));
      any |= r != r;
      out[row].real = r;
    });
    nan = any;
  });
  return !nan;
}

// Returns false if some divisor is zero or some result is not a number.
bool divide_reals(const Vector& a, const Vector& b, const Selection& selection, Vector::Slot* out) {
  bool none = false;
  with_sides<double>(a, b, [&](auto left, auto right) {
    bool any = false;
    for_each_row(selection, [&, out](uint32_t row) {
      double divisor = right(row);
      double r = left(row) / divisor;
      any |= (r != r) | (divisor == 0.0);
      out[row].real = r;
    });
    none = any;
  });
  return !none;
}

// `v`, whose values are numbers of one type or NULL, with integers as reals.
const Vector& as_reals(const Vector& v, const Selection& selection, Vector* scratch) {
  if (v.type() == ValueType::kReal) return v;
  if (v.is_constant()) {
    scratch->set_constant_value(ValueView::of(static_cast<double>(v.slots()[0].integer)));
    return *scratch;
  }
  scratch->begin(v.capacity());
  scratch->set_form(v.form(), ValueType::kReal);
  const Vector::Slot* from = v.slots();
  Vector::Slot* to = scratch->slots();
  for_each_row(selection,
               [=](uint32_t row) { to[row].real = static_cast<double>(from[row].integer); });
  if (!v.is_uniform()) {
    const uint8_t* tags = v.tags();
    uint8_t* out = scratch->tags();
    for_each_row(selection, [=](uint32_t row) { out[row] = tags[row]; });
  }
  return *scratch;
}

bool arithmetic_reals(BinaryOp op, const Vector& a, const Vector& b, const Selection& selection,
                      ArithmeticScratch* scratch, Vector* result) {
  if (op == BinaryOp::kRemainder) return false;
  const Vector& x = as_reals(a, selection, &scratch->a);
  const Vector& y = as_reals(b, selection, &scratch->b);
  Vector::Slot* out = result->slots();
  bool done = false;
  switch (op) {
    case BinaryOp::kAdd: done = compute_reals<Add>(x, y, selection, out); break;
    case BinaryOp::kSubtract: done = compute_reals<Subtract>(x, y, selection, out); break;
    case BinaryOp::kMultiply: done = compute_reals<Multiply>(x, y, selection, out); break;
    default: done = divide_reals(x, y, selection, out); break;
  }
  if (done) set_form_of_operands(x, y, selection, ValueType::kReal, result);
  return done;
}

bool holds_numbers(const Vector& v) {
  return v.form() != Vector::Form::kMixed &&
         (v.type() == ValueType::kInteger || v.type() == ValueType::kReal);
}

// For results of any type.
template <typename F>
void compute_each(const Vector& a, const Vector& b, const Selection& selection, uint32_t rows,
                  Vector* result, F value_of) {
  result->begin(rows);
  for_each_row(selection,
               [&](uint32_t row) { result->set(row, value_of(a.get(row), b.get(row))); });
}

}  // namespace

void arithmetic(BinaryOp op, const Vector& a, const Vector& b, const Selection& selection,
                uint32_t rows, ArithmeticScratch* scratch, Vector* result) {
  if (a.is_constant() && b.is_constant()) {
    result->set_constant_value(arithmetic_value(op, a.get(0), b.get(0)));
    return;
  }
  result->begin(rows);
  if (holds_numbers(a) && holds_numbers(b)) {
    bool integers = a.type() == ValueType::kInteger && b.type() == ValueType::kInteger;
    if (integers ? arithmetic_integers(op, a, b, selection, result)
                 : arithmetic_reals(op, a, b, selection, scratch, result)) {
      return;
    }
  }
  compute_each(a, b, selection, rows, result,
               [op](const ValueView& x, const ValueView& y) { return arithmetic_value(op, x, y); });
}

void bits(BinaryOp op, const Vector& a, const Vector& b, const Selection& selection, uint32_t rows,
          Vector* result) {
  if (a.is_constant() && b.is_constant()) {
    result->set_constant_value(bits_value(op, a.get(0), b.get(0)));
    return;
  }
  auto is_integer = [](const Vector& v) {
    return v.form() != Vector::Form::kMixed && v.type() == ValueType::kInteger;
  };
  if (!is_integer(a) || !is_integer(b) || op == BinaryOp::kShiftLeft ||
      op == BinaryOp::kShiftRight) {
    compute_each(a, b, selection, rows, result,
                 [op](const ValueView& x, const ValueView& y) { return bits_value(op, x, y); });
    return;
  }
  result->begin(rows);
  Vector::Slot* out = result->slots();
  with_sides<int64_t>(a, b, [&, out](auto left, auto right) {
    if (op == BinaryOp::kBitAnd) {
      for_each_row(selection, [=](uint32_t row) { out[row].integer = left(row) & right(row); });
    } else {
      for_each_row(selection, [=](uint32_t row) { out[row].integer = left(row) | right(row); });
    }
  });
  set_form_of_operands(a, b, selection, ValueType::kInteger, result);
}

}  // namespace godwit
