// R-Tree as a virtual table: CREATE VIRTUAL TABLE t USING rtree(id, x0, x1, y0, y1, +aux, ...), or
// rtree_i32 for integer coordinates.
//
//   t_node(nodeno, data)              the tree (rtree_node.h)
//   t_parent(nodeno, parentnode)      of each node but the root
//   t_rowid(rowid, nodeno, a0, ...)   of each row: its leaf, and the auxiliary columns
#include <cctype>
#include <cstring>
#include <new>

#include "modules/modules.h"
#include "modules/rtree_check.h"
#include "modules/rtree_cursor.h"

namespace godwit::modules {

namespace {

constexpr int kDirectLookup = 1;
constexpr int kTreeWalk = 2;
constexpr int64_t kAssumedRows = 1048576;
constexpr int64_t kFewestRows = 100;
constexpr int kMaxAuxiliary = 100;

struct RtreeTable {
  sqlite3_vtab base = {};
  sqlite3* db = nullptr;
  std::unique_ptr<RtreeTree> tree;
  std::vector<std::string> columns;  // names: id, coordinates, auxiliary ones
  int auxiliary = 0;
  int64_t rows = kAssumedRows;  // for the planner
  Statement read_auxiliary, write_auxiliary;

  int coordinates() const { return tree->shape().coordinates; }
};

struct RtreeTableCursor {
  sqlite3_vtab_cursor base = {};
  RtreeCursor walk;
  Statement auxiliary;
  bool has_auxiliary = false;  // the statement is on the row

