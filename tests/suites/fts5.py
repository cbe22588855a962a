"""FTS5 tables that one library makes and the other goes on with: every query must give the same on both.

usage: fts5.py OURS REFERENCE FOLDER
       fts5.py --run LIBRARY FILE SEED CHANGES     (one library in a process)
"""
import ctypes
import os
import random
import subprocess
import sys

ROW, DONE = 100, 101


class Database:
    def __init__(self, library, path):
        self.library = ctypes.CDLL(os.path.abspath(library))
        self.library.sqlite3_column_text.restype = ctypes.c_char_p
        self.library.sqlite3_errmsg.restype = ctypes.c_char_p
        self.db = ctypes.c_void_p()
        self.library.sqlite3_open(path.encode(), ctypes.byref(self.db))

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


TABLES = {
    "f": "a, b, c, prefix='2 3'",
    "p": "a, b, tokenize='porter unicode61 remove_diacritics 2'",
    "n": "a, b, detail=none, tokenize=ascii",
    "d": "a, b, detail=column, columnsize=0",
    "g": "a, b UNINDEXED, tokenize=trigram",
    "x": "a, b, content=source, content_rowid=id",
    "e": "a, b, content=''",
}
WORDS = ("the of and to in is it was for on are as with his they at be this from have or by one had not but what "
         "all were when we there can an your which their said if do will each about how up out them then she many "
         "some so these would other into has more her two like him see time could no make than first been its who "
         "now people my made over did down only way find use may water long little very after words called just "
         "where most know running runs relational hopping hopes caresses ponies agreed plastered motoring sized "
         "falling failing filing happy sky electricity conformabli radicalli differentli vietnamization "
         "Ünïcödé été ÉTÉ naïve straße Ωmega a1 b2-c3 don't e.g. 漢字 カナ ǅ ı İ x\u0301y").split()
QUERIES = ["the", "the AND of", "the NOT of", "of OR (in NOT is)", '"in is"', '"the of" OR "of the"', "th*", "wa* AND h*",
           "NEAR(the of)", "NEAR(the of, 2)", "NEAR(the of in, 5) OR words", "a : the", "{a b} : of", "- a : of",
           "a : (the OR of) NOT b : in", "^the", "^the OR ^of", "one two", '"one" + "two"', "run", "runs", "été", "ete",
           "ünicode", "unicode", "hop*", "漢字", "x", '"in is it"', "NEAR(wat* long, 20)", "xyz OR the", "t*", "run*"]


def text(draw, most):
    return " ".join(draw.choice(WORDS) + draw.choice(["", "", "", ".", ",", ": "]) for _ in range(draw.randrange(most)))


def quoted(value):
    return "'" + value.replace("'", "''") + "'"


def change(db, draw, count):
    db.run("BEGIN")
    for k in range(count):
        for name in TABLES:
            rowid = draw.randrange(1, 400)
            a, b = quoted(text(draw, 30)), quoted(text(draw, 12))
            kind = draw.random()
            if name == "e":
                if not db.run("SELECT 1 FROM e_docsize WHERE id = %d" % (k + 1000 * count)):
                    db.run("INSERT INTO e(rowid, a, b) VALUES(%d, %s, %s)" % (k + 1000 * count, a, b))
            elif name == "x":
                if kind < 0.8:
                    db.run("INSERT INTO source(id, a, b) VALUES(NULL, %s, %s)" % (a, b))
                else:
                    db.run("DELETE FROM source WHERE id = %d" % rowid)
            elif kind < 0.6:
                db.run("INSERT OR REPLACE INTO %s(rowid, a, b) VALUES(%d, %s, %s)" % (name, rowid, a, b))
            elif kind < 0.8:
                db.run("DELETE FROM %s WHERE rowid = %d" % (name, rowid))
            elif kind < 0.9:
                db.run("UPDATE %s SET a = %s WHERE rowid = %d" % (name, a, rowid))
            else:
                db.run("INSERT OR IGNORE INTO %s(rowid, a, b) SELECT rowid + 1, b, a FROM %s WHERE rowid = %d" % (name, name, rowid))
        if draw.random() < 0.05:
            db.run(draw.choice(["SAVEPOINT s", "ROLLBACK TO s", "RELEASE s"]))
        if draw.random() < 0.02:
            db.run("COMMIT")
            db.run("BEGIN")
    db.run("COMMIT")


