--load @LIB@/libsqlite3_mod_csvtable.so
CREATE VIRTUAL TABLE c USING csvtable('@DATA@/birds.csv', 1);
PRAGMA table_info(c);
SELECT * FROM c;
SELECT count(*), max(rowid) FROM c;
SELECT * FROM c WHERE rowid = 2;
DROP TABLE c;
CREATE VIRTUAL TABLE c USING csvtable('/nowhere/at.all');
