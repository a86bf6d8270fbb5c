#!/usr/bin/env python3
"""Convert recordings by other tools, and compare with their known facts.

usage: recordings.py PDCONV DIR

Each recording X in DIR comes with X.golden.json. The facts used here are layout (the kind of container),
perf_dump (samples, sum of periods, distinct processes and threads in `perf script -D`), and perf_script
(samples and periods of each event). Each recording is read as a file and through a pipe. Hostile files must
be rejected, with status 1 and an empty standard output. Prints a line for each that differs.
"""
import collections
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from protobuf import fields, packed

# Used as --symfs, this directory hides the files of this machine from pdconv.
EMPTY = tempfile.TemporaryDirectory()
NOWHERE = EMPTY.name


def run(pdconv, path, *options, stdin=None):
    return subprocess.run(
        [pdconv, str(path), "--symfs", NOWHERE, "--buildid-dir", NOWHERE, *options],
        stdin=stdin, capture_output=True, timeout=120, check=False)


class Pprof:
    """Return the totals of a profile in the order of its values, and its labels."""

    def __init__(self, blob):
        self.strings, types, samples = [], [], []
        for number, value in fields(gzip.decompress(blob)):
            if number == 6:
                self.strings.append(value.decode(errors="replace"))
            elif number == 1:
                types.append(dict(fields(value)))
            elif number == 2:
                samples.append(list(fields(value)))
        self.totals = [0] * len(types)
        self.names = [self.strings[t[1]] for t in types]
        self.labels = collections.defaultdict(set)
        for sample in samples:
            values = [v for number, value in sample if number == 2 for v in packed(value)]
            for i, value in enumerate(values):
                self.totals[i] += value
            for number, value in sample:
                if number == 3:
                    label = dict(fields(value))
                    self.labels[self.strings[label[1]]].add(label.get(3, label.get(2)))


def report_facts(text):
    """Return the number of samples, and {event: (samples, period)}, from a report in JSON."""
    report = json.loads(text)
    return report["samples"], {e["name"]: (e["samples"], e["period"]) for e in report.get("events", [])}


# Events named in a part of the recording that perf ignores: {file: {perf's name: ours}}.
NAMES = {
    "perf_with_arm_regs.data": {"cycles:HG": "cpu-cycles"},  # META_INFO of simpleperf
}


def check(pdconv, path, golden):
    """Yield the errors in the conversions of path."""
    dump, script = golden.get("perf_dump", {}), golden.get("perf_script", {})
    n_samples, period = dump.get("samples", 0) or 0, dump.get("period_sum", 0) or 0
    # A sample with the counters of a group stands for each event, as in perf script.
    names = NAMES.get(path.name, {})
    counted = {names.get(name, name): (e["samples"], e["period_sum"])
               for name, e in script.get("events", {}).items() if e["samples"]}
    if (script.get("lines") or 0) > n_samples:
        n_samples, period = script["lines"], sum(p for _, p in counted.values())
    outputs = {}
    with tempfile.NamedTemporaryFile() as out:
        # To a file, because recordings by simpleperf cannot become streams.
        result = run(pdconv, path, "-f", "perfdata", "-o", out.name)
        if result.returncode:
            yield f"perfdata: exit status {result.returncode}: {result.stderr.decode()!r}"
    for fmt in ("report", "pprof", "folded", "script"):
        style = ["--json"] if fmt == "report" else []
        result = run(pdconv, path, "-f", fmt, "-j", "4", *style)
        if result.returncode:
            yield f"{fmt}: exit status {result.returncode}: {result.stderr.decode()!r}"
            return
        outputs[fmt] = result.stdout
        if run(pdconv, path, "-f", fmt, "-j", "1", *style).stdout != result.stdout:
            yield f"{fmt}: one thread writes something else than four"
    with subprocess.Popen(["cat", str(path)], stdout=subprocess.PIPE) as cat:
        piped = run(pdconv, "-", "-f", "folded", stdin=cat.stdout)
    if piped.stdout != outputs["folded"]:
        yield f"through a pipe something else comes out: {piped.stderr.decode()!r}"

    total, events = report_facts(outputs["report"].decode(errors="replace"))
    if total != n_samples:
        yield f"report: {total} samples, not {n_samples}"
    if sum(p for _, p in events.values()) != period:
        yield f"report: periods {sum(p for _, p in events.values())}, not {period}"
    if script.get("lines") == n_samples and events != counted:
        yield f"report: events {events}, not {counted}"

    pprof = Pprof(outputs["pprof"])
    pairs = list(zip(pprof.totals[::2], pprof.totals[1::2]))
    if [pair for pair in pairs if pair != (0, 0)] != list(events.values()):
        yield f"pprof: {dict(zip(pprof.names[1::2], pairs))}, not {events}"
    if len(set(pprof.names)) != len(pprof.names):
        yield f"pprof: {pprof.names} are not distinct"
    for label, fact in (("pid", "distinct_pids"), ("tid", "distinct_tids")):
        if len(pprof.labels[label]) != (dump.get(fact) or 0):
            yield f"pprof: {len(pprof.labels[label])} {label}s, not {dump.get(fact)}"

    weights = sum(int(line.rsplit(b" ", 1)[1]) for line in outputs["folded"].splitlines())
    first = next(iter(events.values()), (0, 0))[1]
    if weights != first:
        yield f"folded: weights {weights}, not {first}"


def check_refused(pdconv, path):
    result = run(pdconv, path)
    if result.returncode != 1 or result.stdout or not result.stderr:
        yield f"exit status {result.returncode}, stderr {result.stderr.decode(errors='replace')!r}"


def main():
    pdconv, top = sys.argv[1], pathlib.Path(sys.argv[2])
    n_converted = n_refused = n_wrong = 0
    for file in sorted(top.glob("*/*.golden.json")):
        golden = json.loads(file.read_text())
        path = file.with_name(file.name[:-len(".golden.json")])
        if file.parent.name == "quipper-fuzz":
            problems = list(check_refused(pdconv, path))
            n_refused += 1
        else:
            problems = list(check(pdconv, path, golden))
            n_converted += 1
        for problem in problems:
            print(f"{path.relative_to(top)}: {problem}")
        n_wrong += bool(problems)
    if n_wrong or not n_converted:
        print(f"{n_converted} converted, {n_refused} refused, {n_wrong} wrong")
    return 1 if n_wrong or not n_converted else 0


sys.exit(main())
