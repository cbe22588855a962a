// Any text is parsed, printed and parsed again, without a crash.
#include "base/arena.h"
#include "sql/complete.h"
#include "sql/parser.h"
#include "sql/printer.h"
#include "tests/fuzz/driver.h"

std::vector<std::string> fuzz_seeds() {
  return {
      "SELECT a, b AS c, count(*) FILTER (WHERE x > 1) OVER w FROM t AS u LEFT JOIN v USING (id) "
      "WHERE a BETWEEN 1 AND 2 OR b NOT IN (SELECT 1) GROUP BY 1 HAVING sum(a) > 0 "
      "WINDOW w AS (PARTITION BY a ORDER BY b ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) "
      "ORDER BY 1 DESC NULLS LAST LIMIT 5 OFFSET ?1;",
      "WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x+1 FROM c LIMIT 10) SELECT x'0aff', "
      "'it''s', \"q\", [b], `t`, -9223372036854775808, 0x1F, 1_000, 1e-5, CASE a WHEN 1 THEN 2 ELSE 3 "
      "END, CAST(a AS TEXT), a -> '$.b' ->> 'c', (1,2) = (3,4) FROM c",
      "CREATE TABLE IF NOT EXISTS main.t(a INTEGER PRIMARY KEY AUTOINCREMENT, b TEXT NOT NULL ON "
      "CONFLICT IGNORE DEFAULT (1+2) COLLATE nocase CHECK (b <> ''), c AS (a * 2) STORED, "
      "FOREIGN KEY (b) REFERENCES p(x) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED, "
      "UNIQUE (a, b)) WITHOUT ROWID, STRICT",
      "INSERT OR REPLACE INTO t(a, b) VALUES(1, 2), (?, :x) ON CONFLICT (a) DO UPDATE SET b = "
      "excluded.b WHERE a > 1 RETURNING *",
      "UPDATE OR IGNORE t SET (a, b) = (1, 2), c = c + 1 FROM u WHERE t.id = u.id",
      "CREATE TRIGGER tg AFTER UPDATE OF a ON t WHEN new.a IS NOT old.a BEGIN DELETE FROM u WHERE id "
      "= old.id; SELECT RAISE(ABORT, 'no'); END",
      "PRAGMA main.journal_mode = wal; BEGIN CONCURRENT; SAVEPOINT s; ALTER TABLE t RENAME COLUMN a "
      "TO b; -- comment\n/* other */ EXPLAIN QUERY PLAN DELETE FROM t INDEXED BY i WHERE a LIKE 'x%' "
      "ESCAPE '\\'",
  };
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)godwit::is_complete_statement(text);
  while (!text.empty()) {
    godwit::Arena arena;
    size_t tail = 0;
    auto parsed = godwit::parse_statement(text, &tail, &arena);
    if (tail == 0) break;
    if (parsed.ok() && parsed->statement != nullptr) {
      std::string printed = godwit::print(*parsed->statement);
      godwit::Arena again;
      (void)godwit::parse_statement(printed, nullptr, &again);
    }
    text.remove_prefix(tail);
  }
  return 0;
}
