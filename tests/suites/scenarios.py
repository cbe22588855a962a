"""Troubles that users of embedded databases have met, each a test named after it.

Processes that share a file (Godwit and C SQLite), WALs that only grow, full disks and failing syncs, backups
and copies under constant writes, threads that share one connection. After each test the system's sqlite3
checks every database that is left.
usage: scenarios.py LIBRARY [NAME...]
"""
import ctypes
import glob
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SUPPORT = os.path.join(HERE, "..", "support")
sys.path.insert(0, SUPPORT)
import capi  # noqa: E402

BUSY, FULL, READONLY, IOERR, ABORT_ROLLBACK, MISUSE = 5, 13, 8, 10, 516, 21
LIBRARY = os.path.abspath(sys.argv[1])
library = capi.Library(LIBRARY)

CHILD = """
import os, sys, time, sqlite3
sys.path.insert(0, %r)
import capi
library = capi.Library(%r)
path = sys.argv[1]
def godwit(flags=6, timeout=10000):
    connection = library.connect(path, flags)
    library.busy_timeout(connection.handle, timeout)
    return connection
class Stock:
    def __init__(self):
        self.connection = sqlite3.connect(path, timeout=10, isolation_level=None)
    def execute(self, sql):
        rows = []
        for statement in sql.split(";"):
            rows = self.connection.execute(statement).fetchall() or rows
        return rows
""" % (SUPPORT, LIBRARY)


class Failed(Exception):
    pass


def expect(what, expected, actual):
    if expected != actual:
        raise Failed("%s: expected %r, got %r" % (what, expected, actual))


def expect_true(what, condition):
    if not condition:
        raise Failed(what)


def open_here(path, timeout=10000, flags=6):
    connection = library.connect(path, flags)
    library.busy_timeout(connection.handle, timeout)
    return connection


def code_of(connection, sql):
    """0, or the error code of the script."""
    try:
        connection.execute(sql)
        return 0
    except capi.Error as error:
        return error.code


def child(body, *arguments, **options):
    """A process that runs `body` after CHILD."""
    return subprocess.Popen([sys.executable, "-c", CHILD + body, *arguments], stdout=subprocess.PIPE,
                            text=True, **options)


def wait_for_line(process):
    line = process.stdout.readline()
    if not line:
        raise Failed("a process ended early")
    return line.strip()


def tell(process, line):
    process.stdin.write(line + "\n")
    process.stdin.flush()


def finish(process):
    """Ends its input and waits; returns the words of its output."""
    output = process.communicate(timeout=120)[0]
    expect("exit code of a process", 0, process.returncode)
    return output.split()


def stock_check(path):
    run = subprocess.run(["sqlite3", "-readonly", path, "PRAGMA integrity_check"], capture_output=True, text=True)
    return run.stdout.strip() + run.stderr.strip()


# ---- Processes that share a file ---------------------------------------------------------------------

COUNT = """
connection = godwit() if sys.argv[2] == 'godwit' else Stock()
done = 0
for i in range(int(sys.argv[3])):
    connection.execute("BEGIN IMMEDIATE; UPDATE c SET n = n + 1; INSERT INTO log(who) VALUES('%s'); COMMIT" % sys.argv[2])
    rows = connection.execute("SELECT (SELECT n FROM c) - (SELECT count(*) FROM log)")
    assert rows == [(0,)], rows
    done += 1
print(done)
"""


def two_processes_write_one_wal_file_and_both_make_progress(folder):
    """Ours and ours, and ours and C SQLite, with a reader in read-only mode."""
    path = os.path.join(folder, "m.db")
    main = open_here(path)
    main.execute("PRAGMA journal_mode=wal; CREATE TABLE c(n); INSERT INTO c VALUES(0); CREATE TABLE log(who)")
    reader = open_here(path, flags=1)
    workers = [child(COUNT, path, who, "150") for who in ("godwit", "godwit", "stock")]
    seen = []
    while any(worker.poll() is None for worker in workers):
        seen.append(reader.execute("SELECT n FROM c")[0][0])
        time.sleep(0.01)
    for worker in workers:
        expect("commits of a worker", ["150"], finish(worker))
    expect("what a reader sees only grows", sorted(seen), seen)
    expect("increments", [(450,)], main.execute("SELECT n FROM c"))
    expect("write by the read-only connection", READONLY, code_of(reader, "DELETE FROM log") & 0xff)


