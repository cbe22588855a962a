-- Codes and texts of errors.
CREATE TABLE v(a, c, b);
CREATE TABLE w(c, b);
SELECT 'a' COLLATE nosuch = 'b';
SELECT a FROM v ORDER BY a COLLATE nosuch;
SELECT DISTINCT a COLLATE nosuch FROM v;
SELECT a FROM v GROUP BY a COLLATE nosuch;
SELECT max(a COLLATE nosuch) FROM v;
SELECT 1 FROM v JOIN w WHERE c IS b;
SELECT 1 FROM v JOIN w WHERE c IS NOT b;
SELECT 1 FROM v JOIN w WHERE c = b;
SELECT 1 FROM v JOIN w WHERE c IS v.b;
-- WHERE is looked at before ON.
CREATE TABLE on_a(a, b);
CREATE TABLE on_b(a, b);
SELECT 1 FROM on_a JOIN on_b ON a = 1 WHERE b = 1;
SELECT 1 FROM on_a JOIN on_b ON a = 1 WHERE on_a.b = 1;
-- A database that is not there, as it was written.
CREATE TABLE "no""such".t(a);
CREATE TABLE nosuch.t(a);
CREATE INDEX [no such].i ON v(a);
CREATE VIEW `nosuch`.x AS SELECT 1;
CREATE TRIGGER 'nosuch'.tr AFTER INSERT ON v BEGIN SELECT 1; END;
REINDEX "nosuch"."v";
ANALYZE "nosuch"."v";
VACUUM "nosuch";
PRAGMA "nosuch".user_version;
-- The last arm's tables first, then the last arm's names.
SELECT x1 FROM on_a UNION SELECT x2 FROM on_a;
SELECT x1 FROM on_a UNION SELECT 2 FROM nosuch;
SELECT 1 FROM nosuch1 UNION SELECT 2 FROM nosuch;
SELECT 1 FROM nosuch1 UNION SELECT x2 FROM on_a;
SELECT x1 FROM on_a UNION ALL SELECT x2 FROM on_a UNION ALL SELECT 3 FROM on_a;
SELECT 1, 2 UNION SELECT 2 UNION SELECT 3, x4;
SELECT * FROM (SELECT x1 FROM on_a UNION SELECT x2 FROM on_a);
WITH c AS (SELECT x1 FROM on_a) SELECT 1 UNION SELECT x3 FROM c;
-- VALUES of INSERT are expressions.
INSERT INTO on_a(a) VALUES(count(*));
INSERT INTO on_a(a) VALUES(1), (sum(1));
INSERT INTO on_a(a) VALUES(row_number() OVER ());
INSERT INTO on_a(a) VALUES(1 + max(1)) RETURNING a;
INSERT INTO on_a(a) WITH c AS (SELECT 1) VALUES((SELECT * FROM c));
INSERT INTO on_a(a) VALUES((SELECT count(*)));
-- Collations of CHECK constraints are looked for when a row is checked.
CREATE TABLE no_collation(a, CHECK (a COLLATE nosuch > 'b'));
INSERT INTO no_collation VALUES('c');
CREATE TABLE no_collation2(a, b AS (a = 'x' COLLATE nosuch));
-- Views and triggers stay in their database.
ATTACH ':memory:' AS aux;
CREATE TABLE aux.x(a);
CREATE VIEW v1 AS SELECT * FROM aux.x;
CREATE VIEW v2 AS SELECT 1 FROM on_a WHERE a IN (SELECT a FROM main.on_a, nosuch.t);
CREATE VIEW v3 AS SELECT CASE WHEN 1 THEN (SELECT a FROM aux.x) END FROM main.on_a;
CREATE VIEW v4 AS SELECT count(*) FILTER (WHERE 1 IN aux.x) FROM on_a;
CREATE VIEW aux.v5 AS SELECT * FROM main.on_a;
CREATE VIEW aux.v6 AS SELECT * FROM aux.x;
CREATE TEMP VIEW v7 AS SELECT * FROM aux.x;
CREATE TRIGGER t1 AFTER INSERT ON on_a BEGIN UPDATE on_a SET a = 1 FROM aux.x; END;
CREATE TRIGGER t2 AFTER INSERT ON on_a WHEN (SELECT a FROM aux.x) BEGIN SELECT 1; END;
-- A database that has content keeps its encoding, whatever the name; :memory: has no lock, but a default for files.
CREATE TABLE has_content(a);
PRAGMA encoding = nosuch;
PRAGMA encoding = 'UTF-16';
PRAGMA encoding;
PRAGMA locking_mode;
PRAGMA main.locking_mode;
PRAGMA locking_mode = normal;
