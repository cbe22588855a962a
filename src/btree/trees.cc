// Whole trees: creating, dropping and clearing them.
//
// In an auto-vacuum database all roots are at the start of the file (so that shrinking the file
// never moves a root): a new root evicts whatever page follows the largest root, and a dropped
// root's place is taken by the largest.
#include "btree/cursor_state.h"

namespace godwit {

Result<PageNumber> TreeStore::create_tree(TreeKind kind) {
  const uint8_t flags = kind == TreeKind::kTable ? kTableLeafPage : kIndexLeafPage;
  PageRef page;
  if (has_pointer_map()) {
    GW_ASSIGN(page, make_room_for_root());
  } else {
    GW_ASSIGN(page, allocate_page(1, AllocateMode::kNear));
  }
  node(page).initialize(flags);
  return page->number();
}

Result<PageRef> TreeStore::make_room_for_root() {
  GW_TRY(save_cursors(0, nullptr));
  GW_ASSIGN(PageNumber root, header_field(kHeaderLargestRoot));
  if (root > pager_->page_count()) return corrupt("largest root page");
  do {
    ++root;
  } while (!is_ordinary_page(root));
  GW_ASSIGN(PageRef page, allocate_page(root, AllocateMode::kExact));
  if (page->number() != root) {
    PointerMapType type;
    PageNumber parent;
    GW_TRY(pointer(root, &type, &parent));
    if (type == PointerMapType::kRoot || type == PointerMapType::kFree) {
      return corrupt("pointer map: a root or free page is in the way");
    }
    GW_TRY(relocate_page(root, type, parent, page));
    page = PageRef();
    GW_ASSIGN(page, pager_->write_fresh(root));
  }
  GW_TRY(set_pointer(root, PointerMapType::kRoot, 0));
  GW_TRY(set_header_field(kHeaderLargestRoot, root));
  return page;
}

Status TreeStore::clear_subtree(PageNumber number, int depth, bool is_table, uint32_t* pages_left,
                                int64_t* entries) {
  if (depth >= kTreeDepthMax || *pages_left == 0) return corrupt("tree too deep: a cycle");
  --*pages_left;
  GW_ASSIGN(PageRef page, pager_->read(number));
  if (!node(page).check(is_table)) return corrupt("not a page of this tree");
  const bool leaf = node(page).is_leaf();
  const uint32_t count = node(page).cell_count();
  for (uint32_t i = 0; i < count; ++i) {
    // Freeing pages of a damaged tree may write to this one: look at it anew.
    Cell cell;
    if (!node(page).parse(i, &cell)) return corrupt("cell");
    if (!leaf) {
      GW_TRY(clear_subtree(cell.left_child, depth + 1, is_table, pages_left, entries));
    }
    GW_TRY(free_cell_chain(cell));
  }
  if (!leaf) {
    GW_TRY(clear_subtree(node(page).right_child(), depth + 1, is_table, pages_left, entries));
  }
  if (leaf || !is_table) *entries += count;
  if (depth > 0) {
    page = PageRef();
    return free_page(number);
  }
  GW_TRY(pager_->write(page));
  node(page).initialize(is_table ? kTableLeafPage : kIndexLeafPage);
  return {};
}

Status TreeStore::clear_tree(PageNumber root, int64_t* entries) {
  GW_TRY(save_cursors(root, nullptr));
  bool is_table;
  {
    GW_ASSIGN(PageRef page, pager_->read(root));
    is_table = node(page).is_table();
  }
  uint32_t pages_left = pager_->page_count();
  int64_t removed = 0;
  GW_TRY(clear_subtree(root, 0, is_table, &pages_left, &removed));
  if (entries != nullptr) *entries = removed;
  return {};
}

Status TreeStore::drop_tree(PageNumber root, PageNumber* moved_from) {
  *moved_from = 0;
  if (root < 2) return corrupt("root page number");
  GW_TRY(clear_tree(root, nullptr));
  if (!has_pointer_map()) return free_page(root);

  GW_ASSIGN(PageNumber largest, header_field(kHeaderLargestRoot));
  if (root > largest || largest > pager_->page_count()) return corrupt("largest root page");
  if (root != largest) {
    GW_TRY(save_cursors(0, nullptr));
    GW_ASSIGN(PageRef page, pager_->write_fresh(root));
    GW_TRY(relocate_page(largest, PointerMapType::kRoot, 0, page));
    for (CursorState* c = cursors_; c != nullptr; c = c->next_cursor_) {
      if (c->root_ == largest) c->root_ = root;
    }
    *moved_from = largest;
  }
  GW_TRY(free_page(largest));
  do {
    --largest;
  } while (largest > 1 && !is_ordinary_page(largest));
  return set_header_field(kHeaderLargestRoot, largest);
}

}  // namespace godwit
