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
