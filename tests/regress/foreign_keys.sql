-- Of several keys that do not match, the last one that SQLite comes across is named.
PRAGMA foreign_keys = ON;
CREATE TABLE p(a INTEGER PRIMARY KEY, b, c, d, UNIQUE(c, b));
CREATE TABLE k(x, y, z, FOREIGN KEY(x, y) REFERENCES p(b, c) ON DELETE RESTRICT, FOREIGN KEY(z) REFERENCES p(d));
CREATE TABLE k2(z REFERENCES p(d));
UPDATE p SET c = 1 WHERE a = 1;
UPDATE p SET d = 1 WHERE a = 1;
UPDATE p SET a = 1 WHERE a = 1;
DELETE FROM p;
CREATE TABLE q(a INTEGER PRIMARY KEY, b REFERENCES q, c, d REFERENCES nosuch, UNIQUE(c, b));
CREATE TABLE kq(z, FOREIGN KEY(z) REFERENCES q(d));
UPDATE q SET b = 1 WHERE a = 1;
UPDATE q SET c = 1 WHERE a = 1;
UPDATE q SET d = 1 WHERE a = 1;
INSERT INTO q VALUES(1,1,1,1);
DELETE FROM q;
DROP TABLE kq;
DROP TABLE q;
-- Tables that refer to one come in the order of the schema table, also after a name was changed.
CREATE TABLE r(a UNIQUE, b);
CREATE TABLE k3(z REFERENCES r(b));
CREATE TABLE k4(z REFERENCES r(b));
ALTER TABLE k3 RENAME TO k9;
DELETE FROM r;
DROP TABLE k4;
CREATE TABLE k5(z REFERENCES r(b));
DELETE FROM r;
-- An error of the keys comes before one in a clause or a trigger.
INSERT INTO k9 VALUES(1) ON CONFLICT DO UPDATE SET z = nosuch;
CREATE TABLE u(a UNIQUE, z REFERENCES r(b));
INSERT INTO u VALUES(1, 1) ON CONFLICT(a) DO UPDATE SET a = nosuch;
INSERT INTO u VALUES(1, 1) ON CONFLICT(nosuch) DO UPDATE SET a = 1;
CREATE TRIGGER ut BEFORE UPDATE ON u BEGIN INSERT INTO nosuch VALUES(1); END;
UPDATE u SET z = 1;
UPDATE u SET a = 1;
-- Actions compare without the affinity of the parent's column, the count of violations with it.
CREATE TABLE a(a BLOB, b , c REAL UNIQUE, FOREIGN KEY(a) REFERENCES a(c) ON DELETE CASCADE ON UPDATE CASCADE);
INSERT INTO a VALUES (3.0, 'A', 3), ('3.0', 'B', 2);
DELETE FROM a WHERE b = 'A';
SELECT * FROM a;
-- A row of a table without rowids is its own parent by equal values only.
CREATE TABLE w(a TEXT COLLATE NOCASE PRIMARY KEY, b REFERENCES w(a)) WITHOUT ROWID;
INSERT INTO w VALUES('a', 'a');
UPDATE w SET b = 'A';
UPDATE w SET a = 'A';
UPDATE w SET a = 'A', b = 'A';
SELECT * FROM w;
-- REPLACE that an ON CONFLICT clause takes care of removes nothing: the row fails before it is written.
CREATE TABLE s(a, b UNIQUE, c UNIQUE, FOREIGN KEY(a) REFERENCES s(b));
CREATE TRIGGER st AFTER DELETE ON s BEGIN SELECT 1; END;
PRAGMA recursive_triggers = 1;
INSERT OR REPLACE INTO s VALUES (2, '2', 5) ON CONFLICT DO NOTHING;
SELECT last_insert_rowid();
PRAGMA recursive_triggers = 0;
-- A parent key may be a generated column; more indexes than are assigned may take part for the keys' sake.
CREATE TABLE g(a, b, e AS (b));
CREATE TABLE kg(b REFERENCES g(e));
UPDATE g SET b = 1;
UPDATE g SET a = 1;
CREATE TABLE h(a UNIQUE);
CREATE TABLE hh(a REFERENCES h(nosuch), b PRIMARY KEY REFERENCES hh(b), c UNIQUE ON CONFLICT REPLACE);
UPDATE hh SET b = 5;
-- DROP TABLE ignores parents that are missing, its actions do not.
CREATE TABLE d5(a INTEGER PRIMARY KEY, c REAL, FOREIGN KEY(a) REFERENCES nosuch, FOREIGN KEY(c) REFERENCES d5 ON DELETE CASCADE);
DROP TABLE d5;
CREATE TABLE d6(a INTEGER PRIMARY KEY, c REAL, FOREIGN KEY(a) REFERENCES nosuch, FOREIGN KEY(c) REFERENCES d6);
DROP TABLE d6;
