-- The pages of a database's trees.
SELECT * FROM dbstat;
CREATE TABLE t(a INTEGER PRIMARY KEY, b);
CREATE TABLE w(k PRIMARY KEY, v) WITHOUT ROWID;
CREATE INDEX tb ON t(b);
INSERT INTO t VALUES(1, 'abc'), (2, NULL), (3, zeroblob(9000));
INSERT INTO w VALUES(1, zeroblob(5000)), (2, 3);
SELECT * FROM dbstat;
SELECT * FROM dbstat WHERE aggregate = 1;
SELECT * FROM dbstat('main', TRUE) WHERE name = 'w';
SELECT name, pageno, schema, aggregate FROM dbstat WHERE name = 't';
SELECT name, path FROM dbstat ORDER BY name, path;
SELECT name FROM dbstat('temp');
SELECT rowid, name FROM dbstat WHERE pagetype = 'leaf';
DELETE FROM dbstat;
ATTACH ':memory:' AS aux;
CREATE TABLE aux.z(a);
SELECT * FROM dbstat('aux');
-- PRAGMA optimize says what it would do.
PRAGMA optimize(3);
INSERT INTO t SELECT a + 3, b FROM t;
PRAGMA optimize(1);
PRAGMA optimize(-1);
PRAGMA optimize;
SELECT * FROM sqlite_stat1;
PRAGMA optimize(3);
PRAGMA optimize(0x10003);
SELECT * FROM pragma_optimize(-1);
