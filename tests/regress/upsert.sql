-- A conflict of rowids is found before the affinities are applied, unless something needs them earlier.
CREATE TABLE e(a INTEGER PRIMARY KEY, b TEXT, c REAL, d INTEGER, t);
INSERT INTO e VALUES(1, 1, 1, 1, 0);
INSERT INTO e VALUES('1', 5, 6, '7', 0) ON CONFLICT(a) DO UPDATE SET t = typeof(excluded.b) || typeof(excluded.c) || typeof(excluded.d) || (excluded.b > 4) || (excluded.b > '4') RETURNING t;
INSERT INTO e SELECT '1', 5, '6', '7', 0 WHERE true ON CONFLICT(a) DO UPDATE SET t = typeof(excluded.b) || typeof(excluded.c) || typeof(excluded.d) || (excluded.b > 4) || (excluded.b > '4') RETURNING t;
CREATE UNIQUE INDEX ei ON e(c);
INSERT INTO e VALUES(2, 5, 1, '7', 0) ON CONFLICT(c) DO UPDATE SET t = typeof(excluded.b) || typeof(excluded.d) RETURNING t;
INSERT INTO e VALUES(1, 5, 8, '7', 0) ON CONFLICT(c) DO NOTHING ON CONFLICT(a) DO UPDATE SET t = typeof(excluded.b) || typeof(excluded.d) RETURNING t;
INSERT INTO e VALUES(1, 5, 8, '7', 0) ON CONFLICT DO UPDATE SET t = typeof(excluded.b) || typeof(excluded.d) RETURNING t;
CREATE TABLE ec(a INTEGER PRIMARY KEY, b TEXT, t, CHECK(typeof(b) <> 'blob'));
INSERT INTO ec VALUES(1, 1, 1);
INSERT INTO ec VALUES('1', 5, 0) ON CONFLICT(a) DO UPDATE SET t = typeof(excluded.b) RETURNING t;
CREATE TABLE eg(a INTEGER PRIMARY KEY, b TEXT, t, g AS (b));
INSERT INTO eg VALUES(1, 1, 1);
INSERT INTO eg VALUES('1', 5, 0) ON CONFLICT(a) DO UPDATE SET t = typeof(excluded.b) || typeof(excluded.g) RETURNING t;
CREATE TABLE s(a INTEGER PRIMARY KEY, b TEXT, c REAL, t ANY) STRICT;
INSERT INTO s VALUES(1, 1, 1, 0);
INSERT INTO s VALUES('1', 5, 6, 0) ON CONFLICT(a) DO UPDATE SET t = typeof(excluded.b) WHERE excluded.b > '1' RETURNING t;
INSERT INTO s VALUES('1', 5, 6, 0) ON CONFLICT(a) DO UPDATE SET t = typeof(excluded.b) RETURNING t;
INSERT INTO s VALUES('1', 5, 'x', 0) ON CONFLICT(a) DO UPDATE SET t = 1;
-- A clause that never takes over is not looked at.
CREATE TABLE n(a INTEGER PRIMARY KEY, b, c UNIQUE);
INSERT INTO n VALUES(1,2,3) ON CONFLICT(a) DO NOTHING ON CONFLICT(a) DO UPDATE SET nosuch = 1;
INSERT INTO n VALUES(1,2,3) ON CONFLICT(a) DO NOTHING ON CONFLICT(a) DO UPDATE SET b = nosuch;
INSERT INTO n VALUES(1,2,3) ON CONFLICT(a) DO NOTHING ON CONFLICT(nosuch) DO UPDATE SET b = 1;
INSERT INTO n VALUES(1,2,3) ON CONFLICT(a) DO NOTHING ON CONFLICT(c) DO NOTHING ON CONFLICT DO UPDATE SET b = nosuch;
INSERT INTO n(b, c) VALUES(2,4) ON CONFLICT(a) DO UPDATE SET b = nosuch;
INSERT INTO n(b, c) VALUES(2,4) ON CONFLICT(c) DO UPDATE SET b = nosuch;
