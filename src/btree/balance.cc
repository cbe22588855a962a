// The walk up the path, pending cells, and the cheap cases; spreading siblings is
// balance_siblings.cc.
#include "btree/balance.h"

#include <algorithm>
#include <cstring>

#include "base/assert.h"

namespace godwit {

uint32_t Balancer::merged_count(int level) const {
  return node(level).cell_count() + static_cast<uint32_t>(pending_[level].size());
}

const Balancer::Pending* Balancer::pending_at(int level, uint32_t index) const {
  for (const Pending& p : pending_[level]) {
    if (p.index == index) return &p;
  }
  return nullptr;
}

// The index on the page of a cell that is not pending.
uint32_t Balancer::physical_index(int level, uint32_t index) const {
  uint32_t before = 0;
  for (const Pending& p : pending_[level]) before += p.index < index;
  return index - before;
}

Status Balancer::merged_cell(int level, uint32_t index, ByteSpan* bytes) const {
  if (const Pending* p = pending_at(level, index)) {
    *bytes = p->bytes;
    return {};
  }
  Node n = node(level);
  uint32_t physical = physical_index(level, index);
  Cell cell;
  if (physical >= n.cell_count() || !n.parse(physical, &cell)) return corrupt("cell");
  *bytes = ByteSpan(n.data() + cell.offset, cell.content_size);
  return {};
}

Status Balancer::merged_child(int level, uint32_t index, PageNumber* child) const {
  if (const Pending* p = pending_at(level, index)) {
    *child = load_be32(p->bytes.data());
    return {};
  }
  *child = node(level).child(physical_index(level, index));
  return *child == 0 ? corrupt("child page number") : Status();
}

void Balancer::set_merged_child(int level, uint32_t index, PageNumber child) {
  for (Pending& p : pending_[level]) {
    if (p.index == index) {
      store_be32(p.bytes.data(), child);
      return;
    }
  }
  node(level).set_child(physical_index(level, index), child);
}

Status Balancer::erase(int level, uint32_t index) {
  std::vector<Pending>& pending = pending_[level];
  bool was_pending = false;
  for (size_t i = 0; i < pending.size(); ++i) {
    if (pending[i].index == index) {
      pending.erase(pending.begin() + static_cast<ptrdiff_t>(i));
      was_pending = true;
      break;
    }
  }
  if (!was_pending) {
    Node n = node(level);
    uint32_t physical = physical_index(level, index);
    Cell cell;
    if (physical >= n.cell_count() || !n.parse(physical, &cell)) return corrupt("cell");
    GW_TRY(n.remove(physical, cell.size));
  }
  for (Pending& p : pending) p.index -= p.index > index;
  return {};
}

Status Balancer::insert(int level, uint32_t index, ByteSpan cell) {
  std::vector<Pending>& pending = pending_[level];
  if (index > merged_count(level)) return corrupt("cell index");
  for (Pending& p : pending) p.index += p.index >= index;
  if (pending.empty()) {
    bool fits;
    GW_TRY(node(level).insert(index, cell, &fits));
    if (fits) return {};
  }
  pending.push_back({index, std::vector<uint8_t>(cell.begin(), cell.end())});
  return {};
}

Status Balancer::is_balanced(int level, bool* balanced) const {
  *balanced = false;
  if (!pending_[level].empty()) return {};
  uint32_t free = 0;
  GW_TRY(node(level).free_bytes(&free));
  *balanced = free * 3 <= store_->geometry().usable_size * 2;
  return {};
}

Status Balancer::run(int highest_changed, bool* path_kept) {
  *path_kept = true;
  for (int level = *depth_; level >= 0; --level) {
    if (level == 0) {
      if (pending_[0].empty()) return shrink_root();
      GW_TRY(deepen_root());
      level = 1;
    }
    bool balanced;
    GW_TRY(is_balanced(level, &balanced));
    if (balanced) {
      if (level <= highest_changed) return {};
      continue;
    }
    GW_TRY(store_->pager()->write(path_[level - 1].page));
    if (can_append(level)) {
      GW_TRY(append_sibling(level));
      if (!pending_[level - 1].empty()) *path_kept = false;
    } else {
      *path_kept = false;
      GW_TRY(balance_siblings(level));
      path_[level].page = PageRef();
    }
    highest_changed = std::min(highest_changed, level - 1);
  }
  return {};
}

// Moves the root's content to a new child, the root's only one. Pending cells move along.
Status Balancer::deepen_root() {
  if (*depth_ + 1 >= kTreeDepthMax) return corrupt("tree too deep");
  const PageRef& root = path_[0].page;
  GW_TRY(store_->pager()->write(root));
  GW_ASSIGN(PageRef child, store_->allocate_page(root->number(), AllocateMode::kNear));
  Node from = store_->node(root);
  Node to = store_->node(child);
  const uint32_t start = from.content_start();
  const uint32_t usable = store_->geometry().usable_size;
  if (start < from.array_end() || start > usable) return corrupt("content start");
  std::memcpy(to.data() + start, from.data() + start, usable - start);
  std::memcpy(to.data(), from.data() + from.header(), from.array_end() - from.header());

  const uint8_t leaf_flags = to.flags();
  from.initialize(static_cast<uint8_t>(leaf_flags & ~kPageLeafBit));
  from.set_right_child(child->number());
  if (store_->has_pointer_map()) {
    GW_TRY(store_->set_pointer(child->number(), PointerMapType::kNode, root->number()));
    GW_TRY(store_->set_child_pointers(child));
  }
  pending_[1] = std::move(pending_[0]);
  pending_[0].clear();
  path_[1].page = child;
  path_[1].index = path_[0].index;
  path_[0].index = 0;
  if (*depth_ == 0) *depth_ = 1;
  return {};
}

// An interior root without cells takes the content of its only child, if that fits (page 1 has less
// room than others).
Status Balancer::shrink_root() {
  const PageRef& root = path_[0].page;
  for (int depth = 0; depth < kTreeDepthMax; ++depth) {
    Node to = store_->node(root);
    if (to.is_leaf() || to.cell_count() > 0) return {};
    PageNumber child_number = to.right_child();
    if (child_number < 2 || child_number == root->number()) return corrupt("child page number");
    GW_ASSIGN(PageRef child, store_->pager()->read(child_number));
    Node from = store_->node(child);
    if (!from.check(to.is_table())) return corrupt("not a page of this tree");
    uint32_t free;
    GW_TRY(from.free_bytes(&free));
    if (to.header() > free) return {};
    GW_TRY(store_->pager()->write(root));
    to = store_->node(root);

    std::vector<ByteSpan> cells(from.cell_count());
    for (uint32_t i = 0; i < cells.size(); ++i) {
      Cell cell;
      if (!from.parse(i, &cell)) return corrupt("cell");
      cells[i] = ByteSpan(from.data() + cell.offset, cell.content_size);
    }
    if (!to.rebuild(from.flags(), cells.data(), static_cast<uint32_t>(cells.size()))) {
      return corrupt("cells overlap");
    }
    if (!from.is_leaf()) to.set_right_child(from.right_child());
    if (store_->has_pointer_map()) GW_TRY(store_->set_child_pointers(root));
    child = PageRef();
    GW_TRY(store_->free_page(child_number));
  }
  return corrupt("tree too deep");
}

// Whether the only surplus is the largest entry of a leaf that is its parent's last child.
bool Balancer::can_append(int level) const {
  Node n = node(level);
  const std::vector<Pending>& pending = pending_[level];
  return n.is_leaf() && pending.size() == 1 && pending_[level - 1].empty() &&
         pending[0].index == n.cell_count() && n.cell_count() >= 2 &&
         path_[level - 1].index == node(level - 1).cell_count();
}

// The cell that separates a table leaf from its right neighbour.
Status Balancer::divider_of_table_leaf(const Node& leaf, PageNumber left,
                                       std::vector<uint8_t>* divider) {
  Rowid rowid;
  if (leaf.cell_count() == 0 || !leaf.rowid_at(leaf.cell_count() - 1, &rowid)) {
    return corrupt("cell");
  }
  divider->resize(kChildPointerBytes + kVarintBytesMax);
  store_be32(divider->data(), left);
  int n = write_varint(divider->data() + kChildPointerBytes, static_cast<uint64_t>(rowid));
  divider->resize(kChildPointerBytes + static_cast<size_t>(n));
  return {};
}

Status Balancer::append_sibling(int level) {
  Level& parent = path_[level - 1];
  Level& left = path_[level];
  GW_ASSIGN(PageRef page, store_->allocate_page(left.page->number() + 1, AllocateMode::kNear));
  Node n = node(level);
  std::vector<uint8_t> divider;
  if (n.is_table()) {
    GW_TRY(divider_of_table_leaf(n, left.page->number(), &divider));
  } else {
    // The last entry that fits moves up between the two pages.
    Cell cell;
    if (!n.parse(n.cell_count() - 1, &cell)) return corrupt("cell");
    divider.resize(kChildPointerBytes + cell.content_size);
    store_be32(divider.data(), left.page->number());
    std::memcpy(divider.data() + kChildPointerBytes, n.data() + cell.offset, cell.content_size);
    GW_TRY(n.remove(n.cell_count() - 1, cell.size));
    if (store_->has_pointer_map()) {
      GW_TRY(store_->set_overflow_pointer(cell, parent.page->number()));
    }
  }
  Node right = store_->node(page);
  right.initialize(n.flags());
  bool fits;
  GW_TRY(right.insert(0, pending_[level][0].bytes, &fits));
  GW_ASSERT(fits);
  pending_[level].clear();
  GW_TRY(insert(level - 1, parent.index, divider));
  node(level - 1).set_right_child(page->number());
  if (store_->has_pointer_map()) {
    GW_TRY(store_->set_pointer(page->number(), PointerMapType::kNode, parent.page->number()));
    GW_TRY(store_->set_child_pointers(page));
  }
  ++parent.index;
  left.page = page;
  left.index = 0;
  return {};
}

}  // namespace godwit
