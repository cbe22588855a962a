// Modules of an application in C: a table of squares that is read, and one that can be written.
// tests/modules runs more of them, against reference SQLite.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "sqlite3.h"

namespace {

using Rows = std::vector<std::string>;

struct SquaresCursor {
  sqlite3_vtab_cursor base;
  sqlite3_int64 n, last;
};

int squares_connect(sqlite3* db, void*, int, const char* const*, sqlite3_vtab** vtab, char**) {
  *vtab = new sqlite3_vtab();
  return sqlite3_declare_vtab(db, "CREATE TABLE x(n INT, square INT, last HIDDEN)");
}
int squares_disconnect(sqlite3_vtab* vtab) {
  delete vtab;
  return SQLITE_OK;
}
int squares_best_index(sqlite3_vtab* vtab, sqlite3_index_info* info) {
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    if (constraint.iColumn != 2 || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    if (constraint.usable == 0) return SQLITE_CONSTRAINT;
    info->aConstraintUsage[i].argvIndex = 1;
    info->aConstraintUsage[i].omit = 1;
    return SQLITE_OK;
  }
  vtab->zErrMsg = sqlite3_mprintf("squares() needs its last number");
  return SQLITE_ERROR;
}
int squares_open(sqlite3_vtab*, sqlite3_vtab_cursor** cursor) {
  *cursor = &(new SquaresCursor())->base;
  return SQLITE_OK;
}
SquaresCursor* squares(sqlite3_vtab_cursor* cursor) {
  return reinterpret_cast<SquaresCursor*>(cursor);
}
int squares_close(sqlite3_vtab_cursor* cursor) {
  delete squares(cursor);
  return SQLITE_OK;
}
int squares_filter(sqlite3_vtab_cursor* cursor, int, const char*, int, sqlite3_value** values) {
  squares(cursor)->n = 1;
  squares(cursor)->last = sqlite3_value_int64(values[0]);
  return SQLITE_OK;
}
int squares_next(sqlite3_vtab_cursor* cursor) {
  ++squares(cursor)->n;
  return SQLITE_OK;
}
int squares_eof(sqlite3_vtab_cursor* cursor) {
  return squares(cursor)->n > squares(cursor)->last ? 1 : 0;
}
int squares_column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int column) {
  sqlite3_int64 n = squares(cursor)->n;
  if (n == 13) {
    sqlite3_result_error(context, "not thirteen", -1);
  } else {
    sqlite3_result_int64(context, column == 0 ? n : column == 1 ? n * n : squares(cursor)->last);
  }
  return SQLITE_OK;
}
int squares_rowid(sqlite3_vtab_cursor* cursor, sqlite3_int64* rowid) {
  *rowid = squares(cursor)->n;
  return SQLITE_OK;
}

sqlite3_module squares_module() {
  sqlite3_module module = {};
  module.xConnect = squares_connect;
  module.xBestIndex = squares_best_index;
  module.xDisconnect = squares_disconnect;
  module.xOpen = squares_open;
  module.xClose = squares_close;
  module.xFilter = squares_filter;
  module.xNext = squares_next;
  module.xEof = squares_eof;
  module.xColumn = squares_column;
  module.xRowid = squares_rowid;
  return module;
}

class VirtualTable : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(sqlite3_open(":memory:", &db_), SQLITE_OK);
    ASSERT_EQ(sqlite3_create_module_v2(db_, "squares", &module_, this,
                                       [](void* self) {
                                         ++static_cast<VirtualTable*>(self)->destroyed_;
                                       }),
              SQLITE_OK);
  }
  void TearDown() override {
    EXPECT_EQ(sqlite3_close(db_), SQLITE_OK);
    EXPECT_EQ(destroyed_, 1);
  }

  // Rows as text, then the error.
  Rows run(const char* sql) {
    Rows rows;
    char* error = nullptr;
    sqlite3_exec(
        db_, sql,
        [](void* out, int count, char** values, char**) {
          std::string row;
          for (int i = 0; i < count; ++i) {
            row += (i > 0 ? "|" : "") + std::string(values[i] == nullptr ? "NULL" : values[i]);
          }
          static_cast<Rows*>(out)->push_back(row);
          return 0;
        },
        &rows, &error);
    if (error != nullptr) rows.push_back(error);
    sqlite3_free(error);
    return rows;
  }

  const sqlite3_module module_ = squares_module();
  sqlite3* db_ = nullptr;
  int destroyed_ = 0;
};

