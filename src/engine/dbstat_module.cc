// dbstat: how the pages of a database's trees are used, a row a page, or a row a tree where the hidden
// column `aggregate` is true. A tree is walked while its rows are read: an inner page, then for each of
// its cells the pages that the cell overflows to and the child to its left.
#include <algorithm>
#include <deque>

#include "btree/node.h"
#include "engine/body_ddl.h"
#include "engine/statement.h"
#include "engine/virtual_tables.h"
#include "value/cast.h"

namespace godwit {

namespace {

enum DbstatColumn : int32_t {
  kStatName, kStatPath, kStatPage, kStatType, kStatCells, kStatPayload, kStatUnused, kStatMaxPayload,
  kStatOffset, kStatSize, kStatSchema, kStatAggregate,
};

// Bits of the plan's number: which values filter() gets, in this order, and how rows are sorted.
constexpr int kGivenSchema = 1;
constexpr int kGivenName = 2;
constexpr int kGivenAggregate = 4;
constexpr int kSortedByName = 8;

// A page, or the sum of a tree's pages.
struct PageUse {
  std::string path;
  int64_t page = 0;
  const char* type = nullptr;
  int64_t cells = 0;
  int64_t payload = 0;
  int64_t unused = 0;
  int64_t max_payload = 0;
  int64_t offset = 0;
  int64_t size = 0;
};

// The pages of one tree.
class TreeWalk {
 public:
  TreeWalk(Btree* btree, PageNumber root)
      : pager_(btree->pager()),
        geometry_(PageGeometry::of(pager_.page_size(), pager_.usable_size())),
        pages_left_(pager_.page_count()),
        root_(root) {}

  // False: there are no more.
  Result<bool> next(PageUse* use) {
    if (!has_begun_) {
      has_begun_ = true;
      GW_TRY(enter(root_, "/"));
    }
    while (pending_.empty() && !open_.empty()) GW_TRY(advance());
    if (pending_.empty()) return false;
    *use = std::move(pending_.front());
    pending_.pop_front();
    return true;
  }

 private:
  struct InnerPage {
    PageRef page;
    std::string path;
    uint32_t next_child = 0;
  };

  int64_t offset_of(PageNumber page) const { return int64_t{page - 1} * geometry_.page_size; }

  Result<PageRef> read(PageNumber page) {
    if (page == 0 || page > pager_.page_count() || pages_left_ == 0) return corrupt("tree page");
    --pages_left_;
    return pager_.read(page);
  }

  Status enter(PageNumber number, const std::string& path) {
    GW_ASSIGN(PageRef page, read(number));
    Node node(geometry_, page);
    PageUse use;
    use.path = path;
    use.page = number;
    use.offset = offset_of(number);
    use.size = geometry_.page_size;
    if (!node.check(true) && !node.check(false)) {
      use.type = "corrupted";
      pending_.push_back(std::move(use));
      return Status();
    }
    use.type = node.is_leaf() ? "leaf" : "internal";
    use.cells = node.cell_count();
    uint32_t unused = 0;
    GW_TRY(node.free_bytes(&unused));
    use.unused = unused;
    for (uint32_t i = 0; i < node.cell_count(); ++i) {
      Cell cell;
      if (!node.parse(i, &cell)) return corrupt("cell");
      use.payload += cell.local_size;
      use.max_payload = std::max<int64_t>(use.max_payload, cell.payload_size);
    }
    pending_.push_back(std::move(use));
    if (!node.is_leaf()) {
      open_.push_back({std::move(page), path, 0});
      return Status();
    }
    for (uint32_t i = 0; i < node.cell_count(); ++i) GW_TRY(add_chain(node, number, path, i));
    return Status();
  }

  // Goes on at the innermost page that has children left.
  Status advance() {
    InnerPage& inner = open_.back();
    Node node(geometry_, inner.page);
    const uint32_t i = inner.next_child++;
    const PageNumber child = node.child(i);
    const std::string path = inner.path + hex(i, 3) + "/";
    if (i < node.cell_count()) {
      GW_TRY(add_chain(node, inner.page->number(), inner.path, i));
    } else {
      open_.pop_back();
    }
    return enter(child, path);
  }

