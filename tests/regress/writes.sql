-- A correlated subquery in SET sees the rows that the statement has changed before, an uncorrelated one
-- does not.
CREATE TABLE t(id INTEGER PRIMARY KEY, a, c);
INSERT INTO t VALUES(1,1,1),(2,2,2),(3,3,3);
UPDATE t SET c = (SELECT sum(x.c) FROM t x WHERE x.id <> t.id);
SELECT * FROM t;
UPDATE t SET c = (SELECT sum(c) FROM t x);
SELECT * FROM t;
-- Rows are changed in the order of their keys, whatever index finds them, but where the statement could
-- change each when it is found.
CREATE TABLE o(a, b, u UNIQUE, c);
CREATE INDEX oa ON o(a);
INSERT INTO o VALUES(9,1,10,0),(8,2,20,0),(7,3,30,0),(6,4,40,0);
UPDATE o SET c = 1 WHERE a > 3 RETURNING u;
UPDATE OR IGNORE o SET u = 5 WHERE a > 3;
SELECT * FROM o;
UPDATE OR IGNORE o SET u = 6, a = a + 0 WHERE a > 3;
SELECT * FROM o;
DELETE FROM o WHERE a > 6 RETURNING u;
CREATE TABLE w(a, b, c, PRIMARY KEY(a DESC)) WITHOUT ROWID;
INSERT INTO w VALUES(1,1,0),(2,2,0),(3,3,0);
UPDATE w SET c = c + 1 WHERE b IN (3,1,2) RETURNING *;
-- The last match of UPDATE ... FROM counts.
CREATE TABLE f(a, v);
INSERT INTO f VALUES(3,30),(1,10),(1,11),(2,20),(1,12);
UPDATE w SET c = v FROM f WHERE f.a = w.a RETURNING *;
SELECT changes();
-- STRICT: types are checked after the rowid and before indexes, but before CHECK and BEFORE triggers.
CREATE TABLE s(a INTEGER PRIMARY KEY, b INTEGER NOT NULL, c TEXT UNIQUE) STRICT;
INSERT INTO s VALUES(1, 1, 'x');
INSERT INTO s VALUES(1, 'x', 'x');
INSERT INTO s VALUES(2, 'x', 'x');
INSERT INTO s VALUES(2, NULL, 5);
INSERT OR IGNORE INTO s VALUES(1, 'x', 'x');
INSERT INTO s VALUES(1, 'x', 'x') ON CONFLICT(a) DO UPDATE SET b = 3;
INSERT INTO s VALUES(4, 'x', 'x') ON CONFLICT(c) DO UPDATE SET b = 3;
SELECT * FROM s;
CREATE TABLE sc(a INTEGER PRIMARY KEY, b INTEGER NOT NULL, c TEXT, CHECK (c <> 'chk')) STRICT;
INSERT INTO sc VALUES(1,1,'ok');
INSERT INTO sc VALUES(1,'x','chk');
INSERT INTO sc VALUES(1,'x','ok');
CREATE TABLE st(a INTEGER PRIMARY KEY, b INTEGER) STRICT;
CREATE TRIGGER str BEFORE INSERT ON st BEGIN SELECT RAISE(FAIL, 'trigger'); END;
INSERT INTO st VALUES(1, 'x');
-- A single row is not written where its foreign key fails, which last_insert_rowid() shows.
PRAGMA foreign_keys = ON;
CREATE TABLE k(a INTEGER PRIMARY KEY, b UNIQUE ON CONFLICT REPLACE, c REFERENCES k(a));
SELECT last_insert_rowid();
INSERT INTO k VALUES(15, 1, 9) ON CONFLICT DO NOTHING;
SELECT last_insert_rowid();
INSERT INTO k VALUES(16, 1, 9) RETURNING a;
SELECT last_insert_rowid();
INSERT INTO k SELECT 17, 1, 9;
SELECT last_insert_rowid();
CREATE TABLE p(a, b UNIQUE);
CREATE TABLE c(a REFERENCES p(a));
INSERT INTO p VALUES(1, 1);
INSERT INTO p VALUES(2, 2) RETURNING a;
-- PRAGMA defer_foreign_keys = 0 forgets violations.
CREATE TABLE d(a REFERENCES p(b) DEFERRABLE INITIALLY DEFERRED);
BEGIN;
INSERT INTO d VALUES(7);
COMMIT;
PRAGMA defer_foreign_keys = 0;
COMMIT;
-- Tables in the order of SQLite's hash table.
CREATE TABLE c1(a REFERENCES p(b));
CREATE TABLE c2(a REFERENCES p(b));
PRAGMA foreign_keys = OFF;
INSERT INTO c1 VALUES(8);
INSERT INTO c2 VALUES(9);
DROP TABLE c;
PRAGMA foreign_key_check;
PRAGMA main.table_list;
-- A default of the rowid's column does not count.
CREATE TABLE r(a INTEGER DEFAULT 'a', b, PRIMARY KEY(a DESC));
INSERT INTO r DEFAULT VALUES;
SELECT * FROM r;
-- Stored queries name tables of their own database.
ATTACH ':memory:' AS aux;
CREATE TABLE aux.x(a);
CREATE VIEW v AS SELECT (SELECT 1 FROM aux.x) FROM t;
CREATE TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM t WHERE a IN aux.x; END;
CREATE TEMP VIEW v AS SELECT * FROM aux.x;
-- LIKE that tells upper from lower case.
PRAGMA case_sensitive_like = 1;
SELECT 'a' LIKE 'A', like('A', 'a'), 'a' LIKE 'a';
PRAGMA case_sensitive_like = 0;
SELECT 'a' LIKE 'A';
PRAGMA secure_delete = fast;
PRAGMA aux.secure_delete;
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = 'CREATE TABLE f(a, v, z)' WHERE name = 'f';
PRAGMA writable_schema = RESET;
SELECT * FROM f WHERE a = 3;
PRAGMA writable_schema;
-- AUTOINCREMENT: rows that are skipped use up rowids too, and triggers go on from there.
CREATE TABLE n(a INTEGER PRIMARY KEY AUTOINCREMENT, b UNIQUE, c);
CREATE TRIGGER ng AFTER UPDATE ON n WHEN new.c < 3 BEGIN INSERT INTO n(b, c) VALUES(new.b + 100, 9); END;
INSERT INTO n(b, c) VALUES(1, 1), (2, 1);
INSERT INTO n(b, c) VALUES(1, 1), (3, 1), (2, 5) ON CONFLICT(b) DO UPDATE SET c = 2;
SELECT * FROM n;
INSERT OR IGNORE INTO n(b) VALUES(1);
INSERT OR IGNORE INTO n(a, b) VALUES(50, 1);
SELECT seq FROM sqlite_sequence;
INSERT OR IGNORE INTO n(b) VALUES(300), (300), (301);
SELECT a, b FROM n WHERE b >= 300;
-- UPDATE ... FROM of a table without rowids that has actions.
PRAGMA foreign_keys = ON;
CREATE TABLE fw(a, b, c, PRIMARY KEY(a, b DESC), FOREIGN KEY(b, c) REFERENCES fw(a, b) ON UPDATE CASCADE) WITHOUT ROWID;
INSERT INTO fw VALUES(1, 5, NULL), (3, 4, NULL);
UPDATE fw SET b = z.m FROM (SELECT a AS k, max(a) AS m FROM fw GROUP BY 1) AS z WHERE z.k = fw.a;
SELECT * FROM fw;
-- A rowid that is chosen is free: REPLACE removes no row, so that no trigger of DELETE is compiled, and a single row's
-- keys are checked before it is there.
PRAGMA recursive_triggers = 1;
CREATE TABLE chosen(a, g AS (a + 1) STORED);
CREATE TRIGGER chosen_d AFTER DELETE ON chosen BEGIN INSERT INTO chosen SELECT * FROM chosen; END;
INSERT OR REPLACE INTO chosen(a) VALUES(1), (2);
DELETE FROM chosen;
PRAGMA foreign_keys = ON;
CREATE TABLE chosen_p(a INTEGER PRIMARY KEY);
CREATE TABLE chosen_c(a REFERENCES chosen_p, b REFERENCES chosen_p ON DELETE CASCADE);
INSERT INTO chosen VALUES(7);
SELECT last_insert_rowid();
INSERT OR REPLACE INTO chosen_c VALUES(5, 6);
SELECT last_insert_rowid();
INSERT INTO chosen_c VALUES(5, 6) ON CONFLICT DO UPDATE SET a = 3;
SELECT last_insert_rowid();
-- Of the names of a rowid the last one counts.
CREATE TABLE ids(a INTEGER PRIMARY KEY, b);
INSERT INTO ids(rowid, a, b) VALUES(3, 1, 'x') RETURNING a;
INSERT INTO ids(a, rowid, b) VALUES(4, 2, 'x') RETURNING a;
INSERT INTO ids(a, rowid, b) VALUES(20, NULL, 'x') RETURNING a;
INSERT INTO ids(rowid, a, b) VALUES('x', 31, 'x') RETURNING a;
-- ANY is compared as a column without a type.
CREATE TABLE anys(a ANY, b TEXT, c INTEGER) STRICT;
INSERT INTO anys VALUES(1, '1', 1), ('2', '2', 2), (x'33', '3', 3);
SELECT a = b, a = c, a = '1', a = 1, typeof(a) FROM anys;
UPDATE anys SET c = (SELECT min(x.b) FROM anys AS x WHERE x.b = anys.a);
SELECT * FROM anys;
-- An index without a schema name is of the temp or the main database. A wrong WHERE comes before a column.
ATTACH ':memory:' AS aux;
CREATE TABLE aux.x(a);
CREATE INDEX xi ON x(a);
CREATE TEMP TABLE y(a);
CREATE INDEX yi ON y(a);
CREATE INDEX yj ON y(a, nosuch) WHERE nosuch2;
CREATE INDEX yj ON y(nosuch) WHERE nosuch2;
CREATE VIEW nov(k) AS SELECT b, b FROM nosuch;
DELETE FROM nov;
DROP VIEW nov;
CREATE TABLE dc(a, c, g TEXT AS (typeof(c)));
CREATE INDEX dci ON dc(c);
ALTER TABLE dc DROP COLUMN c;
