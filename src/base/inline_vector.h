// A growing array that keeps its first N elements in itself, so that the short lists of which a
// compiler is full cost no allocation. For trivially copyable types.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace godwit {

template <typename T, size_t N>
class InlineVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  void push_back(const T& value) {
    if (size_ < N) {
      inline_[size_++] = value;
      return;
    }
    if (size_ == N) outside_.assign(inline_.begin(), inline_.end());
    outside_.push_back(value);
    ++size_;
  }

  void clear() {
    size_ = 0;
    outside_.clear();
  }

  // Invalidated by push_back().
  T* data() { return size_ <= N ? inline_.data() : outside_.data(); }
  const T* data() const { return size_ <= N ? inline_.data() : outside_.data(); }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](size_t i) { return data()[i]; }
  const T& operator[](size_t i) const { return data()[i]; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

 private:
  size_t size_ = 0;
  std::array<T, N> inline_;  // all elements, as long as there are no more than N
  std::vector<T> outside_;   // else all elements
};

}  // namespace godwit
