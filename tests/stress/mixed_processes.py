"""Godwit and C SQLite write and read one database at once, and are killed at random.

Two Godwit processes with two threads each, a loop of the sqlite3 shell, and a Python sqlite3 process
run transactions that count: each worker has a counter of its own, all share a total, and each commit
adds a row to a log. A worker notes each commit that was acknowledged outside of the database, so that a
lost one shows: after everything its counter must be what it noted, or one more for each time it was
killed between the commit and the note. Readers check the sums within one snapshot.

usage: mixed_processes.py LIBRARY [--mode wal|delete] [--seconds N] [--seed N] [--no-kills]
"""
import argparse
import collections
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import capi  # noqa: E402

BUSY, SCHEMA_SQL = 5, """
CREATE TABLE counter(worker TEXT PRIMARY KEY, n INT);
CREATE TABLE total(n INT);
CREATE TABLE log(id INTEGER PRIMARY KEY AUTOINCREMENT, worker TEXT, seq INT, payload BLOB);
CREATE UNIQUE INDEX log_seq ON log(worker, seq);
INSERT INTO total VALUES(0);
"""
SUMS = ("SELECT (SELECT n FROM total), (SELECT coalesce(sum(n), 0) FROM counter), "
        "(SELECT count(*) FROM log)")


class Shell:
    """A connection that runs each script in a new process of the sqlite3 shell."""

    def __init__(self, path):
        self.path = path

    def execute(self, sql):
        run = subprocess.run(["sqlite3", "-bail", "-cmd", ".timeout 10000", self.path, sql],
                             capture_output=True, text=True)
        if run.returncode != 0:
            code = BUSY if "locked" in run.stderr else 1
            raise capi.Error(code, run.stderr.strip())
        return [tuple(int(x) for x in line.split("|")) for line in run.stdout.split()]


class System:
    """Python's own sqlite3."""

    def __init__(self, path):
        self.connection = sqlite3.connect(path, timeout=10, isolation_level=None)

    def execute(self, sql):
        try:
            rows = []
            for statement in sql.split(";"):
                rows = self.connection.execute(statement).fetchall() or rows
            return rows
        except sqlite3.OperationalError as error:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            raise capi.Error(BUSY if "locked" in str(error) else 1, str(error))


class Godwit:
    def __init__(self, library, path):
        self.connection = library.connect(path)
        library.busy_timeout(self.connection.handle, 10000)

    def execute(self, sql):
        try:
            return self.connection.execute(sql)
        except capi.Error:
            if not self.connection.library.get_autocommit(self.connection.handle):
                self.connection.execute("ROLLBACK")
            raise


