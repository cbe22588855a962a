// PRAGMA secure_delete: what was deleted is nowhere in the pages any more.
#include <gtest/gtest.h>

#include "engine/connection.h"
#include "tests/unit/engine/run_sql.h"

namespace godwit {
namespace {

class SecureDelete : public ::testing::Test {
 protected:
  SecureDelete() : connection_(*Connection::open(":memory:", {})) {
    run("CREATE TABLE t(id INTEGER PRIMARY KEY, a, b); CREATE INDEX i ON t(a);");
  }
  std::string run(std::string_view sql) { return run_sql(connection_.get(), sql); }
  void fill() {
    run("INSERT INTO t SELECT value, 'secret' || value, printf('%.*c', 100 * (value % 70), '*') || 'secret'"
        " FROM generate_series(1, 300)");
  }
  std::string pages_with_secrets() {
    return run("SELECT count(*) FROM sqlite_dbpage WHERE instr(data, CAST('secret' AS BLOB)) > 0");
  }

  std::unique_ptr<Connection> connection_;
};

TEST_F(SecureDelete, DeletedRowsStayInThePagesWithoutIt) {
  fill();
  run("DELETE FROM t WHERE id >= 1");
  EXPECT_NE(pages_with_secrets(), "0");
}

TEST_F(SecureDelete, DeletedRowsAreOverwritten) {
  run("PRAGMA secure_delete = ON");
  fill();
  EXPECT_NE(pages_with_secrets(), "0");
  run("UPDATE t SET a = 'open' || id, b = id WHERE id % 3 = 0; DELETE FROM t WHERE id % 3 > 0");
  EXPECT_EQ(pages_with_secrets(), "0");
  EXPECT_EQ(run("SELECT count(*), min(a) FROM t"), "100|open102");
  EXPECT_EQ(run("PRAGMA integrity_check"), "ok");
}

TEST_F(SecureDelete, DroppedTablesAreOverwritten) {
  run("PRAGMA secure_delete = ON");
  fill();
  run("DROP TABLE t");
  EXPECT_EQ(pages_with_secrets(), "0");
}

}  // namespace
}  // namespace godwit
