// Access operators: scans, look-ups, index walks and joins give C SQLite's rows in its order.
#include "query_test.h"

namespace godwit::testing {
namespace {

constexpr Affinity kInt = Affinity::kInteger;
constexpr Affinity kText = Affinity::kText;
constexpr Affinity kReal = Affinity::kReal;
constexpr Affinity kBlob = Affinity::kBlob;

class AccessTest : public QueryTest {
 protected:
  // 3,000 rows: id 2, 4, 6, ...; a = id % 100 or NULL; b text; c real.
  void make_numbers() {
    create(
        "CREATE TABLE n(id INTEGER PRIMARY KEY, a INT, b TEXT, c REAL);"
        "WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM s WHERE i<3000)"
        "INSERT INTO n SELECT 2*i, CASE WHEN i%7=0 THEN NULL ELSE i%100 END, 'text '||(i*7919%1000),"
        "  CASE i%3 WHEN 0 THEN i/2 ELSE i/2.0 END FROM s;"
        "CREATE INDEX n_a ON n(a); CREATE INDEX n_ab ON n(a DESC, b);");
    n_ = table("n", {{"id", kInt}, {"a", kInt}, {"b", kText}, {"c", kReal}}, 0);
    n_a_ = index(n_, "n_a", {1});
    n_ab_ = index(n_, "n_ab", {1, 2}, {true, false});
    open();
  }
  AccessNode* scan(std::vector<int32_t> columns) { return access(single_row(), 1, n_, columns); }
  AccessNode* walk(const Index* index, std::vector<int32_t> columns) {
    AccessNode* node = scan(columns);
    node->method = AccessMethod::kIndexSeek;
    node->index = index;
    return node;
  }
  SeekKey key(BoundExpr* expr) {
    SeekKey key;
    key.expr = expr;
    key.affinity = kInt;
    return key;
  }
  SeekKey in_key(std::vector<ValueView> members) {
    std::vector<BoundExpr*> args{column(1, 0)};
    for (const ValueView& member : members) args.push_back(constant(member));
    SeekKey in = key(node(arena_, ExprKind::kInList, args));
    in.is_in = true;
    return in;
  }

