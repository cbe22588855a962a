-- The triggers of a row that UPDATE replaces must not write the table, but where it is the rowid that is
-- in the way.
PRAGMA recursive_triggers = 1;
CREATE TABLE t(a INTEGER PRIMARY KEY, b UNIQUE, c);
INSERT INTO t VALUES(1, 1, 1), (2, 2, 2), (3, 3, 3), (4, 4, 4), (5, 5, 5);
CREATE TRIGGER g BEFORE DELETE ON t BEGIN UPDATE t SET c = c + 1 WHERE a = 3; END;
UPDATE OR REPLACE t SET b = 2 WHERE a = 1;
UPDATE OR REPLACE t SET a = 5 WHERE a = 4;
INSERT OR REPLACE INTO t VALUES(9, 1, 1);
SELECT * FROM t;
DROP TRIGGER g;
CREATE TRIGGER g AFTER DELETE ON t BEGIN DELETE FROM t WHERE a = 99; UPDATE t SET c = 9 WHERE a = 99; END;
UPDATE OR REPLACE t SET b = 2 WHERE a = 3;
SELECT * FROM t;
CREATE TABLE w(a PRIMARY KEY, b, c) WITHOUT ROWID;
INSERT INTO w VALUES(1, 1, 1), (2, 2, 2), (3, 3, 3);
CREATE TRIGGER wg AFTER DELETE ON w BEGIN UPDATE w SET c = c + 1 WHERE a = 3; END;
UPDATE OR REPLACE w SET a = 2 WHERE a = 1;
SELECT * FROM w;
-- When REPLACE has run actions, the row is in its own way in an index that is checked before another one.
PRAGMA recursive_triggers = 0;
PRAGMA foreign_keys = ON;
CREATE TABLE r(a INTEGER PRIMARY KEY, b, c TEXT COLLATE NOCASE UNIQUE, FOREIGN KEY(c) REFERENCES r(c));
CREATE UNIQUE INDEX ri ON r(b DESC);
INSERT INTO r VALUES(3, 3, 'a'), (1, '1', 1);
UPDATE OR REPLACE r SET c = 'A' RETURNING a;
SELECT * FROM r;
