-- Runs that look up so many keys that the whole tree is read once instead.
CREATE TABLE item(id INTEGER PRIMARY KEY, code, price REAL, name TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000)
INSERT INTO item SELECT i * 2 - 500, CASE WHEN i % 11 THEN i * 7919 % 1000 - 100 END, i / 4.0, 'name ' || i FROM n;
CREATE INDEX item_code ON item(code);
CREATE TABLE link(id INTEGER PRIMARY KEY, item, code INT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 4000)
INSERT INTO link SELECT i, CASE i % 7 WHEN 0 THEN NULL WHEN 1 THEN i + 0.5 WHEN 2 THEN i + 0.0 WHEN 3 THEN 'x' || i
  ELSE i * 31 % 8000 - 1000 END, i * 37 % 1300 - 150 FROM n;
CREATE INDEX link_item ON link(item);
CREATE INDEX link_code ON link(code DESC);
SELECT count(*), sum(i.price), min(i.name), max(i.id) FROM link l CROSS JOIN item i ON i.id = l.item;
SELECT count(*), sum(i.price), min(i.name), max(i.id) FROM link l LEFT JOIN item i ON i.id = l.item;
SELECT count(*), sum(i.price), min(i.name) FROM link l CROSS JOIN item i ON i.code = l.code;
SELECT count(*), sum(l.id) FROM item i CROSS JOIN link l ON l.code = i.code;
SELECT count(*), sum(l.id) FROM item i CROSS JOIN link l ON l.item = i.id;
SELECT sum((SELECT max(l.code) FROM link l WHERE l.item = i.id)) FROM item i;
SELECT sum((SELECT count(*) FROM item i WHERE i.code = l.code)) FROM link l;
SELECT sum((SELECT i.id FROM item i WHERE i.code = l.code ORDER BY i.code DESC, i.id DESC LIMIT 1)) FROM link l;
SELECT sum((SELECT i.id FROM item i WHERE i.code = l.code LIMIT 1)) FROM link l;
SELECT count(*) FROM item i WHERE EXISTS (SELECT 1 FROM link l WHERE l.item = i.id AND l.code > i.code);
SELECT count(*) FROM link l WHERE NOT EXISTS (SELECT 1 FROM item i WHERE i.code = l.code);
SELECT count(*) FROM link l CROSS JOIN item i ON i.code IS l.code;
SELECT count(*), sum(r.id) FROM link l RIGHT JOIN item r ON r.code = l.code WHERE l.id IS NULL OR l.id < 300;
-- The tree changes during the run.
UPDATE item SET price = (SELECT sum(o.price) FROM item o WHERE o.id IN (item.id - 2, item.id));
SELECT round(sum(price), 2), round(max(price), 2) FROM item;
UPDATE item SET code = (SELECT max(o.code) + 1 FROM item o WHERE o.code = item.code);
SELECT count(*), count(code), sum(code), sum(code * id) FROM item;
DELETE FROM link WHERE EXISTS (SELECT 1 FROM link o WHERE o.item = link.item AND o.id < link.id);
SELECT count(*), sum(id) FROM link;
INSERT INTO link SELECT l.id + 10000, l.item, i.code FROM link l CROSS JOIN item i ON i.id = l.item;
SELECT count(*), sum(id), sum(code) FROM link;