def work(connect, name, folder, seed):
    """Commits and reads until the process is killed or told to stop."""
    chance = random.Random(seed)
    stop = os.path.join(folder, "stop")
    notes = os.open(os.path.join(folder, "notes-" + name), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    problems = os.open(os.path.join(folder, "problems"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    connection = connect()
    while not os.path.exists(stop):
        begun = time.monotonic()
        try:
            rows = connection.execute(SUMS)
            if len(set(rows[0])) != 1:
                os.write(problems, ("%s sees %r\n" % (name, rows[0])).encode())
            if chance.random() < 0.3:
                continue
            rows = connection.execute(
                "BEGIN IMMEDIATE;"
                "INSERT INTO counter VALUES('%s', 1) ON CONFLICT(worker) DO UPDATE SET n = n + 1;"
                "UPDATE total SET n = n + 1;"
                "INSERT INTO log(worker, seq, payload) SELECT worker, n, randomblob(%d) FROM counter"
                " WHERE worker = '%s';"
                "SELECT n FROM counter WHERE worker = '%s'; COMMIT"
                % (name, chance.choice([10, 200, 3000]), name, name))
            os.write(notes, b"%d\n" % rows[0][0])
            if chance.random() < 0.02:
                connection.execute("PRAGMA wal_checkpoint(%s)"
                                   % chance.choice(["passive", "full", "restart", "truncate"]))
            if chance.random() < 0.01:
                connection = connect()
        except capi.Error as error:
            if error.code & 0xff != BUSY:
                os.write(problems, ("%s: %s\n" % (name, error)).encode())
                time.sleep(0.1)
            else:
                os.write(notes, b"busy %d after %d s\n" % (error.code, time.monotonic() - begun))


def run_worker(arguments):
    path = os.path.join(arguments.folder, "test.db")
    kind = arguments.worker.split("-")[0]
    if kind == "godwit":
        library = capi.Library(arguments.library)
        threads = [threading.Thread(target=work, args=(
            lambda: Godwit(library, path), "%s-%d" % (arguments.worker, i), arguments.folder,
            arguments.seed * 10 + i)) for i in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    else:
        connect = (lambda: Shell(path)) if kind == "shell" else (lambda: System(path))
        work(connect, arguments.worker, arguments.folder, arguments.seed)


def check(arguments, folder, kills):
    """Returns what is wrong."""
    path = os.path.join(folder, "test.db")
    wrong = []
    problems = os.path.join(folder, "problems")
    if os.path.exists(problems):
        wrong += open(problems).read().splitlines()[:10]
    library = capi.Library(arguments.library)
    for who, connection in (("godwit", Godwit(library, path)), ("sqlite", System(path))):
        for row in connection.execute("PRAGMA integrity_check"):
            if row[0] != "ok":
                wrong.append("%s: integrity_check: %s" % (who, row[0]))
        sums = connection.execute(SUMS)[0]
        if len(set(sums)) != 1:
            wrong.append("%s: total, counters and log differ: %r" % (who, sums))
        counters = dict(connection.execute("SELECT worker, n FROM counter"))
        logged = connection.execute("SELECT worker, count(*), max(seq) FROM log GROUP BY worker")
        for worker, rows, last in logged:
            if rows != last or counters[worker] != rows:
                wrong.append("%s: %s counted %d, logged %d of %d" % (who, worker, counters[worker], rows, last))
    commits = 0
    busy = collections.Counter()
    for name in os.listdir(folder):
        if not name.startswith("notes-"):
            continue
        worker = name[len("notes-"):]
        lines = open(os.path.join(folder, name)).read().split("\n")
        noted = [int(line) for line in lines if line.isdigit()]
        busy.update(worker.split("-")[0] + line[4:] for line in lines if line.startswith("busy"))
        commits += len(noted)
        counted = counters.get(worker, 0)
        killed = kills[worker.rsplit("-", 1)[0] if worker.startswith("godwit") else worker]
        if noted and not noted[-1] <= counted:
            wrong.append("%s: commit %d was acknowledged, the counter is %d" % (worker, noted[-1], counted))
        if counted > len(noted) + killed:
            wrong.append("%s: %d commits noted, %d kills, the counter is %d"
                         % (worker, len(noted), killed, counted))
        if len(set(noted)) != len(noted):
            wrong.append("%s: a number was acknowledged twice" % worker)
    return wrong, commits, busy, sums[0]


def drive(arguments):
    chance = random.Random(arguments.seed)
    workers = ["godwit-1", "godwit-2", "shell-1", "python-1"]
    kills = dict.fromkeys(workers, 0)
    folder = tempfile.mkdtemp(prefix="godwit-stress-")
    path = os.path.join(folder, "test.db")
    setup = sqlite3.connect(path, isolation_level=None)
    setup.execute("PRAGMA journal_mode=" + arguments.mode)
    setup.executescript(SCHEMA_SQL)
    setup.close()
    seed = arguments.seed * 1000

    def start(worker):
        nonlocal seed
        seed += 1
        return subprocess.Popen([sys.executable, os.path.abspath(__file__), arguments.library, "--worker",
                                 worker, "--folder", folder, "--seed", str(seed)], start_new_session=True)

    processes = {worker: start(worker) for worker in workers}
    end = time.monotonic() + arguments.seconds
    while time.monotonic() < end:
        time.sleep(chance.uniform(0.3, 1.5))
        if arguments.no_kills:
            continue
        worker = chance.choice(workers)
        try:  # with the shell that it may have started
            os.killpg(processes[worker].pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        processes[worker].wait()
        kills[worker] += 1
        processes[worker] = start(worker)
    open(os.path.join(folder, "stop"), "w").close()
    wrong = []
    for worker, process in processes.items():
        try:
            if process.wait(timeout=60) != 0:
                wrong.append("%s ended with %d" % (worker, process.returncode))
        except subprocess.TimeoutExpired:
            wrong.append("%s does not end" % worker)
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    found, commits, busy, total = check(arguments, folder, kills)
    wrong += found
    for line in wrong:
        print("FAILED " + line)
    print("%s: %d commits acknowledged, %d counted, %d kills; busy: %s%s"
          % (arguments.mode, commits, total, sum(kills.values()), dict(busy) or "never",
             "; files are in " + folder if wrong else ""))
    if not wrong:
        subprocess.run(["rm", "-rf", folder])
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--mode", default="wal")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-kills", action="store_true")
    parser.add_argument("--worker")
    parser.add_argument("--folder")
    arguments = parser.parse_args()
    if arguments.worker:
        run_worker(arguments)
        return 0
    return drive(arguments)


if __name__ == "__main__":
    sys.exit(main())
