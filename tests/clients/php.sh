#!/usr/bin/env bash
# PHP's sqlite3 and pdo_sqlite (Debian: php-sqlite3), each part of their interfaces.
set -uo pipefail
source "$(dirname "$0")/client.sh"
need php php-cli php-sqlite3
php -m | grep -q sqlite3 || skip "no php-sqlite3 here"
cat >"$work/test.php" <<'PHP'
<?php
function show(...$values) { echo json_encode($values, JSON_PARTIAL_OUTPUT_ON_ERROR), "\n"; }
$db = new SQLite3('test.db'); $db->enableExceptions(false);
show($db->exec('CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT UNIQUE, c REAL, d BLOB)'));
$st = $db->prepare('INSERT INTO t(b, c, d) VALUES(:b, ?2, :d)');
foreach ([['x', 1.5, "\0\1"], ['y', null, 'zz'], ['z', 3, '']] as [$b, $c, $d]) {
  $st->bindValue(':b', $b); $st->bindValue(2, $c); $st->bindValue(':d', $d, SQLITE3_BLOB);
  show((bool)$st->execute(), $db->lastInsertRowID(), $db->changes()); $st->reset();
}
show($st->paramCount(), $st->getSQL(true), $st->readOnly());
$r = $db->query('SELECT a, b, c, hex(d) AS h, typeof(c) FROM t');
while ($row = $r->fetchArray(SQLITE3_ASSOC)) show($row);
show($r->numColumns(), $r->columnName(3), $r->columnType(0));
show(@$db->exec("INSERT INTO t(b) VALUES('x')"), $db->lastErrorCode(), $db->lastExtendedErrorCode(), $db->lastErrorMsg());
show(@$db->querySingle('SELECT nosuch'), $db->lastErrorMsg());
show($db->querySingle('SELECT count(*) FROM t'), $db->querySingle('SELECT a, b FROM t', true));
$db->createFunction('twice', fn($x) => 2 * $x, 1);
$db->createAggregate('joined', fn($ctx, $n, $v) => ($ctx ?? '') . $v, fn($ctx, $n) => $ctx . ':' . $n, 1);
$db->createCollation('backwards', fn($a, $b) => strcmp($b, $a));
show($db->querySingle('SELECT twice(21)'), $db->querySingle('SELECT joined(b) FROM t'));
$r = $db->query('SELECT b FROM t ORDER BY b COLLATE backwards'); $all = [];
while ($row = $r->fetchArray(SQLITE3_NUM)) $all[] = $row[0]; show($all);
$asked = []; $db->setAuthorizer(function (...$q) use (&$asked) { $asked[] = $q; return SQLite3::OK; });
$db->querySingle('SELECT b FROM t WHERE a = 1'); $db->setAuthorizer(null); show($asked);
$db->setAuthorizer(fn($a) => $a == SQLite3::READ ? SQLite3::DENY : SQLite3::OK);
show(@$db->querySingle('SELECT b FROM t'), $db->lastErrorMsg()); $db->setAuthorizer(null);
$blob = $db->openBlob('t', 'd', 1, 'main', SQLITE3_OPEN_READWRITE);
show(bin2hex(fread($blob, 10)), fseek($blob, 0), fwrite($blob, "\7"), fclose($blob), $db->querySingle('SELECT hex(d) FROM t'));
$copy = new SQLite3('copy.db'); show($db->backup($copy), $copy->querySingle('SELECT count(*) FROM t'));
show($db->busyTimeout(100), SQLite3::escapeString("it's"));
show($db->exec('BEGIN; DELETE FROM t; ROLLBACK'), $db->querySingle('SELECT count(*) FROM t'));
$r = null; $st->close(); show($db->close(), $copy->close());

$pdo = new PDO('sqlite:pdo.db'); $pdo->setAttribute(PDO::ATTR_ERRMODE, PDO::ERRMODE_SILENT);
show($pdo->exec('CREATE TABLE t(a INTEGER PRIMARY KEY, b)'));
$st = $pdo->prepare('INSERT INTO t(b) VALUES(?)');
foreach ([1, 'two', null, 4.5] as $v) show($st->execute([$v]), $pdo->lastInsertId(), $st->rowCount());
show($pdo->query('SELECT * FROM t')->fetchAll(PDO::FETCH_NUM));
show($pdo->query('SELECT * FROM t')->getColumnMeta(1));
show(@$pdo->exec('INSERT INTO t VALUES(1, 1)'), $pdo->errorInfo());
show(@$pdo->query('SELEKT'), $pdo->errorInfo());
$pdo->beginTransaction(); $pdo->exec('DELETE FROM t'); show($pdo->inTransaction(), $pdo->rollBack());
show($pdo->query('SELECT count(*) FROM t')->fetchColumn());
$pdo->sqliteCreateFunction('plus', fn($a, $b) => $a + $b, 2); show($pdo->query('SELECT plus(1, 2)')->fetchColumn());
$pdo->sqliteCreateAggregate('total2', fn($c, $n, $v) => $c + $v, fn($c, $n) => $c, 1); show($pdo->query('SELECT total2(a) FROM t')->fetchColumn());
$pdo->sqliteCreateCollation('rev', fn($a, $b) => strcmp($b, $a)); show($pdo->query("SELECT 'a' < 'b' COLLATE rev")->fetchColumn());
show($pdo->quote("it's"));
$named = $pdo->prepare('SELECT :x + :y AS s'); show($named->execute([':x' => 1, ':y' => 2]), $named->fetch(PDO::FETCH_ASSOC));
PHP
same_program php "$work/test.php"
finish