  Table* n_ = nullptr;
  Index* n_a_ = nullptr;
  Index* n_ab_ = nullptr;
};

TEST_F(AccessTest, ScanDecodesEveryTypeAndDefault) {
  create(
      "CREATE TABLE t(a, b REAL, c TEXT);"
      "INSERT INTO t VALUES(1, 2, 'x'), (NULL, -3, NULL), (2.5, 4.25, 'yy'), (x'00ff', 1e300, ''),"
      " (9223372036854775807, 0, 'z'), (-9223372036854775808, 1, 'w'), (0, 140737488355327, ''),"
      " (1, -140737488355328, 'q'), (-129, 32768, 'r'), (8388608, -8388609, 's');"
      "INSERT INTO t SELECT zeroblob(10000), 7, hex(zeroblob(6000));"
      "ALTER TABLE t ADD COLUMN d INT DEFAULT -5;"
      "INSERT INTO t VALUES(3, 3, '3', 3);");
  Table* t = table("t", {{"a", kBlob}, {"b", kReal}, {"c", kText}, {"d", kInt}});
  auto* minus = arena_.make<ast::UnaryExpr>();
  auto* five = arena_.make<ast::LiteralExpr>();
  five->literal = ast::LiteralKind::kInteger;
  five->text = "5";
  minus->operand = five;
  t->columns[3].default_value = minus;
  open();
  expect_same("SELECT a, b, c, d FROM t", access(single_row(), 1, t, {0, 1, 2, 3}));
  expect_same("SELECT d, rowid, b FROM t", access(single_row(), 1, t, {3, -1, 1}));
  AccessNode* filtered = access(single_row(), 1, t, {2, 1, 3});
  filtered->filter = compare(CompareOp::kLt, column(1, 1), constant(i(5)));
  expect_same("SELECT c, b, d FROM t WHERE b < 5", filtered);
}

TEST_F(AccessTest, ScanGivesManyLeavesBothWays) {
  make_numbers();
  expect_same("SELECT id, a, b, c FROM n", scan({0, 1, 2, 3}));
  AccessNode* backwards = scan({2, 0});
  backwards->descending = true;
  expect_same("SELECT b, id FROM n ORDER BY id DESC", backwards);
  AccessNode* filtered = scan({0, 1, 3});
  filtered->filter = compare(CompareOp::kEq, column(1, 1), constant(i(55)));
  expect_same("SELECT id, a, c FROM n WHERE +a = 55", filtered);
}

TEST_F(AccessTest, RowidLookupTakesWhatEqualsAnInteger) {
  make_numbers();
  AccessNode* lookup = scan({0, 2});
  lookup->method = AccessMethod::kRowidLookup;
  for (const ValueView& v : {i(10), i(11), r(12.0), r(12.5), n(), t("14"), t("x")}) {
    SeekKey rowid = key(constant(v));
    set_equal(lookup, {rowid});
    expect_same("SELECT id, b FROM n WHERE id = " + quoted(v), lookup);
  }
  set_equal(lookup, {in_key({i(40), i(4), n(), i(4), i(5), r(20)})});
  expect_same("SELECT id, b FROM n WHERE id IN (4, 20, 40)", lookup);
}

TEST_F(AccessTest, RowidRangeRoundsItsBounds) {
  make_numbers();
  AccessNode* range = scan({0});
  range->method = AccessMethod::kRowidRange;
  for (bool descending : {false, true}) {
    range->descending = descending;
    for (const ValueView& v : {i(10), r(10.5), r(5900.0), t("5990"), t("x"), n(), r(1e30)}) {
      std::string order = descending ? " ORDER BY id DESC" : "";
      range->lower = constant(v);
      range->upper = nullptr;
      range->lower_inclusive = false;
      expect_same("SELECT id FROM n WHERE id > " + quoted(v) + order, range);
      range->lower = nullptr;
      range->upper = constant(v);
      range->upper_inclusive = true;
      expect_same("SELECT id FROM n WHERE id <= " + quoted(v) + order, range);
    }
  }
}

TEST_F(AccessTest, IndexSeekFindsEqualKeysInRowidOrder) {
  make_numbers();
  AccessNode* seek = walk(n_a_, {0, 1, 2});
  set_equal(seek, {key(constant(i(42)))});
  expect_same("SELECT id, a, b FROM n INDEXED BY n_a WHERE a = 42", seek);
  set_equal(seek, {in_key({i(9), i(3), i(9), i(1000)})});
  expect_same("SELECT id, a, b FROM n INDEXED BY n_a WHERE a IN (3, 9)", seek);
  seek->covering = true;
  seek->columns = seek->columns.first(2);
  seek->output = seek->output.first(2);
  expect_same("SELECT id, a FROM n INDEXED BY n_a WHERE a IN (3, 9)", seek);
}

TEST_F(AccessTest, IndexRangesLeaveNullsOut) {
  make_numbers();
  for (const Index* index : {n_a_, n_ab_}) {
    for (bool descending : {false, true}) {
      AccessNode* seek = walk(index, {1, 0, 2});
      seek->descending = descending;
      // Going backwards through a descending index gives ascending values.
      bool falling = descending != index->columns[0].descending;
      std::string order = " ORDER BY a" + std::string(falling ? " DESC" : "");
      if (index == n_ab_) order += std::string(", b") + (descending ? " DESC" : "");
      order += std::string(", id") + (descending ? " DESC" : "");
      seek->lower = constant(i(90));
      seek->lower_inclusive = false;
      expect_same("SELECT a, id, b FROM n WHERE a > 90" + order, seek);
      seek->lower = nullptr;
      seek->upper = constant(i(5));
      expect_same("SELECT a, id, b FROM n WHERE a < 5" + order, seek);
      seek->lower = constant(i(5));
      seek->lower_inclusive = true;
      seek->upper = constant(i(7));
      seek->upper_inclusive = true;
      expect_same("SELECT a, id, b FROM n WHERE a BETWEEN 5 AND 7" + order, seek);
      seek->lower = seek->upper = nullptr;
      seek->method = AccessMethod::kIndexScan;
      expect_same("SELECT a, id, b FROM n" + order, seek);
    }
  }
}

class JoinTest : public QueryTest {
 protected:
  void SetUp() override {
    create(
        "CREATE TABLE l(x INT, y TEXT); CREATE TABLE r(k INT, z TEXT);"
        "INSERT INTO l VALUES(1,'a'),(2,'b'),(NULL,'n'),(3,'c'),(2,'d'),(9,'e');"
        "INSERT INTO r VALUES(2,'p'),(3,NULL),(2,'r'),(5,'s'),(NULL,'t'),(3,'q');"
        "CREATE INDEX r_k ON r(k);");
    l_ = table("l", {{"x", kInt}, {"y", kText}});
    r_ = table("r", {{"k", kInt}, {"z", kText}});
    r_k_ = index(r_, "r_k", {0});
    open();
  }
  AccessNode* left() { return access(single_row(), 1, l_, {0, 1}); }
  BoundExpr* on() { return compare(CompareOp::kEq, column(1, 0), column(2, 0)); }

