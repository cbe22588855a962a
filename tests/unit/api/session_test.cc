// Sessions and changesets. Values are those of SQLite's session extension.
#include <vector>

#include "connection_fixture.h"

namespace {

struct Bytes {
  int size = 0;
  void* data = nullptr;
  Bytes() = default;
  Bytes(const Bytes&) = delete;
  ~Bytes() { sqlite3_free(data); }
};

std::string text_of(sqlite3_changeset_iter* iter, int column,
                    int (*get)(sqlite3_changeset_iter*, int, sqlite3_value**)) {
  sqlite3_value* value = nullptr;
  if (get(iter, column, &value) != SQLITE_OK) return "none";
  if (value == nullptr) return "-";
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  return text == nullptr ? "NULL" : text;
}

// table op indirect (old) (new), one change after another.
std::string listed(const Bytes& bytes) {
  sqlite3_changeset_iter* iter = nullptr;
  EXPECT_EQ(sqlite3changeset_start(&iter, bytes.size, bytes.data), SQLITE_OK);
  std::string out;
  while (sqlite3changeset_next(iter) == SQLITE_ROW) {
    const char* table = nullptr;
    int columns = 0, op = 0, indirect = 0;
    sqlite3changeset_op(iter, &table, &columns, &op, &indirect);
    out += std::string(out.empty() ? "" : "; ") + table + " " + std::to_string(op) + " " +
           std::to_string(indirect);
    for (auto get : {sqlite3changeset_old, sqlite3changeset_new}) {
      out += " (";
      for (int i = 0; i < columns; ++i) out += (i > 0 ? "," : "") + text_of(iter, i, get);
      out += ")";
    }
  }
  EXPECT_EQ(sqlite3changeset_finalize(iter), SQLITE_OK);
  return out;
}

constexpr const char* kSchema =
    "CREATE TABLE t(a INTEGER PRIMARY KEY, b, c); INSERT INTO t VALUES(1, 2, 3), (2, 'two', 5), (4, 4, 4)";

class Sessions : public ConnectionTest {
 protected:
  void SetUp() override {
    ConnectionTest::SetUp();
    run(kSchema);
    ASSERT_EQ(sqlite3session_create(db_, "main", &session_), SQLITE_OK);
    ASSERT_EQ(sqlite3session_attach(session_, nullptr), SQLITE_OK);
  }
  void TearDown() override {
    sqlite3session_delete(session_);
    ConnectionTest::TearDown();
  }
  sqlite3_session* session_ = nullptr;
};

TEST_F(Sessions, RecordWhatIsLeftOfAllChanges) {
  EXPECT_EQ(sqlite3session_isempty(session_), 1);
  run("INSERT INTO t VALUES(10, 1, 1); UPDATE t SET b = 99 WHERE a = 1; DELETE FROM t WHERE a = 2;"
      "INSERT INTO t VALUES(11, 1, 1); DELETE FROM t WHERE a = 11;"
      "DELETE FROM t WHERE a = 4; INSERT INTO t VALUES(4, 4, 7);"
      "CREATE TABLE no_key(x); INSERT INTO no_key VALUES(1)");
  Bytes changes, patches, inverse;
  ASSERT_EQ(sqlite3session_changeset(session_, &changes.size, &changes.data), SQLITE_OK);
  EXPECT_EQ(listed(changes),
            "t 18 0 (none,none,none) (10,1,1); t 23 0 (1,2,-) (-,99,-); "
            "t 9 0 (2,two,5) (none,none,none); t 23 0 (4,-,4) (-,-,7)");
  ASSERT_EQ(sqlite3session_patchset(session_, &patches.size, &patches.data), SQLITE_OK);
  EXPECT_EQ(listed(patches),
            "t 18 0 (none,none,none) (10,1,1); t 23 0 (1,-,-) (-,99,-); "
            "t 9 0 (2,-,-) (none,none,none); t 23 0 (4,-,-) (-,-,7)");
  ASSERT_EQ(sqlite3changeset_invert(changes.size, changes.data, &inverse.size, &inverse.data),
            SQLITE_OK);
  EXPECT_EQ(listed(inverse),
            "t 9 0 (10,1,1) (none,none,none); t 23 0 (1,99,-) (-,2,-); "
            "t 18 0 (none,none,none) (2,two,5); t 23 0 (4,-,7) (-,-,4)");
  Bytes both;
  ASSERT_EQ(sqlite3changeset_concat(changes.size, changes.data, inverse.size, inverse.data,
                                    &both.size, &both.data),
            SQLITE_OK);
  EXPECT_EQ(both.size, 0);
}

TEST_F(Sessions, TellWhatTriggersDidApart) {
  run("CREATE TABLE a(k PRIMARY KEY); CREATE TABLE b(k PRIMARY KEY);"
      "CREATE TRIGGER tr AFTER INSERT ON a BEGIN INSERT INTO b VALUES(new.k); END;"
      "INSERT INTO a VALUES(1)");
  Bytes changes;
  ASSERT_EQ(sqlite3session_changeset(session_, &changes.size, &changes.data), SQLITE_OK);
  EXPECT_EQ(listed(changes), "a 18 0 (none) (1); b 18 1 (none) (1)");
}

TEST_F(Sessions, AreAppliedElsewhereAndAskAboutConflicts) {
  run("INSERT INTO t VALUES(10, 1, 1); UPDATE t SET b = 99 WHERE a = 1; DELETE FROM t WHERE a = 2");
  Bytes changes;
  ASSERT_EQ(sqlite3session_changeset(session_, &changes.size, &changes.data), SQLITE_OK);
  struct Asked {
    std::string kinds;
    int answer;
  };
  auto conflict = [](void* context, int kind, sqlite3_changeset_iter*) {
    auto* asked = static_cast<Asked*>(context);
    asked->kinds += std::to_string(kind);
    return kind == SQLITE_CHANGESET_NOTFOUND ? SQLITE_CHANGESET_OMIT : asked->answer;
  };
  struct Case {
    const char* before;
    int answer;
    int code;
    const char* kinds;
    const char* after;
  };
  for (const Case& test : std::vector<Case>{
           {"SELECT 1", SQLITE_CHANGESET_ABORT, SQLITE_OK, "", "1|99|3\n4|4|4\n10|1|1"},
           {"UPDATE t SET b = 7 WHERE a = 1; INSERT INTO t VALUES(10, 8, 8); DELETE FROM t WHERE a = 2",
            SQLITE_CHANGESET_OMIT, SQLITE_OK, "312", "1|7|3\n4|4|4\n10|8|8"},
           {"UPDATE t SET b = 7 WHERE a = 1; INSERT INTO t VALUES(10, 8, 8)",
            SQLITE_CHANGESET_REPLACE, SQLITE_OK, "31", "1|99|3\n4|4|4\n10|1|1"},
           {"UPDATE t SET b = 7 WHERE a = 1", SQLITE_CHANGESET_ABORT, SQLITE_ABORT, "1",
            "1|7|3\n2|two|5\n4|4|4"}}) {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(":memory:", &db), SQLITE_OK);
    run_sql(db, kSchema);
    run_sql(db, test.before);
    Asked asked{"", test.answer};
    EXPECT_EQ(sqlite3changeset_apply(db, changes.size, changes.data, nullptr, conflict, &asked),
              test.code);
    EXPECT_EQ(asked.kinds, test.kinds);
    EXPECT_EQ(run_sql(db, "SELECT * FROM t"), test.after);
    EXPECT_EQ(sqlite3_close(db), SQLITE_OK);
  }
}

