#include "value/value.h"

#include <new>
#include <utility>

namespace godwit {

Value::Value(Value&& other) noexcept
    : view_(other.view_),
      buffer_(std::exchange(other.buffer_, nullptr)),
      capacity_(std::exchange(other.capacity_, 0)) {
  other.view_ = ValueView();
}

Value& Value::operator=(Value&& other) noexcept {
  std::swap(view_, other.view_);
  std::swap(buffer_, other.buffer_);
  std::swap(capacity_, other.capacity_);
  return *this;
}

Value::~Value() {
  ::operator delete(buffer_);
}

char* Value::reserve(uint32_t size) {
  if (size > capacity_) {
    // Grows by half, so that a value that gets longer step by step does not allocate each time.
    uint64_t wanted = static_cast<uint64_t>(capacity_) + capacity_ / 2;
    if (wanted < size) wanted = size;
    if (wanted < 16) wanted = 16;
    if (wanted > UINT32_MAX) wanted = UINT32_MAX;
    char* fresh = static_cast<char*>(::operator new(wanted));
    ::operator delete(buffer_);
    buffer_ = fresh;
    capacity_ = static_cast<uint32_t>(wanted);
  }
  return buffer_;
}

void Value::assign(const ValueView& v) {
  if (v.type < ValueType::kText || v.zero_filled) {
    view_ = v;
    return;
  }
  ValueView copy = v;  // v may be our own view_
  if (copy.size > 0) {
    bool own = buffer_ != nullptr && copy.bytes >= buffer_ && copy.bytes < buffer_ + capacity_;
    if (own) {
      std::memmove(buffer_, copy.bytes, copy.size);
    } else {
      std::memcpy(reserve(copy.size), copy.bytes, copy.size);
    }
    copy.bytes = buffer_;
  } else {
    copy.bytes = "";
  }
  view_ = copy;
}

char* Value::prepare_text(uint32_t size) {
  char* room = reserve(size);
  view_ = ValueView::of_text({room, size});
  return room;
}

char* Value::prepare_blob(uint32_t size) {
  char* room = reserve(size);
  view_ = ValueView::of_blob(std::string_view{room, size});
  return room;
}

}  // namespace godwit
