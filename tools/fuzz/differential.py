#!/usr/bin/env python3
"""Differential fuzzing: random SQL scripts on Godwit and on reference SQLite, compared statement by
statement (result code, message, columns, rows with their types, changes, last rowid), and at the end
integrity_check and all rows.

  differential.py [--seed N] [--seeds N] [--statements N] [--MODE]    fuzz; N statements a seed
  differential.py --script FILE.sql              run one script on both and show what differs

Each script runs in a process of its own, so that a crash or a hang is a finding. A difference is
reduced to a small script, printed, and kept under build/fuzz/. Statements that Godwit answers with
"not implemented: ..." are left out on both sides and counted.
"""
import argparse
import json
import os
import re
import resource
import select as _select  # the standard module: this folder has none of that name
import signal
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(ROOT, "tests", "support"))
import capi  # noqa: E402
import expr  # noqa: E402
import schema  # noqa: E402
from ddl import DdlMaker  # noqa: E402
from script import ScriptMaker  # noqa: E402
from writes import WriteMaker  # noqa: E402

STATEMENTS_A_SCRIPT = 60
MODES = {
    "json": "with JSON functions in expressions",
    "dates": "with date and time functions",
    "text": "with printf(), LIKE, GLOB and the rarer functions of text and numbers",
    "utf16": "in UTF-16 databases",
    "writes": "foreign keys, ON CONFLICT and REPLACE instead of queries",
    "ddl": "the same with schema changes between",
    "writes16": "as --writes, all in UTF-16 databases",
    "ddl16": "as --ddl, all in UTF-16 databases",
    "all": "each script in one of these modes, or the default one",
}
ALL_MODES = ["", "", "", "", "json", "dates", "text", "utf16", "writes", "ddl"]
# Of processor time; and of the clock, on a busy machine.
TIMEOUT_SECONDS, PATIENCE_SECONDS = 10, 120
CORRUPT = 11  # SQLITE_CORRUPT
CORRUPT_INDEX = 779  # SQLITE_CORRUPT_INDEX
FOREIGN_KEY = 787  # SQLITE_CONSTRAINT_FOREIGNKEY


def comparable(value):
    """Rows as JSON can carry them, with types kept apart."""
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, float):
        return "r:" + repr(value)
    if isinstance(value, bytes):
        return "b:" + value.hex()
    return "t:" + value.encode("utf-8", "surrogateescape").decode("latin-1")


def run_one(connection, sql):
    """What a user of the C interface sees of one statement."""
    lib = connection.library
    try:
        rows = [[comparable(v) for v in row] for row in connection.execute(sql)]
        result = {"rows": rows, "names": [comparable(name.decode("utf-8", "surrogateescape"))
                                          for name in connection.columns]}
    except capi.Error as error:
        result = {"error": error.code, "message": error.message}
    result["changes"] = lib.changes(connection.handle)
    result["rowid"] = lib.last_insert_rowid(connection.handle)
    result["autocommit"] = lib.get_autocommit(connection.handle)
    return result


def same_but_for_order(ours, theirs):
    if "rows" not in ours or "rows" not in theirs:
        return False
    if any(ours[field] != theirs[field] for field in ("names", "changes", "rowid", "autocommit")):
        return False
    key = lambda row: json.dumps(row)  # noqa: E731
    return sorted(ours["rows"], key=key) == sorted(theirs["rows"], key=key)


def is_ordered(sql, result):
    """The order of the rows is part of the answer: ORDER BY names every column, or rows are cut."""
    tail = sql.rsplit(")", 1)[-1]
    if "LIMIT" in tail:
        return True
    if "ORDER BY" not in tail or "COLLATE" in tail:
        return False
    terms = {term.split()[0] for term in tail.split("ORDER BY")[1].split(",")}
    columns = len(result["rows"][0]) if result["rows"] else 0
    return len(terms) >= columns


def with_ties(row):
    """A row as most collations see it: in which order equal rows come is no rule, nor which are within a LIMIT."""
    equal = []
    for value in row:
        if isinstance(value, str) and value.startswith("r:") and float(value[2:]).is_integer():
            value = int(float(value[2:]))
        elif isinstance(value, str) and value.startswith("t:"):
            value = value.lower().rstrip(" ")
        equal.append(value)
    return equal


def same_but_for_ties(sql, ours, theirs):
    if "rows" not in ours or "rows" not in theirs:
        return False
    if sql.startswith("SELECT DISTINCT") and "JOIN" in sql:
        # Which of the rows that are equal by a collation it keeps is the planner's choice.
        key = lambda row: json.dumps(with_ties(row))  # noqa: E731
        return sorted(map(key, ours["rows"])) == sorted(map(key, theirs["rows"]))
    if "LIMIT" not in sql.rsplit(")", 1)[-1] and not same_but_for_order(ours, theirs):
        return False
    return [with_ties(row) for row in ours["rows"]] == [with_ties(row) for row in theirs["rows"]]


