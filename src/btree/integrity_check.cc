// The structural part of PRAGMA integrity_check: every page is used exactly once, pages are
// well-formed, rowids are in order, and freelist, overflow chains and pointer map agree. The words
// are SQLite's.
#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include "btree/tree_store.h"

namespace godwit {

namespace {

class IntegrityCheck {
 public:
  IntegrityCheck(TreeStore* store, int limit, std::vector<std::string>* problems)
      : store_(store),
        pager_(store->pager()),
        geometry_(store->geometry()),
        limit_(limit),
        problems_(problems),
        used_(pager_->page_count() + 1) {
    if (geometry_.lock_page() < used_.size()) used_[geometry_.lock_page()] = true;
  }

  Status run(std::span<const PageNumber> roots);

 private:
  // The height of the tree below a page, and the range of rowids left of what was visited.
  struct TreeScan {
    Rowid bound = INT64_MAX;
    bool bound_inclusive = true;
  };

  bool full() const { return static_cast<int>(problems_->size()) >= limit_; }
  void report(const char* format, ...) __attribute__((format(printf, 2, 3)));
  bool use(PageNumber page);
  void check_pointer(PageNumber page, PointerMapType type, PageNumber parent);
  void check_list(bool is_freelist, PageNumber first, uint32_t expected);
  void check_freelist(const uint8_t* header);
  void check_largest_root(std::span<const PageNumber> roots, const uint8_t* header);
  int check_page(PageNumber number, int depth, TreeScan* scan);
  int check_cells(const PageRef& page, int depth, TreeScan* scan);
  bool check_cell(const Node& node, uint32_t index, TreeScan* scan, Cell* cell);
  void check_overflow(const Cell& cell, PageNumber page);
  void check_coverage(const Node& node, PageNumber number);
  void check_unused();
  std::string place_of(PageNumber page) const {
    return "Tree " + std::to_string(root_) + " page " + std::to_string(page);
  }

