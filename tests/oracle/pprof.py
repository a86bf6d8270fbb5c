#!/usr/bin/env python3
"""Compare the sums that `go tool pprof` shows of our profiles with those of the recording, in every view.

usage: pprof.py PDCONV TESTDATA [RECORDING...]

RECORDINGs are names in TESTDATA. Each is converted and shown by -top, -top -cum, -peek, -traces and -raw, and
the sums are compared with `pdconv info`. After -proto the profile must be the same, and -diff_base with
itself must be empty. Of the first recording -http must serve the flame graph, and the source of a function.
With pdconv on the PATH as perf_to_profile, pprof must read the recording itself.
"""
import collections
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

# Used as --symfs, this directory hides the files of this machine from pdconv.
EMPTY = tempfile.TemporaryDirectory()
NOWHERE = EMPTY.name
# The program that `go tool pprof` runs.
PPROF = subprocess.run(["go", "tool", "-n", "pprof"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
USUAL = ["nested", "cxx", "threads", "group", "tracepoints"]
PROGRAMS = {"group": "nested", "tracepoints": "forkexec", "compressed": "nested"}
SECONDS = 20
ROW = re.compile(r"\s*[\d.]+\w* +[\d.]+%")


class Failure(Exception):
    pass


def expect(condition, *what):
    if not condition:
        raise Failure(" ".join(str(word) for word in what))


def run(command, **options):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                            **options)
    expect(result.returncode == 0, command, result.stderr)
    return result.stdout


def pprof(work, *arguments):
    return run(PPROF + ["-symbolize=none", *arguments], cwd=work, env={**os.environ, "PPROF_TMPDIR": work})


def read_raw(text):
    """Return sums by sample type."""
    lines = iter(text.splitlines())
    sums = collections.Counter()
    for line in lines:
        if line == "Samples:":
            types = [word.replace("[dflt]", "").rpartition("/")[0] for word in next(lines).split()]
            break
    for line in lines:
        if line == "Locations":
            return sums, types
        match = re.match(r"\s*((?:\d+\s+)*\d+): [\d ]*$", line)
        if match:
            sums.update(dict(zip(types, map(int, match[1].split()))))
    raise Failure("there are no locations")


def expected_sums(pdconv, recording):
    """Return name, samples and sum of periods of each event in the recording."""
    events = json.loads(run([pdconv, "info", "--json", recording]))["events"]
    return [(event["name"], event["samples"], event["period_sum"]) for event in events]


def check_sums(pdconv, recording, raw):
    sums, types = read_raw(raw)
    events = expected_sums(pdconv, recording)
    expect(len(types) == 2 * len(events), types, "for", events)
    for i, (name, samples, period) in enumerate(events):
        expect(sums[types[2 * i]] == samples, name, "has", sums[types[2 * i]], "samples, not", samples)
        expect(sums[types[2 * i + 1]] == period, name, "has", sums[types[2 * i + 1]], "not", period)


def check_top(text):
    """Expect that flat values add up to the total, within the precision of the digits."""
    expect(re.search(r"Showing nodes accounting for .*, 100% of", text), text)
    shares = [float(line.split()[1].rstrip("%")) for line in text.splitlines() if ROW.match(line)]
    expect(abs(sum(shares) - 100) < 0.01 * len(shares) + 0.01, "shares are", sum(shares))


def check_views(work, profile, function):
    check_top(pprof(work, "-top", "-nodefraction=0", "-nodecount=100000", profile))
    check_top(pprof(work, "-top", "-cum", "-nodefraction=0", "-nodecount=100000", profile))
    expect(function in pprof(work, "-peek", re.escape(function), profile), "nothing at", function)
    expect(function in pprof(work, "-traces", profile), "no trace with", function)


def check_round_trip(work, profile):
    pprof(work, "-proto", "-output=again.pb.gz", profile)
    first, again = (pprof(work, "-top", "-nodefraction=0", name) for name in (profile, "again.pb.gz"))
    expect(first == again, "another top after -proto")
    expect(read_raw(pprof(work, "-raw", profile)) == read_raw(pprof(work, "-raw", "again.pb.gz")), "other sums")
    same = pprof(work, "-top", "-nodefraction=0", "-diff_base=" + profile, profile)
    expect(re.search(r"Showing nodes accounting for 0", same), same)


def fetch(url):
    end = time.monotonic() + SECONDS
    while True:
        try:
            with urllib.request.urlopen(url, timeout=SECONDS) as answer:
                return answer.read().decode()
        except OSError:
            expect(time.monotonic() < end, url, "does not answer")
            time.sleep(0.1)


def check_http(work, profile, function, sources):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = "127.0.0.1:%d" % probe.getsockname()[1]
    server = subprocess.Popen(PPROF + ["-symbolize=none", "-no_browser", "-http=" + address, "-source_path=" + sources,
                                       "-trim_path=/tmp/pdconv-testdata", profile], cwd=work,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        expect(function in fetch(f"http://{address}/ui/flamegraph"), "the flame graph has no", function)
        page = fetch(f"http://{address}/ui/source?f={function}")
        expect(function in page and re.search(r"<i>\s*|class=line", page), "no source of", function)
        expect("for (" in page, "no line of the source of", function)
    finally:
        server.terminate()
        server.wait()


def check_perf_to_profile(work, pdconv, recording):
    os.symlink(pdconv, os.path.join(work, "perf_to_profile"))
    shutil.copy(recording, os.path.join(work, "perf.data"))
    path = work + ":" + os.environ["PATH"]
    text = run(PPROF + ["-symbolize=none", "-top", "perf.data"], cwd=work, env={**os.environ, "PATH": path})
    expect("Type: cpu" in text and "% of" in text, text)


def top_function(text):
    rows = [line.split(None, 5)[5] for line in text.splitlines() if ROW.match(line)]
    return re.sub(r" \(inline\)$", "", rows[0])


def check(pdconv, testdata, name):
    recording = os.path.join(testdata, name, "perf.data")
    programs = os.path.join(testdata, PROGRAMS.get(name, name))
    work = tempfile.mkdtemp()
    try:
        run([pdconv, recording, "-q", "-f", "pprof", "-o", os.path.join(work, "p.pb.gz"), "--symfs", NOWHERE,
             "--debug-paths", programs])
        check_sums(pdconv, recording, pprof(work, "-raw", "p.pb.gz"))
        function = top_function(pprof(work, "-top", "p.pb.gz"))
        check_views(work, "p.pb.gz", function)
        check_round_trip(work, "p.pb.gz")
        if name == "nested":
            check_http(work, "p.pb.gz", "side", programs)
            check_perf_to_profile(work, pdconv, recording)
        print(f"{name}: sums and views are right; most is in {function[:60]}")
        return True
    except Failure as failure:
        print(f"{name}: {failure}")
        return False
    finally:
        shutil.rmtree(work)


def main():
    pdconv, testdata = (os.path.abspath(word) for word in sys.argv[1:3])
    good = [check(pdconv, testdata, name) for name in sys.argv[3:] or USUAL]
    return 0 if all(good) else 1


sys.exit(main())