TEST(Changesets, ThatAreDamagedGiveCorrupt) {
  for (std::string text : {std::string("garbage"), std::string("T\x02\x01\0t\0\x12\0\x01", 9),
                           std::string("T\xff\xff\xff\xff\xff\xff\xff\xff\xff", 10),
                           std::string("T\x01\x01t\0\x12\0\x03\xff\xff\xff\xff\x7f", 13)}) {
    sqlite3_changeset_iter* iter = nullptr;
    ASSERT_EQ(sqlite3changeset_start(&iter, static_cast<int>(text.size()), text.data()), SQLITE_OK);
    EXPECT_EQ(sqlite3changeset_next(iter), SQLITE_CORRUPT);
    EXPECT_EQ(sqlite3changeset_finalize(iter), SQLITE_CORRUPT);
  }
}

// The decisions about conflicts, and the local changeset made to follow them.
struct Rebased {
  std::string decisions, local;
};

Rebased rebased(const char* local_sql, const char* remote_sql, int answer) {
  Bytes sides[2], decisions, result;
  sqlite3* db = nullptr;
  for (int i = 0; i < 2; ++i) {
    sqlite3* side = nullptr;
    sqlite3_session* session = nullptr;
    EXPECT_EQ(sqlite3_open(":memory:", &side), SQLITE_OK);
    sqlite3_exec(side, kSchema, nullptr, nullptr, nullptr);
    sqlite3session_create(side, "main", &session);
    sqlite3session_attach(session, nullptr);
    sqlite3_exec(side, i == 0 ? local_sql : remote_sql, nullptr, nullptr, nullptr);
    sqlite3session_changeset(session, &sides[i].size, &sides[i].data);
    sqlite3session_delete(session);
    i == 0 ? void(db = side) : void(sqlite3_close(side));
  }
  EXPECT_EQ(sqlite3changeset_apply_v2(
                db, sides[1].size, sides[1].data, nullptr,
                [](void* context, int kind, sqlite3_changeset_iter*) {
                  const bool may_replace =
                      kind == SQLITE_CHANGESET_DATA || kind == SQLITE_CHANGESET_CONFLICT;
                  return may_replace ? *static_cast<int*>(context) : SQLITE_CHANGESET_OMIT;
                },
                &answer, &decisions.data, &decisions.size, 0),
            SQLITE_OK);
  sqlite3_close(db);
  sqlite3_rebaser* rebaser = nullptr;
  EXPECT_EQ(sqlite3rebaser_create(&rebaser), SQLITE_OK);
  EXPECT_EQ(sqlite3rebaser_configure(rebaser, decisions.size, decisions.data), SQLITE_OK);
  EXPECT_EQ(sqlite3rebaser_rebase(rebaser, sides[0].size, sides[0].data, &result.size, &result.data),
            SQLITE_OK);
  sqlite3rebaser_delete(rebaser);
  return {listed(decisions), listed(result)};
}

