--load @LIB@/libsqlite3_mod_xpath.so
CREATE VIRTUAL TABLE x USING xpath();
INSERT INTO x(xml) VALUES('<birds><bird n="1">godwit</bird><bird n="2">curlew</bird></birds>');
INSERT INTO x(xml) VALUES('<birds><bird n="3">knot</bird></birds>');
INSERT INTO x(xml) VALUES('<birds><bird>');
SELECT docid FROM x;
SELECT docid, xpath_string(docid) FROM x WHERE path = '//bird';
SELECT docid, xpath_number(docid) FROM x WHERE path = '//bird/@n';
SELECT docid, xpath_xml(docid) FROM x WHERE path = '//bird[@n=2]';
SELECT count(*) FROM x WHERE path = '//bird' AND docid = 1;
DELETE FROM x WHERE docid = 1;
SELECT docid FROM x;
SELECT xpath_string(1);
DROP TABLE x;