  // r joined to l by each method in turn.
  enum class How { kLoop, kSeek, kHash };
  AccessNode* join(How how, JoinType type) {
    AccessNode* node = access(left(), 2, r_, {0, 1});
    node->join = type;
    SeekKey key;
    key.expr = column(1, 0);
    key.affinity = kInt;
    switch (how) {
      case How::kLoop:
        (type == JoinType::kInner ? node->filter : node->on) = on();
        break;
      case How::kSeek:
        node->method = AccessMethod::kIndexSeek;
        node->index = r_k_;
        set_equal(node, {key});
        break;
      case How::kHash: {
        node->method = AccessMethod::kHash;
        set_equal(node, {key});
        node->input = access(single_row(), 2, r_, {0, 1});
        std::vector<BoundExpr*> keys{column(2, 0)};
        node->hash_keys = arena_.copy_array<BoundExpr*>(keys);
        std::vector<const Collation*> collations{binary_collation()};
        node->hash_collations = arena_.copy_array<const Collation*>(collations);
        node->source->query = arena_.make<BoundQuery>();
        break;
      }
    }
    return node;
  }

  Table* l_ = nullptr;
  Table* r_ = nullptr;
  Index* r_k_ = nullptr;
};

TEST_F(JoinTest, EveryMethodGivesEveryJoin) {
  for (How how : {How::kLoop, How::kSeek, How::kHash}) {
    SCOPED_TRACE(static_cast<int>(how));
    expect_same("SELECT * FROM l CROSS JOIN r ON x = k", join(how, JoinType::kInner));
    expect_same("SELECT * FROM l LEFT JOIN r ON x = k", join(how, JoinType::kLeft));
    expect_same("SELECT * FROM l RIGHT JOIN r ON x = k", join(how, JoinType::kRight));
    expect_same("SELECT * FROM l FULL JOIN r ON x = k", join(how, JoinType::kFull));
  }
}

TEST_F(JoinTest, FilterComesAfterTheOuterJoin) {
  AccessNode* node = join(How::kLoop, JoinType::kLeft);
  node->filter = compare(CompareOp::kIs, column(2, 1), constant(n()));
  expect_same("SELECT * FROM l LEFT JOIN r ON x = k WHERE z IS NULL", node);
  node = join(How::kSeek, JoinType::kFull);
  node->filter = compare(CompareOp::kIsNot, column(2, 1), constant(t("p")));
  expect_same("SELECT * FROM l FULL JOIN r ON x = k WHERE z IS NOT 'p'", node);
}

TEST_F(JoinTest, FirstMatchOnlyGivesEachLeftRowOnce) {
  for (How how : {How::kLoop, How::kSeek, How::kHash}) {
    AccessNode* node = join(how, JoinType::kInner);
    node->first_match_only = true;
    expect_same("SELECT x, y, k, z FROM l, r WHERE x = k AND r.rowid ="
                " (SELECT min(rowid) FROM r r2 WHERE r2.k = x) ORDER BY l.rowid", node);
  }
}

TEST_F(JoinTest, AnErrorComesAfterTheRowsBeforeIt) {
  services_.tree.reset();
  create("CREATE TABLE e(v); INSERT INTO e VALUES(1),(2),(3),(x'00'),(5);");
  Table* e = table("e", {{"v", kBlob}});
  AccessNode* node = access(single_row(), 7, e, {0});
  BoundExpr* raise = godwit::testing::node(arena_, ExprKind::kRaise, {constant(t("stop"))});
  raise->conflict = ConflictAction::kAbort;
  BoundExpr* cases = godwit::testing::node(
      arena_, ExprKind::kCase,
      {compare(CompareOp::kEq, column(7, 0), constant(b(std::string_view("\0", 1)))), raise,
       constant(i(1))});
  cases->has_else = true;
  node->filter = cases;
  open();
  EXPECT_EQ(run(node), "1\n2\n3\nerror: stop\n");
}

}  // namespace
}  // namespace godwit::testing
