#include "function/virtual_table.h"

#include <cstring>

namespace godwit {

VirtualRows::VirtualRows(std::span<const int32_t> columns) {
  slots_.resize(columns.size());
  for (size_t i = 0; i < columns.size(); ++i) {
    slots_[i].column = columns[i];
    size_t place = static_cast<size_t>(columns[i] + 1);
    if (slot_by_column_.size() <= place) slot_by_column_.resize(place + 1, -1);
    slot_by_column_[place] = static_cast<int>(i);
  }
}

void VirtualRows::begin(uint32_t rows) {
  count_ = 0;
  limit_ = 0;
  arena_.reset();
  for (Slot& slot : slots_) {
    slot.vector.begin(rows);
    slot.is_set = false;
  }
}

void VirtualRows::set(int32_t column, const ValueView& value) {
  int i = slot_of(column);
  if (i < 0) return;
  Slot& slot = slots_[static_cast<size_t>(i)];
  slot.is_set = true;
  if (value.type < ValueType::kText || value.zero_filled || value.size == 0) {
    slot.vector.set(count_, value);
    return;
  }
  ValueView copy = value;
  auto* bytes = static_cast<char*>(arena_.allocate(value.size, 1));
  std::memcpy(bytes, value.bytes, value.size);
  copy.bytes = bytes;
  slot.vector.set(count_, copy);
}

void VirtualRows::end_row() {
  for (Slot& slot : slots_) {
    if (!slot.is_set) slot.vector.set(count_, ValueView());
    slot.is_set = false;
  }
  ++count_;
}

Result<uint32_t> take_arguments(VirtualQuery* query, int32_t first, int32_t count) {
  uint32_t given = 0, unusable = 0;
  std::vector<VirtualConstraint*> found(static_cast<size_t>(count), nullptr);
  for (VirtualConstraint& constraint : query->constraints) {
    int32_t i = constraint.column - first;
    if (i < 0 || i >= count || constraint.op != VirtualOp::kEq) continue;
    if (!constraint.usable) {
      unusable |= 1u << i;
      continue;
    }
    found[static_cast<size_t>(i)] = &constraint;
    given |= 1u << i;
  }
  if ((unusable & ~given) != 0) return Status(code::kConstraint);
  int argument = 0;
  for (VirtualConstraint* constraint : found) {
    if (constraint == nullptr) continue;
    constraint->argument = ++argument;
    constraint->omit = true;
  }
  return given;
}

}  // namespace godwit
