// Pages that nobody uses: a chain of trunk pages, each naming leaves. Its head and length are in
// the file header.
#include <cstring>

#include "btree/tree_store.h"

namespace godwit {

namespace {

// The slot of the leaf closest to `wanted`.
uint32_t nearest_leaf(const uint8_t* trunk, uint32_t leaf_count, PageNumber wanted) {
  uint32_t best = leaf_count - 1;
  int64_t best_distance = INT64_MAX;
  for (uint32_t i = 0; i < leaf_count; ++i) {
    int64_t distance = static_cast<int64_t>(load_be32(trunk + kTrunkLeaves + 4 * i)) -
                       static_cast<int64_t>(wanted);
    if (distance < 0) distance = -distance;
    if (distance < best_distance) {
      best_distance = distance;
      best = i;
    }
  }
  return best;
}

bool matches(PageNumber page, PageNumber wanted, AllocateMode mode) {
  return mode == AllocateMode::kAtMost ? page <= wanted : page == wanted;
}

}  // namespace

// A fresh page at the end of the file, past lock and pointer map pages.
Result<PageRef> TreeStore::extend_file() {
  for (;;) {
    PageNumber number = pager_->page_count() + 1;
    if (number > max_page_count_ || number == 0) return Status(code::kFull);
    if (number == geometry_.lock_page()) {
      GW_TRY(pager_->set_page_count(number));
      continue;
    }
    GW_ASSIGN(PageRef page, pager_->write_fresh(number));
    if (is_ordinary_page(number)) return page;
  }
}

// Removes the leaf in `slot` from a trunk. *leaf is its number.
Status TreeStore::take_leaf(const PageRef& trunk, uint32_t slot, PageNumber* leaf) {
  GW_TRY(pager_->write(trunk));
  uint8_t* data = trunk.data();
  uint32_t count = load_be32(data + kTrunkLeafCount);
  uint8_t* entry = data + kTrunkLeaves + 4 * slot;
  *leaf = load_be32(entry);
  store_be32(entry, load_be32(data + kTrunkLeaves + 4 * (count - 1)));
  store_be32(data + kTrunkLeafCount, count - 1);
  return {};
}

// Removes a trunk from the chain; its first leaf, if any, takes its place. `link` is the place that
// names the trunk: the header's field on page 1 or the field of the trunk before.
Status TreeStore::take_trunk(const PageRef& trunk, const PageRef& link_page, uint32_t link_offset) {
  const uint8_t* data = trunk.data();
  uint32_t count = load_be32(data + kTrunkLeafCount);
  PageNumber successor = load_be32(data + kTrunkNext);
  if (count > 0) {
    PageNumber leaf = load_be32(data + kTrunkLeaves);
    if (leaf < 2 || leaf > pager_->page_count() || leaf == trunk->number()) {
      return corrupt("freelist leaf number");
    }
    GW_ASSIGN(PageRef page, pager_->write_fresh(leaf));
    store_be32(page.data() + kTrunkNext, successor);
    store_be32(page.data() + kTrunkLeafCount, count - 1);
    std::memcpy(page.data() + kTrunkLeaves, trunk.data() + kTrunkLeaves + 4, 4 * (count - 1));
    successor = leaf;
  }
  GW_TRY(pager_->write(link_page));
  store_be32(link_page.data() + link_offset, successor);
  return {};
}

// Finds and removes a page from the list; *number is 0 if `search` finds none.
Status TreeStore::take_free_page(PageNumber wanted, AllocateMode mode, bool search,
                                 uint32_t free_count, PageNumber* number) {
  *number = 0;
  GW_ASSIGN(PageRef link_page, pager_->read(1));
  uint32_t link_offset = kHeaderFreelistTrunk;
  for (uint32_t visited = 0; visited < free_count; ++visited) {
    PageNumber trunk_number = load_be32(link_page.data() + link_offset);
    if (trunk_number == 0 && search) return {};
    if (trunk_number < 2 || trunk_number > pager_->page_count()) return corrupt("trunk number");
    GW_ASSIGN(PageRef trunk, pager_->read(trunk_number));
    const uint32_t leaf_count = load_be32(trunk.data() + kTrunkLeafCount);
    if (leaf_count > trunk_capacity(geometry_)) return corrupt("freelist leaf count");
    if (search ? matches(trunk_number, wanted, mode) : leaf_count == 0) {
      *number = trunk_number;
      return take_trunk(trunk, link_page, link_offset);
    }
    if (!search) return take_leaf(trunk, nearest_leaf(trunk.data(), leaf_count, wanted), number);
    for (uint32_t i = 0; i < leaf_count; ++i) {
      if (matches(load_be32(trunk.data() + kTrunkLeaves + 4 * i), wanted, mode)) {
        return take_leaf(trunk, i, number);
      }
    }
    link_page = trunk;
    link_offset = kTrunkNext;
  }
  return {};
}

Result<PageRef> TreeStore::allocate_page(PageNumber wanted, AllocateMode mode) {
  GW_ASSIGN(PageRef page1, pager_->read(1));
  const uint32_t free_count = load_be32(page1.data() + kHeaderFreelistCount);
  if (free_count == 0) return extend_file();
  if (free_count >= pager_->page_count()) return corrupt("freelist longer than the file");

  bool search = mode == AllocateMode::kAtMost;
  if (mode == AllocateMode::kExact && wanted <= pager_->page_count()) {
    PointerMapType type;
    PageNumber parent;
    GW_TRY(pointer(wanted, &type, &parent));
    search = type == PointerMapType::kFree;
  }
  PageNumber number = 0;
  GW_TRY(take_free_page(wanted, mode, search, free_count, &number));
  if (number == 0 && mode == AllocateMode::kAtMost) {
    GW_TRY(take_free_page(wanted, mode, false, free_count, &number));
  }
  if (number < 2 || number > pager_->page_count() || !is_ordinary_page(number)) {
    return corrupt("freelist page number");
  }
  GW_TRY(pager_->write(page1));
  store_be32(page1.data() + kHeaderFreelistCount, free_count - 1);
  return pager_->write_fresh(number);
}

Status TreeStore::free_page(PageNumber number) {
  if (number < 2 || number > pager_->page_count()) return corrupt("freed page number");
  GW_ASSIGN(PageRef page1, pager_->read(1));
  GW_TRY(pager_->write(page1));
  uint8_t* header = page1.data();
  const uint32_t free_count = load_be32(header + kHeaderFreelistCount);
  store_be32(header + kHeaderFreelistCount, free_count + 1);
  if (has_pointer_map()) GW_TRY(set_pointer(number, PointerMapType::kFree, 0));

  const PageNumber head = load_be32(page1.data() + kHeaderFreelistTrunk);
  if (free_count > 0) {
    if (head < 2 || head > pager_->page_count()) return corrupt("trunk number");
    GW_ASSIGN(PageRef trunk, pager_->read(head));
    const uint32_t leaf_count = load_be32(trunk.data() + kTrunkLeafCount);
    if (leaf_count > trunk_capacity(geometry_)) return corrupt("freelist leaf count");
    if (leaf_count < trunk_fill_limit(geometry_)) {
      GW_TRY(pager_->write(trunk));
      store_be32(trunk.data() + kTrunkLeaves + 4 * leaf_count, number);
      store_be32(trunk.data() + kTrunkLeafCount, leaf_count + 1);
      if (secure_delete_ == SecureDelete::kOn) return pager_->write_fresh(number).status();
      pager_->forget_content(number);
      return {};
    }
  }
  GW_ASSIGN(PageRef page, pager_->write_fresh(number));
  store_be32(page.data() + kTrunkNext, free_count > 0 ? head : 0);
  store_be32(page.data() + kTrunkLeafCount, 0);
  store_be32(page1.data() + kHeaderFreelistTrunk, number);
  return {};
}

}  // namespace godwit
