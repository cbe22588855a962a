// Arithmetic on values and on vectors: + - * / % and the operators on bits.
//
// SQLite's rules: a NULL operand gives NULL. Text and blobs count as the number they begin with. Two
// integers give an integer unless it overflows, then everything is computed in reals. Dividing by
// zero gives NULL, and so does a result that is not a number. % and bit operators work on integers
// (reals are cut off); the result of % is a real if an operand was.
#pragma once

#include "plan/bound.h"
#include "vector/vector.h"

namespace godwit {

// The reference: one value.
ValueView arithmetic_value(BinaryOp op, const ValueView& a, const ValueView& b);
ValueView bits_value(BinaryOp op, const ValueView& a, const ValueView& b);

// Kept by a node that does arithmetic: integer columns as reals.
struct ArithmeticScratch {
  Vector a, b;
};

// Both for + - * / % and for & | << >>. `rows`: of the chunk. The result is constant when both
// operands are.
void arithmetic(BinaryOp op, const Vector& a, const Vector& b, const Selection& selection,
                uint32_t rows, ArithmeticScratch* scratch, Vector* result);
void bits(BinaryOp op, const Vector& a, const Vector& b, const Selection& selection, uint32_t rows,
          Vector* result);

}  // namespace godwit
