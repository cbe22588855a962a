// A bump allocator for objects that die together: syntax trees, bound expressions, plans.
//
// Nothing is freed before the arena is. Objects with non-trivial destructors are destroyed with it,
// in reverse order of creation. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace godwit {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  // Uninitialized memory, valid until the arena dies or reset().
  void* allocate(size_t bytes, size_t alignment = alignof(std::max_align_t)) {
    uintptr_t start = (position_ + alignment - 1) & ~(alignment - 1);
    if (start + bytes > limit_) [[unlikely]]
      return allocate_slow(bytes, alignment);
    position_ = start + bytes;
    return reinterpret_cast<void*>(start);
  }

  template <typename T, typename... Args>
  T* make(Args&&... args) {
    T* object = new (allocate(sizeof(T), alignof(T))) T(std::forward<Args>(args)...);
    if constexpr (!std::is_trivially_destructible_v<T>) {
      add_destructor([](void* p) { static_cast<T*>(p)->~T(); }, object);
    }
    return object;
  }

  // An array of value-initialized elements of a trivially destructible type.
  template <typename T>
  std::span<T> make_array(size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    T* first = static_cast<T*>(allocate(sizeof(T) * count, alignof(T)));
    for (size_t i = 0; i < count; ++i) new (first + i) T();
    return {first, count};
  }

  template <typename T>
  std::span<T> copy_array(std::span<const T> from) {
    static_assert(std::is_trivially_copyable_v<T>);
    T* first = static_cast<T*>(allocate(sizeof(T) * from.size(), alignof(T)));
    if (!from.empty()) std::memcpy(static_cast<void*>(first), from.data(), from.size_bytes());
    return {first, from.size()};
  }

  std::string_view copy(std::string_view text) {
    char* p = static_cast<char*>(allocate(text.size() + 1, 1));
    if (!text.empty()) std::memcpy(p, text.data(), text.size());
    p[text.size()] = '\0';
    return {p, text.size()};
  }

  // Destroys all objects; keeps the newest (largest) block for reuse.
  void reset();

  size_t bytes_reserved() const { return bytes_reserved_; }

 private:
  struct Block {
    Block* previous;
    size_t bytes;  // of the whole block, this header included
  };
  struct Destructor {
    Destructor* previous;
    void (*destroy)(void*);
    void* object;
  };

  void* allocate_slow(size_t bytes, size_t alignment);
  void add_destructor(void (*destroy)(void*), void* object);
  void run_destructors();

  uintptr_t position_ = 0;
  uintptr_t limit_ = 0;
  Block* blocks_ = nullptr;
  Destructor* destructors_ = nullptr;
  size_t bytes_reserved_ = 0;
};

}  // namespace godwit
