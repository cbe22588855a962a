#include "engine/collation_registry.h"

#include "base/utf.h"

namespace godwit {

CollationRegistry::~CollationRegistry() {
  for (const auto& entry : entries_) clear(entry.get());
}

CollationRegistry::Entry* CollationRegistry::entry(std::string_view name) const {
  for (const auto& entry : entries_) {
    if (equals_ignore_case(entry->collation.name, name)) return entry.get();
  }
  return nullptr;
}

void CollationRegistry::clear(Entry* entry) {
  if (entry->destroy != nullptr) entry->destroy(entry->collation.context);
  entry->destroy = nullptr;
  entry->collation.compare_function = nullptr;
  entry->collation.context = nullptr;
}

const Collation* CollationRegistry::find(std::string_view name) const {
  const Entry* found = entry(name);
  return found == nullptr || found->collation.compare_function == nullptr ? nullptr
                                                                          : &found->collation;
}

void CollationRegistry::set(std::string_view name, Collation::CompareFunction compare,
                            void* context, void (*destroy)(void*)) {
  Entry* target = entry(name);
  if (target == nullptr) {
    entries_.push_back(std::make_unique<Entry>());
    target = entries_.back().get();
    target->collation.name = name;
    target->collation.kind = Collation::Kind::kUser;
  }
  clear(target);
  target->collation.compare_function = compare;
  target->collation.context = context;
  target->destroy = destroy;
}

void CollationRegistry::remove(std::string_view name) {
  if (Entry* found = entry(name)) clear(found);
}

std::vector<const Collation*> CollationRegistry::list() const {
  std::vector<const Collation*> all;
  for (const auto& entry : entries_) {
    if (entry->collation.compare_function != nullptr) all.push_back(&entry->collation);
  }
  return all;
}

}  // namespace godwit
