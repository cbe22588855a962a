#include "pager/page_image.h"

#include <cstdlib>
#include <cstring>
#include <new>

namespace godwit {

PageImage* PageImage::create(uint32_t size) {
  void* memory = std::malloc(sizeof(PageImage) + size + kImagePadding);
  if (memory == nullptr) return nullptr;
  PageImage* image = new (memory) PageImage(size);
  std::memset(image->data() + size, 0, kImagePadding);
  return image;
}

void PageImage::destroy() {
  std::free(this);
}

}  // namespace godwit
