"""Small SQL scripts with the output that reference SQLite gives: tests/regress/NAME.sql and NAME.expected.

Each file holds what once went wrong. Statements end in ";" at the end of a line. The output is a line a row,
values as SQL literals separated by "|", or a line "error CODE: message".
usage: regress.py LIBRARY [--write]    --write: make the .expected files (LIBRARY is the reference)
"""
import glob
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import capi  # noqa: E402


def literal(value):
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return "x'%s'" % value.hex()
    if isinstance(value, str):
        return "'%s'" % value.replace("'", "''").encode("utf-8", "surrogateescape").decode("latin-1")
    return repr(value)


def run(library, path):
    lines = []
    connection = library.connect()
    with open(path, encoding="utf-8") as source:
        text = "\n".join(line for line in source.read().split("\n") if not line.startswith("--"))
    for sql in text.split(";\n"):
        if not sql.strip():
            continue
        lines.append("> " + " ".join(sql.split()))
        try:
            lines += ["|".join(literal(v) for v in row) for row in connection.execute(sql)]
        except capi.Error as error:
            lines.append("error %d: %s" % (error.code, error.message))
    connection.close()
    return "\n".join(lines) + "\n"


def main():
    library = capi.Library(sys.argv[1])
    failed = 0
    paths = sorted(glob.glob(os.path.join(HERE, "..", "regress", "*.sql")))
    for path in paths:
        output = run(library, path)
        expected_path = path[:-len(".sql")] + ".expected"
        if "--write" in sys.argv:
            with open(expected_path, "w", encoding="utf-8") as out:
                out.write(output)
            continue
        with open(expected_path, encoding="utf-8") as source:
            expected = source.read()
        if output == expected:
            continue
        failed += 1
        ours, theirs = output.split("\n"), expected.split("\n")
        place = next(i for i in range(len(ours) + 1)
                     if i == len(ours) or i == len(theirs) or ours[i] != theirs[i])
        statement = [line for line in theirs[:place + 1] if line.startswith("> ")][-1:]
        print("%s: %s\n  godwit:   %s\n  expected: %s" % (
            os.path.basename(path), "".join(statement), ours[place:place + 3],
            theirs[place:place + 3]))
    print("%d scripts, %d failed" % (len(paths), failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
