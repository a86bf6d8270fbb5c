#!/usr/bin/env python3
"""Send profiles to servers that work, that are busy, and that fail in many ways.

usage: send.py PDCONV TESTDATA [CASE...]

Each case has a separate server, which answers requests as a list says, and keeps them. Every body that arrives is a profile that
a client can decode, and no body arrives twice, unless the server has asked for it again.
"""
import base64
import collections
import gzip
import http.server
import json
import os
import resource
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import otlp  # noqa: E402: next to this file

OTLP_PATH = "/v1development/profiles"
SECRET = "Authorization: Bearer c2VjcmV0"
CASES = []
# Cases that take some seconds: left out if $QUICK is set.
SLOW = ("busy", "retry_after", "refused", "partly_accepted", "divided", "out_of_files")


class Failure(Exception):
    pass


def expect(condition, *what):
    if not condition:
        raise Failure(" ".join(str(word) for word in what))


def case(function):
    CASES.append(function)
    return function


class Request:
    def __init__(self, handler, body):
        self.method, self.path, self.headers = handler.command, handler.path, handler.headers
        self.body, self.time = body, time.monotonic()

    def profile(self):
        expect(self.headers["Content-Encoding"] == "gzip", self.headers)
        data = otlp.decode(otlp.PROFILES, "ProfilesData", gzip.decompress(self.body))
        otlp.Rules(data)
        return data


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        server = self.server
        answer = server.next_answer()
        if answer == "close before reading":
            self.abort()
            return
        body = self.rfile.read(int(self.headers["Content-Length"]))
        server.requests.append(Request(self, body))
        if answer == "no answer":
            self.abort()
        elif answer == "half a status":
            self.wfile.write(b"HTTP/1.1 20")
            self.abort()
        elif answer == "half an answer":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc")
            self.abort()
        else:
            status, headers, text = answer
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

    do_GET = do_PUT = do_POST

    def abort(self):
        self.close_connection = True
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    """Gives each request the next of @p answers: a status, a tuple of status, headers and body, or a way to fail. Then 200."""
    daemon_threads = True

    def __init__(self, answers=(), context=None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers, self.requests, self.lock = list(answers), [], threading.Lock()
        self.scheme = "https" if context else "http"
        if context:
            self.socket = context.wrap_socket(self.socket, server_side=True)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def next_answer(self):
        with self.lock:
            answer = self.answers.pop(0) if self.answers else 200
        return (answer, {}, b"") if isinstance(answer, int) else answer

    def url(self, path=OTLP_PATH):
        return f"{self.scheme}://127.0.0.1:{self.server_address[1]}{path}"

    def handle_error(self, *_):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


def dead_url(path=OTLP_PATH):
    """The URL of a port at which nobody listens."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{listener.getsockname()[1]}{path}"


class Bench:
    def __init__(self, pdconv, testdata):
        self.pdconv, self.testdata = pdconv, testdata
        self.work = tempfile.mkdtemp()
        self.spool = os.path.join(self.work, "spool")

    def clear(self):
        shutil.rmtree(self.spool, ignore_errors=True)

    def start(self, url, *arguments, recording="nested", seconds="4", environment=(), spool=None):
        folder = os.path.join(self.testdata, recording)
        command = [self.pdconv, f"{folder}/perf.data", "--symfs", self.work, "--symbol-dir", folder, *arguments]
        if url:
            command += ["--send", url, "--spool", spool or self.spool]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env={**os.environ, "PDCONV_SEND_SECONDS": seconds, "no_proxy": "*", **dict(environment)})

    def send(self, url, *arguments, status=0, says=None, **options):
        process = self.start(url, *arguments, **options)
        out, err = process.communicate(timeout=120)
        expect(process.returncode == status, "status", process.returncode, "instead of", status, err)
        expect(says is None or says in err, repr(says), "is not in", err)
        expect(not out, "output:", out[:100])
        expect("c2VjcmV0" not in err, "a secret is shown:", err)
        return err

    def convert(self, *arguments, recording="nested"):
        process = self.start(None, "-q", *arguments, recording=recording)
        process.stdout.close()
        with open(os.path.join(self.work, "out"), "wb") as out:
            subprocess.run([*process.args], stdout=out, stderr=subprocess.DEVNULL, check=True)
        process.wait()
        process.stderr.close()
        with open(os.path.join(self.work, "out"), "rb") as out:
            return out.read()

    def waiting(self, url):
        folder = self.folder(url)
        return sorted(name for name in os.listdir(folder) if name != "lock") if os.path.isdir(folder) else []

    def folder(self, url):
        return os.path.join(self.spool, url.replace("/", "+"))


@case
def accepted(bench):
    with Server() as server:
        bench.send(server.url(), "-q")
        # A URL without a path is that of a server that takes OTLP.
        bench.send(server.url(""), "-q")
        bench.send(server.url("/"), "-q")
        bench.send(server.url("/proxy" + OTLP_PATH), "-q")
    expect([request.path for request in server.requests] == [OTLP_PATH] * 3 + ["/proxy" + OTLP_PATH],
           [request.path for request in server.requests])
    written = bench.convert("-f", "otlp")
    for request in server.requests:
        expect(request.method == "POST" and request.headers["Content-Type"] == "application/x-protobuf", request.headers)
        expect(request.headers["User-Agent"].startswith("pdconv/"), request.headers)
        expect(gzip.decompress(request.body) == written, "another profile than -f otlp writes")
        request.profile()
    expect(not bench.waiting(server.url()), bench.waiting(server.url()))


@case
def headers(bench):
    path = os.path.join(bench.work, "headers")
    with open(path, "w", encoding="utf-8") as file:
        file.write(SECRET + "\r\n\nX-Scope-OrgID: tenant 1\n")
    with Server() as server:
        bench.send(server.url(), "-q", "--send-headers", path)
        bench.send(server.url(), "-q", environment={"PDCONV_SEND_HEADERS": SECRET + "\nX-Scope-OrgID: tenant 1"}.items())
        for request in server.requests:
            expect(request.headers["Authorization"] == "Bearer c2VjcmV0", request.headers)
            expect(request.headers["X-Scope-OrgID"] == "tenant 1", request.headers)
        expect(len(server.requests) == 2, len(server.requests))
        # A file goes first, and no message has what is in it.
        for text in ("no colon c2VjcmV0\n", ": c2VjcmV0\n", "A: \x01c2VjcmV0\n"):
            with open(path, "w", encoding="utf-8") as file:
                file.write("First: line\n" + text)
            bench.send(server.url(), "-q", "--send-headers", path, status=2, says="invalid header in line 2")
        with open(path, "w", encoding="utf-8") as file:
            file.write("A: " + "x" * (64 << 10))
        bench.send(server.url(), "-q", "--send-headers", path, status=2, says="64 KiB")
        expect(len(server.requests) == 2, "a request with invalid headers")


@case
def busy(bench):
    for status in (408, 429, 502, 503, 504):
        with Server([status, status]) as server:
            err = bench.send(server.url(), says=f"the server answered {status}; trying again")
            expect(err.count("trying again") == 1, err)
            expect(len(server.requests) == 3, status, len(server.requests))
            expect(len({request.body for request in server.requests}) == 1, "other bodies")
        bench.clear()


@case
def retry_after(bench):
    with Server([(503, {"Retry-After": "1"}, b"")]) as server:
        bench.send(server.url(), "-q")
        first, second = server.requests
        expect(second.time - first.time >= 0.99, "came back after", second.time - first.time)
    with Server([(429, {"Retry-After": "3600"}, b"")]) as server:
        bench.send(server.url(), "-q", status=1, says="1 profile not sent yet")
        expect(len(server.requests) == 1, "did not wait")
        bench.send(server.url(), "-q")
        expect(len(server.requests) == 3, "what waited was not sent")


@case
def dead(bench):
    url = dead_url()
    port = int(url.split(":")[2].split("/")[0])
    for i in range(2):
        bench.send(url, "-q", "--tag", f"n={i}", seconds="0.2", status=1, says=f"{i + 1} profile")
    expect(len(bench.waiting(url)) == 2, bench.waiting(url))
    server = Server.__new__(Server)
    http.server.ThreadingHTTPServer.__init__(server, ("127.0.0.1", port), Handler)
    server.answers, server.requests, server.lock, server.scheme = [], [], threading.Lock(), "http"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with server:
        err = bench.send(url, "--tag", "n=2")
        expect("3 profiles sent" in err, err)
        bench.send(url, "-q", "--tag", "n=3")
    sent = [next(item["value"]["string_value"] for item in request.profile()["resource_profiles"][0]["resource"]["attributes"]
                 if item["key"] == "n") for request in server.requests]
    expect(sent == ["0", "1", "2", "3"], "sent:", sent)
    expect(not bench.waiting(url), bench.waiting(url))


@case
def lost_answers(bench):
    """A request that may have arrived is not repeated; one with a status has arrived."""
    for failure in ("no answer", "half a status"):
        with Server([failure]) as server:
            bench.send(server.url(), "-q", status=1, says="1 profile sent without an answer; not sent again")
            expect(len(server.requests) == 1, failure, "was repeated")
            bench.send(server.url(), "-q")
            expect(len(server.requests) == 2, failure, "was sent again")
        bench.clear()
    with Server(["half an answer"]) as server:
        bench.send(server.url(), "-q")
        expect(len(server.requests) == 1, "half an answer")


@case
def killed(bench):
    """A sender that was killed while it sent has left a file that is not sent again."""
    with Server() as server:
        folder = bench.folder(server.url())
        os.makedirs(folder, mode=0o700)
        for name in ("1.sending", "2.body", "new-3.otlp"):
            with open(os.path.join(folder, name), "wb") as file:
                file.write(gzip.compress(bench.convert("-f", "otlp")))
        os.utime(os.path.join(folder, "new-3.otlp"), (0, 0))
        os.chmod(bench.spool, 0o700)
        bench.send(server.url(), "-q", status=1, says="1 profile sent without an answer")
        expect(len(server.requests) == 2 and not bench.waiting(server.url()), bench.waiting(server.url()))


@case
def refused(bench):
    with Server([(400, {}, b"bad \x1b[31mprofile\nsecond line")]) as server:
        err = bench.send(server.url(), "-q", status=1, says="1 profile refused by the server, and dropped: the server answered 400")
        expect("\x1b" not in err and "second" not in err, repr(err))
        expect(len(server.requests) == 1 and not bench.waiting(server.url()), "was repeated, or waits")
    # google.rpc.Status: code 3 and a message.
    with Server([(400, {"Content-Type": "application/x-protobuf"}, b"\x08\x03\x12\x09too large")]) as server:
        bench.send(server.url(), "-q", status=1, says="the server answered 400: too large")
    for status in (301, 401, 403, 404):
        with Server([(status, {"Location": "/elsewhere"}, b"")]) as server:
            bench.send(server.url(), "-q", status=1, says=f"1 profile not sent yet")
            expect(len(server.requests) == 1 and len(bench.waiting(server.url())) == 1, status, bench.waiting(server.url()))
            bench.send(server.url(), "-q")
            expect(len(server.requests) == 3, "what waited was not sent")


@case
def partly_accepted(bench):
    # ExportProfilesServiceResponse: partial_success with rejected_profiles 2 and error_message "too old".
    with Server([(200, {"Content-Type": "application/x-protobuf"}, b"\x0a\x0b\x08\x02\x12\x07too old")]) as server:
        bench.send(server.url(), "-q", status=1, says="2 profiles left out by the server: too old")
    # Sizes that are too large, numbers without an end.
    for text in (b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01x", b"\xff" * 4096, b"\x0a\x02\x12\x09", b""):
        with Server([(200, {}, text)]) as server:
            bench.send(server.url(), "-q")


@case
def limited(bench):
    url = dead_url()
    folder = bench.folder(url)
    os.makedirs(folder, mode=0o700)
    os.chmod(bench.spool, 0o700)
    for name in ("1.body", "2.body", "3.body"):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(b"x" * (6 << 20))
    bench.send(url, "-q", "--spool-size", "16M", seconds="0", status=1, says="1 profile dropped, the oldest")
    left = bench.waiting(url)
    expect(len(left) == 3 and "1.body" not in left and "3.body" in left, left)
    expect(sum(os.path.getsize(os.path.join(folder, name)) for name in left) <= 16 << 20, "more than the limit")
    bench.send(url, "-q", "--spool-size", "1M", status=2, says="at least 16M")


@case
def divided(bench):
    """A profile that a collector would refuse for its size is sent as several, which have the same sums, and no parts in common."""
    with open(os.path.join(bench.work, "perf.data"), "w") as file:
        file.writelines(f"main;{'f' * 4000}{i} {i + 1}\n" for i in range(12000))
    with Server() as server:
        bench.send(server.url(), "--from-folded", recording=bench.work, says="profiles sent")
        requests = [request.profile() for request in server.requests]
        sizes = [len(gzip.decompress(request.body)) for request in server.requests]
    expect(len(requests) >= 3 and max(sizes) <= 20 << 20, "sizes:", sizes)
    whole = otlp.read_otlp(otlp.decode(otlp.PROFILES, "ProfilesData", bench.convert("--from-folded", "-f", "otlp", recording=bench.work)))
    parts = [otlp.read_otlp(data) for data in requests]
    expect(sum(map(len, parts)) == len(whole) and sum(parts, collections.Counter()) == whole, "the parts are not the whole")


@case
def at_once(bench):
    """Senders with one spool send each profile once."""
    url = dead_url()
    for i in range(3):
        bench.send(url, "-q", "--tag", f"n=w{i}", seconds="0", status=1)
    with Server() as server:
        os.rename(bench.folder(url), bench.folder(server.url()))
        processes = [bench.start(server.url(), "-q", "--tag", f"n={i}") for i in range(4)]
        for process in processes:
            _, err = process.communicate(timeout=120)
            expect(process.returncode == 0, err)
        bodies = collections.Counter(request.body for request in server.requests)
        expect(len(server.requests) == 7 and set(bodies.values()) == {1}, len(server.requests), bodies.values())


@case
def pyroscope(bench):
    with Server() as server:
        bench.send(server.url("/ingest"), "-q", "--tag", "service.name=my api", "--tag", "env=a&b")
        bench.send(server.url("/prefix/ingest?name=given"), "-q")
        bench.send(server.url("/ingest"), "-q")
    written = bench.convert("-f", "pprof", "--tag", "service.name=my api", "--tag", "env=a&b")
    expect(gzip.decompress(server.requests[0].body) == gzip.decompress(written), "another profile than -f pprof writes")
    for request, path, name in zip(server.requests, ("/ingest", "/prefix/ingest", "/ingest"),
                                   ("my api{env=a&b}", "given", "unknown_service{}")):
        url = urllib.parse.urlsplit(request.path)
        query = urllib.parse.parse_qs(url.query, strict_parsing=True)
        expect(url.path == path and query["name"] == [name] and query["format"] == ["pprof"], request.path)
        otlp.decode(otlp.PPROF, "Profile", gzip.decompress(request.body))


@case
def parca(bench):
    with Server() as server:
        bench.send(server.url("/api/profiles/writeraw"), "-q", "--tag", "service.name=api", "--tag", "job=mine")
        bench.send(server.url("/api/profiles/writeraw"), "-q")
    written = bench.convert("-f", "pprof", "--tag", "service.name=api", "--tag", "job=mine")
    first, second = (json.loads(request.body)["series"][0] for request in server.requests)
    expect(gzip.decompress(base64.b64decode(first["samples"][0]["rawProfile"], validate=True)) == gzip.decompress(written),
           "another profile than -f pprof writes")
    labels = [{item["name"]: item["value"] for item in series["labels"]["labels"]} for series in (first, second)]
    expect(labels == [{"__name__": "perf", "service_name": "api", "job": "mine"}, {"__name__": "perf", "job": "unknown_service"}],
           labels)
    expect(server.requests[0].headers["Content-Type"] == "application/json", server.requests[0].headers)


@case
def tls(bench):
    if not shutil.which("openssl"):
        print("tls: openssl is not installed")
        return
    key, certificate = (os.path.join(bench.work, name) for name in ("key.pem", "certificate.pem"))
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "2",
                    "-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1"], check=True, stderr=subprocess.DEVNULL)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with Server(context=context) as server:
        bench.send(server.url(), "-q", status=1, says="1 profile not sent yet")
        expect(not server.requests, "sent to a server that nobody knows")
        bench.send(server.url(), "-q", environment={"SSL_CERT_FILE": certificate}.items())
        expect(len(server.requests) == 2, len(server.requests))


@case
def usage(bench):
    for url, says in (
            ("ftp://host/ingest", "expected http://HOST or https://HOST"),
            ("http://", "expected http://HOST"),
            ("file:///etc/passwd", "expected http://HOST"),
            ("http://host/upload", "unknown server 'http://host/upload': the path of the URL has to end in /v1development/profiles"),
            ("http://user:c2VjcmV0@host/", "passwords in URLs can be seen by others"),
            ("http://host/" + "x" * 300 + OTLP_PATH, "too long")):
        bench.send(url, "-q", status=2, says=says)
    bench.send("http://host", "-o", "x", status=2, says="--output and --send exclude each other")
    bench.send("http://host", "-f", "folded", status=2, says="takes the format otlp, not folded")
    bench.send("http://host/ingest", "-f", "otlp", status=2, says="takes the format pprof, not otlp")
    bench.send(None, "--spool", "x", status=2, says="no effect without --send")
    expect(not os.path.exists(bench.spool) or not any(os.scandir(bench.spool)), "a spool was made")


@case
def failed_conversion(bench):
    """What waits is sent, and the status is that of the conversion."""
    broken = os.path.join(bench.work, "broken")
    os.makedirs(broken)
    with open(os.path.join(broken, "perf.data"), "wb") as file:
        file.write(b"no recording")
    with Server([(503, {"Retry-After": "3600"}, b"")]) as server:
        bench.send(server.url(), "-q", status=1)
        testdata, bench.testdata = bench.testdata, bench.work
        try:
            bench.send(server.url(), "-q", recording="broken", status=1)
        finally:
            bench.testdata = testdata
        expect(len(server.requests) == 2 and not bench.waiting(server.url()), len(server.requests), bench.waiting(server.url()))


@case
def untrusted_spool(bench):
    with Server() as server:
        os.makedirs(bench.folder(server.url()))
        os.chmod(bench.folder(server.url()), 0o777)
        bench.send(server.url(), "-q", status=1)
        expect(not server.requests, "sent from a folder that others can write")


@case
def recorded(bench):
    """pdconv record sends what it has recorded, and has the status of the command."""
    command = [bench.pdconv, "record", "-q", "-e", "cpu-clock", "-F", "999", "--call-graph", "none", "--spool",
               bench.spool, "--send"]
    program = ["--", "sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; exit 7"]
    with Server() as server:
        start = time.time_ns()
        result = subprocess.run([*command, server.url(), *program], stderr=subprocess.PIPE, text=True)
        if "perf_event" in result.stderr:
            print("recorded: recording is not permitted")
            return
        expect(result.returncode == 7 and len(server.requests) == 1, result.returncode, len(server.requests), result.stderr)
        data = server.requests[0].profile()
    times = [at for profile in data["resource_profiles"][0]["scope_profiles"][0]["profiles"] for sample in profile["samples"]
             for at in sample["timestamps_unix_nano"]]
    expect(times and start - 10**9 <= min(times) and max(times) <= time.time_ns() + 10**9, "times:", times[:3], start)


@case
def repeated(bench):
    """A recorder that sends one profile after the other, while the server fails now and then, until it is stopped."""
    command = [bench.pdconv, "record", "-q", "-e", "cpu-clock", "-F", "999", "--call-graph", "none", "--spool", bench.spool]
    with subprocess.Popen(["sh", "-c", "while :; do :; done"]) as busy, Server([200, 503, "no answer"]) as server:
        try:
            for extra in (["-d", "1"], ["--", "true"]):
                result = subprocess.run([*command, "--send", server.url(), "--every", "0.2", *extra], stderr=subprocess.PIPE, text=True)
                expect(result.returncode == 2 and "until it is stopped" in result.stderr, result.stderr)
            recorder = subprocess.Popen([*command, "--send", server.url(), "--every", "0.2", "-p", str(busy.pid)],
                                        stderr=subprocess.PIPE, text=True, env={**os.environ, "PDCONV_SEND_SECONDS": "2"})
            while recorder.poll() is None and len(server.requests) < 6:
                time.sleep(0.01)
            recorder.send_signal(signal.SIGINT)
            _, err = recorder.communicate(timeout=120)
        finally:
            busy.kill()
        if "perf_event" in err:
            print("repeated: recording is not permitted")
            return
        # The profile whose answer was lost is reported by its sender, whose failure is not that of the recorder.
        expect(recorder.returncode == 0 and "1 profile sent without an answer" in err, recorder.returncode, err)
        expect(len(server.requests) >= 6 and not bench.waiting(server.url()), len(server.requests), bench.waiting(server.url()))
        bodies = collections.Counter(request.body for request in server.requests)
        # The second request is repeated after the 503.
        expect(sorted(bodies.values())[-2:] == [1, 2], bodies.values())
        sums = [sum(otlp.read_otlp(request.profile()).values()) for request in server.requests]
        expect(any(sums), "no samples:", sums)


@case
def out_of_files(bench):
    """A recorder goes on after a profile could not be kept: it cannot open files for a while."""
    log, failed = os.path.join(bench.work, "log"), False
    command = [bench.pdconv, "record", "-q", "-e", "cpu-clock", "-F", "999", "--call-graph", "none", "--spool", bench.spool]
    with subprocess.Popen(["sh", "-c", "while :; do :; done"]) as busy, Server() as server, open(log, "w") as err:
        recorder = subprocess.Popen([*command, "--send", server.url(), "--every", "0.2", "-p", str(busy.pid)], stderr=err)

        def said():
            with open(log) as file:
                return file.read()

        def wait_until(condition, seconds):
            end = time.monotonic() + seconds
            while recorder.poll() is None and not condition() and time.monotonic() < end:
                time.sleep(0.01)
            return condition()

        try:
            # The recorders that have begun have the former limit, and write their profiles.
            for _ in range(10):
                if not wait_until(lambda n=len(server.requests): len(server.requests) > n, 60):
                    break
                limits = resource.prlimit(recorder.pid, resource.RLIMIT_NOFILE)
                resource.prlimit(recorder.pid, resource.RLIMIT_NOFILE, (3, limits[1]))
                failed = wait_until(lambda: ".otlp: cannot open: Too many open files" in said(), 5)
                if recorder.poll() is None:
                    resource.prlimit(recorder.pid, resource.RLIMIT_NOFILE, limits)
                if failed:
                    break
            n_before = len(server.requests)
            wait_until(lambda: len(server.requests) >= n_before + 3, 60)
            recorder.send_signal(signal.SIGINT)
            recorder.wait(timeout=60)
        finally:
            recorder.kill()
            busy.kill()
    if "perf_event" in said():
        print("out_of_files: recording is not permitted")
        return
    expect(failed and recorder.returncode == 1 and len(server.requests) >= n_before + 3, recorder.returncode, said())


def main():
    pdconv, testdata, *names = sys.argv[1:]
    pdconv = os.path.abspath(pdconv)
    failed = False
    for function in CASES:
        if names and function.__name__ not in names or not names and os.environ.get("QUICK") and function.__name__ in SLOW:
            continue
        bench = Bench(pdconv, testdata)
        try:
            function(bench)
            print(function.__name__)
        except (Failure, otlp.Failure) as failure:
            print(f"{function.__name__}: {failure}")
            failed = True
        finally:
            shutil.rmtree(bench.work)
    return failed


if __name__ == "__main__":
    sys.exit(main())
