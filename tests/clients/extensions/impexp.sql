--load @LIB@/libsqlite3_mod_impexp.so
CREATE TABLE a(x INTEGER PRIMARY KEY, y TEXT, z BLOB);
CREATE TABLE b(p, q);
CREATE INDEX i ON b(q);
CREATE VIEW v AS SELECT x FROM a;
INSERT INTO a VALUES(1, 'it''s', x'0102'), (2, NULL, NULL);
INSERT INTO b VALUES(1.5, 'two'), (3, 4);
SELECT export_sql('@TMP@/out.sql');
SELECT export_csv('@TMP@/out.csv', 1, 'a', 'a', NULL, 'b', 'b', NULL);
SELECT export_xml('@TMP@/out.xml', 0, 2, 'root', 'item', 'b', NULL);
SELECT export_json('@TMP@/out.json', 'SELECT * FROM b');
SELECT quote_sql('a''b'), quote_csv('a"b'), indent_xml('<a><b>x</b></a>'), quote_xml('<&>', 1);
DROP VIEW v;
DROP TABLE a;
DROP TABLE b;
SELECT import_sql('@TMP@/out.sql');
SELECT * FROM a;
SELECT * FROM b;
SELECT type, name, sql FROM sqlite_schema ORDER BY name;
