#include "pager/page_image.h"

#include <cstdlib>
#include <cstring>
#include <new>

namespace godwit {
namespace {

// Each write transaction makes an image of every page that it changes and drops another. malloc() takes
// long for blocks of such sizes, so each thread keeps a few. Sanitizers shall see each image come and go.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr uint32_t kSpareImagesMax = 0;
#else
constexpr uint32_t kSpareImagesMax = 16;
#endif

struct SpareImages {
  PageImage* images[kSpareImagesMax + 1];
  uint32_t count;
  bool is_closed;  // the thread ends
};
thread_local SpareImages spare_images;

// Apart from the images, which may be asked for while a thread's objects are destroyed.
struct SpareImagesCloser {
  ~SpareImagesCloser() {
    spare_images.is_closed = true;
    while (spare_images.count > 0) std::free(spare_images.images[--spare_images.count]);
  }
};

}  // namespace

PageImage* PageImage::create(uint32_t size) {
  void* memory = nullptr;
  if (spare_images.count > 0 && spare_images.images[spare_images.count - 1]->size() == size) {
    memory = spare_images.images[--spare_images.count];
  } else {
    memory = std::malloc(sizeof(PageImage) + size + kImagePadding);
  }
  if (memory == nullptr) return nullptr;
  PageImage* image = new (memory) PageImage(size);
  std::memset(image->data() + size, 0, kImagePadding);
  return image;
}

void PageImage::destroy() {
  if (spare_images.count >= kSpareImagesMax || spare_images.is_closed) {
    std::free(this);
    return;
  }
  static thread_local SpareImagesCloser closer;
  (void)closer;
  if (spare_images.count > 0 && spare_images.images[0]->size() != size_) {
    std::free(spare_images.images[--spare_images.count]);
  }
  spare_images.images[spare_images.count++] = this;
}

}  // namespace godwit
