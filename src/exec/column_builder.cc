// Gathering into vectors, and the choice of a vector's form.
#include "exec/column_builder.h"

#include <bit>
#include <cstring>

namespace godwit {

// `row_at(i)` gives {row of `from`, row to store at} for the i-th value.
template <typename RowAt>
void ColumnBuilder::gather_loop(const Vector& from, uint32_t count, RowAt row_at) {
  if (count == 0) return;
  const Vector::Slot* slots = from.slots();
  const uint32_t* sizes = from.sizes();
  if (from.is_uniform() && !from.is_constant()) {
    ValueType type = from.type();
    types_ |= mask_of(type);
    uint8_t tag = static_cast<uint8_t>(type);
    if (type == ValueType::kText || type == ValueType::kBlob) {
      for (uint32_t i = 0; i < count; ++i) {
        auto [source, target] = row_at(i);
        slots_[target] = slots[source];
        sizes_[target] = sizes[source];
        tags_[target] = tag;
      }
    } else {
      for (uint32_t i = 0; i < count; ++i) {
        auto [source, target] = row_at(i);
        slots_[target] = slots[source];
        tags_[target] = tag;
      }
    }
    return;
  }
  for (uint32_t i = 0; i < count; ++i) {
    auto [source, target] = row_at(i);
    put(target, from.get(source));
  }
}

namespace {
struct Move {
  uint32_t source;
  uint32_t target;
};
}  // namespace

void ColumnBuilder::gather(const Vector& from, const uint16_t* rows, uint32_t count) {
  gather_loop(from, count, [rows](uint32_t i) { return Move{rows[i], i}; });
}

void ColumnBuilder::gather_selected(const Vector& from, const uint16_t* rows,
                                    const Selection& targets) {
  if (targets.is_all()) return gather(from, rows, targets.count);
  gather_loop(from, targets.count, [rows, &targets](uint32_t i) {
    uint32_t target = targets.rows[i];
    return Move{rows[target], target};
  });
}

void ColumnBuilder::append_copy(const Vector& from, const Selection& selection, uint32_t first,
                                uint32_t count, uint32_t at, Arena* arena) {
  bool has_bytes = from.form() == Vector::Form::kMixed || from.type() >= ValueType::kText;
  if (!has_bytes) {
    gather_loop(from, count, [&selection, first, at](uint32_t i) {
      return Move{selection[first + i], at + i};
    });
    return;
  }
  for (uint32_t i = 0; i < count; ++i) {
    put_copy(at + i, from.get(selection[first + i]), arena);
  }
}

void ColumnBuilder::finish() {
  uint32_t others = types_ & ~mask_of(ValueType::kNull);
  if (types_ == 0 || others == 0) {
    vector_.set_form(Vector::Form::kUniform, ValueType::kNull);
  } else if (!std::has_single_bit(others)) {
    vector_.set_form(Vector::Form::kMixed, ValueType::kNull);
  } else {
    auto type = static_cast<ValueType>(std::countr_zero(others));
    vector_.set_form(others == types_ ? Vector::Form::kUniform : Vector::Form::kNullable, type);
  }
}

}  // namespace godwit
