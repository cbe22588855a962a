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
-- A condition on an aggregate without GROUP BY, pushed into an arm: there the arm's affinities count.
CREATE TABLE pa(a NUMERIC, b TEXT);
INSERT INTO pa VALUES(2, 'x'), (10, 'y');
SELECT * FROM (SELECT a FROM pa EXCEPT SELECT total(b) FROM pa) WHERE a < ' 3';
SELECT * FROM (SELECT max(a) m, b FROM pa) WHERE b = 'x';
SELECT * FROM (SELECT count(*) m, b FROM pa WHERE 0) WHERE b IS NULL;
-- What implies the condition of a partial index.
CREATE INDEX pap ON pa(b) WHERE a IS NOT NULL;
SELECT a, b FROM pa INDEXED BY pap WHERE 3 >= (a < max(b, 1));
SELECT a, b FROM pa INDEXED BY pap WHERE ~a IS TRUE;
SELECT a, b FROM pa INDEXED BY pap WHERE NOT (a IN (1, 2));
SELECT a, b FROM pa INDEXED BY pap WHERE a COLLATE nocase;
SELECT a, b FROM pa INDEXED BY pap WHERE (~a IS FALSE) > 3;
SELECT a, b FROM pa INDEXED BY pap WHERE a NOT IN (SELECT 2);
-- IN with a query over a REAL column: integers become reals, as they do not in a comparison.
CREATE TABLE ir(a REAL);
INSERT INTO ir VALUES(9007199254740992.0), (3);
CREATE TABLE il(x NUMERIC, i INTEGER);
INSERT INTO il VALUES(9007199254740993, 9007199254740993);
SELECT 9007199254740993 IN (SELECT a FROM ir), 9007199254740993 = (SELECT a FROM ir LIMIT 1), '3' IN (SELECT a FROM ir);
SELECT x IN (SELECT a FROM ir), i IN (SELECT a FROM ir), x + 0 IN (SELECT a FROM ir), (x + 0, 1) IN (SELECT a, 1 FROM ir) FROM il;
-- Of empty texts that are left in a window frame group_concat() does not know.
CREATE TABLE gc(i INTEGER PRIMARY KEY, x, s);
INSERT INTO gc(x, s) VALUES('', ','), ('b', '--'), ('', ''), ('', '+'), ('c', 'abc'), ('d', ','), ('', '-'), (NULL, '-'), ('', ';'), ('ee', '--');
SELECT group_concat(x) OVER (ORDER BY i ROWS 1 PRECEDING) || '|' FROM gc;
SELECT group_concat(x, s) OVER (ORDER BY i ROWS 2 PRECEDING) || '|' FROM gc;
SELECT group_concat(x, s) OVER (ORDER BY i ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING) || '|' FROM gc;
