#!/usr/bin/env python3
"""Compare samples and periods of each event with those of `perf script`.

usage: group_periods.py PDCONV PERF.DATA...

For recordings of counter groups (`perf record -e '{a,b}:S'`), in which a sample stands for every member.
Prints each recording whose sums differ.
"""
import collections
import json
import re
import subprocess
import sys


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, errors="backslashreplace", timeout=120, check=False).stdout


def perf_sums(path):
    sums = collections.defaultdict(lambda: (0, 0))
    for line in output("perf", "script", "-i", path, "-F", "event,period", "-G").splitlines():
        found = re.match(r"\s*(\d+)\s+(\S+):\s*$", line)
        if found:
            samples, period = sums[found[2]]
            sums[found[2]] = samples + 1, period + int(found[1])
    return dict(sums)


def report_sums(pdconv, path):
    report = json.loads(output(pdconv, path, "-f", "report", "--json"))
    return {e["name"]: (e["samples"], e["period"]) for e in report["events"]}


def main():
    wrong = 0
    for path in sys.argv[2:]:
        ours, theirs = report_sums(sys.argv[1], path), perf_sums(path)
        if not theirs or ours != theirs:
            print(f"{path}: {ours}, perf has {theirs}")
            wrong += 1
    return 1 if wrong else 0


sys.exit(main())
