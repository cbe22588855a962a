-- Tables are looked for in the whole query before its expressions are looked at.
CREATE TABLE t(a, b);
SELECT z, (SELECT 1 FROM nope) FROM t;
SELECT z FROM t WHERE EXISTS (SELECT y FROM t WHERE a IN nope);
SELECT z FROM t JOIN t u ON (SELECT 1 FROM nope);
SELECT z FROM t ORDER BY (SELECT 1 FROM nope);
SELECT z FROM t LIMIT (SELECT 1 FROM nope);
SELECT nofunc(1) FROM t WHERE (SELECT x FROM nope);
SELECT z FROM t WHERE (SELECT 1 FROM t INDEXED BY nope);
SELECT z FROM t WHERE (WITH c AS (SELECT 1 FROM nope) SELECT 1 FROM c);
SELECT z FROM t WHERE (WITH c AS (SELECT 1 FROM nope) SELECT 1);
SELECT z, sum(a) OVER (ORDER BY (SELECT 1 FROM nope)) FROM t;
SELECT z FROM t WHERE a IN (SELECT *);
SELECT z FROM t WHERE a IN (SELECT q.* FROM t);
WITH c AS (SELECT z FROM t WHERE a IN (SELECT 1 FROM nope)) SELECT * FROM c;
INSERT INTO t SELECT z, 1 FROM t WHERE (SELECT 1 FROM nope);
-- NULLs that REPLACE puts defaults in place of are looked at last, as generated columns are.
CREATE TABLE n(a NOT NULL DEFAULT NULL, b NOT NULL DEFAULT (NULL), c NOT NULL);
INSERT OR REPLACE INTO n DEFAULT VALUES;
INSERT OR REPLACE INTO n VALUES(NULL, NULL, NULL);
INSERT OR REPLACE INTO n VALUES(1, NULL, 1);
INSERT INTO n DEFAULT VALUES;
CREATE TABLE g(k INTEGER PRIMARY KEY, a AS (b + c) NOT NULL, b NOT NULL DEFAULT 5, c, d NOT NULL);
INSERT OR REPLACE INTO g DEFAULT VALUES;
INSERT OR REPLACE INTO g(d) VALUES(1);
INSERT OR REPLACE INTO g(c, d) VALUES(1, 1);
SELECT * FROM g;
-- A statement with nothing to do has looked at the databases.
ATTACH ':memory:' AS x;
BEGIN;
DROP TABLE IF EXISTS nope;
DETACH x;
COMMIT;
BEGIN;
DROP TABLE IF EXISTS main.nope;
CREATE TABLE IF NOT EXISTS t(a);
DETACH x;
COMMIT;
-- UPDATE ... FROM looks at the names of the assigned columns first.
CREATE TABLE u(a, b, g AS (a));
UPDATE u SET f = z FROM u w;
UPDATE u SET f = 1 FROM nope;
UPDATE u SET a = z, f = 1 FROM u w;
UPDATE u SET a = z FROM (SELECT q FROM u);
UPDATE u SET (a, f) = (SELECT 1) FROM u w;
UPDATE u SET g = 1 FROM (SELECT q);
UPDATE u SET (a, f) = (1, 2, 3) FROM u w;
-- A statement that could not be prepared has begun to read nothing.
ATTACH ':memory:' AS aux;
BEGIN;
SELECT * FROM nope;
DETACH aux;
COMMIT;
