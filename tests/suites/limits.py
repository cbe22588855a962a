#!/usr/bin/env python3
"""Statements at and beyond SQLite's limits, on Godwit and on reference SQLite: the same codes, messages and
results, and no statement whose preparation takes much longer, or grows faster than its text.

  limits.py [--times]    --times: show how long each takes on both
"""
import argparse
import ctypes
import os
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "support"))
import capi  # noqa: E402

# Slower than this times the reference's time plus this many seconds is a finding.
FACTOR, SLACK = 5.0, 0.100


def seq(count, piece, separator=", "):
    return separator.join(piece % ((i,) * piece.count("%")) for i in range(count))


def nest(count, opening, inner="1", closing=")"):
    return opening * count + inner + closing * count


def views(count, body="SELECT * FROM v%d"):
    return "CREATE VIEW v0 AS SELECT 1 AS a; " + "; ".join(
        "CREATE VIEW v%d AS %s" % (i + 1, body.replace("%d", str(i))) for i in range(count))


def tables(count):
    return "; ".join("CREATE TABLE j%d(a INTEGER PRIMARY KEY, b)" % i for i in range(count))


def wide(count, indexes=0):
    sql = "CREATE TABLE w(%s)" % seq(count, "c%d INT")
    for i in range(indexes):
        sql += "; CREATE INDEX wi%d ON w(c%d, c%d)" % (i, i, count - 1 - i)
    return sql


BIG = "x" * 1000000

