// Balancer: makes one path of a tree well-formed again after a page on it became too full or too
// empty.
//
// A page with more cells than fit keeps the surplus as pending cells beside it. Cells and pending
// cells together are addressed by a merged index, which is where the cell would be if it had fit.
// From the lowest changed page up:
//
//   too full, and the surplus is the tree's largest entry     a new right sibling takes it: appends
//                                                             leave full pages behind
//   too full, or more than two thirds empty                   the cells of up to three neighbouring
//                                                             siblings are spread over as many
//                                                             pages as they need
//   the root is too full                                      its content moves to a new child
//   first the root has a single child                               it takes the child's content
//
// On index pages and interior pages the cell between two siblings moves up into the parent; in
// table leaves all cells stay, and the parent gets the left page's largest rowid.
#pragma once

#include <cstdint>
#include <vector>

#include "btree/path.h"
#include "btree/tree_store.h"

namespace godwit {

class Balancer {
 public:
  // `path` has room for kTreeDepthMax levels, of which 0 to *depth are in use.
  Balancer(TreeStore* store, Level* path, int* depth) : store_(store), path_(path), depth_(depth) {}

  // Puts a cell on the page of `level`, as pending if it has no room.
  Status insert(int level, uint32_t index, ByteSpan cell);
  // Levels from `highest_changed` (near the root) to *depth were changed. *path_kept: the path
  // leads to the inserted cell; else it is meaningless.
  Status run(int highest_changed, bool* path_kept);

 private:
  struct Pending {
    uint32_t index;  // merged
    std::vector<uint8_t> bytes;
  };
  struct NewPage {
    uint32_t begin = 0;  // in cells_
    uint32_t end = 0;    // also the cell that moves up, except in table leaves and the last page
    uint32_t bytes = 0;
    PageRef page;
  };
  struct Siblings {
    uint32_t first = 0;  // merged index in the parent of the first of them
    uint32_t count = 0;
    uint8_t flags = 0;
    PageNumber right_child = 0;  // of the last of them
    PageRef pages[3];
    bool is_leaf() const { return (flags & kPageLeafBit) != 0; }
    bool is_table_leaf() const { return flags == kTableLeafPage; }
  };

  Node node(int level) const { return store_->node(path_[level].page); }
  uint32_t merged_count(int level) const;
  const Pending* pending_at(int level, uint32_t index) const;
  uint32_t physical_index(int level, uint32_t index) const;
  Status merged_cell(int level, uint32_t index, ByteSpan* bytes) const;
  Status merged_child(int level, uint32_t index, PageNumber* child) const;
  void set_merged_child(int level, uint32_t index, PageNumber child);
  Status erase(int level, uint32_t index);

  Status is_balanced(int level, bool* balanced) const;
  Status deepen_root();
  Status shrink_root();
  bool can_append(int level) const;
  Status append_sibling(int level);
  Status divider_of_table_leaf(const Node& leaf, PageNumber left, std::vector<uint8_t>* divider);
  Status balance_siblings(int level);
  Status load_siblings(int level, Siblings* siblings);
  Status gather_cells(int level, const Siblings& siblings);
  void distribute(const Siblings& siblings, bool too_full);
  void fill_up_to(const Siblings& siblings, uint32_t limit);
  void even_out(const Siblings& siblings);
  uint32_t cost(uint32_t cell) const;
  Status assign_pages(Siblings* siblings);
  Status fill_pages(const Siblings& siblings, PageNumber parent);
  Status update_parent(int level, const Siblings& siblings);
  Status set_divider_pointer(const std::vector<uint8_t>& divider, PageNumber parent);

  TreeStore* store_;
  Level* path_;
  int* depth_;
  std::vector<Pending> pending_[kTreeDepthMax];
  std::vector<uint8_t> copies_;  // of the siblings' pages and of the cells between them
  std::vector<ByteSpan> cells_;
  std::vector<NewPage> new_pages_;
};

}  // namespace godwit
