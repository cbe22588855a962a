// The pages that one connection holds: Page, PageRef (a pin), and the map from numbers to pages.
//
// The map is a two-level array, so that a lookup is two dependent loads and no hashing:
//
//     leaves_[number / 512] -> Leaf{ pages[number % 512] } -> Page -> PageImage
//
// Regions without pages share one empty leaf, so the lookup needs no null check between the levels.
// Not shared between threads.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/assert.h"
#include "pager/page_image.h"

namespace godwit {

// A page as one connection sees it.
class Page {
 public:
  PageNumber number() const { return number_; }
  // The current bytes (page_size of them). Mutable only after Pager::write() in this transaction.
  uint8_t* data() const { return data_; }
  PageImage* image() const { return image_.get(); }
  bool is_writable() const { return writable_; }

 private:
  friend class Pager;
  friend class PageMap;
  friend class PageRef;
  void set_image(PageImageRef image) {
    image_ = std::move(image);
    data_ = image_ ? image_->data() : nullptr;
  }

  uint8_t* data_ = nullptr;
  PageNumber number_ = 0;  // 0: not in the map
  uint32_t pins_ = 0;
  uint64_t stamp_ = 0;  // newest savepoint whose undo list holds this page
  PageImageRef image_;
  bool writable_ = false;  // the image is private to this write transaction
  bool recent_ = false;    // used since the eviction hand passed
  bool spilled_ = false;   // the spill file has these bytes; the stamp is there too, and 0 here
};

// Pins a Page: it stays in the pager's map while a PageRef to it lives.
class PageRef {
 public:
  PageRef() = default;
  explicit PageRef(Page* page) : page_(page) {
    if (page_ != nullptr) ++page_->pins_;
  }
  PageRef(PageRef&& o) noexcept : page_(o.page_) { o.page_ = nullptr; }
  PageRef(const PageRef& o) : PageRef(o.page_) {}
  PageRef& operator=(PageRef o) noexcept {
    std::swap(page_, o.page_);
    return *this;
  }
  ~PageRef() {
    if (page_ != nullptr) --page_->pins_;
  }
  explicit operator bool() const { return page_ != nullptr; }
  Page* operator->() const { return page_; }
  Page* get() const { return page_; }
  uint8_t* data() const { return page_->data(); }

 private:
  Page* page_ = nullptr;
};

class PageMap {
 public:
  PageMap() = default;
  ~PageMap();
  PageMap(const PageMap&) = delete;
  PageMap& operator=(const PageMap&) = delete;

  Page* find(PageNumber number) const {
    uint32_t leaf = number >> kLeafBits;
    if (leaf >= leaf_count_) return nullptr;
    return leaves_[leaf]->pages[number & (kLeafPages - 1)];
  }
  // A new page without image. Requires that `number` is not in the map.
  Page* insert(PageNumber number);
  // Takes the page out. If it is pinned, its bytes stay readable until the last pin is gone.
  void erase(Page* page);
  uint32_t size() const { return size_; }

  // Calls visit(Page*) for each page; visit may erase the page it is given.
  template <typename Visitor>
  void for_each(Visitor visit) {
    for (const auto& slab : slabs_) {
      for (Page& page : slab->pages) {
        if (page.number_ != 0) visit(&page);
      }
    }
  }

  // Erases one page that is neither pinned nor writable and was not used lately. False: none found.
  bool evict_one();
  // Looks for up to `count` pages that are not pinned and were not used lately. Erases those that can
  // be read again, and adds the others to `unsaved`: writable ones, or all with `only_spilled` (there
  // is no file but the spill file).
  void collect_victims(uint32_t count, bool only_spilled, std::vector<Page*>* unsaved);

 private:
  static constexpr uint32_t kLeafBits = 9;
  static constexpr uint32_t kLeafPages = 1u << kLeafBits;
  static constexpr uint32_t kSlabPages = 128;
  struct Leaf {
    Page* pages[kLeafPages] = {};
    uint32_t used = 0;
  };
  struct Slab {
    Page pages[kSlabPages];
  };
  static Leaf empty_leaf_;

  Page* allocate();

  std::vector<Leaf*> leaves_;
  uint32_t leaf_count_ = 0;
  uint32_t size_ = 0;
  std::vector<std::unique_ptr<Slab>> slabs_;
  std::vector<Page*> free_;
  std::vector<Page*> orphans_;  // erased while pinned
  uint64_t hand_ = 0;           // eviction clock: index into all slots of all slabs
};

}  // namespace godwit