def opening_a_file_takes_no_lock_and_busy_timeout_is_honoured(folder):
    path = os.path.join(folder, "m.db")
    first = open_here(path)
    first.execute("PRAGMA journal_mode=wal; CREATE TABLE t(a)")
    holder = child("c = Stock(); c.execute('BEGIN IMMEDIATE'); print('locked', flush=True); time.sleep(1);"
                   " c.execute('COMMIT')", path)
    wait_for_line(holder)
    hasty = open_here(path, timeout=0)
    expect("reading meanwhile", [(0,)], hasty.execute("SELECT count(*) FROM t"))
    expect("writing without a timeout", BUSY, code_of(hasty, "INSERT INTO t VALUES(1)"))
    begun = time.monotonic()
    expect("writing with a timeout", 0, code_of(first, "INSERT INTO t VALUES(1)"))
    expect_true("it waited", 0.2 < time.monotonic() - begun < 8)
    finish(holder)


def closing_one_connection_leaves_the_wal_to_the_other(folder):
    path = os.path.join(folder, "m.db")
    ours = open_here(path)
    ours.execute("PRAGMA journal_mode=wal; CREATE TABLE t(a); INSERT INTO t VALUES(1)")
    stock = child("c = Stock(); print(len(c.execute('SELECT * FROM t')), flush=True); sys.stdin.readline();"
                  "print(len(c.execute('SELECT * FROM t')), flush=True); sys.stdin.readline()", path,
                  stdin=subprocess.PIPE)
    expect("rows of C SQLite", "1", wait_for_line(stock))
    ours.close()
    expect_true("the WAL stays while C SQLite has it open", os.path.exists(path + "-wal"))
    ours = open_here(path)
    ours.execute("INSERT INTO t VALUES(2)")
    tell(stock, "go on")
    expect("rows of C SQLite", "2", wait_for_line(stock))
    tell(stock, "end")
    finish(stock)
    expect_true("and while Godwit has", os.path.exists(path + "-wal"))
    expect("rows", [(1,), (2,)], ours.execute("SELECT * FROM t"))
    ours.close()
    expect("files at the end", ["m.db"], os.listdir(folder))


def killing_a_process_in_a_write_lets_the_other_recover(folder):
    for mode in ("wal", "delete"):
        path = os.path.join(folder, mode + ".db")
        ours = open_here(path)
        ours.execute("PRAGMA journal_mode=%s; CREATE TABLE t(a); INSERT INTO t VALUES(1)" % mode)
        for who in ("godwit()", "Stock()"):
            victim = child("c = %s; c.execute(\"PRAGMA cache_size=20; BEGIN; INSERT INTO t WITH RECURSIVE r(x) AS "
                           "(VALUES(1) UNION ALL SELECT x+1 FROM r WHERE x<5000) SELECT zeroblob(500) FROM r\");"
                           " print('in', flush=True); time.sleep(60)" % who, path)
            wait_for_line(victim)
            victim.kill()
            victim.wait()
            expect("%s: rows after the kill of %s" % (mode, who), [(1,)], ours.execute("SELECT a FROM t"))
            expect("write after the kill", 0, code_of(ours, "UPDATE t SET a = a"))
        ours.close()


# ---- WALs that only grow -----------------------------------------------------------------------------

def wal_size(path):
    return os.path.getsize(path + "-wal")


def the_wal_is_reused_as_soon_as_no_reader_needs_its_tail(folder):
    path = os.path.join(folder, "m.db")
    writer, reader = open_here(path), open_here(path)
    writer.execute("PRAGMA journal_mode=wal; PRAGMA wal_autocheckpoint=50; CREATE TABLE t(a)")
    reader.execute("BEGIN; SELECT * FROM t")
    for _ in range(300):
        writer.execute("INSERT INTO t VALUES(zeroblob(3000))")
    grown = wal_size(path)
    expect_true("a reader keeps the WAL", grown > 300 * 4096)
    reader.execute("COMMIT")
    time.sleep(0.1)
    for _ in range(300):
        writer.execute("INSERT INTO t VALUES(zeroblob(3000))")
        time.sleep(0.0005)
    expect_true("it does not grow any more", wal_size(path) <= grown + 60 * 4096)
    writer.execute("PRAGMA journal_size_limit=100000; PRAGMA wal_checkpoint(restart)")
    writer.execute("INSERT INTO t VALUES(1)")
    expect_true("journal_size_limit shrinks it", wal_size(path) <= 100000)


def a_statement_that_was_reset_pins_nothing(folder):
    path = os.path.join(folder, "m.db")
    writer, reader = open_here(path), open_here(path)
    writer.execute("PRAGMA journal_mode=wal; CREATE TABLE t(a); INSERT INTO t VALUES(1),(2),(3)")
    statement = prepare(reader, "SELECT a FROM t")
    expect("a row", capi.ROW, library.step(statement))
    writer.execute("INSERT INTO t VALUES(4)")
    expect("a stepped statement pins the WAL", 1, writer.execute("PRAGMA wal_checkpoint(truncate)")[0][0])
    library.reset(statement)
    expect("a reset one does not", 0, writer.execute("PRAGMA wal_checkpoint(truncate)")[0][0])
    expect("size of the WAL", 0, wal_size(path))
    library.finalize(statement)