  explicit RtreeTableCursor(RtreeTree* tree) : walk(tree) {}
};

RtreeTable* table_of(sqlite3_vtab* vtab) { return reinterpret_cast<RtreeTable*>(vtab); }
RtreeTableCursor* cursor_of(sqlite3_vtab_cursor* cursor) {
  return reinterpret_cast<RtreeTableCursor*>(cursor);
}

// ---- Making --------------------------------------------------------------------------------------

// The first word of a column's text, with its quotes.
std::string first_token(const char* text) {
  while (*text == ' ' || (*text >= '\t' && *text <= '\r')) ++text;
  if (*text == '"' || *text == '`' || *text == '\'' || *text == '[') {
    const char close = *text == '[' ? ']' : *text;
    const char* at = text + 1;
    while (*at != '\0' && (*at != close || (at[1] == close && close != ']'))) {
      at += *at == close ? 2 : 1;
    }
    return std::string(text, *at == '\0' ? at : at + 1);
  }
  const char* at = text;
  const auto is_word = [](unsigned char c) {
    return c == '_' || c == '$' || c >= 0x80 || std::isalnum(c) != 0;
  };
  while (is_word(static_cast<unsigned char>(*at))) ++at;
  return at == text ? std::string(text) : std::string(text, at);
}

std::string without_quotes(const std::string& token) {
  if (token.size() < 2 || std::strchr("\"`'[", token[0]) == nullptr) return token;
  const char close = token[0] == '[' ? ']' : token[0];
  std::string name;
  for (size_t i = 1; i + 1 < token.size(); ++i) {
    name += token[i];
    if (token[i] == close && token[i + 1] == close) ++i;
  }
  return name;
}

int create_shadow_tables(sqlite3* db, const RtreeTable& table) {
  const char* database = table.tree->database().c_str();
  const char* name = table.tree->name().c_str();
  std::string sql =
      formatted("CREATE TABLE \"%w\".\"%w_rowid\"(rowid INTEGER PRIMARY KEY,nodeno", database, name);
  for (int i = 0; i < table.auxiliary; ++i) sql += ",a" + std::to_string(i);
  sql += formatted(");CREATE TABLE \"%w\".\"%w_node\"(nodeno INTEGER PRIMARY KEY,data);", database, name);
  sql += formatted("CREATE TABLE \"%w\".\"%w_parent\"(nodeno INTEGER PRIMARY KEY,parentnode);", database,
                   name);
  sql += formatted("INSERT INTO \"%w\".\"%w_node\" VALUES(1,zeroblob(%d))", database, name,
                   table.tree->shape().node_size);
  return execute(db, sql);
}

// A new tree's nodes fill a page; an old one's are as long as its root.
int find_node_size(RtreeTable* table, bool create) {
  const std::string& database = table->tree->database();
  int64_t size = 0;
  int code;
  if (create) {
    code = query_integer(table->db, formatted("PRAGMA %Q.page_size", database.c_str()), 0, &size);
    size = std::min<int64_t>(size - 64, kNodeHeader + table->tree->shape().cell_size() * kMaxCells);
  } else {
    code = query_integer(table->db,
                         formatted("SELECT length(data) FROM \"%w\".\"%w_node\" WHERE nodeno = 1",
                                   database.c_str(), table->tree->name().c_str()),
                         0, &size);
    if (code == SQLITE_OK && size < 512 - 64) {
      table->base.zErrMsg =
          sqlite3_mprintf("undersize RTree blobs in \"%q_node\"", table->tree->name().c_str());
      return SQLITE_CORRUPT_VTAB;
    }
  }
  table->tree->set_node_size(static_cast<int>(size));
  return code;
}

void estimate_rows(RtreeTable* table) {
  const std::string& database = table->tree->database();
  int64_t has_statistics = 0;
  (void)query_integer(table->db,
                      formatted("SELECT 1 FROM \"%w\".sqlite_schema WHERE name = 'sqlite_stat1'",
                                database.c_str()),
                      0, &has_statistics);
  if (has_statistics == 0) return;
  int64_t rows = kAssumedRows;
  (void)query_integer(table->db,
                      formatted("SELECT stat FROM \"%w\".sqlite_stat1 WHERE tbl = '%q_rowid'",
                                database.c_str(), table->tree->name().c_str()),
                      kAssumedRows, &rows);
  table->rows = std::max(rows, kFewestRows);
}

// Null: the columns are as they must be.
const char* read_columns(int count, const char* const* arguments, RtreeTable* table,
                         std::string* declaration, RtreeShape* shape) {
  const char* few = "Too few columns for an rtree table";
  const char* many = "Too many columns for an rtree table";
  const char* last = "Auxiliary rtree columns must be last";
  if (count < 6) return few;
  if (count > kMaxAuxiliary + 3) return many;
  *declaration = "CREATE TABLE x(" + first_token(arguments[3]) + " INT";
  table->columns.push_back(without_quotes(first_token(arguments[3])));
  for (int i = 4; i < count; ++i) {
    const char* text = arguments[i];
    if (*text == '+') {
      ++table->auxiliary;
      *declaration += "," + first_token(text + 1);
      table->columns.push_back(without_quotes(first_token(text + 1)));
      continue;
    }
    if (table->auxiliary > 0) return last;
    ++shape->coordinates;
    *declaration += "," + first_token(text) + (shape->is_integer ? " INT" : " REAL");
    table->columns.push_back(without_quotes(first_token(text)));
  }
  *declaration += ")";
  if (shape->coordinates < 2) return few;
  if (shape->coordinates > kMaxCoordinates) return many;
  return shape->coordinates % 2 != 0 ? "Wrong number of columns for an rtree table" : nullptr;
}

int make_table(sqlite3* db, void* module, int count, const char* const* arguments,
               sqlite3_vtab** out, char** error, bool create) {
  auto table = std::make_unique<RtreeTable>();
  RtreeShape shape;
  shape.is_integer = module != nullptr;
  std::string declaration;
  if (const char* problem = read_columns(count, arguments, table.get(), &declaration, &shape)) {
    *error = sqlite3_mprintf("%s", problem);
    return SQLITE_ERROR;
  }
  sqlite3_vtab_config(db, SQLITE_VTAB_CONSTRAINT_SUPPORT, 1);
  sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
  table->db = db;
  table->tree = std::make_unique<RtreeTree>(db, arguments[1], arguments[2], shape);
  int code = find_node_size(table.get(), create);
  if (code == SQLITE_OK) code = sqlite3_declare_vtab(db, declaration.c_str());
  if (code == SQLITE_OK && create) code = create_shadow_tables(db, *table);
  if (code != SQLITE_OK) {
    *error = table->base.zErrMsg != nullptr ? table->base.zErrMsg
                                            : sqlite3_mprintf("%s", sqlite3_errmsg(db));
    return code;
  }
  estimate_rows(table.get());
  *out = &table.release()->base;
  return SQLITE_OK;
}

int create(sqlite3* db, void* module, int count, const char* const* arguments, sqlite3_vtab** out,
           char** error) {
  return make_table(db, module, count, arguments, out, error, true);
}
int connect(sqlite3* db, void* module, int count, const char* const* arguments, sqlite3_vtab** out,
            char** error) {
  return make_table(db, module, count, arguments, out, error, false);
}
int disconnect(sqlite3_vtab* vtab) {
  delete table_of(vtab);
  return SQLITE_OK;
}
int destroy(sqlite3_vtab* vtab) {
  RtreeTable* table = table_of(vtab);
  const std::string database = table->tree->database(), name = table->tree->name();
  table->tree->rename(name);  // lets go of the statements
  std::string sql;
  for (const char* suffix : {"_node", "_rowid", "_parent"}) {
    sql += formatted("DROP TABLE \"%w\".\"%w%s\";", database.c_str(), name.c_str(), suffix);
  }
  int code = execute(table->db, sql);
  if (code == SQLITE_OK) delete table;
  return code;
}
int rename(sqlite3_vtab* vtab, const char* name) {
  RtreeTable* table = table_of(vtab);
  std::string sql;
  for (const char* suffix : {"_node", "_parent", "_rowid"}) {
    sql += formatted("ALTER TABLE \"%w\".\"%w%s\" RENAME TO \"%w%s\";", table->tree->database().c_str(),
                     table->tree->name().c_str(), suffix, name, suffix);
  }
  int code = execute(table->db, sql);
  if (code != SQLITE_OK) return code;
  table->tree->rename(name);
  table->read_auxiliary.finalize();
  table->write_auxiliary.finalize();
  return SQLITE_OK;
}

// ---- Planning ------------------------------------------------------------------------------------

char operation_of(unsigned char constraint, bool* omit) {
  *omit = false;
  switch (constraint) {
    case SQLITE_INDEX_CONSTRAINT_EQ: return RtreeConstraint::kEq;
    case SQLITE_INDEX_CONSTRAINT_GT: return RtreeConstraint::kGt;
    case SQLITE_INDEX_CONSTRAINT_LE: return RtreeConstraint::kLe;
    case SQLITE_INDEX_CONSTRAINT_LT: return RtreeConstraint::kLt;
    case SQLITE_INDEX_CONSTRAINT_GE: return RtreeConstraint::kGe;
    case SQLITE_INDEX_CONSTRAINT_MATCH: *omit = true; return RtreeConstraint::kMatch;
    default: return 0;
  }
}

int best_index(sqlite3_vtab* vtab, sqlite3_index_info* info) {
  const RtreeTable* table = table_of(vtab);
  bool has_match = false;
  for (int i = 0; i < info->nConstraint; ++i) {
    has_match |= info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_MATCH;
  }
  std::string text;
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    if (constraint.usable == 0) continue;
    if (!has_match && constraint.iColumn <= 0 && constraint.op == SQLITE_INDEX_CONSTRAINT_EQ) {
      for (int j = 0; j < i; ++j) info->aConstraintUsage[j] = {};
      info->idxNum = kDirectLookup;
      info->aConstraintUsage[i].argvIndex = 1;
      info->aConstraintUsage[i].omit = 1;
      info->estimatedCost = 30;
      info->estimatedRows = 1;
      info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
      return SQLITE_OK;
    }
    const bool is_match = constraint.op == SQLITE_INDEX_CONSTRAINT_MATCH;
    const bool is_coordinate = constraint.iColumn > 0 && constraint.iColumn <= table->coordinates();
    if (!is_coordinate && !is_match) continue;
    bool omit = false;
    const char operation = operation_of(constraint.op, &omit);
    if (operation == 0) continue;
    text += operation;
    text += static_cast<char>('0' + (is_match && !is_coordinate ? 0 : constraint.iColumn - 1));
    info->aConstraintUsage[i].argvIndex = static_cast<int>(text.size() / 2);
    info->aConstraintUsage[i].omit = omit ? 1 : 0;
  }
  info->idxNum = kTreeWalk;
  info->idxStr = sqlite3_mprintf("%s", text.c_str());
  info->needToFreeIdxStr = 1;
  if (info->idxStr == nullptr) return SQLITE_NOMEM;
  const int64_t rows = table->rows >> std::min<size_t>(text.size() / 2, 62);
  info->estimatedCost = 6.0 * static_cast<double>(rows);
  info->estimatedRows = rows;
  return SQLITE_OK;
}

// ---- Reading -------------------------------------------------------------------------------------

int open_cursor(sqlite3_vtab* vtab, sqlite3_vtab_cursor** out) {
  auto* cursor = new (std::nothrow) RtreeTableCursor(table_of(vtab)->tree.get());
  if (cursor == nullptr) return SQLITE_NOMEM;
  *out = &cursor->base;
  return SQLITE_OK;
}
int close_cursor(sqlite3_vtab_cursor* cursor) {
  delete cursor_of(cursor);
  return SQLITE_OK;
}

int constraint_of(const char* text, sqlite3_value* value, RtreeConstraint* constraint) {
  constraint->operation = text[0];
  constraint->coordinate = text[1] - '0';
  if (text[0] == RtreeConstraint::kMatch) {
    const GeometryArguments* arguments = geometry_of(value);
    if (arguments == nullptr) return SQLITE_ERROR;
    constraint->call = std::make_unique<GeometryCall>(*arguments);
    return SQLITE_OK;
  }
  const int type = sqlite3_value_numeric_type(value);
  if (type == SQLITE_INTEGER || type == SQLITE_FLOAT) {
    constraint->value = sqlite3_value_double(value);
    return SQLITE_OK;
  }
  // Numbers are before texts and blobs.
  const bool is_below = text[0] == RtreeConstraint::kLt || text[0] == RtreeConstraint::kLe;
  constraint->operation =
      type != SQLITE_NULL && is_below ? RtreeConstraint::kTrue : RtreeConstraint::kFalse;
  return SQLITE_OK;
}

// Whether an integer can be equal to the value.
bool rowid_of(sqlite3_value* value, int64_t* rowid) {
  const int type = sqlite3_value_numeric_type(value);
  *rowid = sqlite3_value_int64(value);
  if (type == SQLITE_INTEGER) return true;
  return type == SQLITE_FLOAT && sqlite3_value_double(value) == static_cast<double>(*rowid);
}

int filter(sqlite3_vtab_cursor* base, int plan, const char* text, int count, sqlite3_value** values) {
  RtreeTableCursor* cursor = cursor_of(base);
  cursor->has_auxiliary = false;
  if (plan == kDirectLookup) {
    int64_t rowid = 0;
    if (rowid_of(values[0], &rowid)) return cursor->walk.start_at(rowid);
    cursor->walk.finish();
    return SQLITE_OK;
  }
  std::vector<RtreeConstraint> constraints;
  for (int i = 0; i < count; ++i) {
    RtreeConstraint constraint;
    int code = constraint_of(text + 2 * i, values[i], &constraint);
    if (code != SQLITE_OK) return code;
    constraints.push_back(std::move(constraint));
  }
  return cursor->walk.start(std::move(constraints));
}

int next(sqlite3_vtab_cursor* base) {
  cursor_of(base)->has_auxiliary = false;
  return cursor_of(base)->walk.next();
}
int at_end(sqlite3_vtab_cursor* base) { return cursor_of(base)->walk.at_end() ? 1 : 0; }
int rowid(sqlite3_vtab_cursor* base, sqlite3_int64* id) {
  *id = cursor_of(base)->walk.row().id;
  return SQLITE_OK;
}

int auxiliary_column(RtreeTable* table, RtreeTableCursor* cursor, sqlite3_context* context, int column) {
  Statement& stmt = cursor->auxiliary;
  if (!cursor->has_auxiliary) {
    int code = stmt.prepare(table->db, formatted("SELECT * FROM \"%w\".\"%w_rowid\" WHERE rowid = ?1",
                                                 table->tree->database().c_str(),
                                                 table->tree->name().c_str()));
    if (code != SQLITE_OK) return code;
    stmt.reset();
    stmt.bind(1, cursor->walk.row().id);
    if (!stmt.next_row()) return stmt.reset();
    cursor->has_auxiliary = true;
  }
  sqlite3_result_value(context, sqlite3_column_value(stmt.get(), column + 2));
  return SQLITE_OK;
}

int column(sqlite3_vtab_cursor* base, sqlite3_context* context, int index) {
  RtreeTableCursor* cursor = cursor_of(base);
  RtreeTable* table = table_of(base->pVtab);
  const RtreeCell& row = cursor->walk.row();
  if (index == 0) {
    sqlite3_result_int64(context, row.id);
  } else if (index > table->coordinates()) {
    if (sqlite3_vtab_nochange(context) != 0) return SQLITE_OK;
    return auxiliary_column(table, cursor, context, index - 1 - table->coordinates());
  } else if (table->tree->shape().is_integer) {
    sqlite3_result_int(context, static_cast<int>(row.coordinate[index - 1]));
  } else {
    sqlite3_result_double(context, row.coordinate[index - 1]);
  }
  return SQLITE_OK;
}

// ---- Changing ------------------------------------------------------------------------------------

// Boxes are stored in less digits than they are given: bounds are rounded outwards.
double narrowed(double value, bool is_upper) {
  auto narrow = static_cast<float>(value);
  constexpr double kAway = 1.0 + 1.0 / 8388608.0, kTowards = 1.0 - 1.0 / 8388608.0;
  if (is_upper && narrow < value) narrow = static_cast<float>(value * (value < 0 ? kTowards : kAway));
  if (!is_upper && narrow > value) narrow = static_cast<float>(value * (value < 0 ? kAway : kTowards));
  return narrow;
}

// A coordinate as rtree_i32 has it.
double integer_coordinate(sqlite3_value* value) {
  return static_cast<int32_t>(static_cast<uint32_t>(sqlite3_value_int64(value)));
}

int fail_constraint(RtreeTable* table, const std::string& text) {
  sqlite3_free(table->base.zErrMsg);
  table->base.zErrMsg = sqlite3_mprintf("%s", text.c_str());
  return SQLITE_CONSTRAINT;
}

int read_cell(RtreeTable* table, sqlite3_value** values, RtreeCell* cell) {
  const RtreeShape& shape = table->tree->shape();
  for (int i = 0; i < shape.coordinates; i += 2) {
    for (int j = i; j < i + 2; ++j) {
      cell->coordinate[j] = shape.is_integer ? integer_coordinate(values[j])
                                             : narrowed(sqlite3_value_double(values[j]), j > i);
    }
    if (cell->coordinate[i] > cell->coordinate[i + 1]) {
      return fail_constraint(
          table, formatted("rtree constraint failed: %s.(%s<=%s)", table->tree->name().c_str(),
                           table->columns[static_cast<size_t>(i) + 1].c_str(),
                           table->columns[static_cast<size_t>(i) + 2].c_str()));
    }
  }
  return SQLITE_OK;
}

int write_auxiliary(RtreeTable* table, int64_t row, sqlite3_value** values) {
  if (table->auxiliary == 0) return SQLITE_OK;
  std::string sql = formatted("UPDATE \"%w\".\"%w_rowid\" SET ", table->tree->database().c_str(),
                              table->tree->name().c_str());
  for (int i = 0; i < table->auxiliary; ++i) sql += formatted("%sa%d = ?%d", i > 0 ? ", " : "", i, i + 2);
  int code = table->write_auxiliary.prepare(table->db, sql + " WHERE rowid = ?1");
  if (code != SQLITE_OK) return code;
  table->write_auxiliary.bind(1, row);
  for (int i = 0; i < table->auxiliary; ++i) table->write_auxiliary.bind(i + 2, values[i]);
  return table->write_auxiliary.run();
}

// values: old rowid, new rowid, id column, coordinates, auxiliary columns.
int update(sqlite3_vtab* vtab, int count, sqlite3_value** values, sqlite3_int64* rowid) {
  RtreeTable* table = table_of(vtab);
  if (count == 1) return table->tree->remove(sqlite3_value_int64(values[0]));
  RtreeCell cell;
  int code = read_cell(table, values + 3, &cell);
  if (code != SQLITE_OK) return code;

  const bool is_insert = sqlite3_value_type(values[0]) == SQLITE_NULL;
  const bool has_id = sqlite3_value_type(values[2]) != SQLITE_NULL;
  if (has_id) {
    cell.id = sqlite3_value_int64(values[2]);
    int64_t leaf = 0;
    const bool keeps_id = !is_insert && cell.id == sqlite3_value_int64(values[0]);
    if (!keeps_id) code = table->tree->find_leaf(cell.id, &leaf);
    if (code != SQLITE_OK) return code;
    if (leaf != 0) {
      if (sqlite3_vtab_on_conflict(table->db) != SQLITE_REPLACE) {
        return fail_constraint(table, "UNIQUE constraint failed: " + table->tree->name() + "." +
                                          table->columns[0]);
      }
      code = table->tree->remove(cell.id);
      if (code != SQLITE_OK) return code;
    }
  }
  // What is to stay of the auxiliary columns is lost with the row.
  std::vector<sqlite3_value*> auxiliary(values + 3 + table->coordinates(),
                                        values + 3 + table->coordinates() + table->auxiliary);
  std::vector<sqlite3_value*> copies;
  Statement before;
  if (!is_insert && table->auxiliary > 0) {
    code = before.prepare(table->db, formatted("SELECT * FROM \"%w\".\"%w_rowid\" WHERE rowid = ?1",
                                               table->tree->database().c_str(),
                                               table->tree->name().c_str()));
    if (code != SQLITE_OK) return code;
    before.bind(1, sqlite3_value_int64(values[0]));
    const bool is_found = before.next_row();
    for (int i = 0; i < table->auxiliary; ++i) {
      sqlite3_value*& value = auxiliary[static_cast<size_t>(i)];
      if (!is_found || sqlite3_value_nochange(value) == 0) continue;
      value = sqlite3_value_dup(sqlite3_column_value(before.get(), i + 2));
      copies.push_back(value);
    }
    before.reset();
  }
  if (!is_insert) code = table->tree->remove(sqlite3_value_int64(values[0]));
  if (code == SQLITE_OK && !has_id) code = table->tree->new_rowid(&cell.id);
  if (code == SQLITE_OK) code = table->tree->insert(cell);
  if (code == SQLITE_OK) code = write_auxiliary(table, cell.id, auxiliary.data());
  for (sqlite3_value* value : copies) sqlite3_value_free(value);
  *rowid = cell.id;
  return code;
}

int begin(sqlite3_vtab*) { return SQLITE_OK; }
int shadow_name(const char* suffix) {
  for (const char* name : {"node", "parent", "rowid"}) {
    if (sqlite3_stricmp(suffix, name) == 0) return 1;
  }
  return 0;
}
int integrity(sqlite3_vtab* vtab, const char* database, const char* name, int, char** error) {
  std::string problems;
  int code = check_rtree(table_of(vtab)->db, database, name, &problems);
  if (code == SQLITE_OK && !problems.empty()) {
    *error = sqlite3_mprintf("In RTree %s.%s:\n%s", database, name, problems.c_str());
  }
  return code;
}

const sqlite3_module kRtreeModule = {
    4,           create, connect,     best_index, disconnect, destroy, open_cursor, close_cursor, filter,
    next,        at_end, column,      rowid,      update,     begin,   nullptr,     nullptr,      nullptr,
    nullptr,     rename, nullptr,     nullptr,    nullptr,    shadow_name, integrity,
};

}  // namespace

int register_rtree(sqlite3* db) {
  static char integer_kind;
  int code = register_rtree_functions(db);
  if (code == SQLITE_OK) code = sqlite3_create_module(db, "rtree", &kRtreeModule, nullptr);
  if (code == SQLITE_OK) code = sqlite3_create_module(db, "rtree_i32", &kRtreeModule, &integer_kind);
  return code;
}

}  // namespace godwit::modules
