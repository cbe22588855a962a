#include "modules/rtree_check.h"

#include "modules/rtree_tree.h"

namespace godwit::modules {

namespace {

constexpr int kMaxProblems = 100;

class RtreeCheck {
 public:
  RtreeCheck(sqlite3* db, const std::string& database, const std::string& name, bool is_integer,
             int coordinates, std::string* problems)
      : db_(db), database_(database), name_(name), problems_(problems) {
    shape_.coordinates = coordinates;
    shape_.is_integer = is_integer;
  }

  int run() {
    check_node(0, nullptr, kRootNode);
    check_count("_rowid", leaves_);
    check_count("_parent", children_);
    return code_;
  }

 private:
  std::string table(const char* suffix) const {
    return formatted("\"%w\".\"%w%s\"", database_.c_str(), name_.c_str(), suffix);
  }
  void add(const std::string& problem) {
    if (count_++ >= kMaxProblems) return;
    *problems_ += (problems_->empty() ? "" : "\n") + problem;
  }

  bool read(int64_t number, std::string* data) {
    if (code_ == SQLITE_OK) {
      code_ = read_node_.prepare(db_, "SELECT data FROM " + table("_node") + " WHERE nodeno = ?1");
    }
    if (code_ != SQLITE_OK) return false;
    read_node_.bind(1, number);
    bool is_found = read_node_.next_row();
    if (is_found) *data = read_node_.blob(0);
    code_ = read_node_.reset();
    if (code_ == SQLITE_OK && !is_found) {
      add(formatted("Node %lld missing from database", static_cast<long long>(number)));
    }
    return is_found && code_ == SQLITE_OK;
  }

  // `depth`: of the node above, from the leaves.
  void check_node(int depth, const RtreeCell* parent, int64_t number) {
    std::string data;
    if (!read(number, &data)) return;
    if (data.size() < kNodeHeader) {
      add(formatted("Node %lld is too small (%d bytes)", static_cast<long long>(number),
                    static_cast<int>(data.size())));
      return;
    }
    const auto byte = [&](size_t i) { return static_cast<int>(static_cast<uint8_t>(data[i])); };
    if (parent == nullptr) {
      depth = byte(0) << 8 | byte(1);
      if (depth > kMaxDepth) {
        add(formatted("Rtree depth out of range (%d)", depth));
        return;
      }
    }
    const int cells = byte(2) << 8 | byte(3);
    if (kNodeHeader + cells * shape_.cell_size() > static_cast<int>(data.size())) {
      add(formatted("Node %lld is too small for cell count of %d (%d bytes)",
                    static_cast<long long>(number), cells, static_cast<int>(data.size())));
      return;
    }
    RtreeNode node;
    shape_.node_size = static_cast<int>(data.size());
    if (!node.decode(data, shape_)) return;
    for (size_t i = 0; i < node.cells.size(); ++i) {
      const RtreeCell& cell = node.cells[i];
      check_bounds(cell, parent, static_cast<int>(i), number);
      if (depth > 0) {
        check_mapping("_parent", "parentnode", "nodeno", cell.id, number);
        check_node(depth - 1, &cell, cell.id);
        ++children_;
      } else {
        check_mapping("_rowid", "nodeno", "rowid", cell.id, number);
        ++leaves_;
      }
    }
  }

  void check_bounds(const RtreeCell& cell, const RtreeCell* parent, int index, int64_t number) {
    for (int i = 0; i < shape_.coordinates; i += 2) {
      if (cell.coordinate[i] > cell.coordinate[i + 1]) {
        add(formatted("Dimension %d of cell %d on node %lld is corrupt", i / 2, index,
                      static_cast<long long>(number)));
      }
      if (parent != nullptr && (cell.coordinate[i] < parent->coordinate[i] ||
                                cell.coordinate[i + 1] > parent->coordinate[i + 1])) {
        add(formatted("Dimension %d of cell %d on node %lld is corrupt relative to parent", i / 2,
                      index, static_cast<long long>(number)));
      }
    }
  }

  void check_mapping(const char* suffix, const char* value, const char* key, int64_t id,
                     int64_t number) {
    Statement& stmt = suffix[1] == 'r' ? read_leaf_ : read_parent_;
    if (code_ == SQLITE_OK) {
      code_ = stmt.prepare(db_, std::string("SELECT ") + value + " FROM " + table(suffix) + " WHERE " +
                                    key + " = ?1");
    }
    if (code_ != SQLITE_OK) return;
    stmt.bind(1, id);
    const auto from = static_cast<long long>(id), to = static_cast<long long>(number);
    if (!stmt.next_row()) {
      add(formatted("Mapping (%lld -> %lld) missing from %%%s table", from, to, suffix));
    } else if (stmt.integer(0) != number) {
      add(formatted("Found (%lld -> %lld) in %%%s table, expected (%lld -> %lld)", from,
                    static_cast<long long>(stmt.integer(0)), suffix, from, to));
    }
    code_ = stmt.reset();
  }

