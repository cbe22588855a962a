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
