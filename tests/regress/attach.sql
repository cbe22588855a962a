-- DETACH waits for nothing in a transaction that did not use the database.
CREATE TABLE t(a INTEGER PRIMARY KEY, b REAL);
ATTACH ':memory:' AS aux;
CREATE TABLE aux.x(a);
BEGIN;
SELECT * FROM t;
INSERT INTO t VALUES(10, 1);
DETACH aux;
ROLLBACK;
ATTACH ':memory:' AS aux;
CREATE TABLE aux.x(a);
BEGIN;
SELECT * FROM t WHERE a IN (SELECT a FROM aux.x);
DETACH aux;
ROLLBACK;
DETACH aux;
-- RETURNING shows an integer as a real where a column is one, also of a view.
CREATE VIEW v AS SELECT a, b FROM t;
CREATE TRIGGER vi INSTEAD OF INSERT ON v BEGIN INSERT INTO t VALUES(new.a, new.b); END;
INSERT INTO v VALUES(1, 3) RETURNING a, b, typeof(b), b || 'x', b / 2;
