-- A column of REAL affinity of a query in FROM gives reals, whichever arm the row comes from.
CREATE TABLE t(d REAL, b TEXT, i INTEGER);
INSERT INTO t VALUES(3, '1', 1);
SELECT x, typeof(x) FROM (SELECT d AS x FROM t UNION ALL SELECT 5);
SELECT x, typeof(x) FROM (SELECT 5 AS x UNION ALL SELECT d FROM t);
SELECT x || '' FROM t LEFT JOIN (SELECT d AS x FROM t UNION ALL SELECT i FROM t LIMIT 3);
SELECT typeof(x), count(*), max(x), x || '' FROM (SELECT d AS x FROM t UNION ALL SELECT 77) GROUP BY +x;
SELECT (SELECT d AS x FROM t UNION ALL SELECT 5 LIMIT 1 OFFSET 1) || '';
CREATE VIEW v AS SELECT d FROM t UNION SELECT i FROM t;
SELECT typeof(d), d FROM v;
WITH RECURSIVE c(n, x) AS (SELECT 1, d FROM t UNION ALL SELECT n + 1, x + 7 FROM c WHERE n < 3) SELECT n, x || '' FROM c;
WITH RECURSIVE c(n, x) AS (SELECT 1, d FROM t UNION ALL SELECT n + 1, 9 FROM c WHERE n < 3 ORDER BY 1 DESC) SELECT n, x || '' FROM c;
-- Within the recursive terms columns have the affinity that the whole query gives them.
WITH RECURSIVE c(n, x) AS (SELECT 1, i FROM t UNION ALL SELECT n + 1, 't' FROM c WHERE n < 2) SELECT x = '1' FROM c;
WITH RECURSIVE c(n, x) AS (SELECT 1, i FROM t UNION ALL SELECT n + 1, CASE WHEN x = '1' THEN 10 ELSE 't' END FROM c WHERE n < 2) SELECT x FROM c;
WITH RECURSIVE c(n, x) AS (SELECT 1, i FROM t UNION ALL SELECT n + 1, CASE WHEN x = '1' THEN 10 ELSE x END FROM c WHERE n < 2) SELECT x FROM c;
WITH RECURSIVE c(n, x) AS (SELECT 1, b FROM t UNION ALL SELECT n + 1, x = 1 FROM c WHERE n < 2) SELECT x FROM c;
WITH RECURSIVE c(n, x) AS (SELECT 1, i FROM t UNION ALL SELECT n + 1, (SELECT y = '1' FROM (SELECT x AS y LIMIT 1)) || '' FROM c WHERE n < 2) SELECT x FROM c;

-- The column that USING makes of several has affinity and collation of the first.
CREATE TABLE u1(a TEXT COLLATE NOCASE, b INT);
CREATE TABLE u2(a TEXT, b TEXT);
INSERT INTO u1 VALUES('x', 1), ('y', 2);
INSERT INTO u2 VALUES('Y', '2'), ('z', '3');
SELECT a, b, a = 'Y', b = '2', b < '10', typeof(b) FROM u1 FULL JOIN u2 USING(a, b);
SELECT a FROM u1 FULL JOIN u2 USING(a) ORDER BY a;