# Name, what comes before (not measured), the statement.
CASES = [
    ("32,766 ?", "", "SELECT 1 IN (%s)" % seq(32766, "?")),
    ("32,766 ?, values", wide(2000), "INSERT INTO w VALUES %s" % seq(16, "(%s)" % seq(2000, "?"))),
    ("32,767 ?", "", "SELECT 1 IN (%s)" % seq(32767, "?")),
    ("32,766 ?NNN", "", "SELECT 1 IN (%s)" % ", ".join("?%d" % (i + 1) for i in range(32766))),
    ("32,766 ?NNN downwards", "", "SELECT 1 IN (%s)" % ", ".join("?%d" % (32766 - i) for i in range(32766))),
    ("32,766 :names", "", "SELECT 1 IN (%s)" % seq(32766, ":n%d")),
    ("32,766 @names twice", "", "SELECT 1 IN (%s), 1 IN (%s)" % (seq(32766, "@n%d"), seq(32766, "@n%d"))),
    ("32,767 $names", "", "SELECT 1 IN (%s)" % seq(32767, "$n%d")),
    ("?0", "", "SELECT ?0"),
    ("?32767", "", "SELECT ?32767"),
    ("?99999999999", "", "SELECT ?99999999999"),
    ("20,000 rows of VALUES", "", "VALUES %s" % seq(20000, "(%d)")),
    ("20,000 rows of VALUES, mixed", "", "VALUES %s" % seq(20000, "(%d, 'a%d')")),
    ("20,000 rows of VALUES, expressions", "", "VALUES %s" % seq(20000, "(%d + 1, abs(-%d))")),
    ("INSERT of 20,000 rows", "CREATE TABLE t(a,b,c)", "INSERT INTO t VALUES %s" % seq(20000, "(%d,'x',NULL)")),
    ("VALUES of different sizes", "", "VALUES (1), (1, 2)"),
    ("499 arms", "", seq(499, "SELECT %d", " UNION ALL ")),
    ("500 arms", "", seq(500, "SELECT %d", " UNION ALL ")),
    ("501 arms", "", seq(501, "SELECT %d", " UNION ALL ")),
    ("501 arms of UNION", "", seq(501, "SELECT %d", " UNION ")),
    ("500 arms of EXCEPT", "", seq(500, "SELECT %d", " EXCEPT ")),
    ("2,000 columns", "", "CREATE TABLE w(%s)" % seq(2000, "c%d")),
    ("2,001 columns", "", "CREATE TABLE w(%s)" % seq(2001, "c%d")),
    ("2,000 results", "", "SELECT %s" % seq(2000, "%d")),
    ("2,001 results", "", "SELECT %s" % seq(2001, "%d")),
    ("2,000 columns by name", wide(2000), "SELECT %s FROM w" % seq(2000, "c%d")),
    ("2,000 columns by *", wide(2000), "SELECT * FROM w"),
    ("2,000 columns by *, twice", wide(2000), "SELECT * FROM w, w"),
    ("2,000 columns, 30 indexes", wide(2000, 30), "SELECT * FROM w WHERE %s" % seq(30, "c%d = %d", " AND ")),
    ("UPDATE of 2,000 columns", wide(2000, 30), "UPDATE w SET %s" % seq(2000, "c%d = c%d + 1")),
    ("INSERT into 2,000 columns", wide(2000, 30), "INSERT INTO w(%s) VALUES(%s)" % (seq(2000, "c%d"), seq(2000, "%d"))),
    ("ORDER BY 2,000 terms", wide(2000), "SELECT c0 FROM w ORDER BY %s" % seq(2000, "c%d")),
    ("ORDER BY 2,001 terms", wide(2000), "SELECT c0 FROM w ORDER BY %s" % seq(2001, "1+%d")),
    ("GROUP BY 2,000 terms", wide(2000), "SELECT c0 FROM w GROUP BY %s" % seq(2000, "c%d")),
    ("GROUP BY 2,001 terms", wide(2000), "SELECT c0 FROM w GROUP BY %s" % seq(2001, "c0+%d")),
    ("NATURAL JOIN of 900 columns", wide(900), "SELECT count(*) FROM w NATURAL JOIN w AS x"),
    ("index on 2,000 columns", wide(2000), "CREATE INDEX i ON w(%s)" % seq(2000, "c%d")),
    ("index on 2,001 columns", wide(2000), "CREATE INDEX i ON w(%s)" % seq(2001, "c0 + %d")),
    ("2,000 set columns", wide(2000), "UPDATE w SET (%s) = (%s)" % (seq(2000, "c%d"), seq(2000, "%d"))),
    ("64-way join", tables(64), "SELECT * FROM %s WHERE %s" % (
        seq(64, "j%d"), " AND ".join("j%d.b = j%d.a" % (i, i + 1) for i in range(63)))),
    ("64-way join without conditions", tables(64), "SELECT 1 FROM %s" % seq(64, "j%d")),
    ("64-way LEFT JOIN", tables(64), "SELECT 1 FROM j0 " + " ".join(
        "LEFT JOIN j%d ON j%d.b = j%d.a" % (i, i - 1, i) for i in range(1, 64))),
    ("64-way star", tables(64), "SELECT 1 FROM %s WHERE %s" % (
        seq(64, "j%d"), " AND ".join("j0.b = j%d.a" % i for i in range(1, 64)))),
    ("64-way self join", tables(1), "SELECT 1 FROM %s WHERE %s" % (
        seq(64, "j0 AS s%d"), " AND ".join("s%d.b = s%d.b" % (i, i + 1) for i in range(63)))),
    ("65-way join", tables(65), "SELECT 1 FROM %s" % seq(65, "j%d")),
    ("USING 64 times", tables(64), "SELECT a FROM j0 " + " ".join("JOIN j%d USING (a)" % i for i in range(1, 64))),
    ("NATURAL 64 times", tables(64), "SELECT a FROM j0 " + " ".join("NATURAL JOIN j%d" % i for i in range(1, 64))),
    ("200 tables in FROM", tables(1), "SELECT 1 FROM %s" % seq(200, "j0 AS s%d")),
    ("201 tables in FROM", tables(1), "SELECT 1 FROM %s" % seq(201, "j0 AS s%d")),
    ("literal of 1 MB", "", "SELECT length('%s')" % BIG),
    ("blob literal of 1 MB", "", "SELECT length(x'%s')" % ("ab" * 1000000)),
    ("literal of 1 MB of quotes", "", "SELECT length('%s')" % ("''" * 500000)),
    ("name of 1 MB", "", 'SELECT 1 AS "%s"' % BIG),
    ("unknown name of 1 MB", "", 'SELECT [%s]' % BIG),
    ("number of 1 MB", "", "SELECT %s" % ("1" * 1000000)),
    ("fraction of 1 MB", "", "SELECT 0.%s" % ("1" * 1000000)),
    ("comment of 1 MB", "", "SELECT 1 /* %s */ + 1" % BIG),
    ("1 MB of blanks", "", "SELECT%s1" % (" " * 1000000)),
    ("1 MB of semicolons", "", "%s SELECT 1" % (";" * 1000000)),
    ("unterminated literal of 1 MB", "", "SELECT '%s" % BIG),
    ("parentheses, 90", "", "SELECT " + nest(90, "(")),
    ("parentheses, 99", "", "SELECT " + nest(99, "(")),
    ("parentheses, 1,000", "", "SELECT " + nest(1000, "(")),
    ("parentheses, 100,000", "", "SELECT " + nest(100000, "(")),
    ("brackets that never close", "", "SELECT " + "(" * 100000),
    ("1,000 NOT", "", "SELECT " + "NOT " * 1000 + "1"),
    ("990 NOT", "", "SELECT " + "NOT " * 990 + "1"),
    ("990 -", "", "SELECT " + "- " * 990 + "1"),
    ("100,000 -", "", "SELECT " + "- " * 100000 + "1"),
    ("999 +", "", "SELECT " + seq(999, "1", " + ")),
    ("1,000 +", "", "SELECT " + seq(1000, "1", " + ")),
    ("1,001 +", "", "SELECT " + seq(1001, "1", " + ")),
    ("100,000 +", "", "SELECT " + seq(100000, "1", " + ")),
    ("1,000 AND", tables(1), "SELECT 1 FROM j0 WHERE " + seq(1000, "b <> %d", " AND ")),
    ("1,001 AND", tables(1), "SELECT 1 FROM j0 WHERE " + seq(1001, "b <> %d", " AND ")),
    ("999 AND on indexes", wide(999, 60), "SELECT 1 FROM w WHERE " + seq(999, "c%d = %d", " AND ")),
    ("1,000 OR", tables(1), "SELECT 1 FROM j0 WHERE " + seq(1000, "b = %d", " OR ")),
    ("999 OR on columns", wide(999, 60), "SELECT 1 FROM w WHERE " + seq(999, "c%d = %d", " OR ")),
    ("500 OR of AND", wide(999, 60), "SELECT 1 FROM w WHERE " + seq(490, "(c%d = %d AND c1 = %d)", " OR ")),
    ("998 ||", "", "SELECT " + seq(998, "'a%d'", " || ")),
    ("100,000 ||", "", "SELECT " + seq(100000, "'a%d'", " || ")),
    ("IN with 100,000 members", tables(1), "SELECT 1 FROM j0 WHERE b IN (%s)" % seq(100000, "%d")),
    ("IN with 100,000 texts", tables(1), "SELECT 1 FROM j0 WHERE b IN (%s)" % seq(100000, "'t%d'")),
    ("IN with 2,000 columns", wide(2000), "SELECT 1 FROM w WHERE 1 IN (%s)" % seq(2000, "c%d")),
    ("CASE of 20,000 branches", "", "SELECT CASE 5 %s END" % seq(20000, "WHEN %d THEN %d", " ")),
    ("CASE of 20,000 conditions", tables(1), "SELECT CASE %s END FROM j0" % seq(20000, "WHEN b = %d THEN %d", " ")),
    ("100 nested CASE", "", "SELECT " + nest(100, "CASE WHEN 1 THEN ", "1", " END")),
    ("1,000 arguments", "", "SELECT max(%s)" % seq(1000, "%d")),
    ("1,001 arguments", "", "SELECT max(%s)" % seq(1001, "%d")),
    ("json_array of 1,000", "", "SELECT length(json_array(%s))" % seq(1000, "%d")),
    ("30 nested functions", "", "SELECT " + nest(30, "abs(")),
    ("100 nested functions", "", "SELECT " + nest(100, "abs(")),
    ("30 nested scalar queries", "", "SELECT " + nest(30, "(SELECT ")),
    ("100 nested scalar queries", "", "SELECT " + nest(100, "(SELECT ")),
    ("40 nested FROM", "", nest(40, "SELECT * FROM (", "SELECT 1")),
    ("100 nested FROM", "", nest(100, "SELECT * FROM (", "SELECT 1")),
    ("40 nested FROM with aggregates", "", nest(40, "SELECT max(a) AS a FROM (", "SELECT 1 AS a")),
    ("30 nested EXISTS", tables(1), "SELECT 1 FROM j0 WHERE " + nest(30, "EXISTS (SELECT 1 FROM j0 WHERE ")),
    ("20 nested IN", tables(1), "SELECT 1 FROM j0 WHERE " + nest(20, "a IN (SELECT a FROM j0 WHERE ")),
    ("100 nested views", views(100), "SELECT * FROM v100"),
    ("40 nested views with joins", views(6, "SELECT x.a FROM v%d AS x JOIN v%d AS y"), "SELECT * FROM v6"),
    ("40 nested views with UNION", views(8, "SELECT a FROM v%d UNION SELECT a + 1 FROM v%d"), "SELECT * FROM v8"),
    ("a view of itself", "CREATE VIEW a AS SELECT * FROM b; CREATE VIEW b AS SELECT * FROM a", "SELECT * FROM a"),
    ("200 common tables", "", "WITH c0 AS (SELECT 1 AS x)%s SELECT * FROM c200" % "".join(
        ", c%d AS (SELECT x + 1 AS x FROM c%d)" % (i + 1, i) for i in range(200))),
    ("6 common tables used twice", "", "WITH c0 AS (SELECT 1 AS x)%s SELECT count(*) FROM c6" % "".join(
        ", c%d AS (SELECT a.x FROM c%d AS a, c%d AS b)" % (i + 1, i, i) for i in range(6))),
    ("1,000 common tables, unused", "", "WITH %s SELECT 1" % seq(1000, "c%d AS (SELECT %d)")),
    ("100 windows", tables(1), "SELECT %s FROM j0" % seq(100, "sum(b) OVER (ORDER BY a + %d)")),
    ("2,000 window functions", tables(1), "SELECT %s FROM j0" % seq(2000, "sum(b + %d) OVER w") + " WINDOW w AS (ORDER BY a)"),
    ("2,000 aggregates", wide(2000), "SELECT %s FROM w" % seq(2000, "sum(c%d)")),
    ("LIKE pattern of 50,000", "", "SELECT 'a' LIKE '%s'" % ("%a" * 25000)),
    ("LIKE pattern of 50,001", "", "SELECT 'a' LIKE '%s'" % ("a" * 50001)),
    ("GLOB pattern of 50,001", "", "SELECT 'a' GLOB '%s'" % ("a" * 50001)),
    ("attach 11", "; ".join("ATTACH ':memory:' AS d%d" % i for i in range(10)), "ATTACH ':memory:' AS d10"),
    ("NUL", "", "SELECT 1\0 + 1"),
    ("NUL in a literal", "", "SELECT 'a\0b'"),
    ("invalid UTF-8", "", "SELECT '\udcff\udcfe', length('\udcff\udcc3'), hex('\udce2\udc82')"),
    ("invalid UTF-8 as a name", "", "SELECT \udcff\udcfe FROM (SELECT 1 AS \udcff\udcfe)"),
    ("invalid UTF-8 in upper()", "", "SELECT hex(upper('a\udcff')), instr('a\udcffb', 'b'), substr('\udcff\udcffab', 2)"),
    ("lone surrogates", "", "SELECT unicode('\udced\udca0\udc80'), hex(char(0xd800)), hex(char(0x110000))"),
    ("randomblob(-1)", "", "SELECT length(randomblob(-1)), length(zeroblob(-1))"),
    ("zeroblob beyond", "", "SELECT zeroblob(1000000001)"),
    ("replace() beyond", "", "SELECT length(replace(hex(zeroblob(100000)), '0', hex(zeroblob(10000))))"),
    ("printf() beyond", "", "SELECT length(printf('%1000000001d', 1))"),
    ("SQL of 1,000,000,001 is not tried; 5 MB", "", "SELECT %s" % seq(500000, "1", ",")),
]


