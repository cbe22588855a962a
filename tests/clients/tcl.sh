#!/usr/bin/env bash
# Tcl's sqlite3 (Debian: libsqlite3-tcl), each part of its interface.
set -uo pipefail
source "$(dirname "$0")/client.sh"
need tclsh tcl libsqlite3-tcl
echo 'package require sqlite3' | tclsh >/dev/null 2>&1 || {
  apt-get install -y -qq libsqlite3-tcl >/dev/null 2>&1 || skip "no libsqlite3-tcl here"
}
cat >"$work/test.tcl" <<'TCL'
package require sqlite3
proc show {name script} { set code [catch {uplevel $script} result]; puts "$name: $code $result" }
sqlite3 db test.db
show create { db eval {CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT UNIQUE, c)} }
set x "it's"; set y [binary format H* 00ff]
show insert { db eval {INSERT INTO t(b, c) VALUES($x, @y), ('two', 2.5), (NULL, NULL)}; list [db last_insert_rowid] [db changes] [db total_changes] }
show rows { set out {}; db eval {SELECT *, typeof(c) FROM t} row { lappend out $row(a) $row(b) [string length $row(c)] $row(typeof(c)) }; set out }
show one { list [db onecolumn {SELECT count(*) FROM t}] [db exists {SELECT 1 FROM t WHERE a=9}] [db eval {SELECT a FROM t}] }
show unique { db eval {INSERT INTO t(b) VALUES('two')} }
show code { list [db errorcode] [db complete {SELECT 1;}] [db complete {SELECT}] }
show syntax { db eval {SELEKT} }
db function twice {apply {{v} {expr {2*$v}}}}
show function { db onecolumn {SELECT twice(21)} }
db collate backwards {apply {{a b} {string compare $b $a}}}
show collation { db eval {SELECT b FROM t WHERE b NOT NULL ORDER BY b COLLATE backwards} }
show collneeded { db collation_needed {db collate later {string compare};#}; db eval {SELECT 'a' < 'b' COLLATE later} }
set seen {}
db update_hook {lappend ::seen}; db commit_hook {lappend ::seen commit; expr 0}; db rollback_hook {lappend ::seen rollback}
show hooks { db eval {UPDATE t SET c=1 WHERE a=1}; catch {db transaction {db eval {DELETE FROM t}; error no}}; set ::seen }
db update_hook {}; db commit_hook {}; db rollback_hook {}
set asked {}
proc ask args { lappend ::asked [lrange $args 0 4]; return SQLITE_OK }
db auth ask; show authorizer { db eval {SELECT b FROM t WHERE a=1}; set ::asked }
proc deny {code args} { if {$code eq "SQLITE_READ"} {return SQLITE_DENY}; return SQLITE_OK }
db auth deny; show deny { db eval {SELECT b FROM t} }; db auth {}
set traced {}
db trace {lappend ::traced}; show trace { db eval {SELECT $x}; set ::traced }; db trace {}
set n 0; db progress 1 {incr ::n; expr 0}; show progress { db eval {SELECT count(*) FROM t, t, t, t}; expr {$::n > 0} }; db progress 0 {}
show nested { db transaction { db eval {INSERT INTO t(b) VALUES('n')}; catch { db transaction { db eval {DELETE FROM t}; error x } } }; db onecolumn {SELECT count(*) FROM t} }
show backup { db backup copy.db; sqlite3 copy copy.db -readonly 1; set r [copy eval {SELECT count(*) FROM t}]; copy close; set r }
show restore { sqlite3 r :memory:; r restore copy.db; set v [r eval {SELECT count(*) FROM t}]; r close; set v }
show blob { set f [db incrblob t c 1]; catch {read $f} e; close $f; set e }
show null { db nullvalue NULL; db eval {SELECT b FROM t WHERE a=3} }
show serialize { set image [db serialize]; sqlite3 d :memory:; d deserialize $image; set v [d eval {SELECT count(*) FROM t}]; d close; list [expr {[string length $image] > 4096}] $v }
show config { list [db config enable_fkey] [db config defensive 1] [db config defensive] }
show status { list [db status step] [db status sort] [db cache size 5] [db timeout 10] }
show version { string equal [sqlite3 -version] [db version] }
show close { db close }
TCL
same_program tclsh "$work/test.tcl"
finish
