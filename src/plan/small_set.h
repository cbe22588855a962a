// A set of queries (or ids) met during a walk. Statements have few: a short list is searched in
// order, and only a long one is hashed.
#pragma once

#include <algorithm>
#include <unordered_set>

#include "base/inline_vector.h"

namespace godwit {

template <typename T>
class SmallSet {
 public:
  // True if it was not in the set.
  bool insert(const T& value) {
    if (contains(value)) return false;
    if (list_.size() < kListMax) {
      list_.push_back(value);
    } else {
      hashed_.insert(value);
    }
    return true;
  }
  bool contains(const T& value) const {
    if (std::find(list_.begin(), list_.end(), value) != list_.end()) return true;
    return !hashed_.empty() && hashed_.contains(value);
  }

 private:
  // Where a hash look-up begins to be cheaper than comparing.
  static constexpr size_t kListMax = 32;
  InlineVector<T, 8> list_;
  std::unordered_set<T> hashed_;
};

}  // namespace godwit
