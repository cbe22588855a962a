#include "sync/row_applier.h"

#include "tests/unit/sync/sync_fixture.h"

namespace godwit::sync {
namespace {

constexpr char kSchema[] =
    "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, n INTEGER DEFAULT 0, u UNIQUE);"
    "CREATE TABLE k(x, y);"
    "INSERT INTO t VALUES(1, 'a', 'b', 5, 'u1'), (2, 'a2', 'b2', 0, 'u2');"
    "INSERT INTO k VALUES('p', 1);";

std::string word(const RowOutcome& outcome) {
  static const char* const kWords[] = {"applied", "unchanged", "overwritten", "dropped", "moved", "refused"};
  std::string text = kWords[static_cast<int>(outcome.result)];
  if (!outcome.key.empty()) text += " " + outcome.key;
  if (!outcome.error.ok()) text += " " + outcome.error.message();
  if (outcome.result == RowResult::kMoved) text += " " + std::to_string(outcome.rowid);
  return text;
}

// Both start from the same rows; what `mine` does is pushed to where `theirs` has been done.
struct Meeting {
  std::string outcome;
  std::string t, k;
};
Meeting meet(const std::string& mine, const std::string& theirs, RowPolicy policy = {}) {
  TestDatabase here, there;
  here.run(kSchema);
  there.run(kSchema);
  there.run(theirs);
  const std::string changes = here.changeset(mine);
  Meeting result;
  RulesOff off(there.get());
  RowApplier applier(there.get(), std::move(policy));
  Status status = applier.apply_changeset(changes, [&](const RowOutcome& outcome) {
    result.outcome += (result.outcome.empty() ? "" : "; ") + word(outcome);
    return Status();
  });
  EXPECT_TRUE(status.ok()) << status.message();
  result.t = there.rows("SELECT * FROM t WHERE id <> 2");
  result.k = there.rows("SELECT rowid, * FROM k");
  return result;
}

TEST(RowApplier, JoinsUpdatesOfDifferentColumns) {
  auto got = meet("UPDATE t SET a = 'mine' WHERE id = 1", "UPDATE t SET b = 'theirs' WHERE id = 1");
  EXPECT_EQ(got.outcome, "applied");
  EXPECT_EQ(got.t, "1,mine,theirs,5,u1");
}

TEST(RowApplier, OverwritesAColumnThatBothChanged) {
  auto got = meet("UPDATE t SET a = 'mine' WHERE id = 1", "UPDATE t SET a = 'theirs', b = 'x' WHERE id = 1");
  EXPECT_EQ(got.outcome, "overwritten {\"id\":1}");
  EXPECT_EQ(got.t, "1,mine,x,5,u1");
  got = meet("UPDATE t SET a = 'same' WHERE id = 1", "UPDATE t SET a = 'same' WHERE id = 1");
  EXPECT_EQ(got.outcome, "unchanged");
}

TEST(RowApplier, LetsDeleteBeatUpdateInBothOrders) {
  auto got = meet("UPDATE t SET a = 'mine' WHERE id = 1", "DELETE FROM t WHERE id = 1");
  EXPECT_EQ(got.outcome, "dropped {\"id\":1}");
  EXPECT_EQ(got.t, "");
  got = meet("DELETE FROM t WHERE id = 1", "UPDATE t SET a = 'theirs' WHERE id = 1");
  EXPECT_EQ(got.outcome, "overwritten {\"id\":1}");
  EXPECT_EQ(got.t, "");
  got = meet("DELETE FROM t WHERE id = 1", "DELETE FROM t WHERE id = 1");
  EXPECT_EQ(got.outcome, "unchanged");
}

TEST(RowApplier, LetsUpdateBeatDeleteIfAsked) {
  auto got = meet("DELETE FROM t WHERE id = 1", "UPDATE t SET a = 'theirs' WHERE id = 1", {true, {}});
  EXPECT_EQ(got.outcome, "dropped {\"id\":1}");
  EXPECT_EQ(got.t, "1,theirs,b,5,u1");
  // An UPDATE whose old record is whole makes the row anew.
  TestDatabase there;
  there.run(std::string(kSchema) + "DELETE FROM t WHERE id = 1");
  api::ChangeTable header{"t", false, {1, 0, 0, 0, 0}};
  api::Change mine{SQLITE_UPDATE, false,
                   {api::encode_integer(1), api::encode_bytes(SQLITE_TEXT, "a"), api::Field(1, SQLITE_NULL),
                    api::encode_integer(5), api::encode_bytes(SQLITE_TEXT, "u1")},
                   {api::undefined_field(), api::encode_bytes(SQLITE_TEXT, "mine"), api::undefined_field(),
                    api::undefined_field(), api::undefined_field()}};
  RowApplier applier(there.get(), {true, {}});
  ASSERT_TRUE(applier.apply(header, mine, [](const RowOutcome& outcome) {
                       EXPECT_EQ(word(outcome), "overwritten {\"id\":1}");
                       return Status();
                     }).ok());
  EXPECT_EQ(there.rows("SELECT * FROM t WHERE id = 1"), "1,mine,NULL,5,u1");
}

TEST(RowApplier, LetsTheLaterInsertOfAKeyStand) {
  auto got = meet("INSERT INTO t VALUES(3, 'mine', 1, 2, 'm')", "INSERT INTO t VALUES(3, 'theirs', 1, 2, 'm')");
  EXPECT_EQ(got.outcome, "overwritten {\"id\":3}");
  EXPECT_EQ(got.t, "1,a,b,5,u1 3,mine,1,2,m");
  got = meet("INSERT INTO t VALUES(3, 's', 1, 2, 'm')", "INSERT INTO t VALUES(3, 's', 1, 2, 'm')");
  EXPECT_EQ(got.outcome, "unchanged");
}

TEST(RowApplier, KeepsBothRowsOfATableWithoutKey) {
  auto got = meet("INSERT INTO k VALUES('mine', 2); UPDATE k SET y = 3 WHERE x = 'mine'",
                  "INSERT INTO k VALUES('theirs', 2)");
  EXPECT_EQ(got.outcome, "moved {\"_rowid_\":2} 3");
  EXPECT_EQ(got.k, "1,p,1 2,theirs,2 3,mine,3");
  got = meet("UPDATE k SET y = 9", "UPDATE k SET x = 'other'");
  EXPECT_EQ(got.k, "1,other,9") << "columns that it does not change need not fit";
  got = meet("UPDATE k SET y = 9", "UPDATE k SET y = 8");
  EXPECT_EQ(got.outcome, "dropped {\"_rowid_\":1}");
  got = meet("DELETE FROM k", "UPDATE k SET y = 8");
  EXPECT_EQ(got.outcome, "dropped {\"_rowid_\":1}");
  EXPECT_EQ(got.k, "1,p,8");
}

TEST(RowApplier, AddsUpCounters) {
  auto got = meet("UPDATE t SET n = n + 3 WHERE id = 1", "UPDATE t SET n = n + 10 WHERE id = 1", {false, {"t.n"}});
  EXPECT_EQ(got.outcome, "applied");
  EXPECT_EQ(got.t, "1,a,b,18,u1");
}

TEST(RowApplier, RefusesWhatAConstraintForbidsAndGoesOn) {
  auto got = meet("INSERT INTO t VALUES(3, 1, 1, 1, 'new'); UPDATE t SET a = 'z' WHERE id = 1",
                  "INSERT INTO t VALUES(4, 1, 1, 1, 'new')");
  EXPECT_EQ(got.outcome, "applied; refused {\"id\":3} UNIQUE constraint failed: t.u");
  EXPECT_EQ(got.t, "1,z,b,5,u1 4,1,1,1,new");
}

TEST(RowApplier, SwapsUniqueValues) {
  auto got = meet("UPDATE t SET u = 'x' WHERE id = 1; UPDATE t SET u = 'u1' WHERE id = 2;"
                  "UPDATE t SET u = 'u2' WHERE id = 1", "UPDATE t SET a = 'theirs' WHERE id = 1");
  EXPECT_EQ(got.outcome, "applied; applied");
  EXPECT_EQ(got.t, "1,theirs,b,5,u2");
}

TEST(RowApplier, RefusesTablesThatAreNotThereOrNotSynced) {
  TestDatabase there;
  there.run("CREATE TABLE godwit_sync_rejected(id INTEGER PRIMARY KEY)");
  RowApplier applier(there.get(), {});
  std::string got;
  for (const char* name : {"gone", "godwit_sync_rejected", "sqlite_schema"}) {
    api::Change mine{SQLITE_INSERT, false, {}, {api::encode_integer(1)}};
    ASSERT_TRUE(applier.apply({name, false, {1}}, mine, [&](const RowOutcome& outcome) {
                         got += outcome.error.message() + "; ";
                         return Status();
                       }).ok());
  }
  EXPECT_EQ(got, "no such table: gone; table godwit_sync_rejected is not synced; table sqlite_schema is not synced; ");
}

}  // namespace
}  // namespace godwit::sync
