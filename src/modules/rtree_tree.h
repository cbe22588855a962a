// The tree of an R-Tree table: its three shadow tables, inserting and removing of cells.
//
// A change reads the nodes that it needs into `changed_` and writes them at its end. Which child takes a
// new cell, and how a full node is split, follows the R*-tree (Beckmann et al., 1990): the child that
// must grow least; the distribution along the axis of least margin with the least overlap.
#pragma once

#include <map>
#include <string>

#include "modules/rtree_node.h"
#include "modules/statement.h"

namespace godwit::modules {

class RtreeTree {
 public:
  RtreeTree(sqlite3* db, std::string database, std::string name, RtreeShape shape)
      : db_(db), database_(std::move(database)), name_(std::move(name)), shape_(shape) {}

  const RtreeShape& shape() const { return shape_; }
  void set_node_size(int size) { shape_.node_size = size; }
  sqlite3* db() const { return db_; }
  const std::string& database() const { return database_; }
  const std::string& name() const { return name_; }
  // After ALTER TABLE RENAME.
  void rename(std::string name);

  int read(int64_t number, RtreeNode* node);
  // *leaf: 0, the row is not there.
  int find_leaf(int64_t rowid, int64_t* leaf);
  int insert(const RtreeCell& cell);
  int remove(int64_t rowid);
  int new_rowid(int64_t* rowid);

 private:
  int prepare(Statement* stmt, const char* format);
  int get(int64_t number, RtreeNode** node);
  int find_parent(int64_t number, int64_t* parent);
  int set_parent(int64_t number, int64_t parent);
  int set_leaf(int64_t rowid, int64_t leaf);
  int add_node(RtreeNode node, int64_t* number);
  int erase_node(int64_t number);

  int choose_node(const RtreeCell& cell, int height, int64_t* number);
  int insert_cell(const RtreeCell& cell, int height, int64_t number);
  int split(int64_t number, int height, std::vector<RtreeCell> cells);
  int adopt(const RtreeNode& node, int height);
  int grow_parents(int64_t number, const RtreeCell& cell);
  int shrink_parents(int64_t number);
  int remove_cell(int64_t number, int64_t id, int height);
  int remove_node(int64_t number, int height);
  int reinsert_orphans();
  int lower_root();
  int write_changes(int code);
  RtreeCell bounds_of(const std::vector<RtreeCell>& cells) const;

  struct Orphan {
    RtreeCell cell;
    int height;  // of the node that it was in; leaves: 0
  };

  sqlite3* db_;
  std::string database_, name_;
  RtreeShape shape_;
  std::map<int64_t, RtreeNode> changed_;
  std::vector<Orphan> orphans_;
  Statement read_node_, write_node_, delete_node_, read_leaf_, write_leaf_, delete_leaf_, read_parent_,
      write_parent_, delete_parent_, insert_rowid_;
};

}  // namespace godwit::modules
