"""FTS3 and FTS4 tables that one library makes and the other goes on with: every query must give the same on both.

usage: fts3.py OURS REFERENCE FOLDER
       fts3.py --run LIBRARY FILE SEED CHANGES     (one library in a process)

Queries are asked in the syntax that the reference was built with: GODWIT_FTS3_SYNTAX says so to Godwit.
"""
import os
import random
import sys

from fts5 import Database, WORDS, compare, quoted, text

TABLES = {
    "o": "fts3(a, b)",
    "f": "fts4(a, b, prefix='2,3')",
    "p": "fts4(a, b, tokenize=porter)",
    "u": "fts4(a, b, tokenize=unicode61 'remove_diacritics=2' 'tokenchars=.-', order=desc)",
    "m": "fts4(a, b, matchinfo=fts3, notindexed=b)",
    "l": "fts4(a, b, languageid=lid)",
    "x": "fts4(a, b, content=source)",
    "e": "fts4(a, b, content='')",
    "z": "fts4(a, b, compress=upper, uncompress=lower, tokenize=simple)",
}
QUERIES = ["the", "the of", "of OR in", '"in is"', '"the of" OR "of the"', "th*", "wa* h*", "the NEAR of",
           "the NEAR/2 of", "the NEAR/5 of NEAR/3 in OR words", "a:the", "a:the b:of", "^the", "^the OR ^of", "one two",
           '"one two"', "run", "runs", "été", "ete", "ünicode", "unicode", "hop*", "漢字", "x", '"in is it"', '"wa* l*"',
           "wat* NEAR/20 long", "xyz OR the", "t*", "run*", "", "don't", "e.g.", "b2-c3", "the NEAR the", "the OR of in",
           "the \"of", "the OR", "OR", "the NEAR", "vietnamization", '""', 'the ""', "a:", "^a:the", "the of in is it was"]
STANDARD = ["the -of", "the -of -in", "-the", "the OR -of", "the AND of", "the NOT of", "(the of)", "the -\"of in\""]
ENHANCED = ["the AND of", "the NOT of", "of OR (in NOT is)", "(the OR of) (in OR is)", "the of OR in is", "()", "(the",
            "the)", "the AND", "AND the", "the NOT (of OR in) NOT is", "(the NEAR of) NEAR in", "the () of", "the OR (of AND in)",
            "(the of) OR (in NOT (is OR it))", "the -of", "(((the)))"]


def change(db, draw, count):
    db.run("BEGIN")
    for k in range(count):
        for name in TABLES:
            rowid = draw.randrange(1, 400)
            a, b = quoted(text(draw, 30)), quoted(text(draw, 12))
            kind = draw.random()
            if name == "e":
                db.run("INSERT INTO e(docid, a, b) SELECT coalesce(max(docid), 0) + 1, %s, %s FROM e_docsize" % (a, b))
            elif name == "x":
                if kind < 0.8:
                    db.run("INSERT INTO source(id, a, b) VALUES(NULL, %s, %s)" % (a, b))
                else:
                    db.run("DELETE FROM source WHERE id = %d" % rowid)
            elif kind < 0.6:
                extra = (", lid", ", %d" % draw.randrange(3)) if name == "l" else ("", "")
                db.run("INSERT OR REPLACE INTO %s(docid, a, b%s) VALUES(%d, %s, %s%s)" % (name, extra[0], rowid, a, b, extra[1]))
            elif kind < 0.8:
                db.run("DELETE FROM %s WHERE docid = %d" % (name, rowid))
            elif kind < 0.9:
                db.run("UPDATE %s SET a = %s WHERE docid = %d" % (name, a, rowid))
            else:
                db.run("INSERT OR IGNORE INTO %s(docid, a, b) SELECT docid + 1, b, a FROM %s WHERE docid = %d" % (name, name, rowid))
        if draw.random() < 0.05:
            db.run(draw.choice(["SAVEPOINT s", "ROLLBACK TO s", "RELEASE s"]))
        if draw.random() < 0.1:
            db.run("COMMIT")
            db.run("BEGIN")
    db.run("COMMIT")


