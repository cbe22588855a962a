# Output modes: expected texts, then every mode against the system's sqlite3.
check "list is the default" $'1|a\n2|\nexit 0' "$(feed "SELECT 1,'a'; SELECT 2,NULL;")"
check "headers and null value" $'x|y\n1|N\nexit 0' \
  "$(run -header -nullvalue N :memory: 'SELECT 1 AS x, NULL AS y')"
check "csv quotes what needs it" $'1,"a b","it\'s","q""",,""\nexit 0' \
  "$(run -csv :memory: "SELECT 1,'a b','it''s','q\"',NULL,''")"
check "json" $'[{"a":1,"b":1.5,"c":"x\\n\\"","d":null},\n{"a":2,"b":0.1,"c":"","d":"A\\u0000"}]\nexit 0' \
  "$(run -json :memory: "SELECT 1 AS a, 1.5 AS b, 'x'||char(10)||'\"' AS c, NULL AS d UNION ALL SELECT 2, 0.1, '', x'4100'")"
check "json without rows prints nothing" 'exit 0' "$(run -json :memory: 'SELECT 1 WHERE 0')"
check "quote" $'1,2.0,\'it\'\'s\',X\'00ff\',NULL\nexit 0' \
  "$(run -quote :memory: "SELECT 1, 2.0, 'it''s', x'00ff', NULL")"
check "reals read back exactly" $'0.1,1.0e+17,1.0e-05,9.0e+999,100.0\nexit 0' \
  "$(run -quote :memory: 'SELECT 0.1, 1e17, 1e-5, 9e999, 100.0')"
check "box aligns by display width" "$(cat <<'T'
┌──────┬───┐
│  a   │ b │
├──────┼───┤
│ 日本 │ 1 │
│ é    │ 2 │
└──────┴───┘
exit 0
T
)" "$(run -box :memory: "SELECT '日本' AS a, 1 AS b UNION ALL SELECT 'é', 2")"
check "insert" $'INSERT INTO t(a,"b c") VALUES(1,replace(\'x\\ny\',\'\\n\',char(10)));\nexit 0' \
  "$(feed $'.mode insert t\n.headers on\nSELECT 1 AS a, \'x\ny\' AS "b c";')"
check "column wraps and right-justifies" "$(cat <<'T'
a             b  c  
-----  --------  ---
1             2  345
                 678
exit 0
T
)" "$(feed $'.width 5 -8 3\n.mode column\nselect 1 as a, 2 as b, 345678 as c;')"
check "query plan is a tree" $'QUERY PLAN\n`--SCAN t\nexit 0' \
  "$(feed $'CREATE TABLE t(a);\nEXPLAIN QUERY PLAN SELECT * FROM t;')"

if reference=$(command -v sqlite3); then
  # Reals are left out where versions print them with different precision.
  cat > modes.sql <<'T'
CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, r REAL, b BLOB, "odd ""name" INT);
INSERT INTO t VALUES(1,'alice',1.5,x'4142',NULL),(2,'o''brien, "x"',-2.25,x'',3),
 (3,'été','1.0',x'41420043',-5),(4,'line
two',100.0,NULL,''),(5,'	tab\back',0.5,'<&>|',9223372036854775807),
 (6,'the quick brown fox jumps over the lazy dog, and then it goes home to sleep',7.0,'x',0);
T
  for mode in list csv column box table line json markdown quote insert 'insert tt' tabs html ascii \
      tcl qbox 'box --wrap 10' 'table --wrap 20 --ww' 'markdown --quote' 'column --wrap 6'; do
    for headers in '' '.headers on' '.headers off'; do
      for null in '' '.nullvalue NULL'; do
        script=".read modes.sql
.mode $mode
$headers
$null
SELECT * FROM t;
SELECT 1 AS a WHERE 0;
SELECT 'x' AS \"a long header\", NULL AS b;"
        check "mode $mode $headers $null" "$(printf '%s\n' "$script" | "$reference" 2>&1)" \
          "$(printf '%s\n' "$script" | "$godwit" 2>&1)"
      done
    done
  done
fi
