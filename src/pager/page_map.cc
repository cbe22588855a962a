#include "pager/page_map.h"

namespace godwit {

PageMap::Leaf PageMap::empty_leaf_;

PageMap::~PageMap() {
  for (Leaf* leaf : leaves_) {
    if (leaf != &empty_leaf_) delete leaf;
  }
}

Page* PageMap::allocate() {
  for (size_t i = 0; i < orphans_.size();) {
    if (orphans_[i]->pins_ == 0) {
      orphans_[i]->set_image({});
      free_.push_back(orphans_[i]);
      orphans_[i] = orphans_.back();
      orphans_.pop_back();
    } else {
      ++i;
    }
  }
  if (free_.empty()) {
    slabs_.push_back(std::make_unique<Slab>());
    free_.reserve(slabs_.size() * kSlabPages);
    for (Page& page : slabs_.back()->pages) free_.push_back(&page);
  }
  Page* page = free_.back();
  free_.pop_back();
  return page;
}

Page* PageMap::insert(PageNumber number) {
  GW_ASSERT(number != 0 && find(number) == nullptr);
  uint32_t index = number >> kLeafBits;
  if (index >= leaf_count_) {
    leaves_.resize(index + 1 + index / 2, &empty_leaf_);
    leaf_count_ = static_cast<uint32_t>(leaves_.size());
  }
  if (leaves_[index] == &empty_leaf_) leaves_[index] = new Leaf;
  Page* page = allocate();
  page->number_ = number;
  page->stamp_ = 0;
  page->writable_ = false;
  page->spilled_ = false;
  page->recent_ = true;
  leaves_[index]->pages[number & (kLeafPages - 1)] = page;
  ++leaves_[index]->used;
  ++size_;
  return page;
}

void PageMap::erase(Page* page) {
  uint32_t index = page->number_ >> kLeafBits;
  Leaf* leaf = leaves_[index];
  GW_ASSERT(leaf->pages[page->number_ & (kLeafPages - 1)] == page);
  leaf->pages[page->number_ & (kLeafPages - 1)] = nullptr;
  if (--leaf->used == 0) {
    delete leaf;
    leaves_[index] = &empty_leaf_;
  }
  page->number_ = 0;
  page->writable_ = false;
  page->spilled_ = false;
  --size_;
  if (page->pins_ > 0) {
    orphans_.push_back(page);
  } else {
    page->set_image({});
    free_.push_back(page);
  }
}

bool PageMap::evict_one() {
  uint64_t slots = slabs_.size() * kSlabPages;
  for (uint64_t step = 0; step < 2 * slots; ++step) {
    if (hand_ >= slots) hand_ = 0;
    Page* page = &slabs_[hand_ / kSlabPages]->pages[hand_ % kSlabPages];
    ++hand_;
    if (page->number_ == 0 || page->pins_ > 0 || page->writable_) continue;
    if (page->recent_) {
      page->recent_ = false;
      continue;
    }
    erase(page);
    return true;
  }
  return false;
}

void PageMap::collect_victims(uint32_t count, bool only_spilled, std::vector<Page*>* unsaved) {
  uint64_t slots = slabs_.size() * kSlabPages;
  for (uint64_t step = 0; step < 2 * slots && count > 0; ++step) {
    if (hand_ >= slots) hand_ = 0;
    Page* page = &slabs_[hand_ / kSlabPages]->pages[hand_ % kSlabPages];
    ++hand_;
    if (page->number_ == 0 || page->pins_ > 0) continue;
    if (page->recent_) {
      page->recent_ = false;
      continue;
    }
    --count;
    if (page->spilled_ || (!only_spilled && !page->writable_)) {
      erase(page);
    } else {
      page->recent_ = true;  // not a second time, should the hand come round
      unsaved->push_back(page);
    }
  }
}

}  // namespace godwit