TEST_F(VirtualTable, IsAFunctionUnderTheNameOfItsModule) {
  EXPECT_EQ(run("SELECT n, square FROM squares(3)"), (Rows{"1|1", "2|4", "3|9"}));
  EXPECT_EQ(run("SELECT sum(square) FROM squares WHERE last = 4"), (Rows{"30"}));
  EXPECT_EQ(run("SELECT a.n, b.square FROM squares(2) a, squares(a.n) b"),
            (Rows{"1|1", "2|1", "2|4"}));
  EXPECT_EQ(run("SELECT * FROM squares"), (Rows{"squares() needs its last number"}));
}

TEST_F(VirtualTable, GivesTheRowsBeforeAnError) {
  EXPECT_EQ(run("SELECT n FROM squares(20) WHERE n > 10"), (Rows{"11", "12", "not thirteen"}));
  EXPECT_EQ(run("SELECT n FROM squares(20) LIMIT 2"), (Rows{"1", "2"}));
}

TEST_F(VirtualTable, CannotBeCreatedOrChangedWithoutTheMethods) {
  EXPECT_EQ(run("CREATE VIRTUAL TABLE t USING squares"), (Rows{"no such module: squares"}));
  EXPECT_EQ(run("INSERT INTO squares VALUES(1, 2)"), (Rows{"table squares may not be modified"}));
  EXPECT_EQ(run("DROP TABLE squares"), (Rows{"table squares may not be dropped"}));
  EXPECT_EQ(run("CREATE VIRTUAL TABLE t USING nosuch"), (Rows{"no such module: nosuch"}));
  EXPECT_EQ(run("SELECT count(*) FROM sqlite_schema"), (Rows{"0"}));
}

TEST_F(VirtualTable, GoesWithItsModule) {
  EXPECT_EQ(run("SELECT count(*) FROM squares(5)"), (Rows{"5"}));
  EXPECT_EQ(sqlite3_drop_modules(db_, nullptr), SQLITE_OK);
  EXPECT_EQ(run("SELECT count(*) FROM squares(5)"), (Rows{"no such table: squares"}));
}

TEST(Extensions, MustBeAllowed) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(":memory:", &db), SQLITE_OK);
  char* error = nullptr;
  EXPECT_EQ(sqlite3_load_extension(db, "./nothere", nullptr, &error), SQLITE_ERROR);
  EXPECT_STREQ(error, "not authorized");
  sqlite3_free(error);
  sqlite3_enable_load_extension(db, 1);
  EXPECT_EQ(sqlite3_load_extension(db, "./nothere", nullptr, &error), SQLITE_ERROR);
  EXPECT_STREQ(error, "./nothere.so: cannot open shared object file: No such file or directory");
  sqlite3_free(error);
  sqlite3_close(db);
}

TEST(Vfs, IsFoundByItsName) {
  sqlite3_vfs* native = sqlite3_vfs_find(nullptr);
  ASSERT_NE(native, nullptr);
  EXPECT_STREQ(native->zName, "unix");
  EXPECT_EQ(sqlite3_vfs_find("unix"), native);
  EXPECT_EQ(sqlite3_vfs_find("nothing"), nullptr);
  sqlite3* db = nullptr;
  EXPECT_EQ(sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE, "nothing"), SQLITE_ERROR);
  EXPECT_STREQ(sqlite3_errmsg(db), "no such vfs: nothing");
  sqlite3_close(db);
}

}  // namespace
