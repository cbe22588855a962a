"""What a server meets on an open port: garbage, sizes, slow clients, wrong tokens, signals.

Usage: hostile.py GODWIT_PROGRAM FOLDER
"""
import base64
import gzip
import http.client
import json
import os
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import time

program, folder = sys.argv[1], sys.argv[2]
failures = 0


class Server:
    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            [program, *arguments, "--log-level", "warning"], stdout=subprocess.PIPE,
            stderr=open(os.path.join(folder, "hostile.log"), "ab"), text=True)
        line = self.process.stdout.readline()
        assert "serving on" in line, line
        self.port = int(line.rsplit(":", 1)[1])

    def request(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, content, answer

    def raw(self, data, timeout=30):
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as s:
            s.sendall(data)
            out = b""
            try:
                while True:
                    piece = s.recv(65536)
                    if not piece:
                        break
                    out += piece
            except ConnectionResetError:
                pass
            return out

    def sql(self, path, sql, headers=None):
        body = json.dumps({"requests": [{"type": "execute", "stmt": {"sql": sql}}, {"type": "close"}]})
        status, content, _ = self.request("POST", path + "/v2/pipeline", body, headers)
        return status, json.loads(content)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(20)


def check(what, condition, detail=""):
    global failures
    print(("ok   " if condition else "FAIL ") + what + ("" if condition else f": {detail}"))
    failures += not condition


def file(name):
    return os.path.join(folder, name)


def integrity(name):
    return sqlite3.connect(file(name)).execute("PRAGMA integrity_check").fetchone()[0]


def garbage():
    server = Server("server", file("g.db"), "--listen", "127.0.0.1:0", "--max-body", "1M", "--stall-timeout", "1s",
                    "--query-timeout", "1s", "--stream-idle", "500ms")
    server.sql("", "CREATE TABLE t(x)")
    server.sql("", "INSERT INTO t VALUES (1)")
    for body in [b"", b"{", b"[]", b"null", b"[" * 100000, b'{"requests":[{"type":"execute"}]}',
                 b'{"requests":[{"type":"batch","batch":{"steps":[{"stmt":{"sql":"SELECT 1"},"condition":{"type":"ok","step":0}}]}}]}',
                 b'{"requests":[{"type":"execute","stmt":{"sql":"SELECT ?","args":[{"type":"integer","value":"99999999999999999999"}]}}]}',
                 b'{"requests":[{"type":"execute","stmt":{"sql":"SELECT ?","args":[{"type":"blob","base64":"*"}]}}]}',
                 b'{"requests": 5}', b'{"baton":"x","requests":[]}', b"\xff\xfe"]:
        for path in ["/v2/pipeline", "/v3/cursor"]:
            status, content, _ = server.request("POST", path, body)
            check(f"{path} refuses {body[:40]!r}", 400 <= status < 500, status)
    for body in [b"\x2a\x05hello", b"\x1a\xff", b"\xff" * 20, b"\x12\x03abc",
                 b"\x2a\x10" + b"\x3b\x30\xff\xff" + b"\xff" * 12]:
        status, content, _ = server.request("POST", "/pull-updates", body)
        check(f"/pull-updates refuses {body[:20]!r}", 400 <= status < 500, status)
    status, content, _ = server.request("POST", "/pull-updates", b"\x1a\x07unknown")
    check("an unknown revision gets the whole database", status == 200 and len(content) > 4096, (status, len(content)))
    generator = random.Random(7)
    for i in range(300):
        body = bytes(generator.randrange(256) for _ in range(generator.randrange(60)))
        path = generator.choice(["/pull-updates", "/v2/pipeline", "/v3/cursor"])
        status, _, _ = server.request("POST", path, body)
        if not (status == 200 or 400 <= status < 500):
            check("random bytes", False, (path, body, status))
    for raw in [b"GARBAGE\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x02\x00\x01",
                b"POST /v2/pipeline HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
                b"POST /v2/pipeline HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"]:
        answer = server.raw(raw)
        check(f"HTTP garbage {raw[:30]!r}", answer == b"" or b" 400 " in answer[:20] or b" 404 " in answer[:20], answer[:60])
    check("a long header", b" 431 " in server.raw(b"GET / HTTP/1.1\r\nX: " + b"a" * 100000 + b"\r\n\r\n")[:20])
    status, _, _ = server.request("POST", "/v2/pipeline", b"x" * (2 << 20))
    check("a large body", status == 413, status)
    status, _, _ = server.request("POST", "/v2/pipeline", gzip.compress(b"x" * (64 << 20)), {"Content-Encoding": "gzip"})
    check("a body that unpacks to more than is allowed", status == 413, status)
    body = gzip.compress(b'{"requests":[{"type":"execute","stmt":{"sql":"SELECT 1"}},{"type":"close"}]}')
    status, content, _ = server.request("POST", "/v2/pipeline", body, {"Content-Encoding": "gzip"})
    check("a compressed body", status == 200 and b'"value":"1"' in content, content)
    start = time.time()
    server.raw(b"POST /v2/pipeline HTTP/1.1\r\nContent-Length: 100\r\n\r\n{")
    server.raw(b"POST /v2/pi")
    check("slow clients are cut off", time.time() - start < 6, time.time() - start)
    start = time.time()
    _, answer = server.sql("", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
    check("an endless query is interrupted", answer["results"][0]["error"]["code"] == "SQLITE_INTERRUPT" and time.time() - start < 5, answer)
    for sql in ["ATTACH '/etc/passwd' AS p", f"VACUUM INTO '{file('stolen.db')}'", "PRAGMA journal_mode=OFF",
                "SELECT load_extension('x')", "PRAGMA temp_store_directory='/'", "/* */ vacuum main into 'x'"]:
        _, answer = server.sql("", sql)
        check(f"refused: {sql[:30]}", answer["results"][0]["type"] == "error", answer)
    # A transaction whose client is gone does not keep others out.
    body = json.dumps({"requests": [{"type": "execute", "stmt": {"sql": "BEGIN IMMEDIATE"}}]})
    baton = json.loads(server.request("POST", "/v2/pipeline", body)[1])["baton"]
    _, answer = server.sql("", "INSERT INTO t VALUES (2)")
    check("an abandoned transaction is rolled back", answer["results"][0]["type"] == "ok", answer)
    status, _, _ = server.request("POST", "/v2/pipeline", json.dumps({"baton": baton, "requests": []}))
    check("its baton is gone", status == 400, status)
    # Pipelined requests are answered in order.
    one = b"POST /v2/pipeline HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s"
    bodies = [b'{"requests":[{"type":"execute","stmt":{"sql":"SELECT %d"}},{"type":"close"}]}' % i for i in range(5)]
    answer = server.raw(b"".join(one % (len(b), b) for b in bodies) + b"GET /health HTTP/1.1\r\nConnection: close\r\n\r\n")
    places = [answer.find(b'"value":"%d"' % i) for i in range(5)]
    check("pipelined requests", -1 not in places and places == sorted(places), places)
    status, _, answer = server.request("OPTIONS", "/v2/pipeline")
    check("CORS", status == 204 and answer.getheader("Access-Control-Allow-Origin") == "*")
    second = subprocess.run([program, "server", file("g.db"), "--listen", "127.0.0.1:0"], capture_output=True, timeout=20)
    check("a second server on the same file is refused", second.returncode != 0 and b"another server" in second.stderr, second.stderr)
    check("SIGTERM ends it", server.stop() == 0)
    check("integrity", integrity("g.db") == "ok")


def tokens():
    key = file("key.pem")
    subprocess.run([program, "token", "new-key", key], check=True)
    subprocess.run([program, "token", "new-key", file("other.pem")], check=True)
    os.mkdir(file("many"))

    def token(*arguments, by=key):
        out = subprocess.run([program, "token", "--key", by, *arguments], check=True, capture_output=True, text=True)
        return {"Authorization": "Bearer " + out.stdout.strip()}

    server = Server("server", "--dir", file("many"), "--listen", "127.0.0.1:0", "--auth-key", key + ".pub")
    admin = token("--admin")
    check("an admin makes databases", all(server.request("POST", f"/v1/databases/{n}", headers=admin)[0] == 201 for n in "ab"))
    write = token("--db", "a")
    status, answer = server.sql("/a", "CREATE TABLE t(x)", write)
    check("a token for the database", status == 200 and answer["results"][0]["type"] == "ok", answer)
    read = token("--db", "a", "--read-only")
    status, answer = server.sql("/a", "SELECT * FROM t", read)
    check("a token for reading reads", status == 200 and answer["results"][0]["type"] == "ok", answer)
    for sql in ["INSERT INTO t VALUES (1)", "DROP TABLE t", "PRAGMA user_version=7", "PRAGMA query_only=0", "VACUUM"]:
        status, answer = server.sql("/a", sql, read)
        check(f"it does not write: {sql}", status == 200 and answer["results"][0]["type"] == "error", answer)
    # On a connection that only reads, this takes no lock.
    body = json.dumps({"requests": [{"type": "execute", "stmt": {"sql": "BEGIN IMMEDIATE"}}]})
    server.request("POST", "/a/v2/pipeline", body, read)
    start = time.time()
    status, answer = server.sql("/a", "INSERT INTO t VALUES (1)", write)
    check("nor does it keep writers out", answer["results"][0]["type"] == "ok" and time.time() - start < 3, answer)
    expired, foreign = token("--expires", "0s"), token(by=file("other.pem"))
    good = write["Authorization"].split(" ")[1]
    header, payload, signature = good.split(".")
    none = base64.urlsafe_b64encode(b'{"alg":"none"}').rstrip(b"=").decode()
    forged = base64.urlsafe_b64encode(b'{"a":"rw","admin":true}').rstrip(b"=").decode()
    bad = {"none": {}, "expired": expired, "of another key": foreign,
           "alg none": {"Authorization": f"Bearer {none}.{payload}."},
           "forged": {"Authorization": f"Bearer {header}.{forged}.{signature}"},
           "cut": {"Authorization": "Bearer " + good[:-3]}, "garbage": {"Authorization": "Bearer x.y.z"},
           "basic": {"Authorization": "Basic " + good}}
    answers = set()
    for name, headers in bad.items():
        for method, path in [("POST", "/a/v2/pipeline"), ("POST", "/a/pull-updates"), ("POST", "/a/v3/cursor"),
                             ("POST", "/zzz/v2/pipeline"), ("GET", "/metrics"), ("GET", "/v1/databases"),
                             ("POST", "/v1/databases/new")]:
            status, content, _ = server.request(method, path, b"", headers)
            answers.add((status, content))
    check("bad tokens all get the same answer", len(answers) == 1 and answers.pop()[0] == 401, answers)
    forbidden = {server.request("POST", path, b"", write)[:2] for path in ["/b/v2/pipeline", "/zzz/v2/pipeline"]}
    check("of other databases nothing is said, not even whether they are", len(forbidden) == 1 and forbidden.pop()[0] == 403)
    check("no admin, no metrics", server.request("GET", "/metrics", headers=write)[0] == 403)
    check("metrics", b"godwit_requests_total" in server.request("GET", "/metrics", headers=admin)[1])
    for path in ["/../a/v2/pipeline", "/..%2fa/v2/pipeline", "/.a/v2/pipeline", "/a%00/v2/pipeline", "//a/../b/v2/pipeline"]:
        status, _, _ = server.request("POST", path, b"{}", admin)
        check(f"no way out of the folder: {path}", status in (400, 404), status)
    check("SIGTERM ends it", server.stop() == 0)
    check("nothing was written", sorted(os.listdir(file("many")))[0] == "a.db" and not os.path.exists(file("many/new.db")))


def revisions():
    """A revision means the same after a restart, a kill and a checkpoint."""
    path = file("r.db")
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, x)")
    db.executemany("INSERT INTO t VALUES (?, ?)", [(i, "x" * 500) for i in range(300)])
    db.commit()

    def pull(server, revision=b""):
        body = b"\x1a" + bytes([len(revision)]) + revision if revision else b""
        status, content, _ = server.request("POST", "/pull-updates", body)
        assert status == 200, (status, content)
        assert content[1] == 0x0A
        return content[3:3 + content[2]], (len(content) - content[0] - 1) // 4100

    server = Server("server", path, "--listen", "127.0.0.1:0")
    revision, pages = pull(server)
    check("bootstrap", pages > 30, pages)
    check("nothing new", pull(server, revision)[1] == 0)
    server.process.kill()
    server.process.wait()
    server = Server("server", path, "--listen", "127.0.0.1:0")
    check("nothing new after a kill", pull(server, revision)[1] == 0)
    db.execute("UPDATE t SET x = 'y' WHERE id = 7")
    db.commit()
    newer, pages = pull(server, revision)
    check("a write of another process: few pages", 1 <= pages <= 3, pages)
    server.stop()
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("UPDATE t SET x = 'z' WHERE id = 250")
    db.commit()
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    server = Server("server", path, "--listen", "127.0.0.1:0")
    latest, pages = pull(server, newer)
    check("a write while no server ran, and a checkpoint", 1 <= pages <= 3, pages)
    check("from the first revision", 2 <= pull(server, revision)[1] <= 5)
    check("and both agree", pull(server, latest) == (latest, 0))
    server.stop()
    for suffix in ["", "-wal"]:
        if os.path.exists(path + "-godwit-history" + suffix):
            os.remove(path + "-godwit-history" + suffix)
    server = Server("server", path, "--listen", "127.0.0.1:0")
    check("without its history: the whole database", pull(server, latest)[1] > 30)
    server.stop()
    check("integrity", integrity("r.db") == "ok")


def tls():
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                    "-keyout", file("tls.key"), "-out", file("tls.crt")], check=True, capture_output=True)
    server = Server(file("tls.db"), "--sync-server", "127.0.0.1:0", "--tls-cert", file("tls.crt"), "--tls-key", file("tls.key"))
    import ssl
    context = ssl.create_default_context(cafile=file("tls.crt"))
    context.check_hostname = False
    connection = http.client.HTTPSConnection("127.0.0.1", server.port, context=context, timeout=20)
    for _ in range(3):
        connection.request("GET", "/health")
        answer = connection.getresponse()
        content = answer.read()
    check("TLS, kept alive", answer.status == 200 and b"ok" in content)
    check("plain HTTP on a TLS port gets nothing", server.raw(b"GET /health HTTP/1.1\r\n\r\n")[:4] != b"HTTP")
    check("SIGTERM ends it", server.stop() == 0)


for part in (garbage, tokens, revisions, tls):
    part()
print(f"{failures} failed")
sys.exit(failures > 0)
