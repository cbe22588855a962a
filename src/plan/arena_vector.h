// A growing array whose elements live in an arena: what the planner collects things in. Growing
// leaves the old array in the arena, which is cheap for the few elements that plans have.
#pragma once

#include <span>
#include <type_traits>

#include "base/arena.h"

namespace godwit {

template <typename T>
class ArenaVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  ArenaVector() = default;  // stays empty
  explicit ArenaVector(Arena* arena) : arena_(arena) {}

  void push_back(const T& value) {
    if (size_ == capacity_) reserve(capacity_ == 0 ? 8 : capacity_ * 2);
    data_[size_++] = value;
  }
  void append(std::span<const T> values) {
    reserve(size_ + values.size());
    for (const T& value : values) push_back(value);
  }
  void reserve(size_t capacity) {
    if (capacity <= capacity_) return;
    std::span<T> bigger = arena_->make_array<T>(capacity);
    for (size_t i = 0; i < size_; ++i) bigger[i] = data_[i];
    data_ = bigger.data();
    capacity_ = capacity;
  }
  void resize(size_t size) {
    reserve(size);
    for (size_t i = size_; i < size; ++i) data_[i] = T();
    size_ = size;
  }
  void clear() { size_ = 0; }
  void pop_back() { --size_; }
  ArenaVector copy() const {
    ArenaVector other(arena_);
    other.append(span());
    return other;
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  // Valid until the next push_back; later ones leave this memory untouched.
  std::span<T> span() const { return {data_, size_}; }

 private:
  Arena* arena_ = nullptr;
  T* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace godwit
