# .import and .dump.
printf 'a,b c,"x ""y"""\n1,"two\nlines",3\n4,5\n6,7,8,9\n\n,,\n' > i.csv
check "import makes the table" "$(cat <<'T'
i.csv:4: expected 3 columns but found 2 - filling the rest with NULL
i.csv:5: expected 3 columns but found 4 - extras ignored
i.csv:6: expected 3 columns but found 1 - filling the rest with NULL
CREATE TABLE IF NOT EXISTS "t"(
"a" TEXT, "b c" TEXT, "x ""y""" TEXT);
'1','two
lines','3'
'4','5',NULL
'6','7','8'
'',NULL,NULL
'','',''
exit 0
T
)" "$(feed $'.import --csv i.csv t\n.schema t\n.mode quote\nselect * from t;')"
check "import into a table" $'1,2.0,\'3\',\'4\'\n\'x\',\'\',\'3\',\'\'\nexit 0' \
  "$(printf 'h\r\n1,2,3,4\r\nx,,3,\r\n' > k.csv; feed $'create table k(a int, b real, c text, d);\n.import --csv --skip 1 k.csv k\n.mode quote\nselect * from k;')"
check "import by the separator" $'1|q"x\n2|3\nexit 0' \
  "$(printf '1|"q""x"\n2|3\n' > l.txt; feed $'create table l(a,b);\n.import l.txt l\nselect * from l;')"
check "import without a file" $'Error: cannot open "nofile"\nexit 1' "$(feed '.import nofile t')"
check "import reports rows that fail" \
  $'u.csv:2: INSERT failed: UNIQUE constraint failed: u.a\n2\nexit 0' \
  "$(printf '1\n1\n2\n' > u.csv; feed $'create table u(a unique);\n.import --csv u.csv u\nselect count(*) from u;')"
check "import renames columns that occur twice" "$(cat <<'T'
Columns renamed during .import d.csv due to duplicates:
"a" to "a_1",
"a" to "a_2",
"?" to "?_4",
"?" to "?_5"
CREATE TABLE IF NOT EXISTS "dup"(
"a_1" TEXT, "a_2" TEXT, "b" TEXT, "?_4" TEXT,
 "?_5" TEXT);
exit 0
T
)" "$(printf 'a,a,b,,\n1,2,3,4,5\n' > d.csv; feed $'.import --csv d.csv dup\n.schema dup')"

cat > e.sql <<'T'
create table t1(id integer primary key autoincrement, a text default 'x', b);
create table "we ird"("a b" int, c) ;
create table wr(a,b, primary key(a,b)) without rowid;
create index i1 on t1(a);
create view v1 as select * from t1;
insert into t1 values(5,'it''s',x'0102'),(6,'a
b',null),(7,'a'||char(13)||'\n',1.25),(8,'é',0.1),(9,'a'||char(0)||'b',9e999);
insert into "we ird" values(1,9223372036854775807);
insert into wr values(1,2);
create trigger tr1 after insert on t1 begin select 1; end;
T
rm -f e.db; "$godwit" e.db < e.sql
check "dump" "$(cat <<'T'
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE t1(id integer primary key autoincrement, a text default 'x', b);
INSERT INTO t1 VALUES(5,'it''s',X'0102');
INSERT INTO t1 VALUES(6,replace('a\nb','\n',char(10)),NULL);
INSERT INTO t1 VALUES(7,replace('a\r\n','\r',char(13)),1.25);
INSERT INTO t1 VALUES(8,'é',0.1);
INSERT INTO t1 VALUES(9,CAST(X'610062' AS TEXT),9.0e+999);
CREATE TABLE IF NOT EXISTS "we ird"("a b" int, c);
INSERT INTO "we ird" VALUES(1,9223372036854775807);
CREATE TABLE wr(a,b, primary key(a,b)) without rowid;
INSERT INTO wr VALUES(1,2);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('t1',9);
CREATE INDEX i1 on t1(a);
CREATE VIEW v1 as select * from t1;
CREATE TRIGGER tr1 after insert on t1 begin select 1; end;
COMMIT;
exit 0
T
)" "$(run e.db .dump)"
"$godwit" e.db .dump > dump1.sql
rm -f f.db; "$godwit" f.db < dump1.sql
check "a dump reads back to the same dump" "$(cat dump1.sql)" "$("$godwit" f.db .dump)"
check "dump of one table" $'PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\nCREATE TABLE wr(a,b, primary key(a,b)) without rowid;\nINSERT INTO wr VALUES(1,2);\nCOMMIT;\nexit 0' \
  "$(run e.db '.dump wr')"
if command -v sqlite3 > /dev/null; then
  rm -f g.db; sqlite3 g.db < dump1.sql
  check "sqlite3 reads the dump" "$(cat dump1.sql)" "$("$godwit" g.db .dump)"
fi
