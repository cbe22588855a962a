-- VIRTUAL columns in the conditions of UPDATE and DELETE.
CREATE TABLE t(a, b, g AS (a + 1), h AS (g * 2), s AS (a || 'x') STORED);
INSERT INTO t(a, b) VALUES (1, 1), (2, 2), (3, 3);
UPDATE t SET b = g + h WHERE g > 2;
SELECT * FROM t;
DELETE FROM t WHERE h = 6;
UPDATE t SET a = s WHERE h = 4;
SELECT * FROM t;
UPDATE t SET b = z.g FROM (SELECT max(g) AS g FROM t) AS z WHERE t.g < 5;
SELECT * FROM t;