def readers_that_overlap_for_ever_do_not_keep_the_wal_from_being_checkpointed(folder):
    """Two readers whose transactions overlap without a gap: the WAL cannot start anew in between, but all
    that is older than both goes to the database, and a RESTART checkpoint with a busy timeout gets its turn."""
    path = os.path.join(folder, "m.db")
    writer = open_here(path)
    writer.execute("PRAGMA journal_mode=wal; PRAGMA wal_autocheckpoint=50; CREATE TABLE t(a)")
    stop = threading.Event()

    def read(offset):
        connection = open_here(path)
        time.sleep(offset)
        while not stop.is_set():
            connection.execute("BEGIN; SELECT count(*) FROM t")
            time.sleep(0.02)
            connection.execute("COMMIT")
        connection.close()

    threads = [threading.Thread(target=read, args=(i * 0.01,)) for i in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(400):
            writer.execute("INSERT INTO t VALUES(zeroblob(3000))")
        busy, frames, copied = writer.execute("PRAGMA wal_checkpoint(passive)")[0]
        expect_true("old frames were copied meanwhile: %d of %d" % (copied, frames), copied > frames / 2)
        busy = 1
        for _ in range(20):
            busy = busy and writer.execute("PRAGMA wal_checkpoint(restart)")[0][0]
        expect("a restart gets its turn", 0, busy)
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def who_pins_the_wal_can_be_seen(folder):
    path = os.path.join(folder, "m.db")
    writer = open_here(path)
    writer.execute("PRAGMA journal_mode=wal; PRAGMA wal_autocheckpoint=0; CREATE TABLE t(a); INSERT INTO t VALUES(1)")
    expect("nobody reads", [], writer.execute("PRAGMA wal_readers"))
    readers = []
    for who in ("godwit()", "Stock()"):
        reader = child("c = %s; c.execute('BEGIN; SELECT * FROM t'); print('reads', flush=True); sys.stdin.read()"
                       % who, path, stdin=subprocess.PIPE)
        wait_for_line(reader)
        readers.append(reader)
        frame = writer.execute("PRAGMA wal_checkpoint(passive)")[0][1]
        writer.execute("INSERT INTO t VALUES(2)")
    rows = writer.execute("PRAGMA wal_readers")
    expect("processes that read", sorted(reader.pid for reader in readers), sorted(row[2] for row in rows))
    expect_true("each is behind the newest frame: %r" % rows, all(row[1] > 0 for row in rows))
    for reader in readers:
        finish(reader)
    expect("nobody reads any more", [], writer.execute("PRAGMA wal_readers"))


# ---- Lost updates ------------------------------------------------------------------------------------

def increments_equal_successful_commits(folder):
    """Also of transactions that begin with a read and may be refused when they want to write."""
    path = os.path.join(folder, "m.db")
    open_here(path).execute("PRAGMA journal_mode=wal; CREATE TABLE c(id INTEGER PRIMARY KEY, v); INSERT INTO c VALUES(1,0)")
    done = []

    def work():
        connection = open_here(path)
        for _ in range(100):
            try:
                connection.execute("BEGIN; SELECT v FROM c; UPDATE c SET v = v + 1 WHERE id = 1; COMMIT")
                done.append(1)
            except capi.Error as error:
                if error.code & 0xff != BUSY:
                    raise
                connection.execute("ROLLBACK")
        connection.close()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expect("increments", [(len(done),)], open_here(path).execute("SELECT v FROM c"))
    expect_true("some commits succeeded", len(done) > 0)


def commit_after_a_conflict_is_an_error(folder):
    path = os.path.join(folder, "m.db")
    a, b = open_here(path, timeout=0), open_here(path, timeout=0)
    a.execute("PRAGMA journal_mode=wal; CREATE TABLE c(v); INSERT INTO c VALUES(0)")
    a.execute("BEGIN; SELECT * FROM c")
    b.execute("UPDATE c SET v = 1")
    expect("the stale snapshot", 517, code_of(a, "UPDATE c SET v = 2"))
    expect("the transaction is still open", 0, library.get_autocommit(a.handle))
    expect("its commit changes nothing", 0, code_of(a, "COMMIT"))
    expect("second commit", 1, code_of(a, "COMMIT"))
    expect("value", [(1,)], a.execute("SELECT v FROM c"))


# ---- Full disks, read-only places, I/O errors ----------------------------------------------------------

def mount_small(folder, size):
    place = os.path.join(folder, "small")
    os.makedirs(place, exist_ok=True)
    run = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=" + size, "tmpfs", place], capture_output=True)
    if run.returncode != 0:
        raise Skipped("cannot mount a small file system")
    return place


class Skipped(Exception):
    pass


def a_full_disk_during_insert_and_commit_says_full_and_loses_nothing(folder):
    for mode in ("wal", "delete"):
        place = mount_small(folder, "2m")
        try:
            path = os.path.join(place, "m.db")
            c = open_here(path)
            c.execute("PRAGMA journal_mode=%s; CREATE TABLE t(a); INSERT INTO t VALUES('kept')" % mode)
            many = ("INSERT INTO t WITH RECURSIVE r(x) AS (VALUES(1) UNION ALL SELECT x+1 FROM r WHERE x<4000)"
                    " SELECT zeroblob(1000) FROM r")
            expect(mode + ": autocommit", FULL, code_of(c, many))
            expect("rows", [(1,)], c.execute("SELECT count(*) FROM t"))
            code = code_of(c, "BEGIN; %s; COMMIT" % many)
            expect(mode + ": in a transaction", FULL, code)
            if not library.get_autocommit(c.handle):
                c.execute("ROLLBACK")
            expect("rows", [("kept",)], c.execute("SELECT a FROM t"))
            expect("usable again", 0, code_of(c, "INSERT INTO t VALUES('after')"))
            expect("integrity", [("ok",)], c.execute("PRAGMA integrity_check"))
            c.close()
            expect("C SQLite's check", "ok", stock_check(path))
        finally:
            subprocess.run(["umount", place], check=True)


def a_full_disk_during_a_checkpoint_loses_nothing(folder):
    place = mount_small(folder, "3m")
    try:
        path = os.path.join(place, "m.db")
        c = open_here(path)
        c.execute("PRAGMA journal_mode=wal; PRAGMA wal_autocheckpoint=0; CREATE TABLE t(a)")
        code, rows = 0, 0
        while code == 0:
            code = code_of(c, "INSERT INTO t VALUES(randomblob(3000))")
            rows += code == 0
        expect("the WAL fills the disk", FULL, code)
        expect("the checkpoint has no room", FULL, code_of(c, "PRAGMA wal_checkpoint") & 0xff)
        expect("rows", [(rows,)], c.execute("SELECT count(*) FROM t"))
        subprocess.run(["mount", "-o", "remount,size=8m", place], check=True)
        expect("with room", (0,), c.execute("PRAGMA wal_checkpoint(truncate)")[0][:1])
        expect("write", 0, code_of(c, "INSERT INTO t VALUES(1)"))
        c.close()
        expect("C SQLite's check", "ok", stock_check(path))
    finally:
        subprocess.run(["umount", place], check=True)


SORT_IN_SMALL_PLACE = """
c = godwit()
def code_of(sql):
    try:
        c.execute(sql)
        return 0
    except capi.Error as error:
        return error.code
c.execute("CREATE TABLE t(a, b); CREATE TABLE kept(a)")
c.execute("INSERT INTO t WITH RECURSIVE r(x) AS (VALUES(1) UNION ALL SELECT x+1 FROM r WHERE x<400000)"
          " SELECT x * 7919 % 1000003, 'some text of a row with the number ' || x || ' that takes memory, more than '"
          " || 'a hundred bytes of it, so that a sort has something to carry around with it' FROM r")
c.execute("BEGIN; INSERT INTO kept VALUES(1)")
print(code_of("SELECT * FROM t ORDER BY a"), library.get_autocommit(c.handle))
print(code_of("INSERT INTO kept SELECT b FROM t ORDER BY b DESC, a"), library.get_autocommit(c.handle))
if not library.get_autocommit(c.handle):
    c.execute("COMMIT")
print(c.execute("SELECT count(*) FROM kept")[0][0])
print(c.execute("PRAGMA temp_store=memory; SELECT count(*) FROM (SELECT * FROM t ORDER BY a LIMIT -1)")[0][0])
"""


def a_full_disk_under_a_sort_says_full(folder):
    place = mount_small(folder, "1m")
    try:
        environment = dict(os.environ, SQLITE_TMPDIR=place)
        worker = child(SORT_IN_SMALL_PLACE, os.path.join(folder, "m.db"), env=environment)
        words = finish(worker)
        # As with SQLite, also a SELECT that fails so ends the transaction.
        expect("a sort in a SELECT fails", [str(FULL), "1"], words[:2])
        expect("a sort under an INSERT fails, which leaves nothing", [str(FULL), "1", "0"], words[2:5])
        expect("with room in memory it succeeds", "400000", words[-1])
    finally:
        subprocess.run(["umount", place], check=True)


def a_read_only_folder_and_a_read_only_file_say_readonly(folder):
    path = os.path.join(folder, "m.db")
    c = open_here(path)
    c.execute("CREATE TABLE t(a); INSERT INTO t VALUES(1)")
    c.close()
    body = ("c = godwit()\n"
            "print(c.execute('SELECT a FROM t')[0][0])\n"
            "try:\n    c.execute('INSERT INTO t VALUES(2)')\n"
            "except capi.Error as error:\n    print(error.code & 0xff)\n")
    script = os.path.join(folder, "body.py")
    public = os.path.join(folder, "public")
    os.mkdir(public)
    shutil.copy(LIBRARY, os.path.join(public, "library.so"))
    shutil.copy(os.path.join(SUPPORT, "capi.py"), public)
    text = CHILD.replace(repr(LIBRARY), repr(os.path.join(public, "library.so"))).replace(repr(SUPPORT), repr(public))
    open(script, "w").write(text + body)
    os.chmod(path, 0o444)
    for mode in (0o777, 0o555):
        os.chmod(folder, mode)
        command = [sys.executable, script, path]
        if os.getuid() == 0:
            command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] + command
        output = subprocess.run(command, capture_output=True, text=True).stdout.split()
        os.chmod(folder, 0o755)
        expect("read and write, folder %o" % mode, ["1", str(READONLY)], output)
    os.chmod(path, 0o644)


