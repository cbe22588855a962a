-- What SQLite does not evaluate cannot fail.
CREATE TABLE t(x, y, z);
INSERT INTO t VALUES(0, -9223372036854775808, 1), (1, -9223372036854775808, 0);
SELECT 1 OR abs(y) FROM t;
SELECT x OR abs(y) FROM t WHERE x = 1;
SELECT x AND abs(y) FROM t WHERE x = 0;
SELECT 5 FROM t WHERE (x OR abs(y)) AND x = 1;
SELECT (x, z) = (5, abs(y)), (x, z) < (5, abs(y)), (x, z) IS NOT (5, abs(y)) FROM t;
SELECT ((x, z) = (5, abs(y))) AND abs(y) FROM t;
SELECT x BETWEEN 5 AND abs(y) FROM t;
SELECT x IN (x, abs(y)) FROM t;
-- What is only a result of EXISTS is not computed; nor are columns of queries in FROM that nobody needs, but for
-- those of aggregates, window functions and common tables.
SELECT EXISTS(SELECT abs(y) FROM t), EXISTS(SELECT DISTINCT abs(y) FROM t ORDER BY 1);
SELECT EXISTS(SELECT abs(min(y)) FROM t), EXISTS(SELECT abs(y) FROM t UNION ALL SELECT 1);
SELECT EXISTS(SELECT sum(y) FROM t);
SELECT EXISTS(SELECT abs(y) FROM t UNION SELECT 1);
SELECT count(*) FROM (SELECT abs(y) FROM t LIMIT 5);
SELECT count(*) FROM (SELECT abs(min(y)) FROM t);
SELECT count(*) FROM (SELECT sum(y) FROM t);
SELECT max(x) FROM (SELECT abs(y), x FROM t GROUP BY x);
SELECT count(*) FROM (SELECT abs(y), row_number() OVER () FROM t);
WITH c AS (SELECT abs(y), x FROM t LIMIT 5) SELECT max(x) FROM c;
-- A condition without columns comes before everything else.
CREATE TABLE e(a);
SELECT * FROM (SELECT sum(y) s FROM t) q RIGHT JOIN e WHERE 0;
SELECT * FROM e FULL JOIN (SELECT sum(y) s FROM t) q WHERE NULL;
SELECT count(*) FROM e RIGHT JOIN (SELECT sum(y) s FROM t) q WHERE 1 IN ();
SELECT count(*) FROM e RIGHT JOIN (SELECT 1) q WHERE 1;
-- NOT IN () is the word TRUE, unless a function is called on its left.
SELECT 5 IS (1 NOT IN ()), 5 IS (abs(1) NOT IN ()), 5 IS ((1 LIKE 1) NOT IN ()), 5 IS ((1 -> 1) NOT IN ()), 5 IS ((SELECT abs(1)) NOT IN ()), 5 IS (CASE WHEN abs(x) THEN 1 END NOT IN ()), 5 IS ((x IN (1, abs(2))) NOT IN ()), 5 IS (current_time NOT IN ()), 5 IS (CAST(x AS TEXT) NOT IN ()) FROM t LIMIT 1;
