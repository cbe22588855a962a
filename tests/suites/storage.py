"""Journal modes, locks, checkpoints and URI parameters: Godwit beside reference SQLite.

Each script in tests/suites/storage/ is run by both libraries in an empty folder, and must give the same
rows and errors, and leave files of the same names and sizes. A line is a connection's name and a statement;
"open URI" opens the connection (DIR is the folder), "close" closes it, "files" lists the folder.

Then a database with a WAL is read by somebody who may write neither the files nor the folder.
usage: storage.py LIBRARY REFERENCE
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import capi  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
FLAGS = 0x2 | 0x4 | 0x40  # read and write, create, URI


def list_files(folder):
    return sorted((name, os.path.getsize(os.path.join(folder, name))) for name in os.listdir(folder))


def check_databases(folder):
    """What the system's sqlite3 says of each database that is left."""
    found = []
    for name in sorted(os.listdir(folder)):
        if name.endswith(".db"):
            check = subprocess.run(["sqlite3", os.path.join(folder, name), "PRAGMA integrity_check"],
                                   capture_output=True, text=True)
            found.append((name, check.stdout + check.stderr))
    return found


def run(library, script):
    """What each line gave."""
    folder = tempfile.mkdtemp()
    connections, results = {}, []
    for line in script:
        name, _, sql = line.partition(" ")
        try:
            if sql == "files":
                result = list_files(folder)
            elif sql == "close":
                connections.pop(name).close()
                continue
            elif sql.startswith("open "):
                connections[name] = library.connect(sql[5:].replace("DIR", folder), FLAGS)
                continue
            else:
                if name not in connections:
                    connections[name] = library.connect(os.path.join(folder, "m.db"), FLAGS)
                result = connections[name].execute(sql.replace("DIR", folder))
        except capi.Error as error:
            result = str(error)
        results.append((line, result))
    for connection in connections.values():
        connection.close()
    results.append(("at the end", list_files(folder)))
    results.append(("C SQLite's check", check_databases(folder)))
    shutil.rmtree(folder)
    return results


def check_scripts(godwit, reference):
    failed = 0
    for path in sorted(glob.glob(os.path.join(HERE, "storage", "*.txt"))):
        script = [line.strip() for line in open(path) if line.strip() and not line.startswith("#")]
        for (line, expected), (_, actual) in zip(run(reference, script), run(godwit, script)):
            if expected != actual:
                failed += 1
                print("FAILED %s: %s\n  expected %r\n  got      %r"
                      % (os.path.basename(path), line, expected, actual))
    return failed


READER = """
import sys
sys.path.insert(0, sys.argv[3])
import capi
for flags in (1, 6):
    connection = capi.Library(sys.argv[1]).connect(sys.argv[2], flags)
    for sql in ("SELECT * FROM t", "INSERT INTO t VALUES(1)", "PRAGMA journal_mode", "PRAGMA integrity_check"):
        try:
            print(connection.execute(sql))
        except capi.Error as error:
            print(error)
"""


def check_read_only(godwit, reference):
    """A WAL and its index were left by a process that died; the reader may write nothing."""
    base = tempfile.mkdtemp()
    folder = os.path.join(base, "data")
    os.mkdir(folder)
    path = os.path.join(folder, "m.db")
    writer = ("import os, sys; sys.path.insert(0, %r); import capi\n"
              "c = capi.Library(%r).connect(%r)\n"
              "c.execute('PRAGMA journal_mode=wal; CREATE TABLE t(a); INSERT INTO t VALUES(42)')\n"
              "os._exit(0)" % (os.path.dirname(capi.__file__), reference, path))
    subprocess.run([sys.executable, "-c", writer], check=True)
    for name in os.listdir(folder):
        os.chmod(os.path.join(folder, name), 0o444)
    as_nobody = []
    for library in (godwit, reference):  # where anybody can read it
        shutil.copy(library, os.path.join(base, "library-" + str(library == godwit)))
    shutil.copy(capi.__file__, os.path.join(base, "capi.py"))
    os.chmod(base, 0o755)
    os.chmod(folder, 0o555)
    if os.getuid() == 0:
        as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    outputs = [subprocess.run(as_nobody + [sys.executable, "-c", READER,
                                           os.path.join(base, "library-" + str(library == godwit)), path, base],
                              capture_output=True, text=True).stdout for library in (reference, godwit)]
    os.chmod(folder, 0o755)
    shutil.rmtree(base)
    if outputs[0] != outputs[1]:
        print("FAILED read-only WAL\n  expected %r\n  got      %r" % tuple(outputs))
    return outputs[0] != outputs[1]


def main():
    failed = check_scripts(capi.Library(sys.argv[1]), capi.Library(sys.argv[2]))
    failed += check_read_only(sys.argv[1], sys.argv[2])
    print("%d differences" % failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
