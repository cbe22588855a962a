// sqlite_dbpage: the pages of a database file as rows. Only for reading.
#include "engine/body_ddl.h"
#include "engine/statement.h"
#include "engine/virtual_tables.h"
#include "value/cast.h"

namespace godwit {

namespace {

enum DbpageColumn : int32_t { kPageNumber, kPageData, kPageSchema };

// Bits of the plan's number: which values filter() gets, in this order.
constexpr int kSchemaIsGiven = 1;
constexpr int kNumberIsGiven = 2;

class DbpageCursor final : public VirtualCursor {
 public:
  explicit DbpageCursor(Connection* connection) : connection_(connection) {}

  Status filter(int plan_number, std::string_view, std::span<const ValueView> arguments) override {
    next_ = 1;
    last_ = 0;
    schema_ = "main";
    const ValueView* argument = arguments.data();
    Arena arena;
    if ((plan_number & kSchemaIsGiven) != 0) schema_ = value_to_text(*argument++, &arena);
    int database = connection_->find_database(schema_);
    btree_ = database < 0 ? nullptr : connection_->btree(database);
    if (btree_ == nullptr) return Status();
    // Opens the snapshot that the pages are read from.
    std::string sql = "SELECT 1 FROM " + double_quoted(schema_) + ".sqlite_schema LIMIT 1";
    GW_ASSIGN(auto statement, connection_->prepare_internal(sql));
    GW_TRY(statement->step().status());
    last_ = btree_->pager().page_count();
    if ((plan_number & kNumberIsGiven) == 0) return Status();
    bool is_page = argument->is_integer() && argument->integer >= 1 && argument->integer <= last_;
    next_ = is_page ? argument->integer : last_ + 1;
    if (is_page) last_ = next_;
    return Status();
  }

  Status fetch(VirtualRows* rows) override {
    for (; rows->room() > 0 && next_ <= last_; ++next_) {
      PageNumber number = static_cast<PageNumber>(next_);
      rows->set(kPageNumber, ValueView::of(next_));
      if (rows->wants(kPageData)) {
        const uint32_t size = btree_->pager().page_size();
        if (number == lock_page_number(size)) {
          rows->set(kPageData, ValueView::of_blob(std::string(size, '\0')));
        } else {
          GW_ASSIGN(PageRef page, btree_->pager().read(number));
          rows->set(kPageData,
                    ValueView::of_blob({reinterpret_cast<const char*>(page.data()), size}));
        }
      }
      rows->set(kPageSchema, ValueView::of_text(schema_));
      rows->set_rowid(next_);
      rows->end_row();
    }
    return Status();
  }

 private:
  Connection* connection_;
  Btree* btree_ = nullptr;
  std::string schema_;
  int64_t next_ = 1, last_ = 0;
};

class DbpageTable final : public VirtualTable {
 public:
  explicit DbpageTable(Connection* connection) : connection_(connection) {}

  Status best_index(VirtualQuery* query) override {
    VirtualConstraint* given[2] = {};
    for (VirtualConstraint& constraint : query->constraints) {
      if (constraint.op != VirtualOp::kEq) continue;
      bool is_schema = constraint.column == kPageSchema;
      bool is_number = constraint.column == kPageNumber || constraint.column == -1;
      if (is_schema && !constraint.usable) return Status(code::kConstraint);
      if (!constraint.usable || !(is_schema || is_number)) continue;
      given[is_schema ? 0 : 1] = &constraint;
    }
    int argument = 0;
    for (int i = 0; i < 2; ++i) {
      if (given[i] == nullptr) continue;
      given[i]->argument = ++argument;
      given[i]->omit = true;
      query->plan_number |= 1 << i;
    }
    query->one_row = given[1] != nullptr;
    query->cost = query->one_row ? 1 : 1000000;
    query->rows = query->one_row ? 1 : 1000000;
    const auto& order = query->order_by;
    query->order_consumed = order.size() == 1 && !order[0].descending && order[0].column <= kPageNumber;
    return Status();
  }

  Result<std::unique_ptr<VirtualCursor>> open() override {
    return std::unique_ptr<VirtualCursor>(std::make_unique<DbpageCursor>(connection_));
  }

 private:
  Connection* connection_;
};

}  // namespace

std::unique_ptr<VirtualTable> make_dbpage_table(Connection* connection) {
  return std::make_unique<DbpageTable>(connection);
}

}  // namespace godwit
