--load mod_spatialite
SELECT spatialite_version() <> '', length(proj4_version()) > 0;
SELECT InitSpatialMetaData(1);
SELECT count(*) FROM spatial_ref_sys;
SELECT count(*) FROM sqlite_schema;
SELECT AsText(GeomFromText('POINT(1 2)', 4326)), ST_X(MakePoint(3, 4)), Area(GeomFromText('POLYGON((0 0, 4 0, 4 3, 0 3, 0 0))'));
SELECT ST_Distance(MakePoint(0, 0), MakePoint(3, 4)), AsText(ST_Buffer(MakePoint(0, 0), 0)), ST_Within(MakePoint(1, 1), BuildMbr(0, 0, 2, 2));
SELECT AsText(ST_Union(GeomFromText('POLYGON((0 0, 1 0, 1 1, 0 1, 0 0))'), GeomFromText('POLYGON((1 0, 2 0, 2 1, 1 1, 1 0))')));
CREATE TABLE places(id INTEGER PRIMARY KEY, name TEXT);
SELECT AddGeometryColumn('places', 'geom', 4326, 'POINT', 'XY');
INSERT INTO places(name, geom) VALUES('a', MakePoint(1, 1, 4326)), ('b', MakePoint(5, 5, 4326));
INSERT INTO places(name, geom) VALUES('bad', MakePoint(1, 1, 3003));
SELECT id, name, AsText(geom) FROM places;
SELECT AsGeoJSON(geom) FROM places WHERE id = 1;
SELECT count(*), AsText(Extent(geom)) FROM places;
SELECT name FROM places WHERE ST_Distance(geom, MakePoint(0, 0, 4326)) < 3;
SELECT round(ST_X(ST_Transform(MakePoint(10, 50, 4326), 3857)), 2);
PRAGMA table_info(places);
