#!/usr/bin/env python3
"""Name frames with files from a debuginfod server on this machine, and with servers that misbehave.

usage: debuginfod.py PDCONV TESTDATA

The server has the stripped program of TESTDATA/nested and its debug file. Prints a line for each failure.
"""
import contextlib
import http.server
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

from made_recording import Recording

# Used as --symfs, this directory hides the files of this machine from pdconv.
EMPTY = tempfile.TemporaryDirectory()
NOWHERE = EMPTY.name
ID = "a62d6e5994353533878b62cd258e35558e60ae0a"
QUICK = os.environ.get("QUICK")
NAMED = "nested;_start;__libc_start_main;__libc_start_call_main;main;"
UNNAMED = "nested;[nested]"

failures = 0


def check(what, ok, output=""):
    global failures
    if not ok:
        failures += 1
        print(f"debuginfod: {what}: not so")
        print(output)


class Bad(http.server.BaseHTTPRequestHandler):
    """Answer according to server.mode, and count the requests."""

    def do_GET(self):
        self.server.requests += 1
        with contextlib.suppress(OSError):
            getattr(self, self.server.mode)()

    def rubbish(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"no ELF file " * 1000)

    def other(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.server.other)

    def slow(self):
        self.send_response(200)
        self.send_header("Content-Length", "100000000")
        self.end_headers()
        while True:
            self.wfile.write(b"x" * 10)
            self.wfile.flush()
            time.sleep(0.1)

    def silent(self):
        time.sleep(30)

    def endless(self):
        self.send_response(200)
        self.end_headers()
        while True:
            self.wfile.write(b"x" * 65536)

    def late(self):
        self.send_response(200)
        self.end_headers()
        while True:
            self.wfile.write(b"x" * 65536)
            time.sleep(0.05)

    def huge(self):
        self.send_response(200)
        self.send_header("Content-Length", "1000000000000")
        self.end_headers()
        while True:
            self.wfile.write(b"x" * 10)
            self.wfile.flush()
            time.sleep(0.05)

    def redirecting(self):
        self.send_response(302)
        self.send_header("Location", self.server.elsewhere)
        self.end_headers()

    def failing(self):
        self.send_response(500)
        self.end_headers()

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def bad_server(mode, other):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Bad)
    server.daemon_threads = True
    server.mode, server.other, server.requests = mode, other, 0
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server, f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@contextlib.contextmanager
def real_server(files):
    """Run debuginfod, and wait until it has found the files."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    process = subprocess.Popen(["debuginfod", "-d", ":memory:", "-p", str(port), "-F", str(files)],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(200):
        time.sleep(0.1)
        with contextlib.suppress(OSError):
            with urllib.request.urlopen(f"{url}/buildid/{ID}/debuginfo") as answer:
                if answer.status == 200:
                    break
    yield url
    process.terminate()
    process.wait()


def make_source(work, files):
    """Compile a program whose source is found at no path below NOWHERE. Return a recording of it, and its source line."""
    source, program = work / "source.c", files / "sourced"
    source.write_text("int spin(int n)\n{\n\treturn n * 3; /* a line */\n}\nint main(int n)\n{\n\treturn spin(n);\n}\n")
    subprocess.run(["gcc", "-g", "-O1", "-fno-inline", "-no-pie", "-Wl,--build-id", "-o", program, source], check=True)
    symbols = subprocess.run(["readelf", "-sW", program], capture_output=True, text=True, check=True).stdout
    addr = int(next(line.split()[1] for line in symbols.splitlines() if line.endswith(" spin")), 16)
    recording = Recording("<", "x86_64")
    recording.map(str(program), 0x401000, 0x1000, 0x1000)
    recording.sample([addr] * 3)
    recording.write(work / "sourced.data")
    return work / "sourced.data"


def test_source(pdconv, recording, files, home, url):
    """Sources come from servers only if these are given."""
    command = [pdconv, "annotate", "--json", "-i", str(recording), "--symfs", NOWHERE, "--symbol-dir", str(files)]
    env = {**os.environ, "HOME": str(home)}
    texts = []
    for options in [], [f"--debuginfod={url}"]:
        # The server may still read the program.
        for _ in range(50):
            result = subprocess.run(command + options, capture_output=True, text=True, env=env, timeout=60, check=False)
            texts.append(result.stdout + result.stderr)
            if not options or "a line" in result.stdout:
                break
            time.sleep(0.2)
            shutil.rmtree(home / ".cache", ignore_errors=True)
    check("no source without a server", '"source": null' in texts[0] and "a line" not in texts[0], texts[0])
    check("a server's source is shown", "return n * 3; /* a line */" in texts[-1], texts[-1])


class Run:
    """Runs pdconv with a separate home directory, which caches fetched files."""

    def __init__(self, pdconv, recording, home):
        self.command = [pdconv, str(recording), "--folded", "--symfs", NOWHERE]
        self.env = {**os.environ, "HOME": str(home)}
        self.home = home
        for name in list(self.env):
            if name.startswith(("DEBUGINFOD_", "XDG_")):
                del self.env[name]

    def __call__(self, *options):
        start = time.monotonic()
        result = subprocess.run(self.command + list(options), capture_output=True, text=True,
                                env=self.env, timeout=60, check=False)
        self.seconds = time.monotonic() - start
        self.lines = result.stdout.splitlines()
        self.errors = [line for line in result.stderr.splitlines() if "debuginfod" in line]
        self.text = result.stdout + result.stderr
        return result.returncode == 0

    def forget(self):
        """Remove what was fetched, and that the servers did not have."""
        shutil.rmtree(self.home / ".cache", ignore_errors=True)

    def is_named(self):
        return self.lines and all(line.startswith(NAMED) for line in self.lines)

    def is_unnamed(self):
        return self.lines and all(line.startswith(UNNAMED) for line in self.lines)


def test_real(run, files, sourced):
    with real_server(files) as url:
        test_source(run.command[0], sourced, files, sourced.parent / "other-home", url)
        check("nothing is fetched unasked", run() and run.is_unnamed(), run.text)
        check("nothing is fetched offline", run(f"--debuginfod={url}", "--offline") and run.is_unnamed(), run.text)
        check("a server's files name frames", run(f"--debuginfod={url}") and run.is_named(), run.text)
        check("inlined functions are in them", any(";outer;middle;inner" in line for line in run.lines), run.text)
        check("nothing is said of that", not run.errors, run.text)
        run.env["DEBUGINFOD_URLS"] = url
        check("the environment names servers", run("--debuginfod") and run.is_named(), run.text)
        del run.env["DEBUGINFOD_URLS"]
    check("what was fetched stays", run() and run.is_named(), run.text)
    check("it stays when the server is gone", run(f"--debuginfod={url}") and run.is_named(), run.text)
    return url


def test_debug_alone(run, files):
    """A server without the program is asked for its debug file, which names the frame of each sample."""
    (files / "nested").unlink()
    with real_server(files) as url:
        names = {"nested;inner", "nested;side"}
        check("a debug file alone names frames", run(f"--debuginfod={url}")
              and {line.split()[0] for line in run.lines} == names, run.text)
    check("the debug file stays", run() and {line.split()[0] for line in run.lines} == names, run.text)


def test_limits(run, other):
    """What arrives is bounded in size and time, whether or not the server says how much there is."""
    cases = (("endless", {"DEBUGINFOD_MAXSIZE": "1000000"}, "more than 1000000 bytes"),
             ("late", {"DEBUGINFOD_MAXTIME": "2"}, None), ("huge", {}, None))
    for mode, limits, text in cases:
        with bad_server(mode, other) as (server, url):
            run.forget()
            run.env.update(limits)
            ok = run(f"--debuginfod={url}") and run.is_unnamed() and run.seconds < 10
            # A file that is too large for the limit says nothing about the next one.
            check(f"the {mode} file is given up", ok and len(run.errors) == (mode != "huge") and (not text or text in run.text)
                  and server.requests == (2 if mode == "huge" else 1),
                  f"{run.text}\n{server.requests} requests, {run.seconds:.1f} s")
            for name in limits:
                del run.env[name]


def test_urls(run, program):
    """Servers are asked by HTTP only, and only if the command line says so."""
    with bad_server("redirecting", b"") as (server, url):
        for server.elsewhere in (f"file://{program}", "ftp://127.0.0.1/nested", f"{url}/again"):
            run.forget()
            ok = run(f"--debuginfod={url}", "--debuginfod-timeout", "2") and run.is_unnamed() and run.seconds < 20
            check(f"nothing comes from {server.elsewhere}", ok, run.text)
        server.requests = 0
        run.forget()
        run.env["DEBUGINFOD_URLS"] = url
        check("the environment alone asks nobody", run() and run.is_unnamed() and not server.requests, run.text)
        del run.env["DEBUGINFOD_URLS"]
    check("file URLs are refused", not run(f"--debuginfod=http://127.0.0.1:1 file://{program.parent}")
          and "expected an http or https URL" in run.text and "file://" in run.text, run.text)


def test_bad(run, other, gone):
    check("a server that is down is told once",
          run(f"--debuginfod={gone}") and run.is_unnamed() and len(run.errors) == 1 and run.seconds < 5, run.text)
    for mode, n_errors in (("rubbish", 1), ("other", 1), ("slow", 1), ("silent", 1), ("failing", 0)):
        if QUICK and mode in ("slow", "silent"):
            # They are waited for.
            continue
        with bad_server(mode, other) as (server, url):
            ok = run(f"--debuginfod={url}", "--debuginfod-timeout", "2")
            said = [line for line in run.errors if "not asked any more" in line]
            check(f"a {mode} server is told once, and asked once", ok and run.is_unnamed()
                  and len(said) == n_errors and server.requests == (2 if mode == "failing" else 1) and run.seconds < 10,
                  f"{run.text}\n{server.requests} requests, {run.seconds:.1f} s")
            check(f"nothing of a {mode} server stays", run() and run.is_unnamed(), run.text)


def main():
    pdconv, testdata = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        files, home, empty = work / "files", work / "home", work / "empty"
        for directory in (files, home, empty):
            directory.mkdir()
        program = testdata / "nested/nested"
        subprocess.run(["objcopy", "--only-keep-debug", program, files / "nested.debug"], check=True)
        subprocess.run(["strip", program, "-o", files / "nested"], check=True)
        recording = work / "perf.data"
        shutil.copy(testdata / "nested/perf.data", recording)
        (work / "other-home").mkdir()
        gone = test_real(Run(pdconv, recording, home), files, make_source(work, files))
        (work / "third-home").mkdir()
        test_debug_alone(Run(pdconv, recording, work / "third-home"), files)
        bad = Run(pdconv, recording, empty)
        test_bad(bad, (testdata / "fp/fp").read_bytes(), gone)
        if not QUICK:
            test_limits(bad, b"")
        test_urls(bad, program.resolve())
    return 1 if failures else 0


sys.exit(main())