def has_random_rowids(ours, theirs):
    """Behind the largest rowid come random ones: what follows is not comparable."""
    return min(ours["rowid"], theirs["rowid"]) > 1 << 40 and ours["rowid"] != theirs["rowid"]


# Errors of values, which show only where the value is computed: not in a query that needs no row of it.
VALUE_ERRORS = ("integer overflow", "malformed JSON", "JSON cannot hold BLOB values", "bad JSON path",
                "string or blob too big")


def is_error_of_a_value(sql, ours, theirs):
    sides = [side.get("message", "") for side in (ours, theirs) if "rows" not in side]
    return sql.startswith(("SELECT", "WITH")) and bool(sides) and all(s.startswith(VALUE_ERRORS) for s in sides)


def is_quirk(ours, theirs):
    """SQLite takes a GROUP BY key that it can fold to an integer for the number of a column."""
    return "GROUP BY term out of range" in theirs.get("message", "") and "rows" in ours


def is_other_unknown(sql, ours, theirs):
    """RETURNING and triggers may name one unknown column each."""
    start = "no such column: "
    return " RETURNING " in sql and all(
        outcome.get("message", "").startswith(start) for outcome in (ours, theirs))


def is_half_done(ours, theirs):
    """A wrong type ends a statement of several rows in a transaction: SQLite leaves the rows before."""
    return ours.get("error") == theirs.get("error") in (20, 3091) and not theirs["autocommit"]


def is_changed_by_keys(sql, ours, theirs, with_keys):
    """What RETURNING and triggers see of a row whose foreign keys were compared: SQLite has changed
    texts to the numbers that they were compared as."""
    if not with_keys or not (" RETURNING " in sql or " FROM log" in sql):
        return False
    if "rows" not in ours or "rows" not in theirs or ours["changes"] != theirs["changes"]:
        return False

    def number(value):
        if value in ("t:text", "t:integer", "t:real"):
            return "typeof"
        try:
            return float(value[2:]) if isinstance(value, str) and value[0] in "tr" else value
        except ValueError:
            return value

    def rows(outcome):
        return [[number(value) for value in row] for row in outcome["rows"]]
    return rows(ours) == rows(theirs)


def is_let_through(ours, theirs, reference):
    """SQLite counts a row of a table that refers to itself twice, and then overlooks a violation."""
    if ours.get("error") != FOREIGN_KEY or "error" in theirs:
        return False
    return bool(run_one(reference, "PRAGMA foreign_key_check").get("rows"))


def run_script(libraries, statements, report):
    """Runs on both; reports progress, and the first difference."""
    ours, theirs = (library.connect() for library in libraries)
    skipped = orders = 0
    with_keys = any("FOREIGN KEY" in sql for sql in statements)
    checks = ["PRAGMA integrity_check", "SELECT type, name, tbl_name, sql FROM sqlite_schema"]
    for name in re.findall(r"CREATE TABLE (\w+)", " ".join(statements)):
        checks.append("SELECT * FROM %s" % name)
    for number, sql in enumerate(statements + checks):
        report({"at": number, "side": "ours"})
        mine = run_one(ours, sql)
        if mine.get("message", "").startswith("not implemented"):
            skipped += 1
            continue
        report({"at": number, "side": "theirs"})
        other = run_one(theirs, sql)
        if other.get("error") == CORRUPT_INDEX:
            break  # of its own making, by an upsert beside REPLACE
        if other.get("error") == CORRUPT and "DO UPDATE" in sql and "rows" in mine:
            break  # a trigger deleted the row that an upsert was about to change: docs/compatibility.md
        if is_half_done(mine, other):
            mine, other = run_one(ours, "ROLLBACK"), run_one(theirs, "ROLLBACK")
        if sql.startswith("ALTER"):
            # SQLite's has the columns of a statement that it runs inside.
            mine.pop("names", None)
            other.pop("names", None)
        if mine == other or is_quirk(mine, other) or is_changed_by_keys(sql, mine, other, with_keys):
            continue
        if is_other_unknown(sql, mine, other):
            continue
        if has_random_rowids(mine, other) or is_let_through(mine, other, theirs):
            break
        if is_error_of_a_value(sql, mine, other) or (same_but_for_order(mine, other) and not is_ordered(sql, mine)) or \
                same_but_for_ties(sql, mine, other):
            orders += 1
            continue
        report({"difference": number, "sql": sql, "ours": mine, "theirs": other,
                "skipped": skipped, "orders": orders})
        return
    report({"done": len(statements), "skipped": skipped, "orders": orders})


