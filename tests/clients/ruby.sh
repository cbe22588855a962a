#!/usr/bin/env bash
# Ruby's sqlite3 (Debian: ruby-sqlite3), each part of its interface.
set -uo pipefail
source "$(dirname "$0")/client.sh"
need ruby ruby ruby-sqlite3
ruby -e 'require "sqlite3"' 2>/dev/null || {
  apt-get install -y -qq ruby-sqlite3 >/dev/null 2>&1 || skip "no ruby-sqlite3 here"
}
cat >"$work/test.rb" <<'RUBY'
require 'sqlite3'
def show(name) puts "#{name} #{yield.inspect}"
rescue SQLite3::Exception => e then puts "#{name} #{e.class}: #{e.message.lines.first.chomp}"
end
db = SQLite3::Database.new 'test.db'
show('create') { db.execute_batch "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT NOT NULL, c BLOB); CREATE INDEX i ON t(b)" }
show('insert') { 3.times.map { |i| db.execute 'INSERT INTO t(b, c) VALUES(?, ?)', ["row #{i}", SQLite3::Blob.new("\x00\xff".b)]; [db.last_insert_row_id, db.changes] } }
show('rows') { db.execute 'SELECT a, b, hex(c) FROM t' }
show('hash') { db.results_as_hash = true; r = db.execute('SELECT a, b FROM t LIMIT 1'); db.results_as_hash = false; r.map(&:to_a) }
show('null') { db.execute 'INSERT INTO t(b) VALUES(NULL)' }
show('unique') { db.execute 'INSERT INTO t(a, b) VALUES(1, 2)' }
show('syntax') { db.execute 'SELEKT' }
show('total') { [db.total_changes, db.get_first_value('SELECT count(*) FROM t'), db.get_first_row('SELECT 1, 2.5, NULL')] }
show('named') { db.execute 'SELECT :x, $y, @z', { 'x' => 1, 'y' => 'b', 'z' => nil } }
st = db.prepare 'SELECT a, b AS name FROM t WHERE a > ?'
show('statement') { st.bind_params 1; [st.columns, st.types, st.bind_parameter_count, st.to_a] }
show('unicode') { db.get_first_value 'SELECT length(?)', ["\u263a\u{1f600}"] }
db.create_function('twice', 1) { |f, x| f.result = 2 * x }
show('function') { db.get_first_value 'SELECT twice(21)' }
db.create_aggregate('joined', 1) { step { |f, v| (f[:all] ||= []) << v }; finalize { |f| f.result = f[:all].join('+') } }
show('aggregate') { db.get_first_value 'SELECT joined(a) FROM t' }
db.collation('backwards', Class.new { def compare(a, b) = b <=> a }.new)
show('collation') { db.execute 'SELECT b FROM t ORDER BY b COLLATE backwards' }
asked = []
db.authorizer { |*q| asked << q; 0 }
show('authorizer') { db.execute('SELECT b FROM t WHERE a = 1'); asked }
db.authorizer { |a, *| a == 20 ? 1 : 0 }
show('deny') { db.execute 'SELECT b FROM t' }
db.authorizer = nil
traced = []
db.trace { |sql| traced << sql }
show('trace') { db.execute('SELECT ?', [5]); traced }
db.trace
show('transaction') { db.transaction { db.execute 'DELETE FROM t' ; db.rollback }; db.get_first_value 'SELECT count(*) FROM t' }
show('backup') { copy = SQLite3::Database.new('copy.db'); b = SQLite3::Backup.new(copy, 'main', db, 'main'); r = [b.step(1), b.remaining, b.pagecount, b.step(-1)]; b.finish; r + copy.execute('SELECT count(*) FROM t') }
show('pragmas') { [db.table_info('t').map { |c| [c['name'], c['type'], c['notnull'], c['pk']] }, db.index_list('t').map { |i| i.is_a?(Hash) ? i['name'] : i[1] }, db.encoding, db.foreign_keys, db.user_version] }
show('filename') { File.basename db.filename }
show('complete') { [db.complete?('SELECT 1;'), db.complete?('SELECT')] }
show('busy') { db.busy_timeout 10; db.busy_handler { |n| n < 2 } ; other = SQLite3::Database.new('test.db'); other.execute 'BEGIN IMMEDIATE'; db.execute 'DELETE FROM t' }
show('readonly') { SQLite3::Database.new('test.db', readonly: true).execute 'CREATE TABLE q(a)' }
show('uri') { SQLite3::Database.new('file:test.db?mode=ro').execute 'SELECT count(*) FROM t' }
show('errcode') { db.interrupt; [db.errcode, db.errmsg, db.transaction_active?] }
st.close
show('close') { db.close; db.closed? }
RUBY
same_program ruby -W0 "$work/test.rb"
finish
