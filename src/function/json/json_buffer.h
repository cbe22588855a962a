// A growable run of bytes that JSON text and JSONB are written to.
//
// Unlike std::string it leaves new room uninitialized and lets a writer fill the room itself.
// clear() keeps the room. Throws std::bad_alloc when memory runs out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include "base/bytes.h"

namespace godwit {

class JsonBuffer {
 public:
  const char* data() const { return bytes_.get(); }
  char* data() { return bytes_.get(); }
  const uint8_t* bytes() const { return reinterpret_cast<const uint8_t*>(bytes_.get()); }
  uint8_t* bytes() { return reinterpret_cast<uint8_t*>(bytes_.get()); }
  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }
  std::string_view text() const { return {bytes_.get(), size_}; }
  ByteSpan span() const { return {bytes(), size_}; }

  void clear() { size_ = 0; }
  void resize(size_t size) {
    if (size > size_) room(size - size_);
    size_ = size;
  }
  // Room for `count` more bytes behind the last; add_written() says how many of them were filled.
  char* room(size_t count) {
    if (capacity_ - size_ < count) [[unlikely]]
      grow(count);
    return bytes_.get() + size_;
  }
  void add_written(size_t count) { size_ += count; }

  void push(char c) {
    *room(1) = c;
    ++size_;
  }
  void append(std::string_view text) {
    if (text.empty()) return;
    std::memcpy(room(text.size()), text.data(), text.size());
    size_ += text.size();
  }
  void append(ByteSpan bytes) { append(as_text(bytes)); }
  // Replaces `removed` bytes at `at` by `count` uninitialized ones; those behind move.
  void splice(size_t at, size_t removed, size_t count) {
    if (count > removed) room(count - removed);
    std::memmove(bytes_.get() + at + count, bytes_.get() + at + removed, size_ - at - removed);
    size_ = size_ + count - removed;
  }

 private:
  void grow(size_t count) {
    size_t capacity = std::max<size_t>({64, capacity_ * 2, size_ + count});
    std::unique_ptr<char[]> bytes(new char[capacity]);
    if (size_ > 0) std::memcpy(bytes.get(), bytes_.get(), size_);
    bytes_ = std::move(bytes);
    capacity_ = capacity;
  }

  std::unique_ptr<char[]> bytes_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace godwit