def run_child(libraries, statements):
    """Runs a script in a child; returns its last report."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        resource.setrlimit(resource.RLIMIT_CPU, (TIMEOUT_SECONDS, TIMEOUT_SECONDS + 1))
        with os.fdopen(writer, "w") as out:
            def report(message):
                out.write(json.dumps(message) + "\n")
                out.flush()
            try:
                run_script(libraries, statements, report)
            except Exception as error:  # a fault of this tool, not of a library
                report({"tool": repr(error)})
        os._exit(0)
    os.close(writer)
    data, end = b"", time.time() + PATIENCE_SECONDS
    while True:
        ready, _, _ = _select.select([reader], [], [], max(0, end - time.time()))
        if not ready:
            os.kill(pid, signal.SIGKILL)
            break
        piece = os.read(reader, 65536)
        if not piece:
            break
        data += piece
    os.close(reader)
    _, status = os.waitpid(pid, 0)
    reports = [json.loads(line) for line in data.decode().splitlines() if line.endswith("}")]
    last = reports[-1] if reports else {"at": 0}
    if "at" in last and not os.WIFSIGNALED(status) or last.get("side") == "theirs" or \
            (os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGKILL, signal.SIGXCPU)):
        # Too much work for either library: no finding. A hang of ours alone would show up as a
        # statement that never ends in every run of this seed.
        return {"slow": True, "skipped": 0, "orders": 0}
    if "at" in last:
        reason = "killed by signal %d" % os.WTERMSIG(status) if os.WIFSIGNALED(status) else "hang"
        number = last["at"]
        sql = statements[number] if number < len(statements) else "final checks"
        return {"difference": number, "sql": sql, "ours": {"crash": reason}, "theirs": {},
                "skipped": 0, "orders": 0}
    return last


def kind_of(result):
    """What stays the same while a script is reduced: messages without their names and numbers."""
    def side(outcome):
        message = re.sub(r"\b\w*\d\w*\b|: .*", "", outcome.get("message", ""))
        return ("crash" in outcome, outcome.get("error"), message)

    ours, theirs = result["ours"], result["theirs"]
    rows = "rows" in ours and "rows" in theirs
    return (side(ours), side(theirs), rows and ours["rows"] == theirs["rows"],
            rows and same_but_for_order(ours, theirs))


def reduce_script(libraries, statements, found):
    """Leaves out statements, then pieces of the last ones, as long as the same kind of difference
    stays."""
    kind = kind_of(found)
    statements = statements[:found["difference"] + 1]

    def still_differs(candidate):
        result = run_child(libraries, candidate)
        return "difference" in result and kind_of(result) == kind

    step = max(1, len(statements) // 2)
    while step:
        i = 0
        while i < len(statements):
            candidate = statements[:i] + statements[i + step:]
            if candidate and still_differs(candidate):
                statements = candidate
            else:
                i += step
        step //= 2
    for i in range(len(statements) - 1, -1, -1):
        statements[i] = shrink(statements[i],
                               lambda s: still_differs(statements[:i] + [s] + statements[i + 1:]))
    return statements


def shrink(sql, still_differs):
    """Tries simpler texts for parenthesized pieces and clauses of one statement."""
    for _ in range(6):
        changed = False
        candidates = []
        for match in re.finditer(r"\((?:[^()]|\([^()]*\))*\)", sql):
            inner = match.group(0)[1:-1]
            for piece in re.split(r" (?:AND|OR|=|<>|<|>|\+|\*|\|\||IS) ", inner, 1) + ["1", "NULL"]:
                candidates.append(sql[:match.start()] + piece + sql[match.end():])
        for clause in (r" ORDER BY [^()]*$", r" WHERE [^()]*$", r" LIMIT .*$", r" DISTINCT"):
            candidates.append(re.sub(clause, "", sql))
        for match in re.finditer(r", [^,()]+", sql):
            candidates.append(sql[:match.start()] + sql[match.end():])
        for candidate in sorted(set(candidates), key=len):
            if len(candidate) < len(sql) and still_differs(candidate):
                sql, changed = candidate, True
                break
        if not changed:
            break
    return sql


def show(result):
    ours, theirs = result["ours"].get("rows", []), result["theirs"].get("rows", [])
    first = 0
    while first < min(len(ours), len(theirs)) and ours[first] == theirs[first]:
        first += 1

    def text(side):
        if "crash" in side:
            return side["crash"]
        if "error" in side:
            return "error %d: %s  (changes %s, last rowid %s, autocommit %s)" % (
                side["error"], side["message"], side.get("changes"), side.get("rowid"),
                side.get("autocommit"))
        rows = side.get("rows", [])
        rest = "%d rows, from %d on: %s" % (len(rows), first, rows[first:first + 6])
        if result["ours"].get("names") != result["theirs"].get("names"):
            rest += " names %s" % side.get("names")
        return "%s  (changes %s, last rowid %s, autocommit %s)" % (
            rest, side.get("changes"), side.get("rowid"), side.get("autocommit"))
    return "  godwit:    %s\n  reference: %s" % (text(result["ours"]), text(result["theirs"]))


def make_script(seed, mode):
    if mode == "all":
        mode = ALL_MODES[seed % len(ALL_MODES)]
    if mode in ("writes", "ddl", "writes16", "ddl16"):
        WriteMaker.is_utf16 = mode.endswith("16") or None
        schema.use_blobs(True)
        expr.use_blobs(True)
        expr.use_topics({})
        return (DdlMaker if mode.startswith("ddl") else WriteMaker)(seed, STATEMENTS_A_SCRIPT).make()
    return ScriptMaker(seed, STATEMENTS_A_SCRIPT, mode).make()


class Totals:
    def __init__(self):
        self.done = self.differences = self.skipped = self.orders = self.slow = 0


def fuzz_seed(libraries, args, first_seed, totals):
    """Scripts of one seed until they have `args.statements`."""
    done = number = 0
    while done < args.statements and totals.differences < args.stop:
        seed = first_seed * 1000003 + number
        number += 1
        statements = make_script(seed, args.mode)
        result = run_child(libraries, statements)
        if "tool" in result:
            sys.exit("the fuzzer itself failed: " + result["tool"])
        if result.get("slow"):
            totals.slow += 1
            print("-- seed %d: gave up after %d s" % (seed, TIMEOUT_SECONDS))
            continue
        done += result.get("done", result.get("difference", 0) + 1)
        totals.skipped += result["skipped"]
        totals.orders += result["orders"]
        if "difference" not in result:
            continue
        totals.differences += 1
        print("-- difference %d, seed %d: %s" % (totals.differences, seed, result["sql"]))
        if totals.differences <= args.reduce:
            statements = reduce_script(libraries, statements, result)
            result = run_child(libraries, statements)
            print(";\n".join(statements) + ";")
        print(show(result) if "difference" in result else "  (not reproducible)")
        with open(os.path.join(args.folder, "%d.sql" % seed), "w") as out:
            out.write(";\n".join(statements) + ";\n")
        sys.stdout.flush()
    totals.done += done


def fuzz(libraries, args):
    args.folder = os.path.join(ROOT, "build", "fuzz")
    os.makedirs(args.folder, exist_ok=True)
    totals = Totals()
    for seed in range(args.seed, args.seed + args.seeds):
        fuzz_seed(libraries, args, seed, totals)
        if totals.differences >= args.stop:
            break
    print("%d statements, %d differences, %d not implemented, %d in another order, %d scripts too slow" %
          (totals.done, totals.differences, totals.skipped, totals.orders, totals.slow))
    return 1 if totals.differences else 0


def show_script(libraries, path):
    with open(path, encoding="utf-8", errors="surrogateescape") as source:
        statements = [s.strip() for s in source.read().split(";\n") if s.strip()]
    statements = [s.rstrip(";") for s in statements]
    result = run_child(libraries, statements)
    if "difference" not in result:
        print("no difference")
        return 0
    print("%s\n%s" % (result["sql"], show(result)))
    return 1


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--statements", type=int, default=10000)
    parser.add_argument("--seeds", type=int, default=1, help="so many seeds one after the other")
    for mode, text in MODES.items():
        parser.add_argument("--" + mode, dest="mode", action="store_const", const=mode, default="", help=text)
    parser.add_argument("--reduce", type=int, default=10, help="how many differences to reduce")
    parser.add_argument("--stop", type=int, default=25, help="stop after so many differences")
    parser.add_argument("--library", default=os.path.join(ROOT, "build/release/lib/libsqlite3.so.0"))
    parser.add_argument("--reference",
                        default=os.path.join(ROOT, "build/reference/libsqlite3.so.0"))
    parser.add_argument("--script", help="a file of statements, one a line, each ending in ;")
    args = parser.parse_args()
    libraries = [capi.Library(args.library), capi.Library(args.reference)]
    return show_script(libraries, args.script) if args.script else fuzz(libraries, args)


if __name__ == "__main__":
    sys.exit(main())
