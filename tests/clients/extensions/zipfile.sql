--load @LIB@/libsqlite3_mod_zipfile.so
CREATE VIRTUAL TABLE z USING zipfile('@TMP@/birds.zip');
SELECT path, length, isdir, CAST(data AS TEXT) FROM z;
SELECT path FROM z WHERE path = 'birds.csv';
SELECT path FROM z WHERE path MATCH 'bird';
SELECT count(*), sum(length) FROM z WHERE NOT isdir;
SELECT hex(crc32('abc')), CAST(inflate(deflate('hello hello hello')) AS TEXT);
DROP TABLE z;
