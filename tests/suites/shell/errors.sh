# Errors, exit codes and options.
check "parse error of piped input" "$(cat <<'T'
Parse error near line 1: near "selec": syntax error
  selec 1;
  ^--- error here
2
exit 1
T
)" "$(feed $'selec 1;\nselect 2;')"
check "the arrow changes sides" "$(cat <<'T'
Parse error near line 1: near "long": syntax error
  select 1  from  x where a long line that goes on and on and on and on and on a
              error here ---^
exit 1
T
)" "$(feed $'select 1\n from\n x where a long line that goes on and on and on and on and on and on and on and on;')"
check "runtime error with its code" \
  $'Runtime error near line 3: UNIQUE constraint failed: t.a (19)\n5\nexit 1' \
  "$(feed $'create table t(a primary key);\ninsert into t values(1);\ninsert into t values(1);\nselect 5;')"
check "error of an argument" \
  $'Error: in prepare, near "selec": syntax error\n  selec 1\n  ^--- error here\nexit 1' \
  "$(run :memory: 'selec 1' 'select 2')"
check "exit code of a failed step is the error code" \
  $'Error: stepping, UNIQUE constraint failed: t.a (19)\nexit 19' \
  "$(run :memory: 'create table t(a primary key); insert into t values(1); insert into t values(1)')"
check "bail stops" $'Parse error near line 2: no such table: x\nexit 1' \
  "$(feed $'.bail on\nselect * from x;\nselect 2;')"
check "bail as an option" $'Parse error near line 1: no such table: x\nexit 1' \
  "$(feed $'select * from x;\nselect 2;' -bail)"
check "a failed -cmd does not stop" $'Error: in prepare, no such table: x\n4\nexit 0' \
  "$(run -cmd 'select * from x' :memory: 'select 4')"
check "unknown option" \
  $'godwit: Error: unknown option: -foo\nUse -help for a list of options.\nexit 1' \
  "$(run --foo | sed "s|^$godwit|godwit|")"
check "missing argument" $'godwit: Error: missing argument to -separator\nexit 1' \
  "$(run -separator | sed "s|^$godwit|godwit|")"
check "database that cannot be opened" \
  $'Error: unable to open database "no/x.db": unable to open database file\nexit 1' \
  "$(run no/x.db 'select 1')"
check "two dashes end the options" $'1\nexit 0' "$(run -- :memory: 'select 1')"
check "options after the file" $'a\n1\nexit 0' "$(run :memory: -header 'select 1 as a')"
check "separator and newline" $'1;2.exit 0' "$(run -separator ';' -newline . :memory: 'select 1,2')"
check "init file" $'7\n4\nexit 0' "$(echo 'select 7;' > init.sql; run -init init.sql :memory: 'select 4')"
check "echo" $'select 1;\n1\nexit 0' "$(feed 'select 1;' -echo)"
check "readonly" $'Error: stepping, attempt to write a readonly database (8)\nexit 8' \
  "$("$godwit" ro.db 'create table t(a)'; run -readonly ro.db 'insert into t values(1)')"
check "statement over several lines, slash and go" $'5\n1\n2\n3\nexit 0' \
  "$(feed $'select 2\n+3;\nselect 1\n/\nselect 2\nGO\nselect 3')"
check "comments alone are no statement" $'1\nexit 0' "$(feed $'-- a\n/* b\n; */\nselect 1; -- c\n# d')"
check "triggers have semicolons inside" $'2\nexit 0' "$(feed "create table t(a); create table u(a);
create trigger r after insert on u begin
  select 1;
end;
insert into t values(2);
select * from t;")"
check "interactive prompts" "$(cat <<'T'
Enter ".help" for usage hints.
Connected to a transient in-memory database.
Use ".open FILENAME" to reopen on a persistent database.
godwit> 5
godwit>    ...> 6
godwit> 
exit 0
T
)" "$(feed $'select 5;\nselect\n6;' -interactive | tail -n +2)"
