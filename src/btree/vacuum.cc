// Shrinking auto-vacuum databases: the last page's content moves to a free page further ahead,
// until the free pages are the last ones, which are cut off. The pointer map tells who refers to a
// page.
#include <algorithm>
#include <cstring>

#include "btree/tree_store.h"

namespace godwit {

// Makes the page `parent` refer to `to` where it refers to `from`.
Status TreeStore::replace_reference(PageNumber parent, PointerMapType type, PageNumber from,
                                    PageNumber to) {
  GW_ASSIGN(PageRef page, pager_->read(parent));
  GW_TRY(pager_->write(page));
  if (type == PointerMapType::kOverflowNext) {
    if (load_be32(page.data()) != from) return corrupt("pointer map: wrong parent");
    store_be32(page.data(), to);
    return {};
  }
  Node n = node(page);
  if (!n.check(n.is_table())) return corrupt("pointer map: wrong parent");
  for (uint32_t i = 0; i < n.cell_count(); ++i) {
    Cell cell;
    if (!n.parse(i, &cell)) return corrupt("cell");
    if (type == PointerMapType::kOverflowHead && cell.overflow == from) {
      store_be32(n.data() + cell.offset + cell.content_size - kChildPointerBytes, to);
      return {};
    }
    if (type == PointerMapType::kNode && !n.is_leaf() && cell.left_child == from) {
      store_be32(n.data() + cell.offset, to);
      return {};
    }
  }
  if (type == PointerMapType::kNode && !n.is_leaf() && n.right_child() == from) {
    n.set_right_child(to);
    return {};
  }
  return corrupt("pointer map: wrong parent");
}

Status TreeStore::relocate_page(PageNumber from, PointerMapType type, PageNumber parent,
                                const PageRef& to) {
  if (from < 3) return corrupt("page cannot move");  // 1 has the header, 2 is the first map page
  GW_ASSIGN(PageRef source, pager_->read(from));
  std::memcpy(to.data(), source.data(), geometry_.page_size);
  const PageNumber target = to->number();
  if (type == PointerMapType::kNode || type == PointerMapType::kRoot) {
    Node n = node(to);
    if (!n.check(n.is_table())) return corrupt("pointer map: not a tree page");
    GW_TRY(set_child_pointers(to));
  } else {
    PageNumber next = load_be32(to.data());
    if (next != 0) GW_TRY(set_pointer(next, PointerMapType::kOverflowNext, target));
  }
  GW_TRY(set_pointer(target, type, parent));
  if (type == PointerMapType::kRoot) return {};
  return replace_reference(parent, type, from, target);
}

// The page count once all free pages are gone, and the map pages that are then needless.
PageNumber TreeStore::count_without_free_pages(uint32_t free_count) const {
  PageNumber count = pager_->page_count();
  while (count > 1 && free_count > 0) {
    if (is_ordinary_page(count)) --free_count;
    --count;
  }
  while (count > 1 && !is_ordinary_page(count)) --count;
  return count;
}

// Empties page `last`. With `committing` the freelist is dropped afterwards, so free pages beyond
// `final_count` need no bookkeeping.
Status TreeStore::vacuum_step(PageNumber last, PageNumber final_count, bool committing) {
  if (!is_ordinary_page(last)) return {};
  PointerMapType type;
  PageNumber parent;
  GW_TRY(pointer(last, &type, &parent));
  if (type == PointerMapType::kRoot) return corrupt("root page behind free pages");
  if (type == PointerMapType::kFree) {
    if (committing) return {};
    GW_ASSIGN(PageRef page, allocate_page(last, AllocateMode::kExact));
    return page->number() == last ? Status() : corrupt("pointer map: page is not free");
  }
  PageRef target;
  do {
    target = PageRef();
    GW_ASSIGN(uint32_t free_count, header_field(kHeaderFreelistCount));
    if (free_count == 0) return corrupt("no free page to move to");
    GW_ASSIGN(target,
              allocate_page(final_count, committing ? AllocateMode::kNear : AllocateMode::kAtMost));
  } while (committing && target->number() > final_count);
  if (target->number() >= last) return corrupt("no free page to move to");
  return relocate_page(last, type, parent, target);
}

Status TreeStore::auto_vacuum_commit() {
  GW_ASSIGN(uint32_t free_count, header_field(kHeaderFreelistCount));
  if (free_count == 0) return {};
  const PageNumber count = pager_->page_count();
  if (free_count >= count || !is_ordinary_page(count)) return corrupt("freelist count");
  uint32_t wanted = free_count;
  if (vacuum_limit_) {
    wanted = std::min(vacuum_limit_(count, free_count, geometry_.page_size), free_count);
    if (wanted == 0) return {};
  }
  const bool frees_all = wanted == free_count;
  const PageNumber final_count = count_without_free_pages(wanted);
  GW_TRY(save_cursors(0, nullptr));
  for (PageNumber last = count; last > final_count; --last) {
    GW_TRY(vacuum_step(last, final_count, frees_all));
  }
  if (frees_all) {
    GW_TRY(set_header_field(kHeaderFreelistTrunk, 0));
    GW_TRY(set_header_field(kHeaderFreelistCount, 0));
  }
  return pager_->set_page_count(final_count);
}

Status TreeStore::incremental_vacuum(int pages) {
  if (!has_pointer_map()) return {};
  GW_TRY(save_cursors(0, nullptr));
  GW_ASSIGN(uint32_t all_free, header_field(kHeaderFreelistCount));
  if (all_free >= pager_->page_count()) return corrupt("freelist count");
  const PageNumber final_count = count_without_free_pages(all_free);
  for (int done = 0; pages <= 0 || done < pages; ++done) {
    GW_ASSIGN(uint32_t free_count, header_field(kHeaderFreelistCount));
    if (free_count == 0) return {};
    PageNumber last = pager_->page_count();
    if (last <= final_count) return corrupt("freelist count");
    GW_TRY(vacuum_step(last, final_count, false));
    do {
      --last;
    } while (last > 1 && !is_ordinary_page(last));
    GW_TRY(pager_->set_page_count(last));
  }
  return {};
}

}  // namespace godwit