  TreeStore* store_;
  Pager* pager_;
  const PageGeometry& geometry_;
  int limit_;
  std::vector<std::string>* problems_;
  std::vector<bool> used_;
  PageNumber root_ = 0;
  std::string prefix_;  // of the messages
  struct Range {
    uint32_t begin;
    uint32_t end;
  };
  std::vector<Range> ranges_;  // bytes of a page that are in use
};

void IntegrityCheck::report(const char* format, ...) {
  if (full()) return;
  char text[200];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  problems_->push_back(prefix_ + text);
}

// Notes a reference. False: the page must not be followed.
bool IntegrityCheck::use(PageNumber page) {
  if (page == 0 || page >= used_.size()) {
    report("invalid page number %u", page);
    return false;
  }
  if (used_[page]) {
    report("2nd reference to page %u", page);
    return false;
  }
  used_[page] = true;
  return true;
}

void IntegrityCheck::check_pointer(PageNumber page, PointerMapType type, PageNumber parent) {
  PageNumber map = pointer_map_page(geometry_, page);
  Result<PageRef> map_page =
      map == 0 || page <= map ? Result<PageRef>(corrupt("map")) : pager_->read(map);
  uint8_t found_type = 0;
  PageNumber found_parent = 0;
  if (map_page.ok()) {
    const uint8_t* entry = map_page->data() + (page - map - 1) * kPointerMapEntryBytes;
    found_type = entry[0];
    found_parent = load_be32(entry + 1);
  }
  if (found_type < 1 || found_type > 5) {
    report("Failed to read ptrmap key=%u", page);
  } else if (found_type != static_cast<uint8_t>(type) || found_parent != parent) {
    report("Bad ptr map entry key=%u expected=(%u,%u) got=(%u,%u)", page,
           static_cast<unsigned>(type), parent, found_type, found_parent);
  }
}

// Follows the freelist or an overflow chain, which should have `expected` pages.
void IntegrityCheck::check_list(bool is_freelist, PageNumber first, uint32_t expected) {
  const size_t problems_before = problems_->size();
  int64_t left = expected;
  PageNumber number = first;
  while (number != 0 && !full()) {
    if (!use(number)) break;
    --left;
    Result<PageRef> page = pager_->read(number);
    if (!page.ok()) {
      report("failed to get page %u", number);
      break;
    }
    const uint8_t* data = page->data();
    if (is_freelist) {
      uint32_t leaf_count = load_be32(data + kTrunkLeafCount);
      if (store_->has_pointer_map()) check_pointer(number, PointerMapType::kFree, 0);
      if (leaf_count > trunk_capacity(geometry_)) {
        report("freelist leaf count too big on page %u", number);
        --left;
      } else {
        for (uint32_t i = 0; i < leaf_count; ++i) {
          PageNumber leaf = load_be32(data + kTrunkLeaves + 4 * i);
          if (store_->has_pointer_map()) check_pointer(leaf, PointerMapType::kFree, 0);
          use(leaf);
        }
        left -= leaf_count;
      }
    } else if (store_->has_pointer_map() && left != 0) {
      check_pointer(load_be32(data), PointerMapType::kOverflowNext, number);
    }
    number = load_be32(data);
  }
  if (left != 0 && problems_->size() == problems_before) {
    report("%s is %u but should be %u", is_freelist ? "size" : "overflow list length",
           static_cast<unsigned>(expected - left), expected);
  }
}

void IntegrityCheck::check_freelist(const uint8_t* header) {
  prefix_ = "Freelist: ";
  check_list(true, load_be32(header + kHeaderFreelistTrunk),
             load_be32(header + kHeaderFreelistCount));
  prefix_.clear();
}

void IntegrityCheck::check_largest_root(std::span<const PageNumber> roots, const uint8_t* header) {
  const PageNumber stated = load_be32(header + kHeaderLargestRoot);
  if (stated != 0) {
    PageNumber largest = 1;
    for (PageNumber root : roots) largest = std::max(largest, root);
    if (largest != stated) {
      report("max rootpage (%u) disagrees with header (%u)", largest, stated);
    }
  } else if (load_be32(header + kHeaderIncrementalVacuum) != 0) {
    report("incremental_vacuum enabled with a max rootpage of zero");
  }
}

// Checks the subtree at `number`. Returns its height; 0 for a leaf and for what cannot be checked.
int IntegrityCheck::check_page(PageNumber number, int depth, TreeScan* scan) {
  if (full() || number == 0 || !use(number)) return 0;
  std::string outer_prefix = prefix_;
  prefix_ = place_of(number) + ": ";
  int height = 0;
  Result<PageRef> page = pager_->read(number);
  if (!page.ok()) {
    report("unable to get the page. error code=%d", page.status().code());
  } else {
    Node node = store_->node(*page);
    uint32_t free_bytes;
    if (!node.check(node.is_table()) || depth >= kTreeDepthMax) {
      report("btreeInitPage() returns error code %d", code::kCorrupt);
    } else if (!node.free_bytes(&free_bytes).ok()) {
      report("free space corruption");
    } else {
      height = check_cells(*page, depth, scan);
    }
  }
  prefix_ = std::move(outer_prefix);
  return height;
}

// Checks one cell itself. False: nothing it says can be trusted.
bool IntegrityCheck::check_cell(const Node& node, uint32_t index, TreeScan* scan, Cell* cell) {
  const uint32_t offset = load_be16(node.data() + node.array_start() + kCellPointerBytes * index);
  const uint32_t start = node.content_start();
  const uint32_t last = geometry_.usable_size - kCellBytesMin;
  if (offset < start || offset > last) {
    report("Offset %u out of range %u..%u", offset, start, last);
    return false;
  }
  if (!node.parse_at(offset, cell) || offset + cell->size > geometry_.usable_size) {
    report("Extends off end of page");
    return false;
  }
  if (node.is_table()) {
    bool in_order = scan->bound_inclusive ? cell->rowid <= scan->bound : cell->rowid < scan->bound;
    if (!in_order) report("Rowid %lld out of order", static_cast<long long>(cell->rowid));
    scan->bound = cell->rowid;
    scan->bound_inclusive = false;
  }
  return true;
}

void IntegrityCheck::check_overflow(const Cell& cell, PageNumber page) {
  if (cell.payload_size <= cell.local_size) return;
  const uint32_t rest = cell.payload_size - cell.local_size;
  const uint32_t pages = (rest + geometry_.overflow_capacity - 1) / geometry_.overflow_capacity;
  if (store_->has_pointer_map()) check_pointer(cell.overflow, PointerMapType::kOverflowHead, page);
  check_list(false, cell.overflow, pages);
}

// From the last cell to the first, so that the bound only falls.
int IntegrityCheck::check_cells(const PageRef& page, int depth, TreeScan* scan) {
  const PageNumber number = page->number();
  const Node node = store_->node(page);
  const bool leaf = node.is_leaf();
  const bool has_map = store_->has_pointer_map();
  int height = 0;
  if (!leaf) {
    prefix_ = place_of(number) + " right child: ";
    if (has_map) check_pointer(node.right_child(), PointerMapType::kNode, number);
    height = check_page(node.right_child(), depth + 1, scan);
    scan->bound_inclusive = false;
  }
  bool cells_are_sound = true;
  for (uint32_t i = node.cell_count(); i-- > 0 && !full();) {
    // SQLite goes on saying "right child" for the cells of interior pages if there is a pointer
    // map.
    if (leaf || !has_map) prefix_ = place_of(number) + " cell " + std::to_string(i) + ": ";
    Cell cell;
    if (!check_cell(node, i, scan, &cell)) {
      cells_are_sound = false;
      continue;
    }
    check_overflow(cell, number);
    if (leaf) continue;
    if (has_map) check_pointer(cell.left_child, PointerMapType::kNode, number);
    // The left child may hold the rowid of its divider itself.
    scan->bound_inclusive = true;
    int child_height = check_page(cell.left_child, depth + 1, scan);
    scan->bound_inclusive = false;
    if (child_height != height) {
      report("Child page depth differs");
      height = child_height;
    }
  }
  prefix_.clear();
  if (cells_are_sound && !full()) check_coverage(node, number);
  return leaf ? 0 : height + 1;
}

// Every byte of the content area belongs to one cell, one freeblock or a fragment.
void IntegrityCheck::check_coverage(const Node& node, PageNumber number) {
  ranges_.clear();
  for (uint32_t i = 0; i < node.cell_count(); ++i) {
    Cell cell;
    if (!node.parse(i, &cell)) return;
    ranges_.push_back({cell.offset, cell.offset + cell.size});
  }
  const uint8_t* data = node.data();
  uint32_t block = load_be16(data + node.header() + kNodeFirstFreeblock);
  while (block != 0) {  // free_bytes() has found the list in order
    ranges_.push_back({block, block + load_be16(data + block + 2)});
    block = load_be16(data + block);
  }
  std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  uint32_t fragments = 0;
  uint32_t end = node.content_start();
  for (const Range& range : ranges_) {
    if (range.begin < end) {
      report("Multiple uses for byte %u of page %u", range.begin, number);
      // Fragments can still be counted if nothing follows.
      if (&range != &ranges_.back()) return;
      break;
    }
    fragments += range.begin - end;
    end = range.end;
  }
  fragments += geometry_.usable_size - end;
  const uint32_t stated = data[node.header() + kNodeFragmentedBytes];
  if (fragments != stated) {
    report("Fragmentation of %u bytes reported as %u on page %u", fragments, stated, number);
  }
}

void IntegrityCheck::check_unused() {
  prefix_.clear();
  for (PageNumber page = 1; page < used_.size() && !full(); ++page) {
    const bool is_map = store_->has_pointer_map() && is_pointer_map_page(geometry_, page);
    if (!used_[page] && !is_map) report("Page %u: never used", page);
    if (used_[page] && is_map) report("Page %u: pointer map referenced", page);
  }
}

Status IntegrityCheck::run(std::span<const PageNumber> roots) {
  if (used_.size() <= 1) return {};
  GW_ASSIGN(PageRef page1, pager_->read(1));
  check_freelist(page1.data());
  check_largest_root(roots, page1.data());
  std::vector<PageNumber> all(roots.begin(), roots.end());
  if (std::find(all.begin(), all.end(), 1u) == all.end()) all.push_back(1);
  for (size_t i = 0; i < all.size() && !full(); ++i) {
    root_ = all[i];
    if (root_ == 0) continue;
    prefix_.clear();
    if (store_->has_pointer_map() && root_ > 1) check_pointer(root_, PointerMapType::kRoot, 0);
    TreeScan scan;
    check_page(root_, 0, &scan);
  }
  check_unused();
  return {};
}

}  // namespace

Status Btree::integrity_check(std::span<const PageNumber> roots, int limit,
                              std::vector<std::string>* problems) {
  problems->clear();
  return IntegrityCheck(impl_.get(), limit, problems).run(roots);
}

}  // namespace godwit
