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
