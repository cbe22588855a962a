#!/usr/bin/env bash
# Perl's DBD::SQLite (Debian: libdbd-sqlite3-perl), each part of its interface.
set -uo pipefail
source "$(dirname "$0")/client.sh"
need perl perl
perl -MDBD::SQLite -e 1 2>/dev/null || {
  apt-get install -y -qq libdbd-sqlite3-perl >/dev/null 2>&1 || skip "no DBD::SQLite here"
}
cat >"$work/test.pl" <<'PERL'
use strict; use warnings; use DBI; use DBD::SQLite::Constants qw(:all);
my $db = DBI->connect("dbi:SQLite:dbname=test.db", "", "", {RaiseError => 0, PrintError => 0, sqlite_unicode => 1});
sub show { print join("|", map { !defined $_ ? "undef" : ref $_ ? join(",", map { $_ // "undef" } @$_) : $_ } @_), "\n"; }
show "create", $db->do("CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT NOT NULL, c BLOB)");
my $insert = $db->prepare("INSERT INTO t(b, c) VALUES(?, ?)");
show "insert", $insert->execute("row $_", pack("C", $_)) for 1 .. 3;
show "last id", $db->last_insert_id("", "", "t", "");
show "rows", @{$db->selectall_arrayref("SELECT a, b, hex(c) FROM t")};
show "null", $insert->execute(undef, 1), $db->err, $db->errstr;
show "syntax", $db->do("SELEKT 1"), $db->err, $db->errstr;
show "unicode", $db->selectrow_array("SELECT length(?)", {}, "\x{263a}\x{1f600}");
$db->sqlite_create_function("twice", 1, sub { 2 * $_[0] });
show "function", $db->selectrow_array("SELECT twice(21)");
{ package Joiner; sub new { bless [], shift } sub step { push @{$_[0]}, $_[1] } sub finalize { join "+", @{$_[0]} } }
$db->sqlite_create_aggregate("joined", 1, "Joiner");
show "aggregate", $db->selectrow_array("SELECT joined(a) FROM t");
$db->sqlite_create_collation("backwards", sub { $_[1] cmp $_[0] });
show "collation", map { $_->[0] } @{$db->selectall_arrayref("SELECT b FROM t ORDER BY b COLLATE backwards")};
my @seen;
$db->sqlite_update_hook(sub { push @seen, join " ", @_ });
$db->do("UPDATE t SET b = 'x' WHERE a = 2");
show "update hook", @seen;
$db->sqlite_update_hook(undef);
my $commits = 0; $db->sqlite_commit_hook(sub { $commits++; 0 });
my $rollbacks = 0; $db->sqlite_rollback_hook(sub { $rollbacks++ });
$db->begin_work; $db->do("DELETE FROM t WHERE a = 1"); $db->rollback;
$db->begin_work; $db->do("DELETE FROM t WHERE a = 1"); $db->commit;
show "hooks", $commits, $rollbacks;
$db->sqlite_commit_hook(undef);
my @asked; $db->sqlite_set_authorizer(sub { push @asked, join " ", map { $_ // "-" } @_; DBD::SQLite::OK });
$db->selectall_arrayref("SELECT b FROM t"); $db->sqlite_set_authorizer(undef);
show "authorizer", @asked;
show "deny", do { $db->sqlite_set_authorizer(sub { $_[0] == DBD::SQLite::READ ? DBD::SQLite::DENY : DBD::SQLite::OK });
  my @r = ($db->selectall_arrayref("SELECT b FROM t"), $db->errstr); $db->sqlite_set_authorizer(undef); @r };
my $traced = ""; $db->sqlite_trace(sub { $traced .= $_[0] . ";" });
$db->selectrow_array("SELECT ?", {}, 5); $db->sqlite_trace(undef);
show "trace", $traced;
my $profiled = 0; $db->sqlite_profile(sub { $profiled++ }); $db->selectrow_array("SELECT 1"); $db->sqlite_profile(undef);
show "profile", $profiled;
my $ticks = 0; $db->sqlite_progress_handler(1, sub { $ticks++; 0 });
$db->selectrow_array("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x < 5000) SELECT max(x) FROM c");
$db->sqlite_progress_handler(0, undef);
show "progress", $ticks > 0 ? "called" : "not called";
show "backup", $db->sqlite_backup_to_file("copy.db");
my $copy = DBI->connect("dbi:SQLite:dbname=copy.db");
show "copied", @{$copy->selectall_arrayref("SELECT a, b FROM t")};
$copy->do("DELETE FROM t"); show "back", $copy->sqlite_backup_from_file("test.db");
show "again", $copy->selectrow_array("SELECT count(*) FROM t");
show "columns", map { $_->{COLUMN_NAME} . ":" . $_->{TYPE_NAME} } @{$db->column_info(undef, undef, "t", "%")->fetchall_arrayref({})};
show "tables", map { s/"//gr } $db->tables(undef, undef, "%", "TABLE");
show "key", map { $_->[3] } @{$db->primary_key_info(undef, undef, "t")->fetchall_arrayref};
show "metadata", map { $db->sqlite_table_column_metadata("main", "t", $_)->{data_type} // "-" } qw(a b c);
show "busy", $db->sqlite_busy_timeout(100);
show "limit", $db->sqlite_limit(SQLITE_LIMIT_COLUMN), $db->sqlite_limit(SQLITE_LIMIT_COLUMN, 10), $db->sqlite_limit(SQLITE_LIMIT_COLUMN);
my $st = $db->prepare("SELECT a, b FROM t"); $st->execute;
show "statement", $st->{NUM_OF_FIELDS}, $st->{NAME}, $st->{TYPE};
show "db status", exists $db->sqlite_db_status->{cache_used} ? "given" : "none";
show "file", ($db->sqlite_db_filename =~ m,([^/]*)$,)[0];
show "txn", $db->sqlite_txn_state // "-";
show "table_info", $db->do("ATTACH ':memory:' AS m"), map { $_->[1] } @{$db->selectall_arrayref("PRAGMA database_list")};
$st->finish; undef $st; undef $insert;
show "disconnect", $db->disconnect;
PERL
same_program perl "$work/test.pl"
finish
