#!/usr/bin/env python3
"""Measure how often `pdconv diff` finds changes that are there, and changes that are not.

usage: bench/diff.py PDCONV DIR [FREQUENCY [N]]

Records bench/diff_program.c N times (default: 20) in each variant into DIR, unless the recordings are there: unchanged
(twice), and with a function of a tenth of the time that takes 3 %, 5 %, 10 % and 100 % longer. The variants take turns, so
that the machine treats them alike. Then it compares them, one against one and five against five, which are drawn at
random, and with perf diff.
"""
import json
import os
import random
import subprocess
import sys

FUNCTION = "check_sum"
ROUNDS = "60000"
SLOWER = ["3", "5", "10", "100"]
PER_SIDE = 5


def record(program, frequency, path, *arguments):
    if os.path.exists(path):
        return
    part = path + ".part"
    subprocess.run(["perf", "record", "-q", "-e", "cpu-clock", "-F", frequency, "-g", "-o", part, program, ROUNDS, *arguments],
                   stderr=subprocess.DEVNULL, check=True)
    os.rename(part, path)


def record_all(directory, frequency, n):
    program = os.path.join(directory, "program")
    subprocess.run(["cc", "-O2", "-g", "-fno-omit-frame-pointer", "-o", program, "bench/diff_program.c"], check=True)
    variants = {"before": [], "same": [], **{percent: [FUNCTION, percent] for percent in SLOWER}}
    recordings = {name: [os.path.join(directory, "%s-%s-%02d.data" % (name, frequency, i)) for i in range(n)]
                  for name in variants}
    for i in range(n):
        for name, arguments in variants.items():
            record(program, frequency, recordings[name][i], *arguments)
    return recordings


def compare(pdconv, before, after):
    output = subprocess.run([pdconv, "diff", "--json", *before, "--to", *after], stdout=subprocess.PIPE, check=True).stdout
    return json.loads(output)["by_event"][0]


def names(event, table):
    return [row["function"]["name"] for row in event[table]["rows"]]


def perf_first(before, after):
    """Function with the largest change that perf diff shows, and the number of changes of half a point or more."""
    output = subprocess.run(["perf", "diff", before, after], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                            check=True).stdout.decode()
    rows = [line.split() for line in output.splitlines() if line.strip() and not line.startswith("#")]
    changes = [(abs(float(row[1].rstrip("%"))), row[-1]) for row in rows if len(row) >= 5 and row[1].endswith("%")]
    return max(changes)[1], sum(size >= 0.5 for size, _ in changes)


def draw(before, after):
    return random.sample(before, PER_SIDE), random.sample(after, PER_SIDE)


def measure_equal(pdconv, title, pairs):
    events = [compare(pdconv, *pair) for pair in pairs]
    n = sum(bool(names(event, "functions_by_self") or names(event, "functions_by_total") or event["common"]["is_changed"])
            for event in events)
    print("equal, %s: anything found in %d of %d" % (title, n, len(events)), flush=True)


def measure_slower(pdconv, percent, title, pairs):
    found = [names(compare(pdconv, *pair), "functions_by_self") for pair in pairs]
    print("%s %% slower, %s: found in %d of %d, first in %d, others found in %d" % (
        percent, title, sum(FUNCTION in one for one in found), len(found), sum(one[:1] == [FUNCTION] for one in found),
        sum(any(name != FUNCTION for name in one) for one in found)), flush=True)


def main():
    pdconv, directory = sys.argv[1:3]
    frequency = sys.argv[3] if len(sys.argv) > 3 else "999"
    n = int(sys.argv[4]) if len(sys.argv) > 4 else 20
    random.seed(1)
    os.makedirs(directory, exist_ok=True)
    recordings = record_all(directory, frequency, n)
    equal = recordings["before"] + recordings["same"]
    single = {name: [([a], [b]) for a, b in zip(recordings["before"], recordings[name])] for name in recordings}
    measure_equal(pdconv, "1 against 1", single["same"])
    halves = [random.sample(equal, 2 * PER_SIDE) for _ in range(n)]
    measure_equal(pdconv, "5 against 5", [(half[:PER_SIDE], half[PER_SIDE:]) for half in halves])
    for percent in SLOWER:
        measure_slower(pdconv, percent, "1 against 1", single[percent])
        measure_slower(pdconv, percent, "5 against 5",
                       [draw(recordings["before"], recordings[percent]) for _ in range(n)])
    perf = {name: [perf_first(*pair[0], *pair[1]) for pair in single[name]] for name in ["same", *SLOWER]}
    print("perf diff, equal: %.1f changes of half a point or more" % (sum(count for _, count in perf["same"]) / n))
    for percent in SLOWER:
        print("perf diff, %s %% slower: first in %d of %d" % (percent, sum(name == FUNCTION for name, _ in perf[percent]), n))


if __name__ == "__main__":
    main()
