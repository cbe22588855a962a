"""Files go both ways: what system SQLite wrote, Godwit reads, and the other way round.

Each side makes a database of some hundred thousand rows with several indexes, in each journal mode and
encoding; the same queries must give the same rows on both, and both must call the file sound.
usage: interop.py LIBRARY [ROWS]
"""
import os
import sqlite3
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import capi  # noqa: E402

SCHEMA = """
CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, price REAL, stock INT, note);
CREATE INDEX item_name ON item(name);
CREATE INDEX item_stock ON item(stock DESC, price) WHERE stock > 10;
CREATE UNIQUE INDEX item_unique ON item(name COLLATE NOCASE, id);
CREATE TABLE word(w TEXT PRIMARY KEY, n INT, long BLOB) WITHOUT ROWID;
CREATE INDEX word_n ON word(n);
"""
FILL = """
BEGIN;
INSERT INTO item SELECT x, 'name ' || (x * 7919 %% 10007), x * 0.25, x %% 97,
  CASE x %% 5 WHEN 0 THEN NULL WHEN 1 THEN x WHEN 2 THEN 'é€😀' || x WHEN 3 THEN zeroblob(3)
  ELSE x / 3.0 END
  FROM (WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM c WHERE x < %(rows)d)
        SELECT x FROM c);
INSERT INTO word SELECT 'w' || x, x %% 1000, CASE WHEN x %% 100 = 0 THEN zeroblob(9000) END
  FROM (WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM c WHERE x < %(rows)d / 10)
        SELECT x FROM c);
COMMIT;
DELETE FROM item WHERE id %% 11 = 3;
UPDATE item SET stock = stock + 1, name = name || '!' WHERE id %% 13 = 5;
UPDATE word SET long = 'short' WHERE n = 500;
"""
QUERIES = [
    "SELECT count(*), sum(stock), min(price), max(price), total(price) FROM item",
    "SELECT * FROM item WHERE id BETWEEN 1000 AND 1010 ORDER BY id",
    "SELECT id, note FROM item WHERE name = 'name 77' ORDER BY id",
    "SELECT stock, count(*), avg(price) FROM item WHERE stock > 10 GROUP BY stock ORDER BY stock",
    "SELECT name FROM item ORDER BY name DESC, id LIMIT 20",
    "SELECT count(DISTINCT name), count(note) FROM item",
    "SELECT typeof(note), count(*) FROM item GROUP BY 1",
    "SELECT count(*), sum(length(long)) FROM word WHERE n < 300",
    "SELECT w FROM word ORDER BY w LIMIT 5 OFFSET 100",
    "SELECT i.id, w.w FROM item i JOIN word w ON w.n = i.stock WHERE i.id < 50 ORDER BY 1, 2 LIMIT 50",
]


def check_same(name, expected, actual):
    if expected != actual:
        print("FAILED %s\n  expected %r\n  got      %r" % (name, expected[:5], actual[:5]))
        return 1
    return 0


def run_direction(library, path, journal, encoding, page_size, rows, godwit_writes):
    """Returns the number of differences."""
    script = "PRAGMA encoding='%s'; PRAGMA page_size=%d; PRAGMA journal_mode=%s;" % (
        encoding, page_size, journal) + SCHEMA + FILL % {"rows": rows}
    if godwit_writes:
        writer = library.connect(path)
        writer.execute(script)
    else:
        writer = sqlite3.connect(path, isolation_level=None)
        writer.executescript(script)
    godwit = writer if godwit_writes else library.connect(path)
    system = sqlite3.connect(path, isolation_level=None) if godwit_writes else writer
    name = "%s %s %d, written by %s" % (journal, encoding, page_size,
                                        "godwit" if godwit_writes else "sqlite")
    failed = check_same(name + ": integrity_check (sqlite)", [("ok",)],
                        system.execute("PRAGMA integrity_check").fetchall())
    failed += check_same(name + ": integrity_check (godwit)", [("ok",)],
                         godwit.execute("PRAGMA integrity_check"))
    for query in QUERIES:
        failed += check_same(name + ": " + query, system.execute(query).fetchall(),
                             godwit.execute(query))
    # Each sees what the other writes while both are open.
    godwit.execute("INSERT INTO word VALUES('from godwit', 1, NULL)")
    system.execute("INSERT INTO word VALUES('from sqlite', 2, NULL)")
    both = "SELECT w, n FROM word WHERE w LIKE 'from %' ORDER BY w"
    expected = [("from godwit", 1), ("from sqlite", 2)]
    failed += check_same(name + ": both write (sqlite)", expected, system.execute(both).fetchall())
    failed += check_same(name + ": both write (godwit)", expected, godwit.execute(both))
    godwit.close()
    system.close()
    return failed


def main():
    library = capi.Library(sys.argv[1])
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 300000
    failed = passed = 0
    for journal, encoding, page_size in [("delete", "UTF-8", 4096), ("wal", "UTF-8", 1024),
                                         ("wal", "UTF-16le", 4096), ("delete", "UTF-16be", 8192)]:
        for godwit_writes in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "test.db")
                try:
                    bad = run_direction(library, path, journal, encoding, page_size, rows,
                                        godwit_writes)
                except (capi.Error, sqlite3.Error) as error:
                    print("FAILED %s %s: %s" % (journal, encoding, error))
                    bad = 1
                failed += bad > 0
                passed += bad == 0
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
