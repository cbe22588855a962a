"""R-Trees that one library makes and the other goes on with: every query must give the same on both.

usage: rtree.py OURS REFERENCE FOLDER
       rtree.py --run LIBRARY FILE SEED CHANGES     (one library in a process)
"""
import ctypes
import os
import random
import subprocess
import sys

ROW, DONE = 100, 101


class QueryInfo(ctypes.Structure):
    _fields_ = [("context", ctypes.c_void_p), ("count", ctypes.c_int),
                ("numbers", ctypes.POINTER(ctypes.c_double)), ("user", ctypes.c_void_p),
                ("del_user", ctypes.c_void_p), ("box", ctypes.POINTER(ctypes.c_double)),
                ("queue", ctypes.POINTER(ctypes.c_uint)), ("coordinates", ctypes.c_int),
                ("level", ctypes.c_int), ("max_level", ctypes.c_int), ("rowid", ctypes.c_int64),
                ("parent_score", ctypes.c_double), ("parent_within", ctypes.c_int),
                ("within", ctypes.c_int), ("score", ctypes.c_double)]


def distance(info):
    box, (x, y) = info.box, info.numbers[:2]
    dx, dy = max(box[0] - x, 0, x - box[1]), max(box[2] - y, 0, y - box[3])
    return dx * dx + dy * dy


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(QueryInfo), ctypes.c_int, ctypes.c_void_p,
                  ctypes.POINTER(ctypes.c_int))
def circle(pointer, count, box, result):
    info = pointer.contents
    info.box = ctypes.cast(box, ctypes.POINTER(ctypes.c_double))
    result[0] = int(distance(info) <= info.numbers[2] ** 2)
    return 0


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(QueryInfo))
def near(pointer):
    info = pointer.contents
    info.score = distance(info)
    info.within = 1 if info.score <= info.numbers[2] ** 2 else 0
    return 0


class Database:
    def __init__(self, library, path):
        self.library = ctypes.CDLL(os.path.abspath(library))
        self.library.sqlite3_column_text.restype = ctypes.c_char_p
        self.library.sqlite3_errmsg.restype = ctypes.c_char_p
        self.db = ctypes.c_void_p()
        self.library.sqlite3_open(path.encode(), ctypes.byref(self.db))
        self.library.sqlite3_rtree_geometry_callback(self.db, b"circle", circle, None)
        self.library.sqlite3_rtree_query_callback(self.db, b"near", near, None, None)

    def run(self, sql):
        stmt = ctypes.c_void_p()
        code = self.library.sqlite3_prepare_v2(self.db, sql.encode(), -1, ctypes.byref(stmt), None)
        rows = []
        while code in (0, ROW):
            code = self.library.sqlite3_step(stmt)
            if code == ROW:
                rows.append([self.library.sqlite3_column_text(stmt, i)
                             for i in range(self.library.sqlite3_column_count(stmt))])
        if code != DONE:
            rows.append([code, self.library.sqlite3_errmsg(self.db)])
        self.library.sqlite3_finalize(stmt)
        return rows


QUERIES = [
    "SELECT rtreecheck('r'), rtreecheck('i')",
    "PRAGMA integrity_check",
    "SELECT count(*), sum(id), max(x0), min(y1) FROM r",
    "SELECT * FROM r ORDER BY id",
    "SELECT id, t FROM r WHERE x0 > -10 AND x1 < 20 AND y0 >= -5 AND y1 <= 30 ORDER BY id",
    "SELECT id FROM i WHERE a = 5 ORDER BY id",
    "SELECT sum(id) FROM i WHERE a >= 50 AND b < 60",
    "SELECT id FROM r WHERE id MATCH circle(0, 0, 30) ORDER BY id",
    "SELECT id FROM r WHERE x0 MATCH near(5, 5, 30)",
    "SELECT id FROM r WHERE x0 MATCH near(5, 5, 60) AND y0 > 3 LIMIT 9",
    "SELECT r.id FROM r JOIN (SELECT 5 AS z UNION ALL SELECT 50) ON r.x0 < z AND r.x1 > z - 1 ORDER BY 1",
    "SELECT id FROM r WHERE id IN (SELECT id FROM i WHERE a = 3) ORDER BY 1",
    "SELECT id FROM r WHERE x0 MATCH 5",
]


def change(db, draw, count):
    def box():
        x, y = draw.uniform(-100, 100), draw.uniform(-100, 100)
        return x, x + draw.uniform(0, 3), y, y + draw.uniform(0, 3)

    db.run("BEGIN")
    for k in range(count):
        kind = draw.random()
        if kind < 0.7:
            db.run("INSERT OR REPLACE INTO r VALUES(%d, %r, %r, %r, %r, 't%d')" %
                   (draw.randrange(count * 2), *box(), k))
            db.run("INSERT OR REPLACE INTO i VALUES(%d, %d, %d)" % (draw.randrange(count), k % 97, k % 97 + 5))
        elif kind < 0.9:
            db.run("DELETE FROM r WHERE id = %d" % draw.randrange(count * 2))
            db.run("DELETE FROM i WHERE id = %d" % draw.randrange(count))
        else:
            db.run("UPDATE r SET x0 = x0 - 1, id = id + %d WHERE id = %d" %
                   (draw.choice([0, count]), draw.randrange(count * 2)))
            db.run("UPDATE r SET t = 'u' WHERE id = %d" % draw.randrange(count * 2))
    db.run("COMMIT")


def run_one(library, path, seed, changes):
    db = Database(library, path)
    db.run("CREATE VIRTUAL TABLE IF NOT EXISTS r USING rtree(id, x0, x1, y0, y1, +t)")
    db.run("CREATE VIRTUAL TABLE IF NOT EXISTS i USING rtree_i32(id, a, b)")
    change(db, random.Random(int(seed)), int(changes))
    for sql in QUERIES:
        print(sql, db.run(sql))


def main():
    if sys.argv[1] == "--run":
        return run_one(*sys.argv[2:])
    ours, reference, folder = sys.argv[1:4]
    passed = 0
    # Each makes a file; then the other one changes it on.
    for step, order in enumerate([(ours, reference), (reference, ours), (ours, reference)]):
        outputs = [subprocess.run([sys.executable, __file__, "--run", library,
                                   os.path.join(folder, "rtree%d.db" % i), str(step), str(1500 << step % 2)],
                                  check=True, capture_output=True, text=True).stdout
                   for i, library in enumerate(order)]
        for first, second in zip(outputs[0].split("\n"), outputs[1].split("\n")):
            if first != second:
                sys.exit("R-Trees differ in step %d:\n%s\n%s" % (step, first[:400], second[:400]))
            passed += 1
    print("R-Tree: %d queries agree" % passed)


main()
