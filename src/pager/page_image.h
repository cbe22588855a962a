// A page's bytes, reference-counted and shared between connections and threads.
//
// Whoever is the only holder may change the bytes; an image that anyone else holds is immutable.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace godwit {

using PageNumber = uint32_t;  // 1-based; 0 = none

// Header and bytes are one allocation. kImagePadding bytes after the last one are zero and may be
// read, so that a decoder may load whole words near the end of a page.
inline constexpr uint32_t kImagePadding = 16;

class PageImage {
 public:
  uint8_t* data() { return reinterpret_cast<uint8_t*>(this + 1); }
  const uint8_t* data() const { return reinterpret_cast<const uint8_t*>(this + 1); }
  uint32_t size() const { return size_; }
  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy();
  }
  bool is_shared() const { return references_.load(std::memory_order_acquire) > 1; }
  // One reference, bytes uninitialized; null: no memory.
  static PageImage* create(uint32_t size);

 private:
  explicit PageImage(uint32_t size) : size_(size) {}
  void destroy();
  std::atomic<uint32_t> references_{1};
  uint32_t size_;
  uint64_t padding_ = 0;  // keeps the bytes aligned to 16
};
static_assert(sizeof(PageImage) == 16);

// Keeps an image alive, and thereby unchanged: what holds views into a page holds one of these.
class PageImageRef {
 public:
  PageImageRef() = default;
  explicit PageImageRef(PageImage* image) : image_(image) {
    if (image_ != nullptr) image_->retain();
  }
  // Takes over a reference that the caller owns.
  static PageImageRef adopt(PageImage* image) {
    PageImageRef ref;
    ref.image_ = image;
    return ref;
  }
  PageImageRef(PageImageRef&& o) noexcept : image_(o.image_) { o.image_ = nullptr; }
  PageImageRef(const PageImageRef& o) : PageImageRef(o.image_) {}
  PageImageRef& operator=(PageImageRef o) noexcept {
    std::swap(image_, o.image_);
    return *this;
  }
  ~PageImageRef() {
    if (image_ != nullptr) image_->release();
  }
  explicit operator bool() const { return image_ != nullptr; }
  PageImage* get() const { return image_; }
  PageImage* operator->() const { return image_; }
  // Gives the reference to the caller.
  PageImage* detach() { return std::exchange(image_, nullptr); }

 private:
  PageImage* image_ = nullptr;
};

}  // namespace godwit
