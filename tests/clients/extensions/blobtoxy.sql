--load @LIB@/libsqlite3_mod_blobtoxy.so
CREATE TABLE t(key INTEGER PRIMARY KEY, data BLOB, scale DOUBLE, offset DOUBLE, foo TEXT);
INSERT INTO t VALUES(1, x'01000200030004', 2.0, 1.0, 'one'), (2, x'0500', 1, 0, 'two'), (3, x'', 1, 1, 'three');
CREATE VIRTUAL TABLE x USING blobtoxy(t, key, data, short_le, null, null, scale, offset, "foo");
SELECT * FROM x;
SELECT sum(y), avg(x) FROM x WHERE key = 1;
SELECT foo, count(*), max(y) FROM x GROUP BY foo ORDER BY foo;
CREATE VIRTUAL TABLE u USING blobtoxy(t, key, data, uchar);
SELECT key, x, y FROM u WHERE key = 2;

INSERT INTO x(key) VALUES(4);
DROP TABLE x;
SELECT name, sql FROM sqlite_schema ORDER BY 1;