class Side:
    def __init__(self, path):
        self.library = capi.Library(path)

    def run(self, setup, sql):
        connection = self.library.connect()
        for statement in [s for s in setup.split("; ") if s]:
            connection.execute(statement)
        data = sql.encode("utf-8", "surrogateescape")
        buffer = ctypes.create_string_buffer(data)
        seconds = []
        for _ in range(3):
            statement = ctypes.c_void_p()
            start = time.perf_counter()
            code = self.library.prepare_v2(connection.handle, ctypes.addressof(buffer), len(data) + 1,
                                           ctypes.byref(statement), None)
            seconds.append(time.perf_counter() - start)
            self.library.finalize(statement)
            if sum(seconds) > 2:
                break
        if code != capi.OK:
            return min(seconds), (self.library.extended_errcode(connection.handle),
                                  self.library.errmsg(connection.handle)[:300])
        try:
            return min(seconds), repr(connection.execute(sql))[:2000]
        except capi.Error as error:
            return min(seconds), (error.code, error.message[:300])


def compare(args):
    ours, theirs = Side(args.library), Side(args.reference)
    failed = 0
    for name, setup, sql in CASES:
        if args.only not in name:
            continue
        mine, my_result = ours.run(setup, sql)
        other, other_result = theirs.run(setup, sql)
        slow = mine > other * FACTOR + SLACK
        if args.times:
            print("%-45s %9.3f ms  %9.3f ms%s" % (name, mine * 1000, other * 1000, "  SLOW" if slow else ""))
        if my_result != other_result:
            failed += 1
            print("%s:\n  godwit:    %s\n  reference: %s" % (name, str(my_result)[:400], str(other_result)[:400]))
        elif slow:
            failed += 1
            print("%s: %.1f ms, reference %.1f ms" % (name, mine * 1000, other * 1000))
        sys.stdout.flush()
    print("%d cases, %d failed" % (len(CASES), failed))
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", action="store_true")
    parser.add_argument("--only", default="", help="cases whose name has this in it")
    parser.add_argument("--library", default=os.path.join(ROOT, "build/release/lib/libsqlite3.so.0"))
    parser.add_argument("--reference", default=os.path.join(ROOT, "build/reference/libsqlite3.so.0"))
    args = parser.parse_args()
    outcome = []
    # The stack that a main thread has.
    threading.stack_size(8 << 20)
    thread = threading.Thread(target=lambda: outcome.append(compare(args)))
    thread.start()
    thread.join()
    sys.exit(1 if outcome != [0] else 0)


if __name__ == "__main__":
    main()
