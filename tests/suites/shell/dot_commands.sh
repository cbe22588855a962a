# Dot commands about settings, files and the schema.
check "unknown command" \
  $'Error: unknown command or invalid arguments:  "foo". Enter ".help" for help\nexit 1' \
  "$(feed .foo)"
check "usages" "$(cat <<'T'
Usage: .headers on|off
Usage: .separator COL ?ROW?
Usage: .read FILE
Usage: .timer on|off
Usage: .nullvalue STRING
Error: cannot open "nosuch"
ERROR: Not a boolean value: "foo". Assuming "no".
exit 1
T
)" "$(feed $'.headers\n.separator\n.read\n.timer\n.nullvalue\n.read nosuch\n.headers foo')"
check "mode" "$(cat <<'T'
current output mode: box --wrap 10 --wordwrap off --quote
Error: mode should be one of: ascii box column csv html insert json line list markdown qbox quote table tabs tcl
exit 1
T
)" "$(feed $'.mode box --wrap 10 --quote\n.mode\n.mode nosuch')"
check "print and words" $'a b c d e\tf \\t\nexit 0' "$(feed $'.print a b "c d" e\\tf \'\\t\'')"
check "exit code" $'exit 7' "$(feed $'.exit 7\nselect 1;')"
check "quit" $'exit 0' "$(feed $'.quit\nselect 1;')"
check "once and output" $'2\n4\n--\n1\n3\nfoo\nexit 0' "$(feed $'.once o1\nselect 1;\nselect 2;\n.output o2\nselect 3;\n.print foo\n.output\nselect 4;\n.print --\n.read "|printf \'.print \'; cat o1"\n.read "|sed s/^/.print\\\\ / o2"')"
check "changes" $'changes: 2   total_changes: 2\n1\nchanges: 2   total_changes: 2\nexit 0' \
  "$(feed $'create table t(a);\n.changes on\ninsert into t values(1),(2);\nselect 1;')"
check "timer" $'1\nRun Time: real N user N sys N\nexit 0' \
  "$(feed $'.timer on\nselect 1;' | sed -E 's/[0-9]+\.[0-9]+/N/g')"
check "read counts its own lines" $'Parse error near line 2: no such table: y\n9\nexit 1' \
  "$(printf '\nselect * from y;\n' > bad.sql; feed $'.read bad.sql\nselect 9;')"
check "help of one command" $'.quit                    Exit this program\nexit 0' "$(feed '.help quit')"
check "nothing to help with" $'Nothing matches \'zz\'\nexit 0' "$(feed '.help zz')"

rm -f s.db; "$godwit" s.db <<'T'
create table t1(id integer primary key autoincrement, a text default 'x', b blob);
create table "we ird"("a b" int, c);
create index i1 on t1(a);
create view v1 as select * from t1;
T
check "tables" $'t1      v1      we ird\nexit 0' "$(run s.db .tables)"
check "tables of a pattern" $'t1\nexit 0' "$(run s.db '.tables t%')"
check "indexes" $'i1\nexit 0' "$(run s.db .indexes)"
check "databases" "main: $work/s.db r/w"$'\nexit 0' "$(run s.db .databases)"
check "schema" "$(cat <<'T'
CREATE TABLE t1(id integer primary key autoincrement, a text default 'x', b blob);
CREATE TABLE sqlite_sequence(name,seq);
CREATE TABLE IF NOT EXISTS "we ird"("a b" int, c);
CREATE INDEX i1 on t1(a);
CREATE VIEW v1 as select * from t1
/* v1(id,a,b) */;
exit 0
T
)" "$(run s.db .schema)"
check "schema of a pattern, indented" "$(cat <<'T'
CREATE TABLE t1(
  id integer primary key autoincrement,
  a text default 'x',
  b blob
);
CREATE INDEX i1 on t1(a);
exit 0
T
)" "$(run s.db '.schema t1 --indent')"
check "attached databases" $'aux1.zz  t1       temp.tt  v1       we ird \nexit 0' \
  "$(feed $'attach \':memory:\' as aux1; create table aux1.zz(a); create temp table tt(a);\n.tables' s.db)"
check "open" $'t1      v1      we ird\nexit 0' "$(feed $'.open s.db\n.tables\n.open --new n.db\n.tables')"
