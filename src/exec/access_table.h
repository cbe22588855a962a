// Rows straight from the tree of a table: all of them, or by rowid.
#pragma once

#include <memory>
#include <string>
#include <unordered_set>

#include "exec/expression.h"
#include "exec/row_source.h"
#include "exec/seek_keys.h"
#include "exec/tree_directory.h"
#include "exec/tree_rows.h"

namespace godwit {

// A set of entries of one tree.
class EntrySet {
 public:
  explicit EntrySet(bool is_table_tree) : is_table_tree_(is_table_tree) {}
  // False: it was there already.
  bool insert(const LeafEntry& entry);
  bool contains(const LeafEntry& entry) const;
  void clear();

 private:
  bool is_table_tree_;
  std::unordered_set<Rowid> rowids_;
  std::unordered_set<std::string> records_;
};

// What all sources have in common that read the rows of one tree and need no other.
class TreeSource : public RowSource {
 public:
  Status open() override;
  void close() override;
  Status reopen() override;
  Status begin_left(const Chunk&) override { return Status(); }
  void begin_batch(uint32_t rows) override { rows_->begin(rows); }
  void append_null() override { rows_->append_null(); }
  Status load(bool early, const Selection& rows) override {
    return rows_->load(early, rows, cursor_.get());
  }
  const Vector* column(size_t index) const override { return rows_->column(index); }
  Status mark_matched(const Selection& rows) override;
  Status begin_unmatched() override;

 protected:
  // `index` null: the tree of the table.
  TreeSource(const RowSourceSpec& spec, const Index* index)
      : spec_(spec), index_(index), matched_(index == nullptr) {}
  // `rows`: where entries are appended; null: rows of its own.
  Status prepare(TreeRows* rows = nullptr);
  // Appends up to `max` entries from the cursor on, in the direction of the scan. 0: the end.
  Result<uint32_t> append_batch(uint32_t max);
  // fetch() of a walk without end conditions.
  Status fetch_all(uint32_t max, uint32_t* fetched);
  Status fetch_unmatched(uint32_t max, uint32_t* fetched);
  Status first_entry();
  bool is_table_tree() const { return index_ == nullptr; }
  const Table& table() const { return *spec_.node->source->table; }

  const RowSourceSpec spec_;
  const Index* index_;
  Btree* btree_ = nullptr;
  std::unique_ptr<Cursor> cursor_;
  TreeRows* rows_ = nullptr;
  std::unique_ptr<TreeRows> own_rows_;
  bool unmatched_ = false;
  EntrySet matched_;  // right and full joins: entries of the batches so far that had a match
};

// The whole table tree (of a WITHOUT ROWID table: its primary index).
class TableScanSource final : public TreeSource {
 public:
  static Result<std::unique_ptr<TreeSource>> make(const RowSourceSpec& spec);
  Status seek(uint32_t) override { return first_entry(); }
  Status fetch(uint32_t max, uint32_t* fetched) override {
    return unmatched_ ? fetch_unmatched(max, fetched) : fetch_all(max, fetched);
  }

 private:
  using TreeSource::TreeSource;
};

// The rows whose rowid is one of the keys.
class RowidLookupSource final : public TreeSource {
 public:
  static Result<std::unique_ptr<TreeSource>> make(const RowSourceSpec& spec,
                                                  TreeRows* rows = nullptr);
  Status open() override {
    keys_.open();
    directory_.clear();
    return TreeSource::open();
  }
  void close() override {
    directory_.clear();
    TreeSource::close();
  }
  Status reopen() override {
    keys_.open();
    return TreeSource::reopen();
  }
  Status begin_left(const Chunk& left) override { return keys_.begin_left(left); }
  Status seek(uint32_t left_row) override { return keys_.seek(left_row); }
  Status fetch(uint32_t max, uint32_t* fetched) override;

 private:
  using TreeSource::TreeSource;
  SeekKeys keys_;
  TreeDirectory directory_;
};

// The rows whose rowid is between two bounds.
class RowidRangeSource final : public TreeSource {
 public:
  static Result<std::unique_ptr<TreeSource>> make(const RowSourceSpec& spec,
                                                  TreeRows* rows = nullptr);
  Status begin_left(const Chunk& left) override;
  Status seek(uint32_t left_row) override;
  Status fetch(uint32_t max, uint32_t* fetched) override;

 private:
  using TreeSource::TreeSource;

  std::unique_ptr<Expression> lower_, upper_;
  const Vector* lowers_ = nullptr;
  const Vector* uppers_ = nullptr;
  Rowid first_ = 0, last_ = 0;  // both inclusive
  bool empty_ = true;
};

}  // namespace godwit
