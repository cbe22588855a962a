// The C interface of FTS5: tokenizers and auxiliary functions of applications.
#include <cctype>
#include <cstring>

#include "connection_fixture.h"

namespace {

class Fts5 : public ConnectionTest {
 protected:
  void SetUp() override {
    ConnectionTest::SetUp();
    sqlite3_stmt* stmt = nullptr;
    ASSERT_EQ(sqlite3_prepare_v2(db_, "SELECT fts5(?1)", -1, &stmt, nullptr), SQLITE_OK);
    sqlite3_bind_pointer(stmt, 1, &api_, "fts5_api_ptr", nullptr);
    sqlite3_step(stmt);
    sqlite3_finalize(stmt);
    ASSERT_NE(api_, nullptr);
  }
  fts5_api* api_ = nullptr;
};

// Single letters; a vowel also stands for "vowel".
int tokenize_letters(Fts5Tokenizer*, void* context, int, const char* text, int size,
                     int (*token)(void*, int, const char*, int, int, int)) {
  for (int i = 0; i < size; ++i) {
    if (std::isalpha(static_cast<unsigned char>(text[i])) == 0) continue;
    int code = token(context, 0, text + i, 1, i, i + 1);
    if (code == SQLITE_OK && std::strchr("aeiou", text[i]) != nullptr) {
      code = token(context, FTS5_TOKEN_COLOCATED, "vowel", 5, i, i + 1);
    }
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

int create_letters(void*, const char**, int, Fts5Tokenizer** out) {
  *out = reinterpret_cast<Fts5Tokenizer*>(out);
  return SQLITE_OK;
}

TEST_F(Fts5, TakesTokenizersOfApplications) {
  fts5_tokenizer letters = {create_letters, [](Fts5Tokenizer*) {}, tokenize_letters};
  static int destroyed;
  destroyed = 0;
  ASSERT_EQ(api_->xCreateTokenizer(api_, "letters", nullptr, &letters, [](void*) { ++destroyed; }), SQLITE_OK);
  run("CREATE VIRTUAL TABLE t USING fts5(a, tokenize = letters); INSERT INTO t VALUES('bad cab'), ('xyz')");
  EXPECT_EQ(run("SELECT rowid FROM t('\"b a d c\"')"), "1");
  EXPECT_EQ(run("SELECT highlight(t, 0, '[', ']') FROM t('c + a')"), "bad [ca]b");
  run("CREATE VIRTUAL TABLE v USING fts5vocab(t, row)");
  EXPECT_EQ(run("SELECT group_concat(term || cnt, ' ') FROM v"), "a2 b2 c1 d1 vowel2 x1 y1 z1");
  EXPECT_EQ(destroyed, 0);
  TearDown();
  db_ = nullptr;
  EXPECT_EQ(destroyed, 1);
}

void describe(const Fts5ExtensionApi* api, Fts5Context* fts, sqlite3_context* context, int count, sqlite3_value**) {
  sqlite3_int64 rows = 0, tokens = 0;
  int instances = 0, size = 0, phrase = 0, column = 0, offset = 0;
  api->xRowCount(fts, &rows);
  api->xColumnTotalSize(fts, -1, &tokens);
  api->xInstCount(fts, &instances);
  api->xColumnSize(fts, 1, &size);
  api->xInst(fts, instances - 1, &phrase, &column, &offset);
  std::string text = std::to_string(api->xColumnCount(fts)) + "," + std::to_string(rows) + "," + std::to_string(tokens) +
                     "," + std::to_string(instances) + "," + std::to_string(size) + "," + std::to_string(phrase) + "/" +
                     std::to_string(column) + "/" + std::to_string(offset) + "," + std::to_string(count) + "," +
                     std::to_string(api->xPhraseSize(fts, 0)) + "," + std::to_string(api->xRowid(fts));
  Fts5PhraseIter iter;
  for (api->xPhraseFirst(fts, 0, &iter, &column, &offset); column >= 0; api->xPhraseNext(fts, &iter, &column, &offset)) {
    text += " " + std::to_string(column) + ":" + std::to_string(offset);
  }
  sqlite3_result_text(context, text.c_str(), -1, SQLITE_TRANSIENT);
}

TEST_F(Fts5, TakesAuxiliaryFunctionsOfApplications) {
  ASSERT_EQ(api_->xCreateFunction(api_, "describe", nullptr, describe, nullptr), SQLITE_OK);
  run("CREATE VIRTUAL TABLE t USING fts5(a, b); INSERT INTO t VALUES('one two one', 'two'), ('x', 'one two y')");
  EXPECT_EQ(run("SELECT describe(t, 5) FROM t('\"one two\" OR y') WHERE rowid = 2"), "2,2,8,2,3,1/1/2,1,2,2 1:0");
  EXPECT_EQ(run("SELECT describe(t) FROM t('one AND two') LIMIT 1"), "2,2,8,4,1,1/1/0,0,1,1 0:0 0:2");
  run("INSERT INTO t(t, rank) VALUES('rank', 'describe(1)')");
  EXPECT_EQ(run("SELECT rank FROM t('y')"), "2,2,8,1,3,0/1/2,1,1,2 1:2");
  EXPECT_EQ(run("SELECT group_concat(rowid) FROM t WHERE rank MATCH 'bm25(1, 9)' AND t MATCH 'two'"), "1,2");
}

TEST_F(Fts5, DefensiveConnectionsProtectShadowTables) {
  run("CREATE VIRTUAL TABLE t USING fts5(a); INSERT INTO t VALUES('one')");
  ASSERT_EQ(sqlite3_db_config(db_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr), SQLITE_OK);
  EXPECT_EQ(run("DELETE FROM t_data"), "error 1: table t_data may not be modified");
  EXPECT_EQ(run("UPDATE t_content SET c0 = 'two'"), "error 1: table t_content may not be modified");
  EXPECT_EQ(run("DROP TABLE t_config"), "error 1: table t_config may not be dropped");
  EXPECT_EQ(run("INSERT INTO t VALUES('two'); INSERT INTO t(t) VALUES('optimize'); SELECT count(*) FROM t('two')"), "1");
  EXPECT_EQ(run("DROP TABLE t; SELECT count(*) FROM sqlite_schema"), "0");
}

TEST_F(Fts5, IntegrityCheckPassesOverTablesWithoutTheirModule) {
  run("CREATE VIRTUAL TABLE t USING fts5(a)");
  const char* keep[] = {"rtree", nullptr};
  ASSERT_EQ(sqlite3_drop_modules(db_, keep), SQLITE_OK);
  api_ = nullptr;
  EXPECT_EQ(run("PRAGMA writable_schema = RESET; PRAGMA integrity_check"), "ok");
}

TEST_F(Fts5, TempViewsMayCallDirectOnlyFunctions) {
  auto one = [](sqlite3_context* context, int, sqlite3_value**) { sqlite3_result_int(context, 1); };
  sqlite3_create_function(db_, "danger", 0, SQLITE_UTF8 | SQLITE_DIRECTONLY, nullptr, one, nullptr, nullptr);
  run("CREATE TEMP VIEW w AS SELECT danger(); CREATE VIEW v AS SELECT danger()");
  EXPECT_EQ(run("SELECT * FROM w"), "1");
  EXPECT_EQ(run("SELECT * FROM v"), "error 1: unsafe use of danger()");
}

}  // namespace
