// Collects the elements of a list of unknown length in an Arena, doubling as it grows. The memory
// of outgrown arrays stays in the arena: less than the list itself takes.
#pragma once

#include <span>

#include "base/arena.h"

namespace godwit::internal {

template <typename T>
class ListBuilder {
 public:
  explicit ListBuilder(Arena* arena) : arena_(arena) {}

  // A new default element at the end; the reference is valid until the next one is added.
  T& add() {
    if (size_ == elements_.size()) grow();
    return elements_[size_++];
  }
  void add(T element) { add() = element; }
  size_t size() const { return size_; }
  T& last() { return elements_[size_ - 1]; }
  std::span<T> list() const { return elements_.first(size_); }

 private:
  void grow() {
    std::span<T> larger = arena_->make_array<T>(elements_.empty() ? 2 : elements_.size() * 2);
    std::copy(elements_.begin(), elements_.end(), larger.begin());
    elements_ = larger;
  }

  Arena* arena_;
  std::span<T> elements_;
  size_t size_ = 0;
};

}  // namespace godwit::internal
