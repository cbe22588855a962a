#include "vector/vector.h"

#include <algorithm>
#include <cstring>

namespace godwit {

namespace {

constexpr size_t kBytesPerRow = sizeof(Vector::Slot) + sizeof(uint32_t) + 2;

uint32_t room_for(uint32_t rows) {
  for (uint32_t room : {1u, 8u, 64u, kChunkRowsMax}) {
    if (rows <= room) return room;
  }
  return rows;
}

}  // namespace

void Vector::reserve(uint32_t rows, bool keep) {
  if (rows <= capacity_) return;
  uint32_t room = room_for(rows);
  auto memory = std::make_unique_for_overwrite<uint8_t[]>(room * kBytesPerRow);
  auto* slots = reinterpret_cast<Slot*>(memory.get());
  auto* sizes = reinterpret_cast<uint32_t*>(slots + room);
  auto* tags = reinterpret_cast<uint8_t*>(sizes + room);
  uint8_t* subtypes = tags + room;
  if (keep && capacity_ > 0) {
    std::memcpy(slots, slots_, capacity_ * sizeof(Slot));
    std::memcpy(sizes, sizes_, capacity_ * sizeof(uint32_t));
    std::memcpy(tags, tags_, capacity_);
    std::memcpy(subtypes, subtypes_, capacity_);
  }
  memory_ = std::move(memory);
  slots_ = slots;
  sizes_ = sizes;
  tags_ = tags;
  subtypes_ = subtypes;
  capacity_ = room;
}

void Vector::materialize_tags() { std::memset(tags_, static_cast<int>(type_), written_); }

void Vector::adapt_form_slow(ValueType type) {
  if (empty_) {
    empty_ = false;
    type_ = type;
    return;
  }
  if (form_ == Form::kNullable) {
    form_ = Form::kMixed;
    return;
  }
  if (type == type_) return;
  materialize_tags();
  if (type_ == ValueType::kNull) {
    form_ = Form::kNullable;
    type_ = type;
  } else {
    form_ = type == ValueType::kNull ? Form::kNullable : Form::kMixed;
  }
}

void Vector::set_subtype(uint32_t row, uint8_t subtype) {
  if (!has_subtypes_) {
    std::memset(subtypes_, 0, written_);
    has_subtypes_ = true;
  }
  subtypes_[row] = subtype;
}

void Vector::set_constant_value(const ValueView& value) {
  begin(1);
  set(0, value);
  constant_ = true;
}

void Vector::gather(uint32_t at, const Vector& source, const uint16_t* rows, uint32_t count) {
  GW_ASSERT(at + count <= written_);
  bool plain = source.is_uniform() && !source.constant_ && !source.has_subtypes_ &&
               !has_subtypes_ && form_ == Form::kUniform && (empty_ || type_ == source.type_);
  if (!plain) {
    for (uint32_t i = 0; i < count; ++i) set(at + i, source.get(rows == nullptr ? i : rows[i]));
    return;
  }
  if (count == 0) return;
  empty_ = false;
  type_ = source.type_;
  bool sized = type_ >= ValueType::kText;
  if (rows == nullptr) {
    std::memcpy(slots_ + at, source.slots_, count * sizeof(Slot));
    if (sized) std::memcpy(sizes_ + at, source.sizes_, count * sizeof(uint32_t));
    return;
  }
  for (uint32_t i = 0; i < count; ++i) slots_[at + i] = source.slots_[rows[i]];
  if (!sized) return;
  for (uint32_t i = 0; i < count; ++i) sizes_[at + i] = source.sizes_[rows[i]];
}

}  // namespace godwit