  // As in SQLite the offset given is that of the page before.
  Status add_chain(const Node& node, PageNumber owner, const std::string& path, uint32_t index) {
    Cell cell;
    if (!node.parse(index, &cell)) return corrupt("cell");
    int64_t bytes = int64_t{cell.payload_size} - cell.local_size;
    PageNumber number = cell.overflow, before = owner;
    for (uint32_t i = 0; number != 0 && bytes > 0; ++i) {
      GW_ASSIGN(PageRef page, read(number));
      PageUse use;
      use.path = path + hex(index, 3) + "+" + hex(i, 6);
      use.page = number;
      use.type = "overflow";
      use.payload = std::min<int64_t>(bytes, geometry_.overflow_capacity);
      use.unused = int64_t{geometry_.overflow_capacity} - use.payload;
      use.offset = offset_of(before);
      use.size = geometry_.page_size;
      pending_.push_back(std::move(use));
      bytes -= geometry_.overflow_capacity;
      before = number;
      number = load_be32(page.data());
    }
    return Status();
  }

  static std::string hex(uint32_t value, size_t digits) {
    std::string text;
    for (; value != 0 || text.size() < digits; value >>= 4) {
      text.insert(text.begin(), "0123456789abcdef"[value & 15]);
    }
    return text;
  }

  Pager& pager_;
  PageGeometry geometry_;
  uint32_t pages_left_;
  PageNumber root_;
  bool has_begun_ = false;
  std::deque<PageUse> pending_;
  std::vector<InnerPage> open_;
};

class DbstatCursor final : public VirtualCursor {
 public:
  explicit DbstatCursor(Connection* connection) : connection_(connection) {}

  Status filter(int plan_number, std::string_view, std::span<const ValueView> arguments) override {
    trees_.clear();
    position_ = 0;
    walk_.reset();
    schema_ = "main";
    aggregate_.set_null();
    const ValueView* next = arguments.data();
    Arena arena;
    if ((plan_number & kGivenSchema) != 0) schema_ = value_to_text(*next++, &arena);
    const ValueView* name = (plan_number & kGivenName) != 0 ? next++ : nullptr;
    if ((plan_number & kGivenAggregate) != 0) aggregate_.assign(*next);
    int database = connection_->find_database(schema_);
    if (database < 0) return Status();
    btree_ = connection_->btree(database);
    if (btree_ == nullptr) return Status();
    GW_TRY(find_trees(name));
    if (btree_->pager().page_count() == 0) trees_.clear();
    if ((plan_number & kSortedByName) != 0) {
      std::stable_sort(trees_.begin(), trees_.end(),
                       [](const Tree& a, const Tree& b) { return a.name < b.name; });
    }
    return Status();
  }

  Status fetch(VirtualRows* rows) override {
    while (rows->room() > 0 && position_ < trees_.size()) {
      const Tree& tree = trees_[position_];
      if (walk_ == nullptr) walk_ = std::make_unique<TreeWalk>(btree_, tree.root);
      PageUse use;
      GW_ASSIGN(bool more, is_aggregated() ? sum(&use) : walk_->next(&use));
      if (more) give_row(tree.name, use, rows);
      if (more && !is_aggregated()) continue;
      walk_.reset();
      ++position_;
    }
    return Status();
  }

 private:
  struct Tree {
    std::string name;
    PageNumber root = 0;
  };

  bool is_aggregated() const {
    return !aggregate_.view().is_null() && value_is_true(aggregate_.view());
  }

