-- Directions in which SQLite walks an index, where ties show it.
CREATE TABLE t0(a NUMERIC, b VARCHAR(10), c BLOB COLLATE NOCASE DEFAULT -2);
CREATE INDEX i2 ON t0(c DESC);
INSERT INTO t0(a, b, c) VALUES (0, '9', 1), ('b', 9, 1), (1.0, x'', 1), (x'00', -5, 1.0), (100, 1e10, 42);
SELECT s2.c FROM t0 AS s1 CROSS JOIN t0 AS s2 ORDER BY 1;
SELECT DISTINCT c FROM t0;
SELECT c, group_concat(rowid) FROM t0 GROUP BY c;
SELECT c, group_concat(rowid) FROM t0 GROUP BY c ORDER BY c;
SELECT c, group_concat(rowid) FROM t0 GROUP BY c ORDER BY c DESC;
-- Groups are sorted in the directions of an ORDER BY of as many terms, whatever these are.
CREATE TABLE t(a, b);
INSERT INTO t VALUES(1,1),(2,1),(3,1),(4,1),(4,2);
SELECT a, count(*) FROM t GROUP BY a ORDER BY 2 DESC;
SELECT a, count(*) FROM t GROUP BY a ORDER BY 2;
SELECT a, count(*) FROM t GROUP BY a ORDER BY 2 DESC, 1;
SELECT a, b, count(*) FROM t GROUP BY a, b ORDER BY 3 DESC, 2;
SELECT a, b, count(*) FROM t GROUP BY a, b ORDER BY 1 DESC, 2;
SELECT a, b, count(*) FROM t GROUP BY a, b ORDER BY 1, 3 DESC;
-- Of a table that is filtered by a constant an automatic index is made: it is not the outer loop.
CREATE TABLE con(a, b);
INSERT INTO con VALUES(1, 5), (2, 6), (3, 5);
SELECT x.a, y.a FROM con x, con y WHERE y.b = 5;
SELECT x.a, y.a FROM con x, con y WHERE x.b = 5;
SELECT x.a, y.a FROM con x LEFT JOIN con y ON y.b IS 5;
-- A generated column counts as all columns: no covering index is walked for it.
CREATE TABLE gen(a, b, g AS (lower(a)) STORED);
CREATE INDEX gen_bg ON gen(b, g);
INSERT INTO gen VALUES(1, 3), (2, 2), (3, 1);
SELECT g FROM gen;
SELECT b FROM gen;
