#!/usr/bin/env python3
"""Compare the critical path with that of a program whose path is known by construction.

usage: critical_path.py PDCONV PROGRAM WORK

PROGRAM is testdata/paths/paths.c, which prints "NAME CPU WALL" for each thread on the path: the CPU time and the time on the
clock, in ns, of what it did there.
"""
import collections
import json
import os
import subprocess
import sys

import perfs

SCHED = "sched:sched_switch,sched:sched_waking,sched:sched_wakeup_new"

# How a recording is made, and whether it has stacks.
MODES = [
    ("cpus", ["-a", "-e", SCHED], False),
    ("stacks", ["-a", "-e", SCHED, "-e", "cpu-clock:u", "--call-graph", "dwarf"], True),
    ("threads", ["-e", "sched:sched_switch,sched:sched_waking", "--switch-events"], False),
]

SLACK_NS = 1_000_000
# The main thread also starts threads, and the program.
SLACK_OF_MAIN_NS = 8_000_000
NAP_NS = 10_000_000

STATES = ("running", "runnable", "blocked", "unknown")


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True,
                          stdin=subprocess.DEVNULL).stdout.decode(errors="replace")


def record(program, path, options):
    """Return CPU and wall time by name."""
    truth = collections.defaultdict(lambda: [0, 0])
    # Threads that wait for a CPU make another path critical.
    command = (*perfs.before_others(), program)
    for line in run("perf", "record", "-q", "-B", "-m", "8M", "-o", path, *options, "--", *command).splitlines():
        name, cpu, wall = line.split()
        truth[name][0] += int(cpu)
        truth[name][1] += int(wall)
    return truth


def report(pdconv, path, *options):
    return json.loads(run(pdconv, "report", path, "-q", "--json", "--limit", "1000000", *options))


def check_sums(part):
    """The path has no gap: its rows, and its states, add up to its length."""
    rows = part["path"]["rows"]
    assert sum(row["time"] for row in rows) == part["length"], part["length"]
    assert sum(part[state] for state in STATES) == part["length"], part["length"]
    for state in STATES:
        assert sum(row["time"] for row in rows if row["state"] == state) == part[state], state


def sum_threads(part):
    """Times by the name of the thread, which is the main one if it is that of the program, and state."""
    sums = collections.defaultdict(lambda: dict.fromkeys(STATES, 0))
    for row in part["path"]["rows"]:
        sums["main" if row["thread"] == "paths" else row["thread"]][row["state"]] += row["time"]
    return sums


def check_thread(name, times, cpu, wall):
    most = cpu + (SLACK_OF_MAIN_NS if name == "main" else SLACK_NS)
    ok = cpu - times["unknown"] - SLACK_NS <= times["running"] <= most
    ok &= sum(times.values()) >= wall - SLACK_NS
    if name == "third":
        ok &= times["blocked"] + times["unknown"] >= NAP_NS
    print(f"{name}: {times}, measured: CPU {cpu}, wall {wall}: {ok}")
    return ok


def check_functions(part):
    """What a thread runs is spin(), and that calls now()."""
    rows = [row for row in part["path"]["rows"] if row["thread"] == "long" and row["state"] == "running"]
    known = [row for row in rows if row["function"] and row["function"]["binary"] == "paths"]
    print("long:", [(row["function"], row["time"]) for row in rows])
    return sum(row["time"] for row in known) > 0.9 * sum(row["time"] for row in rows)


def check_life(pdconv, path, name):
    """The path of a thread lasts as long as its life."""
    part = report(pdconv, path, f"--critical-path={name}")["critical_path"]
    (row,) = [row for row in report(pdconv, path, "--ledger")["ledger"]["threads"]["rows"] if row["thread"] == name]
    check_sums(part)
    by_tid = report(pdconv, path, f"--critical-path={row['tid']}")["critical_path"]
    return part["length"] == row["life"] and by_tid == part


def check_parts(pdconv, path, whole):
    """Ranges of time are parts of the path. Percentages are those from the first to the last sample of the recording."""
    lengths = []
    for times in ("0%-100%", "0%-30%", "30%-100%", "0%-20%,40%-50%"):
        part = report(pdconv, path, "--critical-path", "--time", times)["critical_path"]
        check_sums(part)
        lengths.append(part["length"])
    all_samples, first, second, two = lengths
    recorded = report(pdconv, path, "--limit", "1")["seconds"] * 1e9
    print(f"parts: {lengths} of {whole['length']}, recorded {recorded:.0f}")
    return abs(first + second - all_samples) < 1000 and all_samples <= whole["length"] and 0 < two <= 0.3 * recorded + 1000


def check(pdconv, program, path, mode, options, has_stacks):
    truth = record(program, path, options)
    part = report(pdconv, path, "--critical-path")["critical_path"]
    check_sums(part)
    sums = sum_threads(part)
    ok = part["wakeups"] == ("-a" in options)
    for name, (cpu, wall) in truth.items():
        ok &= check_thread(f"{name}", sums[name], cpu, wall)
    # perf starts the program, which takes long if there is other work.
    for name in sums.keys() - truth.keys() - {"perf"}:
        print(f"{name} is not on the path: {sums[name]}")
        ok &= sum(sums[name].values()) < SLACK_NS
    if has_stacks:
        ok &= check_functions(part)
    print(f"{mode}: {ok}")
    return ok and check_life(pdconv, path, "middle") and check_parts(pdconv, path, part)


def main():
    pdconv, program, work = sys.argv[1:]
    path = os.path.join(work, "critical_path.data")
    return 0 if perfs.check_modes(MODES, lambda *mode: check(pdconv, program, path, *mode)) else 1


if __name__ == "__main__":
    sys.exit(main())