  void check_count(const char* suffix, int64_t expected) {
    int64_t count = 0;
    if (code_ == SQLITE_OK) {
      code_ = query_integer(db_, "SELECT count(*) FROM " + table(suffix), 0, &count);
    }
    if (code_ != SQLITE_OK || count == expected) return;
    add(formatted("Wrong number of entries in %%%s table - expected %lld, actual %lld", suffix,
                  static_cast<long long>(expected), static_cast<long long>(count)));
  }

  sqlite3* db_;
  std::string database_, name_;
  RtreeShape shape_;
  std::string* problems_;
  int code_ = SQLITE_OK;
  int count_ = 0;
  int64_t leaves_ = 0, children_ = 0;
  Statement read_node_, read_leaf_, read_parent_;
};

void rtreecheck(sqlite3_context* context, int count, sqlite3_value** values) {
  if (count != 1 && count != 2) {
    sqlite3_result_error(context, "wrong number of arguments to function rtreecheck()", -1);
    return;
  }
  const auto text = [&](int i) {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_value_text(values[i]));
    return std::string(bytes == nullptr ? "" : bytes);
  };
  std::string problems;
  int code = check_rtree(sqlite3_context_db_handle(context), count == 1 ? "main" : text(0),
                         text(count - 1), &problems);
  if (code != SQLITE_OK) return sqlite3_result_error_code(context, code);
  sqlite3_result_text(context, problems.empty() ? "ok" : problems.c_str(), -1, SQLITE_TRANSIENT);
}

// The cells of a node of `dimensions`, as a list.
void rtreenode(sqlite3_context* context, int, sqlite3_value** values) {
  RtreeShape shape;
  shape.coordinates = sqlite3_value_int(values[0]) * 2;
  if (shape.coordinates < 2 || shape.coordinates > kMaxCoordinates) return;
  const auto* data = static_cast<const char*>(sqlite3_value_blob(values[1]));
  const int size = sqlite3_value_bytes(values[1]);
  shape.node_size = size;
  RtreeNode node;
  if (data == nullptr || size < kNodeHeader ||
      !node.decode(std::string_view(data, static_cast<size_t>(size)), shape)) {
    return;
  }
  std::string out;
  for (const RtreeCell& cell : node.cells) {
    out += formatted("%s{%lld", out.empty() ? "" : " ", static_cast<long long>(cell.id));
    for (int i = 0; i < shape.coordinates; ++i) out += formatted(" %g", cell.coordinate[i]);
    out += "}";
  }
  sqlite3_result_text(context, out.c_str(), -1, SQLITE_TRANSIENT);
}

void rtreedepth(sqlite3_context* context, int, sqlite3_value** values) {
  const auto* data = static_cast<const unsigned char*>(sqlite3_value_blob(values[0]));
  if (sqlite3_value_type(values[0]) != SQLITE_BLOB || sqlite3_value_bytes(values[0]) < 2) {
    return sqlite3_result_error(context, "Invalid argument to rtreedepth()", -1);
  }
  sqlite3_result_int(context, data[0] << 8 | data[1]);
}

}  // namespace

int check_rtree(sqlite3* db, const std::string& database, const std::string& name,
                std::string* problems) {
  // The shape of the table, from what it shows: columns without the auxiliary ones.
  Statement rowids;
  int auxiliary = 0;
  if (rowids.prepare(db, formatted("SELECT * FROM \"%w\".\"%w_rowid\"", database.c_str(),
                                   name.c_str())) == SQLITE_OK) {
    auxiliary = sqlite3_column_count(rowids.get()) - 2;
    rowids.finalize();
  }
  sqlite3_stmt* sample = nullptr;
  std::string sql = formatted("SELECT * FROM \"%w\".\"%w\"", database.c_str(), name.c_str());
  int code = sqlite3_prepare_v2(db, sql.c_str(), -1, &sample, nullptr);
  if (code != SQLITE_OK) return code;
  const int count = sqlite3_column_count(sample) - 1 - auxiliary;
  bool is_integer = false;
  if (sqlite3_step(sample) == SQLITE_ROW && count >= 1) {
    is_integer = sqlite3_column_type(sample, 1) == SQLITE_INTEGER;
  }
  code = sqlite3_finalize(sample);
  if (code != SQLITE_OK) return code;
  if (count < 2 || count % 2 != 0 || count > kMaxCoordinates) {
    *problems = "Schema corrupt or not an rtree";
    return SQLITE_OK;
  }
  RtreeCheck check(db, database, name, is_integer, count, problems);
  return check.run();
}

int register_rtree_functions(sqlite3* db) {
  constexpr int kFlags = SQLITE_UTF8;
  int code = sqlite3_create_function(db, "rtreenode", 2, kFlags, nullptr, rtreenode, nullptr, nullptr);
  if (code == SQLITE_OK) {
    code = sqlite3_create_function(db, "rtreedepth", 1, kFlags, nullptr, rtreedepth, nullptr, nullptr);
  }
  if (code == SQLITE_OK) {
    code = sqlite3_create_function(db, "rtreecheck", -1, kFlags, nullptr, rtreecheck, nullptr, nullptr);
  }
  return code;
}

}  // namespace godwit::modules