FAILING_SYNC = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
int fails = 0;
static int call(const char *name, int fd) {
  if (fails > 0) { --fails; errno = EIO; return -1; }
  return ((int (*)(int))dlsym(RTLD_NEXT, name))(fd);
}
int fsync(int fd) { return call("fsync", fd); }
int fdatasync(int fd) { return call("fdatasync", fd); }
"""

SYNC_ONCE = """
import ctypes
shim = ctypes.CDLL(None)
fails = ctypes.c_int.in_dll(shim, "fails")
for mode in ("wal", "delete", "truncate"):
    c = library.connect(path + mode)
    c.execute("PRAGMA journal_mode=%s; PRAGMA synchronous=full; CREATE TABLE t(a); INSERT INTO t VALUES(1)" % mode)
    fails.value = 1
    try:
        c.execute("INSERT INTO t VALUES(2)")
        print(mode, "succeeded")
    except capi.Error as error:
        print(mode, error.code)
    rows = c.execute("SELECT count(*) FROM t")[0][0]
    c.execute("INSERT INTO t VALUES(3)")
    print(rows, c.execute("PRAGMA integrity_check")[0][0], c.execute("SELECT count(*) FROM t")[0][0])
    c.close()
"""


def no_success_is_reported_after_a_sync_that_failed_once(folder):
    source, shim = os.path.join(folder, "shim.c"), os.path.join(folder, "shim.so")
    open(source, "w").write(FAILING_SYNC)
    if subprocess.run(["cc", "-shared", "-fPIC", "-o", shim, source, "-ldl"]).returncode != 0:
        raise Skipped("no C compiler")
    worker = child(SYNC_ONCE, os.path.join(folder, "m-"), env=dict(os.environ, LD_PRELOAD=shim))
    words = finish(worker)
    for i, mode in enumerate(("wal", "delete", "truncate")):
        got = words[i * 5:i * 5 + 5]
        expect("%s: the commit" % mode, str(IOERR | 4 << 8), got[1])
        expect("%s: rows, check, rows after the next insert" % mode, ["1", "ok", "2"], got[2:])


# ---- Backups and copies under load ---------------------------------------------------------------------

class Load:
    """Writes from another process until told to stop: a pair of rows in each transaction."""

    BODY = """
