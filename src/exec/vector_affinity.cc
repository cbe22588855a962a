#include "exec/vector_affinity.h"

#include "exec/expression_node.h"
#include "value/affinity.h"
#include "value/number_text.h"

namespace godwit {

ValueView ComparisonAffinity::convert_value(ValueView value) {
  if (is_numeric(affinity_)) {
    if (value.is_text()) apply_numeric_affinity_to_text(&value);
  } else if (value.is_number()) {
    value = number_to_text(value, &bytes_);
  }
  return value;
}

const Vector* ComparisonAffinity::convert_slow(const Vector& vector, const Selection& selection,
                                               uint32_t rows) {
  bytes_.reset();
  if (vector.is_constant()) {
    converted_.set_constant_value(convert_value(vector.get(0)));
    return &converted_;
  }
  converted_.begin(rows);
  for_each_row(selection,
               [&](uint32_t row) { converted_.set(row, convert_value(vector.get(row))); });
  return &converted_;
}

const Vector* RealColumn::convert_slow(const Vector& vector, const Selection& selection,
                                       uint32_t rows) {
  auto as_real = [](const ValueView& value) {
    return value.is_integer() ? ValueView::of(static_cast<double>(value.integer)) : value;
  };
  if (vector.is_constant()) {
    converted_.set_constant_value(as_real(vector.get(0)));
    return &converted_;
  }
  converted_.begin(rows);
  for_each_row(selection, [&](uint32_t row) { converted_.set(row, as_real(vector.get(row))); });
  return &converted_;
}

}  // namespace godwit