TEST(Rebaser, FollowsDecisionsAboutConflicts) {
  constexpr int kOmit = SQLITE_CHANGESET_OMIT, kReplace = SQLITE_CHANGESET_REPLACE;
  const char* insert = "INSERT INTO t VALUES(10, 'l', 'm')";
  const char* remote_insert = "INSERT INTO t VALUES(10, 'r', 's')";
  Rebased result = rebased(insert, remote_insert, kOmit);
  EXPECT_EQ(result.decisions, "t 18 0 (none,none,none) (10,r,s)");
  EXPECT_EQ(result.local, "t 23 0 (10,r,s) (10,l,m)");
  result = rebased(insert, remote_insert, kReplace);
  EXPECT_EQ(result.decisions, "t 18 1 (none,none,none) (10,r,s)");
  EXPECT_EQ(result.local, "");
  const char* update = "UPDATE t SET b = 'L', c = 'M' WHERE a = 1";
  EXPECT_EQ(rebased(update, "DELETE FROM t WHERE a = 1", kOmit).local,
            "t 18 0 (none,none,none) (1,L,M)");
  EXPECT_EQ(rebased(update, "UPDATE t SET b = 'R' WHERE a = 1", kOmit).local,
            "t 23 0 (1,R,3) (-,L,M)");
  EXPECT_EQ(rebased(update, "UPDATE t SET b = 'R' WHERE a = 1", kReplace).local,
            "t 23 0 (1,-,3) (-,-,M)");
  EXPECT_EQ(rebased("DELETE FROM t WHERE a = 1", "UPDATE t SET b = 'R' WHERE a = 1", kOmit).local,
            "t 9 0 (1,R,3) (none,none,none)");
}

