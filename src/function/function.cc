#include "function/function.h"

namespace godwit {

void* AuxData::get(int argument) const {
  for (const Slot& slot : slots_) {
    if (slot.argument == argument) return slot.data;
  }
  return nullptr;
}

void AuxData::set(int argument, void* data, void (*destroy)(void*)) {
  for (Slot& slot : slots_) {
    if (slot.argument != argument) continue;
    if (slot.destroy != nullptr && slot.data != nullptr) slot.destroy(slot.data);
    slot = {argument, data, destroy};
    return;
  }
  slots_.push_back({argument, data, destroy});
}

void AuxData::keep_constant(uint32_t constant_arguments) {
  std::erase_if(slots_, [=](const Slot& slot) {
    bool keep =
        slot.argument < 0 || (slot.argument < 32 && (constant_arguments >> slot.argument & 1) != 0);
    if (!keep && slot.destroy != nullptr && slot.data != nullptr) slot.destroy(slot.data);
    return !keep;
  });
}

void AuxData::clear() {
  for (Slot& slot : slots_) {
    if (slot.destroy != nullptr && slot.data != nullptr) slot.destroy(slot.data);
  }
  slots_.clear();
}

bool FunctionContext::allow_impure() {
  const char* where = nullptr;
  switch (pure_use_) {
    case PureUse::kNone:
      return true;
    case PureUse::kCheck:
      where = "a CHECK constraint";
      break;
    case PureUse::kGeneratedColumn:
      where = "a generated column";
      break;
    case PureUse::kIndex:
      where = "an index";
      break;
  }
  fail("non-deterministic use of " + std::string(name_) + "() in " + where);
  return false;
}

}  // namespace godwit
