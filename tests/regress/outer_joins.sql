-- Outer joins whose right table has keys that go on in overflow pages.
PRAGMA encoding='UTF-16le';PRAGMA page_size=512;
CREATE TABLE t0(a, d, PRIMARY KEY (d)) WITHOUT ROWID;
INSERT INTO t0 VALUES (1,'long text that goes on for some while, to be longer than short ones'), ('long text that goes on for some while, to be longer than short ones','10');
SELECT 'x', x.d, y.d FROM t0 x JOIN t0 y ON x.a=y.a;
SELECT 'x2', x.d, y.d FROM t0 x JOIN t0 y ON x.d=y.d;
SELECT 'x3', x.d, y.d FROM t0 x NATURAL JOIN t0 y;
SELECT 'r', x.d, y.d FROM t0 x RIGHT JOIN t0 y ON x.d=y.d;
SELECT 'r2', x.d, y.d FROM t0 x RIGHT JOIN t0 y ON x.a=y.a;
SELECT 'r3', x.d, y.d FROM t0 x LEFT JOIN t0 y ON x.a=y.a AND x.d=y.d;
SELECT 'r4', x.d, y.d FROM t0 x NATURAL RIGHT JOIN t0 y ;
CREATE TABLE t1(a, d);INSERT INTO t1 SELECT * FROM t0;
SELECT 's4', x.d, y.d FROM t1 x NATURAL RIGHT JOIN t1 y ;
SELECT 's5', x.d, y.d FROM t1 x LEFT JOIN t1 y USING (a,d);
SELECT 'f', x.d, y.d FROM t0 x FULL JOIN t0 y ON x.d=y.d AND x.a=1;