TEST_F(Sessions, ChangegroupsTakeChangesFieldByField) {
  sqlite3_changegroup* group = nullptr;
  ASSERT_EQ(sqlite3changegroup_new(&group), SQLITE_OK);
  char* error = nullptr;
  EXPECT_EQ(sqlite3changegroup_change_begin(group, SQLITE_INSERT, "t", 0, &error), SQLITE_ERROR);
  EXPECT_STREQ(error, "no such table: t");
  sqlite3_free(error);
  ASSERT_EQ(sqlite3changegroup_schema(group, db_, "main"), SQLITE_OK);
  ASSERT_EQ(sqlite3changegroup_change_begin(group, SQLITE_INSERT, "T", 1, nullptr), SQLITE_OK);
  EXPECT_EQ(sqlite3changegroup_change_begin(group, SQLITE_INSERT, "T", 1, nullptr), SQLITE_MISUSE);
  EXPECT_EQ(sqlite3changegroup_change_int64(group, 1, 0, 7), SQLITE_OK);
  EXPECT_EQ(sqlite3changegroup_change_int64(group, 1, 3, 7), SQLITE_RANGE);
  EXPECT_EQ(sqlite3changegroup_change_int64(group, 0, 1, 7), SQLITE_ERROR);
  EXPECT_EQ(sqlite3changegroup_change_text(group, 1, 1, "x", -1), SQLITE_OK);
  EXPECT_EQ(sqlite3changegroup_change_double(group, 1, 2, 2.5), SQLITE_OK);
  EXPECT_EQ(sqlite3changegroup_change_finish(group, 0, nullptr), SQLITE_OK);
  ASSERT_EQ(sqlite3changegroup_change_begin(group, SQLITE_UPDATE, "t", 1, nullptr), SQLITE_OK);
  EXPECT_EQ(sqlite3changegroup_change_int64(group, 0, 0, 7), SQLITE_OK);
  EXPECT_EQ(sqlite3changegroup_change_null(group, 1, 1), SQLITE_OK);
  EXPECT_EQ(sqlite3changegroup_change_finish(group, 0, &error), SQLITE_ERROR);
  EXPECT_STREQ(error,
               "invalid change: column 1 - old.* value is undefined but new.* is defined");
  sqlite3_free(error);
  Bytes out;
  ASSERT_EQ(sqlite3changegroup_output(group, &out.size, &out.data), SQLITE_OK);
  EXPECT_EQ(listed(out), "T 18 1 (none,none,none) (7,x,2.5)");
  sqlite3changegroup_delete(group);
}

TEST_F(Sessions, RecordTablesWithoutKeysByRowidIfAsked) {
  sqlite3session_delete(session_);
  run("CREATE TABLE n(p, q); INSERT INTO n VALUES(1, 2), (3, 4); CREATE TABLE k(_rowid_, q)");
  ASSERT_EQ(sqlite3session_create(db_, "main", &session_), SQLITE_OK);
  int on = 1;
  ASSERT_EQ(sqlite3session_object_config(session_, SQLITE_SESSION_OBJCONFIG_ROWID, &on), SQLITE_OK);
  ASSERT_EQ(sqlite3session_attach(session_, nullptr), SQLITE_OK);
  run("INSERT INTO n VALUES(5, 6); UPDATE n SET p = 8 WHERE rowid = 1; DELETE FROM n WHERE rowid = 2;"
      "INSERT INTO k VALUES(1, 2)");
  Bytes changes;
  ASSERT_EQ(sqlite3session_changeset(session_, &changes.size, &changes.data), SQLITE_OK);
  EXPECT_EQ(listed(changes),
            "n 18 0 (none,none,none) (3,5,6); n 23 0 (1,1,-) (-,8,-); n 9 0 (2,3,4) (none,none,none)");
}

}  // namespace
