#!/usr/bin/env bash
# The system's sqlite3 command, linked dynamically, on this library: queries, dot commands, and dumps
# that make the same database again. It refuses a library of another check-in than its own, so it is
# told what it wants to hear.
set -uo pipefail
source "$(dirname "$0")/client.sh"
need sqlite3 sqlite3
shell=$(command -v sqlite3)
[[ $(ldd "$shell") == *libsqlite3* ]] || skip "sqlite3 is not linked with a shared libsqlite3"
GODWIT_SQLITE_SOURCEID=$("$shell" --version | sed 's/^[^ ]* //')
export GODWIT_SQLITE_SOURCEID
cd "$work" || exit 1

cat >make.sql <<'SQL'
CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL, d BLOB, e);
INSERT INTO t VALUES(1,'it''s',1.5,x'00ff',NULL),(2,'line
break',-0.0,x'','5'),(3,'äöü',65536.0,zeroblob(3),5);
WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i+1 FROM n WHERE i<500)
 INSERT INTO t SELECT i, printf('row %d',i), 1.5, NULL, i%3 FROM n;
CREATE INDEX tb ON t(b COLLATE NOCASE, c DESC);
CREATE UNIQUE INDEX te ON t(a, e) WHERE e > 1;
CREATE VIEW v AS SELECT a, b FROM t WHERE a < 3;
CREATE TABLE "odd name"("q""x" UNIQUE, y DEFAULT 'd', z AS (y || '!'));
INSERT INTO "odd name" VALUES(1,2);
CREATE TABLE w(k TEXT, v, PRIMARY KEY(k, v)) WITHOUT ROWID;
INSERT INTO w VALUES('x',1),('x',2);
CREATE TABLE s(i INTEGER PRIMARY KEY AUTOINCREMENT, n) STRICT;
CREATE TRIGGER tr AFTER INSERT ON w BEGIN UPDATE t SET e = new.v WHERE a = 1; END;
PRAGMA user_version = 7;
SQL
sed -i 's/, n) STRICT/, n INT) STRICT/' make.sql

ours() { with_ours "$shell" "$@" 2>&1; }
theirs() { "$shell" "$@" 2>&1; }
same() { check "$1" "$(theirs "${@:2}")" "$(ours "${@:2}")"; }

check "starts" "1|2" "$(ours :memory: 'SELECT 1, 2')"
theirs a.db <make.sql
ours b.db <make.sql
check "makes the same database" "$(theirs a.db .dump)" "$(theirs b.db .dump)"
check "dumps as the other" "$(theirs a.db .dump)" "$(ours a.db .dump)"
ours a.db .dump | ours c.db
check "takes its dump back" "$(theirs a.db .dump)" "$(theirs c.db .dump)"
check "is sound" "ok" "$(theirs c.db 'PRAGMA integrity_check')"
for mode in list csv json column box markdown html insert quote line tabs; do
  same "mode $mode" -cmd ".mode $mode" a.db 'SELECT * FROM t LIMIT 12'
done
for command in .tables .schema .indexes .fullschema '.schema t' .databases '.lint fkey-indexes' \
               '.show' '.sha3sum'; do
  case $command in
    .databases) check "$command" "$(theirs a.db "$command" | sed "s, .*/, ,")" \
                                 "$(ours a.db "$command" | sed "s, .*/, ,")" ;;
    *) same "$command" a.db "$command" ;;
  esac
done
# Debian's library has no sqlite_dbpage, which .dbinfo reads.
check ".dbinfo" "database page size:  4096" "$(ours a.db .dbinfo | head -1)"
same "errors" a.db 'SELECT nosuch FROM t'
same "constraints" a.db "INSERT INTO t(a) VALUES(1)"
same "explain query plan" a.db 'EXPLAIN QUERY PLAN SELECT * FROM t WHERE b = 1 COLLATE NOCASE ORDER BY c'
ours a.db '.backup d.db'
check ".backup" "$(theirs a.db .dump)" "$(theirs d.db .dump)"
ours e.db '.restore a.db'
check ".restore" "$(theirs a.db .dump)" "$(theirs e.db .dump)"
ours a.db '.clone f.db' >clone.txt
check ".clone" "ok" "$(theirs f.db 'PRAGMA integrity_check')"
ours a.db '.output out.csv' '.mode csv' 'SELECT a, b FROM t' >/dev/null
check ".output" "$(theirs -csv a.db 'SELECT a, b FROM t' | tr -d '\r')" "$(tr -d '\r' <out.csv)"
ours g.db 'CREATE TABLE c(a, b)' '.import --csv out.csv c' >/dev/null
check ".import" "$(theirs a.db 'SELECT count(*) FROM t')" "$(theirs g.db 'SELECT count(*) FROM c')"
same "-readonly" -readonly a.db 'DELETE FROM t'
same ".parameter" -cmd '.parameter init' -cmd '.parameter set :x 5' a.db 'SELECT :x + 1'
same "deserialize" -deserialize a.db 'SELECT count(*) FROM t'
finish
