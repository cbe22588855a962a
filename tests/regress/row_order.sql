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

-- INDEXED BY with RIGHT and FULL joins; a covering index on expressions and a generated column.
CREATE TABLE rj(a INTEGER PRIMARY KEY, b DOUBLE, c, g AS (typeof(c)) STORED);
CREATE INDEX rj_c ON rj(c COLLATE NOCASE DESC);
CREATE INDEX rj_e ON rj(c, b IS NULL);
CREATE INDEX rj_g ON rj(g, a + 1 DESC);
INSERT INTO rj VALUES(1, 2, 'a'), (2, 1, 7), (3, 1, 'A');
SELECT s3.a FROM rj AS s2 FULL JOIN rj AS s3 INDEXED BY rj_c ON s2.a = s3.b;
SELECT s3.a FROM rj AS s3 RIGHT JOIN rj AS s2 INDEXED BY rj_c ON s2.a = s3.b;
SELECT s3.a FROM rj AS s2 FULL JOIN rj AS s3 INDEXED BY rj_e ON s2.a = s3.b;
SELECT g FROM rj;
WITH c0(k0, k1) AS (SELECT s3.a, s5.b FROM rj AS s3 LEFT JOIN rj AS s5 ON 1)
  SELECT s7.k0, NULL IN (SELECT s8.k0 FROM c0 AS s8) FROM rj AS s6 FULL JOIN c0 AS s7 ON s6.b = s7.k0 LIMIT 3;
SELECT 1 FROM (SELECT EXISTS (SELECT 1 FROM rj AS s10 WHERE s10.b > 1 GROUP BY c) AS k0, 1 AS k1 FROM rj) AS s13
  FULL JOIN rj AS s14 ON s13.k1 = s14.b LIMIT 2;
-- The rows of a table-valued function that matched are not given again.
SELECT s2.value, s2.rowid FROM rj AS s1 FULL JOIN json_each('[7,8]') AS s2 ON s1.a <> s2.value LIMIT 9;
SELECT s2.value, s1.a FROM rj AS s1 RIGHT JOIN json_each('[7,1]') AS s2 ON s1.a = s2.value;
-- What statistics make of seeks and scans: the order of the rows shows which it was.
CREATE TABLE st(a INTEGER PRIMARY KEY, b, c, d);
CREATE INDEX st_bc ON st(b, c);
CREATE INDEX st_d ON st(d);
INSERT INTO st VALUES(1, 5, 3, 9), (2, 5, 2, 7), (3, 5, 1, 7);
ANALYZE;
UPDATE sqlite_stat1 SET stat = '3000 1500 1' WHERE idx = 'st_bc';
UPDATE sqlite_stat1 SET stat = '3000 800' WHERE idx = 'st_d';
ANALYZE sqlite_schema;
SELECT * FROM st WHERE b = 5;
UPDATE sqlite_stat1 SET stat = '3000 1700 1' WHERE idx = 'st_bc';
ANALYZE sqlite_schema;
SELECT * FROM st WHERE b = 5;
UPDATE sqlite_stat1 SET stat = '3000 800 1' WHERE idx = 'st_bc';
ANALYZE sqlite_schema;
SELECT * FROM st WHERE d = 7 OR b = 5;
UPDATE sqlite_stat1 SET stat = '3000 900' WHERE idx = 'st_d';
UPDATE sqlite_stat1 SET stat = '3000 900 1' WHERE idx = 'st_bc';
ANALYZE sqlite_schema;
SELECT * FROM st WHERE d = 7 OR b = 5;
-- PRAGMA analysis_limit: which rows ANALYZE looks at.
CREATE TABLE al(a INTEGER PRIMARY KEY, b, c, k);
CREATE INDEX al_b ON al(b, c);
CREATE INDEX al_c ON al(c);
CREATE INDEX al_k ON al(k, a);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
  INSERT INTO al SELECT i, i % 4, max(0, i - 50), 1 FROM n;
PRAGMA analysis_limit = 40;
ANALYZE al;
SELECT * FROM sqlite_stat1 WHERE tbl = 'al' ORDER BY 2;
PRAGMA analysis_limit = 400;
ANALYZE al;
SELECT * FROM sqlite_stat1 WHERE tbl = 'al' ORDER BY 2;
