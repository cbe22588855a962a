// Overflow chains. A chain's length follows from the payload's size, so a cycle in a damaged file
// ends the walk after that many pages.
#include <algorithm>
#include <cstring>

#include "btree/tree_store.h"

namespace godwit {

Status TreeStore::read_chain(PageNumber first, uint32_t offset, MutableByteSpan out) {
  const uint32_t capacity = geometry_.overflow_capacity;
  PageNumber number = first;
  while (!out.empty()) {
    if (number < 2) return corrupt("overflow chain too short");
    GW_ASSIGN(PageRef page, pager_->read(number));
    const uint8_t* data = page.data();
    if (offset < capacity) {
      size_t n = std::min<size_t>(capacity - offset, out.size());
      std::memcpy(out.data(), data + kChildPointerBytes + offset, n);
      out = out.subspan(n);
      offset = 0;
    } else {
      offset -= capacity;
    }
    number = load_be32(data);
  }
  return {};
}

Status TreeStore::overwrite_chain(PageNumber first, uint32_t offset, ByteSpan bytes) {
  const uint32_t capacity = geometry_.overflow_capacity;
  PageNumber number = first;
  while (!bytes.empty()) {
    if (number < 2) return corrupt("overflow chain too short");
    GW_ASSIGN(PageRef page, pager_->read(number));
    if (offset < capacity) {
      GW_TRY(pager_->write(page));
      size_t n = std::min<size_t>(capacity - offset, bytes.size());
      std::memcpy(page.data() + kChildPointerBytes + offset, bytes.data(), n);
      bytes = bytes.subspan(n);
      offset = 0;
    } else {
      offset -= capacity;
    }
    number = load_be32(page.data());
  }
  return {};
}

Status TreeStore::write_chain(ByteSpan bytes, PageNumber near, PageNumber* first) {
  const uint32_t capacity = geometry_.overflow_capacity;
  PageRef previous;
  *first = 0;
  while (!bytes.empty()) {
    PageNumber wanted = (previous ? previous->number() : near) + 1;
    GW_ASSIGN(PageRef page, allocate_page(wanted, AllocateMode::kNear));
    size_t n = std::min<size_t>(capacity, bytes.size());
    std::memcpy(page.data() + kChildPointerBytes, bytes.data(), n);
    bytes = bytes.subspan(n);
    if (!previous) {
      *first = page->number();
      if (has_pointer_map()) {
        GW_TRY(set_pointer(page->number(), PointerMapType::kOverflowHead, near));
      }
    } else {
      store_be32(previous.data(), page->number());
      if (has_pointer_map()) {
        GW_TRY(set_pointer(page->number(), PointerMapType::kOverflowNext, previous->number()));
      }
    }
    previous = page;
  }
  return {};
}

Status TreeStore::free_chain(PageNumber first, uint32_t bytes) {
  const uint32_t capacity = geometry_.overflow_capacity;
  uint32_t pages = (bytes + capacity - 1) / capacity;
  PageNumber number = first;
  while (pages-- > 0) {
    if (number < 2 || number > pager_->page_count()) return corrupt("overflow page number");
    PageNumber next = 0;
    if (pages > 0) {
      GW_ASSIGN(PageRef page, pager_->read(number));
      next = load_be32(page.data());
    }
    GW_TRY(free_page(number));
    number = next;
  }
  return {};
}

}  // namespace godwit
