// The pointer map of auto-vacuum databases: who points at a page, so that pages can be moved.
#include "btree/tree_store.h"

namespace godwit {

namespace {
uint32_t entry_offset(PageNumber map, PageNumber page) {
  return (page - map - 1) * kPointerMapEntryBytes;
}
}  // namespace

Status TreeStore::set_pointer(PageNumber page, PointerMapType type, PageNumber parent) {
  PageNumber map = pointer_map_page(geometry_, page);
  if (map == 0 || page <= map) return corrupt("page cannot be in the pointer map");
  GW_ASSIGN(PageRef map_page, pager_->read(map));
  const uint32_t offset = entry_offset(map, page);
  const uint8_t* entry = map_page.data() + offset;
  if (entry[0] == static_cast<uint8_t>(type) && load_be32(entry + 1) == parent) return {};
  GW_TRY(pager_->write(map_page));
  map_page.data()[offset] = static_cast<uint8_t>(type);
  store_be32(map_page.data() + offset + 1, parent);
  return {};
}

Status TreeStore::pointer(PageNumber page, PointerMapType* type, PageNumber* parent) {
  PageNumber map = pointer_map_page(geometry_, page);
  if (map == 0 || page <= map) return corrupt("page cannot be in the pointer map");
  GW_ASSIGN(PageRef map_page, pager_->read(map));
  const uint8_t* entry = map_page.data() + entry_offset(map, page);
  if (entry[0] < static_cast<uint8_t>(PointerMapType::kRoot) ||
      entry[0] > static_cast<uint8_t>(PointerMapType::kNode)) {
    return corrupt("pointer map type");
  }
  *type = static_cast<PointerMapType>(entry[0]);
  *parent = load_be32(entry + 1);
  return {};
}

Status TreeStore::set_overflow_pointer(const Cell& cell, PageNumber page) {
  if (cell.overflow == 0) return {};
  return set_pointer(cell.overflow, PointerMapType::kOverflowHead, page);
}

Status TreeStore::set_child_pointers(const PageRef& page) {
  Node node(geometry_, page);
  const bool leaf = node.is_leaf();
  Cell cell;
  for (uint32_t i = 0; i < node.cell_count(); ++i) {
    if (!node.parse(i, &cell)) return corrupt("cell");
    GW_TRY(set_overflow_pointer(cell, page->number()));
    if (!leaf) GW_TRY(set_pointer(cell.left_child, PointerMapType::kNode, page->number()));
  }
  if (!leaf) GW_TRY(set_pointer(node.right_child(), PointerMapType::kNode, page->number()));
  return {};
}

}  // namespace godwit