def run_one(library, path, seed, changes):
    db = Database(library, path)
    draw = random.Random(int(seed))
    db.run("CREATE TABLE IF NOT EXISTS source(id INTEGER PRIMARY KEY, a, b)")
    for name, arguments in TABLES.items():
        db.run("CREATE VIRTUAL TABLE IF NOT EXISTS %s USING fts5(%s)" % (name, arguments))
        db.run("INSERT INTO %s(%s, rank) VALUES('pgsz', %d)" % (name, name, draw.choice([64, 200, 1000, 4050])))
    db.run("CREATE TRIGGER IF NOT EXISTS x1 AFTER INSERT ON source BEGIN INSERT INTO x(rowid, a, b) VALUES(new.id, new.a, new.b); END")
    db.run("CREATE TRIGGER IF NOT EXISTS x2 AFTER DELETE ON source BEGIN INSERT INTO x(x, rowid, a, b) VALUES('delete', old.id, old.a, old.b); END")
    change(db, draw, int(changes))
    if int(seed) % 3 == 2:
        for name in TABLES:
            db.run("INSERT INTO %s(%s) VALUES('optimize')" % (name, name))
    print(db.run("PRAGMA integrity_check"))
    for name in TABLES:
        print(name, "check", db.run("INSERT INTO %s(%s, rank) VALUES('integrity-check', 1)" % (name, name)))
        print(name, "count", db.run("SELECT count(*) FROM %s" % name))
        for kind in ("row", "col", "instance"):
            vocabulary = "v_%s_%s" % (name, kind)
            db.run("CREATE VIRTUAL TABLE IF NOT EXISTS temp.%s USING fts5vocab(main, %s, %s)" % (vocabulary, name, kind))
            print(vocabulary, db.run("SELECT * FROM %s" % vocabulary))
        for query in QUERIES:
            where = "FROM %s WHERE %s MATCH %s" % (name, name, quoted(query))
            print(name, query, db.run("SELECT rowid %s" % where))
            print(name, query, "desc", db.run("SELECT rowid, b %s AND rowid > 50 ORDER BY rowid DESC LIMIT 5" % where))
            print(name, query, "rank", db.run("SELECT rowid, printf('%%.9g', rank), printf('%%.9g', bm25(%s, 5, 0.5)) %s ORDER BY rank, rowid LIMIT 9" % (name, where)))
            print(name, query, "marks", db.run("SELECT highlight(%s, 0, '[', ']'), snippet(%s, -1, '<', '>', '...', 6), "
                                               "snippet(%s, 1, '<', '>', '~', 3) %s ORDER BY rowid LIMIT 9" % (name, name, name, where)))
    db.run("VACUUM")


def compare(name, script, ours, reference, folder, changes):
    """Each makes a file; then the other one changes it on."""
    passed = failed = 0
    for step, order in enumerate([(ours, reference), (reference, ours), (ours, reference)]):
        outputs = []
        for i, library in enumerate(order):
            path = os.path.join(folder, "%s_%d.db" % (name.lower(), i))
            outputs.append(subprocess.run([sys.executable, script, "--run", library, path, str(step), str(changes << step % 2)],
                                          check=True, capture_output=True, text=True).stdout)
        for first, second in zip(outputs[0].split("\n"), outputs[1].split("\n")):
            if first == second:
                passed += 1
                continue
            failed += 1
            if failed <= int(os.environ.get("SHOWN", "5")):
                at = next((i for i in range(min(len(first), len(second))) if first[i] != second[i]), 0)
                start = max(at - 60, 0)
                print("step %d: %s\n  %s: ...%s\n  %s: ...%s" % (step, first[:60], order[0][-20:], first[start:at + 140], order[1][-20:], second[start:at + 140]))
    print("%s: %d queries agree, %d do not" % (name, passed, failed))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    if sys.argv[1] == "--run":
        run_one(*sys.argv[2:])
    else:
        compare("FTS5", __file__, *sys.argv[1:4], 150)