  // Reading the schema also opens the snapshot that the pages are read from.
  Status find_trees(const ValueView* name) {
    auto add = [&](std::string_view tree, int64_t root) {
      bool wanted = name == nullptr || (name->is_text() && name->text() == tree);
      if (wanted) trees_.push_back({std::string(tree), static_cast<PageNumber>(root)});
    };
    add("sqlite_schema", 1);
    std::string sql = "SELECT name, rootpage FROM " + double_quoted(schema_) +
                      ".sqlite_schema WHERE rootpage <> 0 ORDER BY rowid";
    GW_ASSIGN(auto names, connection_->prepare_internal(sql));
    for (;;) {
      GW_ASSIGN(bool more, names->step());
      if (!more) return Status();
      add(names->column(0).text(), names->column(1).integer);
    }
  }

  Result<bool> sum(PageUse* total) {
    PageUse page;
    for (;;) {
      GW_ASSIGN(bool more, walk_->next(&page));
      if (!more) return true;
      ++total->page;
      total->cells += page.cells;
      total->payload += page.payload;
      total->unused += page.unused;
      total->max_payload = std::max(total->max_payload, page.max_payload);
      total->size += page.size;
    }
  }

  void give_row(const std::string& name, const PageUse& use, VirtualRows* rows) {
    rows->set(kStatName, ValueView::of_text(name));
    rows->set(kStatPage, ValueView::of(use.page));
    rows->set(kStatCells, ValueView::of(use.cells));
    rows->set(kStatPayload, ValueView::of(use.payload));
    rows->set(kStatUnused, ValueView::of(use.unused));
    rows->set(kStatMaxPayload, ValueView::of(use.max_payload));
    rows->set(kStatSize, ValueView::of(use.size));
    if (!is_aggregated()) {
      rows->set(kStatPath, ValueView::of_text(use.path));
      rows->set(kStatType, ValueView::of_text(use.type));
      rows->set(kStatOffset, ValueView::of(use.offset));
    }
    rows->set(kStatSchema, ValueView::of_text(schema_));
    rows->set(kStatAggregate, ValueView::of(int64_t{is_aggregated()}));
    rows->set_rowid(use.page);
    rows->end_row();
  }

  Connection* connection_;
  Btree* btree_ = nullptr;
  std::string schema_;
  Value aggregate_;
  std::vector<Tree> trees_;
  size_t position_ = 0;
  std::unique_ptr<TreeWalk> walk_;  // of trees_[position_]
};

class DbstatTable final : public VirtualTable {
 public:
  explicit DbstatTable(Connection* connection) : connection_(connection) {}

  Status best_index(VirtualQuery* query) override {
    VirtualConstraint* given[3] = {};
    for (VirtualConstraint& constraint : query->constraints) {
      int i = constraint.column == kStatSchema      ? 0
              : constraint.column == kStatName      ? 1
              : constraint.column == kStatAggregate ? 2
                                                    : -1;
      if (i < 0 || constraint.op != VirtualOp::kEq) continue;
      if (!constraint.usable) return Status(code::kConstraint);
      given[i] = &constraint;
    }
    int argument = 0;
    for (int i = 0; i < 3; ++i) {
      if (given[i] == nullptr) continue;
      given[i]->argument = ++argument;
      given[i]->omit = i != 1;
      query->plan_number |= 1 << i;
    }
    query->cost = 1;
    query->shows_number_as_hex = true;
    const auto& order = query->order_by;
    bool by_name = !order.empty() && order.size() <= 2 && order[0].column == kStatName &&
                   !order[0].descending;
    if (order.size() == 2) by_name &= order[1].column == kStatPath && !order[1].descending;
    if (by_name) {
      query->order_consumed = true;
      query->plan_number |= kSortedByName;
    }
    return Status();
  }

  Result<std::unique_ptr<VirtualCursor>> open() override {
    return std::unique_ptr<VirtualCursor>(std::make_unique<DbstatCursor>(connection_));
  }

 private:
  Connection* connection_;
};

}  // namespace

std::unique_ptr<VirtualTable> make_dbstat_table(Connection* connection) {
  return std::make_unique<DbstatTable>(connection);
}

}  // namespace godwit
