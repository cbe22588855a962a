// Affinity of comparisons, on vectors: before two values are compared, text may become a number
// (numeric affinity) or a number text (text affinity). See datatype3.html, section 4.2.
#pragma once

#include "base/arena.h"
#include "value/value.h"
#include "vector/vector.h"

namespace godwit {

// Converts one operand of a comparison, chunk after chunk. Vectors that need no conversion, which is
// most, are passed through.
class ComparisonAffinity {
 public:
  explicit ComparisonAffinity(Affinity affinity = Affinity::kNone) : affinity_(affinity) {}

  void set(Affinity affinity) { affinity_ = affinity; }

  // The result is `vector` itself or a vector of this object, valid until the next call. `rows`: of
  // the chunk.
  const Vector* convert(const Vector* vector, const Selection& selection, uint32_t rows) {
    if (affinity_ <= Affinity::kBlob || is_settled(*vector)) return vector;
    return convert_slow(*vector, selection, rows);
  }

 private:
  // All values are as the affinity wants them.
  bool is_settled(const Vector& vector) const {
    if (vector.form() == Vector::Form::kMixed) return false;
    bool text = vector.type() == ValueType::kText;
    bool number = vector.type() == ValueType::kInteger || vector.type() == ValueType::kReal;
    return is_numeric(affinity_) ? !text : !number;
  }
  const Vector* convert_slow(const Vector& vector, const Selection& selection, uint32_t rows);
  ValueView convert_value(ValueView value);

  Affinity affinity_;
  Vector converted_;
  Arena bytes_;
};

// What a column of REAL affinity is to those who read it: integers become reals.
class RealColumn {
 public:
  // The result is `vector` itself or a vector of this object, valid until the next call.
  const Vector* convert(const Vector* vector, const Selection& selection, uint32_t rows) {
    bool has_integers = vector->form() == Vector::Form::kMixed || vector->type() == ValueType::kInteger;
    return has_integers ? convert_slow(*vector, selection, rows) : vector;
  }

 private:
  const Vector* convert_slow(const Vector& vector, const Selection& selection, uint32_t rows);
  Vector converted_;
};

}  // namespace godwit
