# .recover and .dbinfo: databases are damaged in several ways, and what .recover writes is loaded by the
# system's sqlite3.

if command -v sqlite3 >/dev/null && command -v python3 >/dev/null; then

make_database() {  # NAME [PRAGMA...]
  rm -f "$1"
  sqlite3 "$1" "${2:-}" "
    CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, r REAL);
    CREATE TABLE plain(x, \"a column\" BLOB);
    CREATE TABLE w(p TEXT, q, r INT, PRIMARY KEY(r, p)) WITHOUT ROWID;
    CREATE TABLE g(z, s AS (z * 2) STORED, v AS (z + 1), last);
    CREATE TABLE counted(i INTEGER PRIMARY KEY AUTOINCREMENT, v);
    CREATE INDEX t_a ON t(a);
    CREATE UNIQUE INDEX plain_x ON plain(x);
    CREATE VIEW seen AS SELECT count(*) AS n FROM t;
    CREATE TRIGGER fires AFTER INSERT ON counted BEGIN UPDATE t SET a = a WHERE id < 0; END;
    INSERT INTO t WITH RECURSIVE c(n) AS (VALUES(1) UNION ALL SELECT n + 1 FROM c WHERE n < 2000)
      SELECT n, 'row ' || n, n FROM c;
    INSERT INTO plain VALUES('it''s' || char(10) || 'two lines', x'00ff'), (NULL, zeroblob(9000)), (9e999, 'é€😀');
    INSERT INTO w VALUES('b', 1.5, 3), ('a', NULL, 7);
    INSERT INTO g(z, last) VALUES(20, 'end');
    INSERT INTO counted(v) VALUES('one'), ('two');
    DELETE FROM counted WHERE i = 2;
    ANALYZE;" >/dev/null
}

# What a recovered database holds.
recovered() {  # DATABASE SQL [OPTIONS]
  rm -f new.db
  printf '.recover %s\n' "${3:-}" | "$godwit" "$1" >script.sql 2>errors.txt
  sqlite3 new.db <script.sql >load.txt 2>&1 || true
  # An index, say, of a table that could not be made.
  sed -i '/defensive/d; /no such table: main/d' load.txt
  cat errors.txt load.txt
  sqlite3 new.db "$2; PRAGMA integrity_check"
}

damage() {  # FILE OFFSET HEX-BYTES [COUNT]
  python3 -c '
import sys
with open(sys.argv[1], "r+b") as f:
    f.seek(int(sys.argv[2])); f.write(bytes.fromhex(sys.argv[3]) * int(sys.argv[4]))' "$1" "$2" "$3" "${4:-1}"
}
root_of() { sqlite3 "$1" "SELECT rootpage FROM sqlite_schema WHERE name = '$2'"; }

everything="SELECT count(*), sum(id), sum(r), min(typeof(r)), max(a) FROM t;
SELECT rowid, quote(x), quote(\"a column\") FROM plain WHERE length(\"a column\") < 100;
SELECT length(\"a column\") FROM plain WHERE x IS NULL; SELECT * FROM w ORDER BY r; SELECT * FROM g;
SELECT * FROM counted; SELECT name, seq FROM sqlite_sequence; SELECT n FROM seen; PRAGMA user_version;
SELECT group_concat(name, ' ') FROM (SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' AND name NOT LIKE 'lost%' ORDER BY name)"
for encoding in UTF-8 UTF-16le UTF-16be; do
  make_database sound.db "PRAGMA encoding='$encoding'; PRAGMA user_version=42;"
  check "recover: a sound database, $encoding" "$(sqlite3 sound.db "$everything; PRAGMA integrity_check")" \
    "$(recovered sound.db "$everything" --ignore-freelist)"
done

make_database r.db "PRAGMA page_size=1024;"
damage r.db 0 00 16
check "recover: no magic at the start" "2000|2001000
ok" "$(recovered r.db 'SELECT count(*), sum(id) FROM t')"

make_database r.db "PRAGMA page_size=1024;"
damage r.db 0 ff 100
check "recover: the file header is gone" "2000|2001000
ok" "$(recovered r.db 'SELECT count(*), sum(id) FROM t')"

make_database r.db "PRAGMA page_size=1024;"
root=$(root_of r.db t)
damage r.db $(((root - 1) * 1024)) 00 1024
check "recover: the root of a table is gone, its leaves are lost and found" "0
2000|2001000
ok" "$(recovered r.db 'SELECT count(*) FROM t; SELECT count(DISTINCT id), sum(id) FROM lost_and_found WHERE nfield = 3 AND id IS NOT NULL')"
check "recover: another name for them" "2000
ok" "$(recovered r.db 'SELECT count(*) FROM attic WHERE nfield = 3 AND id IS NOT NULL' '--lost-and-found attic')"

make_database r.db "PRAGMA page_size=1024;"
damage r.db 0 ff 1024
check "recover: page 1 is gone" "2000|2001000
ok" "$(recovered r.db 'SELECT count(*), sum(id) FROM lost_and_found WHERE nfield = 3 AND id IS NOT NULL AND c0 IS NULL')"

make_database r.db "PRAGMA page_size=1024;"
sqlite3 r.db "PRAGMA writable_schema=on; UPDATE sqlite_schema SET sql = 'CREATE TABLE t(((' WHERE name = 't'"
check "recover: the text of a table is damaged" "2000
ok" "$(recovered r.db 'SELECT count(*) FROM lost_and_found WHERE nfield = 3 AND id IS NOT NULL AND c0 IS NULL')"

make_database r.db "PRAGMA page_size=1024;"
truncate -s $(($(stat -c %s r.db) / 2)) r.db
check "recover: half of the file" "1
ok" "$(recovered r.db 'SELECT (SELECT count(*) FROM t) > 500')"

make_database r.db "PRAGMA page_size=1024;"
for offset in 3000 9000 15000 21000 27000; do damage r.db $offset a5 700; done
check "recover: noise on five pages" "1
ok" "$(recovered r.db 'SELECT count(*) > 1500 FROM t')"

make_database r.db
sqlite3 r.db "PRAGMA secure_delete=off; DELETE FROM t" >/dev/null
check "recover: deleted rows come from free pages" "1
ok" "$(recovered r.db 'SELECT count(*) > 1000 FROM lost_and_found')"
check "recover: free pages are left out" "0
ok" "$(recovered r.db "SELECT count(*) FROM sqlite_schema WHERE name = 'lost_and_found'" --ignore-freelist)"

make_database r.db
check "recover: without rowids" "1 2 3
ok" "$(sqlite3 r.db 'DELETE FROM plain; INSERT INTO plain(rowid, x) VALUES(7, 1), (8, 2), (20, 3)'
       recovered r.db "SELECT group_concat(rowid, ' ') FROM plain" --no-rowids)"

check "recover: an option that does not exist" "unexpected option: --bogus" \
  "$(printf '.recover --bogus\n' | "$godwit" r.db 2>&1 | head -1)"

make_database r.db "PRAGMA page_size=1024; PRAGMA auto_vacuum=incremental; PRAGMA user_version=42;"
check "dbinfo" "database page size:  1024
write format:        1
read format:         1
reserved bytes:      0
schema format:       4
default cache size:  0
incremental vacuum:  1
text encoding:       1 (utf8)
user version:        42
application id:      0
number of tables:    7
number of indexes:   2
number of triggers:  1
number of views:     1" \
  "$("$godwit" r.db .dbinfo | grep -Ev 'counter|count:|cookie|top root|software|schema size|data version')"
check "dbinfo: all lines" "22" "$("$godwit" r.db .dbinfo | wc -l)"

fi