c = godwit() if sys.argv[2] == 'godwit' else Stock()
print('begun', flush=True)
n = 0
import select
while not select.select([sys.stdin], [], [], 0.001)[0]:
    c.execute("BEGIN IMMEDIATE; INSERT INTO a VALUES(randomblob(900)); INSERT INTO b VALUES(randomblob(900)); COMMIT")
    n += 1
print(n)
"""

    def __init__(self, path, who="godwit"):
        self.process = child(self.BODY, path, who, stdin=subprocess.PIPE)
        wait_for_line(self.process)

    def stop(self):
        return int(finish(self.process)[0])


PAIRS = "SELECT (SELECT count(*) FROM a) - (SELECT count(*) FROM b)"


def make_pairs(path):
    c = open_here(path)
    c.execute("PRAGMA journal_mode=wal; CREATE TABLE a(x); CREATE TABLE b(x);"
              "INSERT INTO a WITH RECURSIVE r(x) AS (VALUES(1) UNION ALL SELECT x+1 FROM r WHERE x<2000)"
              " SELECT zeroblob(900) FROM r; INSERT INTO b SELECT x FROM a")
    return c


def bind_backup():
    lib = ctypes.CDLL(LIBRARY)
    pointer, number, text = ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p
    for name, result, arguments in (("init", pointer, [pointer, text, pointer, text]), ("step", number, [pointer, number]),
                                    ("finish", number, [pointer]), ("remaining", number, [pointer])):
        function = getattr(lib, "sqlite3_backup_" + name)
        function.restype, function.argtypes = result, arguments
    return lib


def a_backup_in_small_steps_under_its_own_connections_writes_ends_with_one_snapshot(folder):
    path, copy = os.path.join(folder, "m.db"), os.path.join(folder, "copy.db")
    source, lib = make_pairs(path), bind_backup()
    target = open_here(copy)
    backup = lib.sqlite3_backup_init(target.handle, b"main", source.handle, b"main")
    steps = 0
    while (code := lib.sqlite3_backup_step(backup, 50)) == 0:
        source.execute("BEGIN; INSERT INTO a VALUES(1); INSERT INTO b VALUES(1); COMMIT")
        steps += 1
        expect_true("it does not begin anew for ever", steps < 500)
    expect("the last step", capi.DONE, code)
    expect("finish", 0, lib.sqlite3_backup_finish(backup))
    expect("pairs in the copy", [(0,)], target.execute(PAIRS))
    expect("rows written on the way are in it", source.execute("SELECT count(*) FROM a"),
           target.execute("SELECT count(*) FROM a"))
    target.close()


def backups_and_vacuum_into_under_another_processs_writes_are_one_snapshot(folder):
    path = os.path.join(folder, "m.db")
    for who in ("godwit", "stock"):
        source, lib = make_pairs(path), bind_backup()
        load = Load(path, who)
        backup_path, into = os.path.join(folder, who + "-copy.db"), os.path.join(folder, who + "-into.db")
        source.execute("VACUUM INTO '%s'" % into)
        target = open_here(backup_path)
        backup = lib.sqlite3_backup_init(target.handle, b"main", source.handle, b"main")
        expect("one step", capi.DONE, lib.sqlite3_backup_step(backup, -1))
        expect("finish", 0, lib.sqlite3_backup_finish(backup))
        target.close()
        written = load.stop()
        expect_true("writers were not kept waiting (%d commits)" % written, written > 5)
        for name in (backup_path, into):
            expect("pairs in " + os.path.basename(name), [(0,)], open_here(name).execute(PAIRS))
        source.close()
        for name in glob.glob(path + "*"):
            os.remove(name)


def a_copy_of_the_file_and_then_its_wal_is_one_snapshot_when_nobody_checkpoints(folder):
    path, copy = os.path.join(folder, "m.db"), os.path.join(folder, "copy.db")
    source = make_pairs(path)
    source.execute("PRAGMA wal_checkpoint(truncate)")
    # A reader keeps checkpoints from changing the file after its snapshot.
    source.execute("BEGIN; SELECT count(*) FROM a")
    load = Load(path)
    time.sleep(0.3)
    shutil.copy(path, copy)
    shutil.copy(path + "-wal", copy + "-wal")
    load.stop()
    expect("pairs in the copy", [(0,)], open_here(copy).execute(PAIRS))
    expect("its check", [("ok",)], open_here(copy).execute("PRAGMA integrity_check"))


def a_file_restored_beside_a_stale_wal_ignores_it(folder):
    path, good = os.path.join(folder, "m.db"), os.path.join(folder, "good.db")
    c = open_here(path)
    c.execute("PRAGMA journal_mode=wal; CREATE TABLE t(a); INSERT INTO t VALUES('old')")
    c.execute("PRAGMA wal_checkpoint(truncate)")
    c.execute("INSERT INTO t VALUES('first in the WAL')")
    stale = open(path + "-wal", "rb").read()
    c.execute("PRAGMA wal_checkpoint(truncate); DELETE FROM t; INSERT INTO t VALUES('new')")
    c.execute("PRAGMA wal_checkpoint(truncate); INSERT INTO t VALUES('newest')")
    newest = open(path + "-wal", "rb").read()
    c.close()
    # Frames after the header of another run of the WAL have other salts: not one of them may count.
    open(path + "-wal", "wb").write(newest[:32] + stale[32:])
    c = open_here(path)
    expect("rows", [("new",), ("newest",)], c.execute("SELECT a FROM t"))
    expect("check", [("ok",)], c.execute("PRAGMA integrity_check"))
    c.close()


def a_file_replaced_under_an_open_connection_is_noticed(folder):
    path, other = os.path.join(folder, "m.db"), os.path.join(folder, "other.db")
    c = open_here(path)
    c.execute("CREATE TABLE t(a); INSERT INTO t VALUES('old')")
    d = open_here(other)
    d.execute("CREATE TABLE t(a); INSERT INTO t VALUES('restored'); INSERT INTO t VALUES('more')")
    d.close()
    os.replace(other, path)
    expect("a write to a file that nobody finds any more", READONLY | 4 << 8,
           code_of(c, "INSERT INTO t VALUES('lost')"))
    expect("who opens anew", [("restored",), ("more",)], open_here(path).execute("SELECT a FROM t"))
    # Overwritten in place, without locks: the change counter tells.
    e = open_here(path)
    expect("before", [(2,)], e.execute("SELECT count(*) FROM t"))
    d = open_here(other)
    d.execute("CREATE TABLE t(a); INSERT INTO t VALUES(1); INSERT INTO t VALUES(2); INSERT INTO t VALUES(3)")
    d.close()
    open(path, "r+b").write(open(other, "rb").read())
    expect("after", [(3,)], e.execute("SELECT count(*) FROM t"))


def a_file_cut_by_somebody_else_is_corrupt_also_where_its_pages_are_cached(folder):
    path = os.path.join(folder, "m.sqlite")
    c = open_here(path)
    c.execute("CREATE TABLE t(a); INSERT INTO t WITH RECURSIVE r(x) AS (VALUES(1) UNION ALL SELECT x+1 FROM r"
              " WHERE x<100) SELECT zeroblob(1000) FROM r")
    expect("rows", [(100,)], c.execute("SELECT count(*) FROM t"))
    os.truncate(path, 8192)
    for sql in ("SELECT count(*) FROM t", "INSERT INTO t VALUES(1)", "PRAGMA integrity_check"):
        expect(sql, 11, code_of(c, sql) & 0xff)


def a_folder_in_the_place_of_a_journal_is_an_io_error(folder):
    path = os.path.join(folder, "m.db")
    c = open_here(path)
    c.execute("CREATE TABLE t(a)")
    os.mkdir(path + "-journal")
    expect("reading", IOERR | 1 << 8, code_of(c, "SELECT * FROM t"))
    expect("writing", IOERR | 1 << 8, code_of(c, "INSERT INTO t VALUES(1)"))
    os.rmdir(path + "-journal")
    expect("without it", 0, code_of(c, "INSERT INTO t VALUES(1)"))
    c.close()


# ---- Threads and handles used from several places ------------------------------------------------------

def prepare(connection, sql):
    statement = ctypes.c_void_p()
    text = ctypes.create_string_buffer(sql.encode())
    code = library.prepare_v2(connection.handle, ctypes.addressof(text), -1, ctypes.byref(statement), None)
    expect("prepare", 0, code)
    return statement


def fifty_threads_share_one_connection_and_its_statements(folder):
    path = os.path.join(folder, "m.db")
    c = open_here(path)
    c.execute("PRAGMA journal_mode=wal; CREATE TABLE t(id INTEGER PRIMARY KEY, a);"
              "INSERT INTO t(a) WITH RECURSIVE r(x) AS (VALUES(1) UNION ALL SELECT x+1 FROM r WHERE x<500) SELECT x FROM r")
    shared = prepare(c, "SELECT id, a FROM t")
    wrong = []

    def work(number):
        try:
            for i in range(20):
                if number % 3 == 0:
                    # Every row of the shared statement goes to one of the threads that step it.
                    code = library.step(shared)
                    if code not in (capi.ROW, capi.DONE, MISUSE):
                        wrong.append(code)
                elif number % 3 == 1:
                    c.execute("INSERT INTO t(a) VALUES(%d)" % (number * 1000 + i))
                else:
                    rows = c.execute("SELECT id, a FROM t WHERE id <= 500 ORDER BY id")
                    if rows != [(k, k) for k in range(1, 501)]:
                        wrong.append(rows[:3])
        except Exception as error:  # noqa: BLE001: whatever it is, the test has failed
            wrong.append(repr(error))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expect("what went wrong", [], wrong[:3])
    library.finalize(shared)
    expect("rows", [(500 + 20 * len([i for i in range(50) if i % 3 == 1]),)], c.execute("SELECT count(*) FROM t"))
    c.close()


def a_pending_read_survives_commit_and_is_aborted_by_rollback(folder):
    path = os.path.join(folder, "m.db")
    c = open_here(path)
    c.execute("CREATE TABLE t(a); INSERT INTO t VALUES(1),(2),(3)")
    c.execute("BEGIN; INSERT INTO t VALUES(4)")
    statement = prepare(c, "SELECT a FROM t")
    expect("first row", capi.ROW, library.step(statement))
    c.execute("COMMIT")
    values = []
    while library.step(statement) == capi.ROW:
        values.append(library.column_int64(statement, 0))
    expect("the rest after COMMIT", [2, 3, 4], values)
    library.reset(statement)
    c.execute("BEGIN; INSERT INTO t VALUES(5)")
    expect("first row", capi.ROW, library.step(statement))
    c.execute("CREATE TABLE u(x); ROLLBACK")
    expect("after ROLLBACK of a change of the schema", ABORT_ROLLBACK, library.step(statement) | 0)
    library.finalize(statement)


def an_interrupted_write_ends_its_transaction_and_an_interrupted_read_does_not(folder):
    c = open_here(os.path.join(folder, "m.db"))
    c.execute("CREATE TABLE t(a UNIQUE)")
    many = "WITH RECURSIVE r(x) AS (VALUES(1) UNION ALL SELECT x+1 FROM r WHERE x<1000000) SELECT x FROM r"
    handler = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
    interrupts = handler(lambda _: 1)
    set_handler = ctypes.CDLL(LIBRARY).sqlite3_progress_handler
    set_handler.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
    for sql, autocommit, rows in (("INSERT INTO t " + many, 1, 0), ("SELECT sum(x) FROM (%s)" % many, 0, 1),
                                  ("UPDATE OR FAIL t SET a = (SELECT sum(x) FROM (%s))" % many, 1, 0)):
        c.execute("BEGIN; INSERT INTO t VALUES(0)")
        set_handler(c.handle, 1000, ctypes.cast(interrupts, ctypes.c_void_p), None)
        code = code_of(c, sql)
        set_handler(c.handle, 0, None, None)
        expect("code of " + sql[:20], 9, code)
        expect("autocommit after " + sql[:20], autocommit, library.get_autocommit(c.handle))
        expect("rows after " + sql[:20], [(rows,)], c.execute("SELECT count(*) FROM t"))
        if not autocommit:
            c.execute("ROLLBACK")


def other_connections_never_see_what_is_not_committed(folder):
    for mode in ("wal", "delete"):
        path = os.path.join(folder, mode + ".db")
        a, b = open_here(path, timeout=0), open_here(path, timeout=0)
        a.execute("PRAGMA journal_mode=%s; PRAGMA cache_size=16; CREATE TABLE t(a); INSERT INTO t VALUES(1)" % mode)
        a.execute("BEGIN; INSERT INTO t WITH RECURSIVE r(x) AS (VALUES(1) UNION ALL SELECT x+1 FROM r WHERE x<3000)"
                  " SELECT zeroblob(700) FROM r")
        expect(mode + ": rows of the other, while changes spill", [(1,)], b.execute("SELECT count(*) FROM t"))
        a.execute("ROLLBACK")
        expect("after the rollback", [(1,)], a.execute("SELECT count(*) FROM t"))


def a_process_that_exits_without_closing_leaves_nothing_locked(folder):
    path = os.path.join(folder, "m.db")
    c = open_here(path, timeout=0)
    c.execute("PRAGMA journal_mode=wal; CREATE TABLE t(a)")
    worker = child("c = godwit(); c.execute('BEGIN IMMEDIATE; INSERT INTO t VALUES(1)'); os._exit(0)", path)
    finish(worker)
    expect("a write at once", 0, code_of(c, "INSERT INTO t VALUES(2)"))
    expect("rows", [(2,)], c.execute("SELECT a FROM t"))


TESTS = [value for name, value in list(globals().items())
         if callable(value) and getattr(value, "__code__", None) and value.__code__.co_varnames[:1] == ("folder",)
         and name != "mount_small"]


def main():
    failed = 0
    wanted = sys.argv[2:]
    for test in TESTS:
        name = test.__name__
        if wanted and not any(word in name for word in wanted):
            continue
        folder = tempfile.mkdtemp(prefix="godwit-scenario-")
        os.chmod(folder, 0o755)
        try:
            test(folder)
            for path in sorted(glob.glob(os.path.join(folder, "*.db"))):
                expect("C SQLite's check of " + os.path.basename(path), "ok", stock_check(path))
            print("ok      " + name)
        except Skipped as reason:
            print("skipped %s: %s" % (name, reason))
        except (Failed, capi.Error, AssertionError, subprocess.SubprocessError) as error:
            failed += 1
            print("FAILED  %s: %s" % (name, error))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    print("%d scenarios failed" % failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
