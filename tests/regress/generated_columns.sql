-- VIRTUAL columns in the conditions of UPDATE and DELETE.
CREATE TABLE t(a, b, g AS (a + 1), h AS (g * 2), s AS (a || 'x') STORED);
INSERT INTO t(a, b) VALUES (1, 1), (2, 2), (3, 3);
UPDATE t SET b = g + h WHERE g > 2;
SELECT * FROM t;
DELETE FROM t WHERE h = 6;
UPDATE t SET a = s WHERE h = 4;
SELECT * FROM t;
UPDATE t SET b = z.g FROM (SELECT max(g) AS g FROM t) AS z WHERE t.g < 5;
SELECT * FROM t;
-- Loops: of VIRTUAL columns when they are read, of STORED ones when a row is written.
CREATE TABLE loop1(z, a AS (b), b AS (a), c AS (z));
CREATE TABLE loop2(z, a AS (z), b AS (a + c), c AS (d), d AS (a + b));
CREATE TABLE loop3(z, a AS (b) STORED, b AS (a) STORED, c AS (z));
INSERT INTO loop3(z) VALUES(1);
CREATE TABLE loop4(z, a AS (z));
ALTER TABLE loop4 ADD COLUMN b AS (b);
ALTER TABLE loop4 ADD COLUMN c AS (a + c);
SELECT z, a FROM loop4;
SELECT b FROM loop4;
SELECT z FROM loop4 WHERE c = 3;
INSERT INTO loop4(z) VALUES(1);
-- The rowid is not there yet when they are computed; in quotes its name is a text.
CREATE TABLE of_rowid(a, b AS (a + rowid) STORED);
CREATE TABLE of_rowid(a, b AS (oid));
CREATE TABLE of_rowid(a, b AS (of_rowid.rowid));
CREATE TABLE of_rowid(a, rowid, b AS (rowid));
CREATE TABLE of_text(a, b AS ("rowid"));
INSERT INTO of_text VALUES(1);
SELECT * FROM of_text;
CREATE INDEX of_partial ON of_text(a) WHERE rowid > 3;
SELECT a FROM of_text WHERE rowid > 3;
ALTER TABLE of_text ADD COLUMN c AS (rowid);
