// Spreading the cells of up to three neighbouring siblings over as many pages as they need.
//
// Pages are filled from the left, then cells move right until neighbours are about equally full:
// so that the last page is not left nearly empty, and all have room for what comes next.
#include <algorithm>
#include <cstring>

#include "base/assert.h"
#include "btree/balance.h"

namespace godwit {

namespace {
constexpr uint32_t kSiblingsMax = 3;
// Three pages and one cell too many fit in five pages, whatever the cell sizes are; more means that
// cells of a damaged page overlap.
constexpr size_t kNewPagesMax = 5;
// Measured with random inserts: fewer redistributions, for a file that is a tenth larger.
constexpr uint32_t kRefillPercentMax = 90;
}  // namespace

Status Balancer::load_siblings(int level, Siblings* siblings) {
  const uint32_t children = merged_count(level - 1) + 1;
  const uint32_t index = path_[level - 1].index;
  if (index >= children) return corrupt("child index");
  siblings->count = std::min(children, kSiblingsMax);
  siblings->first = std::min(index == 0 ? 0 : index - 1, children - siblings->count);
  siblings->flags = node(level).flags();
  const bool is_table = node(level).is_table();
  for (uint32_t i = 0; i < siblings->count; ++i) {
    PageNumber number;
    GW_TRY(merged_child(level - 1, siblings->first + i, &number));
    if (siblings->first + i == index) {
      if (number != path_[level].page->number()) return corrupt("path");
      siblings->pages[i] = path_[level].page;
    } else {
      GW_ASSIGN(siblings->pages[i], store_->pager()->read(number));
    }
    for (uint32_t j = 0; j < i; ++j) {
      if (siblings->pages[j]->number() == number) return corrupt("second reference to a page");
    }
    for (int above = 0; above < level; ++above) {
      if (path_[above].page->number() == number) return corrupt("second reference to a page");
    }
    Node n = store_->node(siblings->pages[i]);
    if (!n.check(is_table) || n.flags() != siblings->flags || number < 2) {
      return corrupt("siblings differ");
    }
  }
  if (!siblings->is_leaf()) {
    siblings->right_child = store_->node(siblings->pages[siblings->count - 1]).right_child();
  }
  return {};
}

// Lists all cells in order in cells_, as spans of copies_ (and of pending cells).
Status Balancer::gather_cells(int level, const Siblings& siblings) {
  const uint32_t page_size = store_->geometry().page_size;
  const uint32_t index = path_[level - 1].index;
  // Copies of the pages, then the cells between them; a cell never exceeds a page.
  copies_.resize(static_cast<size_t>(page_size) * (2 * siblings.count) + kImagePadding);
  cells_.clear();
  uint8_t* divider_room = copies_.data() + static_cast<size_t>(page_size) * siblings.count;
  for (uint32_t i = 0; i < siblings.count; ++i) {
    uint8_t* copy = copies_.data() + static_cast<size_t>(page_size) * i;
    std::memcpy(copy, siblings.pages[i].data(), page_size);
    Node n(store_->geometry(), siblings.pages[i]->number(), copy);
    const bool is_own = siblings.first + i == index;
    const uint32_t count =
        n.cell_count() + (is_own ? static_cast<uint32_t>(pending_[level].size()) : 0);
    for (uint32_t m = 0, physical = 0; m < count; ++m) {
      const Pending* pending = is_own ? pending_at(level, m) : nullptr;
      if (pending != nullptr) {
        cells_.push_back(pending->bytes);
        continue;
      }
      Cell cell;
      if (!n.parse(physical++, &cell)) return corrupt("cell");
      cells_.push_back(ByteSpan(copy + cell.offset, cell.content_size));
    }
    if (i + 1 == siblings.count || siblings.is_table_leaf()) continue;
    ByteSpan divider;
    GW_TRY(merged_cell(level - 1, siblings.first + i, &divider));
    if (divider.size() <= kChildPointerBytes) return corrupt("cell");
    std::memcpy(divider_room, divider.data(), divider.size());
    if (siblings.is_leaf()) {
      cells_.push_back(ByteSpan(divider_room, divider.size()).subspan(kChildPointerBytes));
    } else {
      store_be32(divider_room, n.right_child());
      cells_.push_back(ByteSpan(divider_room, divider.size()));
    }
    divider_room += page_size;
  }
  return {};
}

uint32_t Balancer::cost(uint32_t cell) const {
  return std::max(static_cast<uint32_t>(cells_[cell].size()), kCellBytesMin) + kCellPointerBytes;
}

// Assigns cells to pages. `too_full`: a page had too many.
void Balancer::distribute(const Siblings& siblings, bool too_full) {
  const uint32_t capacity = store_->geometry().usable_size -
                            (siblings.is_leaf() ? kLeafHeaderBytes : kInteriorHeaderBytes);
  fill_up_to(siblings, capacity);
  if (too_full && new_pages_.size() == siblings.count) {
    // If the old pages can just take it all, they would soon be too full again: one more is
    // cheaper.
    uint64_t total = 0;
    for (const NewPage& page : new_pages_) total += page.bytes;
    if (total * 100 > uint64_t{capacity} * siblings.count * kRefillPercentMax) {
      fill_up_to(siblings, static_cast<uint32_t>(total / (siblings.count + 1)) + capacity / 32);
      // Large cells may not fall into place.
      if (new_pages_.size() > siblings.count + 1) fill_up_to(siblings, capacity);
    }
  }
  even_out(siblings);
}

void Balancer::fill_up_to(const Siblings& siblings, uint32_t limit) {
  const uint32_t count = static_cast<uint32_t>(cells_.size());
  new_pages_.clear();
  NewPage page;
  for (uint32_t i = 0; i < count; ++i) {
    // A page takes at least one cell, however large.
    if (page.bytes + cost(i) <= limit || page.bytes == 0) {
      page.bytes += cost(i);
      continue;
    }
    page.end = i;
    new_pages_.push_back(page);
    page = NewPage();
    page.begin = siblings.is_table_leaf() ? i : i + 1;
    if (siblings.is_table_leaf()) page.bytes = cost(i);
  }
  page.end = count;
  new_pages_.push_back(page);
}

void Balancer::even_out(const Siblings& siblings) {
  const uint32_t capacity = store_->geometry().usable_size -
                            (siblings.is_leaf() ? kLeafHeaderBytes : kInteriorHeaderBytes);
  for (size_t k = new_pages_.size() - 1; k > 0; --k) {
    NewPage& left = new_pages_[k - 1];
    NewPage& right = new_pages_[k];
    while (left.end - left.begin > 1) {
      const uint32_t last = left.end - 1;
      // In table leaves `last` goes right; else it becomes the divider, and the divider goes right.
      const uint32_t moves = siblings.is_table_leaf() ? last : left.end;
      const uint32_t new_left = left.bytes - cost(last);
      const uint32_t new_right = right.bytes + cost(moves);
      if (new_right > capacity) break;
      if (right.begin < right.end && new_right > new_left) break;
      left.bytes = new_left;
      left.end = last;
      right.bytes = new_right;
      right.begin = moves;
    }
  }
}

// Gives each new page a page number: the old ones first, in ascending order, so that a scan reads
// forward. Surplus old pages become free.
Status Balancer::assign_pages(Siblings* siblings) {
  std::vector<PageRef> pages(siblings->pages, siblings->pages + siblings->count);
  while (pages.size() < new_pages_.size()) {
    GW_ASSIGN(PageRef page, store_->allocate_page(pages.back()->number() + 1, AllocateMode::kNear));
    for (const PageRef& other : pages) {
      if (other->number() == page->number()) return corrupt("page in use and free");
    }
    pages.push_back(std::move(page));
  }
  std::sort(pages.begin(), pages.end(),
            [](const PageRef& a, const PageRef& b) { return a->number() < b->number(); });
  for (size_t k = 0; k < new_pages_.size(); ++k) {
    GW_TRY(store_->pager()->write(pages[k]));
    new_pages_[k].page = pages[k];
  }
  for (uint32_t i = 0; i < siblings->count; ++i) siblings->pages[i] = PageRef();
  while (pages.size() > new_pages_.size()) {
    PageNumber number = pages.back()->number();
    pages.pop_back();
    GW_TRY(store_->free_page(number));
  }
  return {};
}

Status Balancer::fill_pages(const Siblings& siblings, PageNumber parent) {
  for (size_t k = 0; k < new_pages_.size(); ++k) {
    const NewPage& p = new_pages_[k];
    Node n = store_->node(p.page);
    if (!n.rebuild(siblings.flags, cells_.data() + p.begin, p.end - p.begin)) {
      return corrupt("cells overlap");
    }
    if (!siblings.is_leaf()) {
      bool is_last = k + 1 == new_pages_.size();
      n.set_right_child(is_last ? siblings.right_child : load_be32(cells_[p.end].data()));
    }
    if (store_->has_pointer_map()) {
      GW_TRY(store_->set_pointer(p.page->number(), PointerMapType::kNode, parent));
      GW_TRY(store_->set_child_pointers(p.page));
    }
  }
  return {};
}

// Replaces the cells between the old siblings by those between the new pages.
Status Balancer::update_parent(int level, const Siblings& siblings) {
  for (uint32_t i = 0; i + 1 < siblings.count; ++i) GW_TRY(erase(level - 1, siblings.first));
  set_merged_child(level - 1, siblings.first, new_pages_.back().page->number());
  std::vector<uint8_t> divider;
  for (size_t k = 0; k + 1 < new_pages_.size(); ++k) {
    const NewPage& p = new_pages_[k];
    if (siblings.is_table_leaf()) {
      GW_TRY(divider_of_table_leaf(store_->node(p.page), p.page->number(), &divider));
    } else {
      ByteSpan body = cells_[p.end];
      if (!siblings.is_leaf()) body = body.subspan(kChildPointerBytes);
      divider.resize(kChildPointerBytes + body.size());
      store_be32(divider.data(), p.page->number());
      std::memcpy(divider.data() + kChildPointerBytes, body.data(), body.size());
    }
    GW_TRY(insert(level - 1, siblings.first + static_cast<uint32_t>(k), divider));
    if (store_->has_pointer_map() && !node(level - 1).is_table()) {
      GW_TRY(set_divider_pointer(divider, path_[level - 1].page->number()));
    }
  }
  return {};
}

// The overflow chain of a cell that moved up now belongs to a cell of the parent.
Status Balancer::set_divider_pointer(const std::vector<uint8_t>& divider, PageNumber parent) {
  const PageGeometry& geometry = store_->geometry();
  uint64_t payload_size;
  const uint8_t* p = divider.data() + kChildPointerBytes;
  if (read_varint(p, divider.data() + divider.size(), &payload_size) == 0) return corrupt("cell");
  if (payload_size <= geometry.index_max_local) return {};
  Cell cell;
  cell.overflow = load_be32(divider.data() + divider.size() - kChildPointerBytes);
  return store_->set_overflow_pointer(cell, parent);
}

Status Balancer::balance_siblings(int level) {
  Siblings siblings;
  GW_TRY(load_siblings(level, &siblings));
  GW_TRY(gather_cells(level, siblings));
  distribute(siblings, !pending_[level].empty());
  if (new_pages_.size() > kNewPagesMax) return corrupt("cells overlap");
  path_[level].page = PageRef();
  GW_TRY(assign_pages(&siblings));
  GW_TRY(fill_pages(siblings, path_[level - 1].page->number()));
  GW_TRY(update_parent(level, siblings));
  pending_[level].clear();
  new_pages_.clear();
  return {};
}

}  // namespace godwit