def ask(db, name, query, language):
    where = "FROM %s WHERE %s MATCH %s%s" % (name, name, quoted(query), language)
    print(name, query, db.run("SELECT docid %s" % where))
    print(name, query, "desc", db.run("SELECT docid, b %s AND docid > 50 ORDER BY docid DESC LIMIT 5" % where))
    for request in ("pcx", "y", "b", "s", "n", "a", "l"):
        # SQLite counts hits of some rows that NOT excludes.
        if request in "yb" and "OR (in NOT" in query:
            continue
        print(name, query, request, db.run("SELECT docid, hex(matchinfo(%s, '%s')) %s LIMIT 9" % (name, request, where)))
    print(name, query, "offsets", db.run("SELECT docid, offsets(%s) %s LIMIT 9" % (name, where)))
    print(name, query, "snippet", db.run("SELECT docid, snippet(%s), snippet(%s, '<', '>', '~', 1, 3), "
                                         "snippet(%s, '[', ']', '...', -1, 8), snippet(%s, '[', ']', '~', 0, -4) %s LIMIT 9"
                                         % (name, name, name, name, where)))


def run_one(library, path, seed, changes):
    standard = os.environ.get("GODWIT_FTS3_SYNTAX") == "standard"
    db = Database(library, path)
    draw = random.Random(int(seed))
    db.run("CREATE TABLE IF NOT EXISTS source(id INTEGER PRIMARY KEY, a, b)")
    for name, arguments in TABLES.items():
        print(name, db.run("CREATE VIRTUAL TABLE IF NOT EXISTS %s USING %s" % (name, arguments)))
    db.run("CREATE TRIGGER IF NOT EXISTS x1 AFTER INSERT ON source BEGIN INSERT INTO x(docid, a, b) VALUES(new.id, new.a, new.b); END")
    db.run("CREATE TRIGGER IF NOT EXISTS x2 BEFORE DELETE ON source BEGIN DELETE FROM x WHERE docid = old.id; END")
    if int(seed) == 1:
        for name in "fu":
            print(db.run("INSERT INTO %s(%s) VALUES('automerge=4')" % (name, name)))
    change(db, draw, int(changes))
    for name in TABLES:
        if int(seed) == 2 and name in "op":
            print(db.run("INSERT INTO %s(%s) VALUES('optimize')" % (name, name)))
        elif int(seed) > 0 and name not in "eop":
            # The work is another, what is found after it the same.
            db.run("INSERT INTO %s(%s) VALUES('merge=3,2')" % (name, name))
    if int(seed) == 2:
        print(db.run("INSERT INTO m(m) VALUES('rebuild')"))
    # Since 3.44 it asks modules.
    if db.library.sqlite3_libversion_number() >= 3044000 and os.environ["GODWIT_FTS3_CHECK"] == "1":
        print(db.run("PRAGMA integrity_check"))
    for name in TABLES:
        print(name, "check", name == "e" or db.run("INSERT INTO %s(%s) VALUES('integrity-check')" % (name, name)))
        print(name, "rows", name == "e" or db.run("SELECT docid, * FROM %s" % name))
        db.run("CREATE VIRTUAL TABLE IF NOT EXISTS temp.v_%s USING fts4aux(main, %s)" % (name, name))
        # SQLite counts rows of order=desc more than once.
        print(name, "terms", name == "u" or db.run("SELECT * FROM v_%s" % name))
        print(name, "terms", name == "u" or db.run("SELECT * FROM v_%s WHERE term BETWEEN 'f' AND 'm'" % name))
        for query in QUERIES + (STANDARD if standard else ENHANCED):
            ask(db, name, query, " AND lid = 1" if name == "l" and len(query) % 2 else "")
    db.run("VACUUM")


if __name__ == "__main__":
    if sys.argv[1] == "--run":
        run_one(*sys.argv[2:])
    else:
        db = Database(sys.argv[2], ":memory:")
        enhanced = db.run("SELECT 1 FROM pragma_compile_options WHERE compile_options = 'ENABLE_FTS3_PARENTHESIS'")
        os.environ["GODWIT_FTS3_SYNTAX"] = "enhanced" if enhanced else "standard"
        os.environ["GODWIT_FTS3_CHECK"] = "1" if db.library.sqlite3_libversion_number() >= 3044000 else "0"
        compare("FTS3", __file__, *sys.argv[1:4], 150)
