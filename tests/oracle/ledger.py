#!/usr/bin/env python3
"""Compare the ledger of time with what threads and the kernel measured, and with perf sched timehist.

usage: ledger.py PDCONV PROGRAM WORK

PROGRAM is testdata/clock/clock.c, whose threads print their times and those of /proc/PID/task/TID/schedstat. All runs on
CPU 0: see waits.py.
"""
import json
import os
import re
import subprocess
import sys

import perfs

SCHED = "sched:sched_switch,sched:sched_waking,sched:sched_wakeup_new"

# How a recording is made by perf, or by pdconv if the options begin with "record", and whether it has all wakeups.
MODES = [
    ("tracepoints", ["-a", "-e", SCHED], True),
    ("stacks", ["-a", "-e", SCHED, "--call-graph", "dwarf", "--all-cgroups"], True),
    ("wakeups", ["-a", "-e", "sched:sched_switch,sched:sched_wakeup,sched:sched_wakeup_new"], True),
    ("cpus", ["-a", "-e", "cpu-clock", "--switch-events"], False),
    ("threads", ["-e", "cpu-clock:u", "--switch-events"], False),
    ("waits", ["record", "--off-cpu", "-e", "cpu-clock"], False),
    ("both", ["-e", "sched:sched_switch,sched:sched_waking", "--switch-events"], False),
]

# The kernel counts from its clock of the run queue, records have times of their own: microseconds for each switch. Threads
# read their times, and then exit.
SLACK_NS = 1_000_000

# Time, CPU and task; time between runs, delay and run time in ms.
TIMEHIST_LINE = re.compile(r"^ *(\d+\.\d+) \[(\d+)\] .*?\[(-?\d+)(?:/\d+)?\] +[\d.]+ +([\d.]+) +([\d.]+)")
SWITCH_LINE = re.compile(r"^\[(\d+)\] +(\d+\.\d{6}): .*\bprev_pid=(\d+) ")
SCRIPT_LINE = re.compile(r"^ *(-?\d+)(?:/\d+)? +[\d.]+: +(.*)$")


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True,
                          stdin=subprocess.DEVNULL).stdout.decode(errors="replace")


def record(pdconv, program, path, options):
    """Return times by thread id: name, life, running, runnable."""
    recorder = (pdconv, "record") if options[0] == "record" else ("perf", "record", "-B")
    words = [word for word in options if word != "record"]
    text = run(*recorder, "-q", "-m", "8M", "-o", path, *words, "taskset", "-c", "0", program)
    times = {}
    for line in text.splitlines():
        tid, name, *numbers = line.split()
        times[int(tid)] = (name, *map(int, numbers))
    return times


def check_sums(ledger):
    for row in ledger["threads"]["rows"]:
        assert sum(row[part] or 0 for part in ("running", "runnable", "blocked", "unknown")) == row["life"], row
    for row in ledger["cpus"]["rows"]:
        assert sum(row[part] or 0 for part in ("busy", "idle", "unknown")) == row["wall"], row


def check_groups(ledger):
    """Processes, control groups and reasons have the time of all threads."""
    total = ledger["thread_total"]
    for name in ("processes", "cgroups"):
        rows = ledger.get(name, {"rows": []})["rows"]
        for part in ("running", "runnable", "blocked", "unknown", "life"):
            assert not rows or sum(row[part] or 0 for row in rows) == total[part], (name, part)
        assert not rows or sum(row["threads"] for row in rows) == len(ledger["threads"]["rows"]), name
    if "blocked_for" in ledger:
        assert sum(row["blocked"] for row in ledger["blocked_for"]["rows"]) == total["blocked"]
    if "delays" in ledger:
        delays = ledger["delays"]
        for key in ("histogram", "longest"):
            assert sum(row["time"] for row in delays[key]["rows"]) == delays["time"] <= total["runnable"], key
            assert sum(row["idle"] or 0 for row in delays[key]["rows"]) == delays["idle"], key
        for row in delays["histogram"]["rows"]:
            assert row["delays"] * row["from"] <= row["time"] < row["delays"] * row["below"], row


def read_ledger(pdconv, path, *options):
    return json.loads(run(pdconv, "report", path, "-q", "--ledger", "--json", "--limit", "1000000", *options))["ledger"]


def check_ranges(pdconv, path):
    """Ranges of time that do not touch add up."""
    ranges = ("0%-30%", "40%-55%", "70%-100%")
    whole = read_ledger(pdconv, path, "--time", ",".join(ranges))
    parts = [read_ledger(pdconv, path, "--time", part) for part in ranges]
    for key in ("thread_total", "cpu_total"):
        for name, value in whole[key].items():
            assert value == sum(part[key][name] for part in parts), (key, name)
    assert whole["length"] == sum(part["length"] for part in parts)
    check_sums(whole)
    check_groups(whole)


def check_one_cpu(pdconv, path, ledger):
    """Of one CPU there is its row, and what has run on it."""
    one = read_ledger(pdconv, path, "-C", "0")
    check_groups(one)
    assert one["cpus"]["rows"] == [row for row in ledger["cpus"]["rows"] if row["cpu"] == "CPU 0"]
    assert all(row in ledger["threads"]["rows"] for row in one["threads"]["rows"])
    assert all(row["cpu"] == 0 for row in one["delays"]["longest"]["rows"])


def is_near(ours, theirs, more=0):
    return theirs - SLACK_NS <= ours <= theirs + more + SLACK_NS


def check_thread(mode, row, measured, has_wakeups):
    name, life, running, runnable = measured
    parts = {part: row[part] or 0 for part in ("running", "runnable", "blocked", "unknown")}
    # After the thread has read its times, it may still run, wait for a CPU, and for a lock at its exit.
    rest = max(row["life"] - life, 0)
    ok = not parts["unknown"] and is_near(parts["running"], running, rest)
    if has_wakeups:
        ok &= is_near(parts["blocked"], life - running - runnable, rest) and is_near(parts["runnable"], runnable, rest)
    else:
        ok &= is_near(parts["blocked"] + parts["runnable"], life - running, rest)
    print(f"{mode} {name} {row['tid']}: {parts}, measured: life {life}, running {running}, runnable {runnable}: {ok}")
    return ok


def check_never(rows):
    """One thread never runs, and cannot tell."""
    (row,) = rows
    return row["span"] == "whole life" and (row["blocked"] or 0) > 0.9 * row["life"]


def check_cpus(ledger):
    """What runs is on a CPU."""
    threads, cpus = ledger["thread_total"], ledger["cpu_total"]
    slack = threads["unknown"] + cpus["unknown"] + SLACK_NS
    print(f"threads ran {threads['running']}, CPUs were busy {cpus['busy']}, unknown {slack}")
    return abs(threads["running"] - cpus["busy"]) <= slack


class Timehist:
    """What perf sched timehist has of a thread, in ns: delays after wakeups, runs, and the end of the last run."""

    def __init__(self):
        self.delays, self.runs, self.end = 0, 0, 0


def read_timehist(path):
    """Return times by thread id.

    Once a thread's exit was recorded, its last runs are those of a thread -1, without delays: sched_switch says whose.
    """
    switched = {}
    for line in run("perf", "script", "-i", path, "-F", "cpu,time,event,trace").splitlines():
        match = SWITCH_LINE.match(line)
        if match:
            switched[int(match.group(1)), match.group(2)] = int(match.group(3))
    times = {}
    for line in run("perf", "sched", "timehist", "-i", path).splitlines():
        match = TIMEHIST_LINE.match(line)
        if not match:
            continue
        end, cpu, tid, delay, ran = match.groups()
        known = int(tid) >= 0
        times_of_thread = times.setdefault(int(tid) if known else switched.get((int(cpu), end), -1), Timehist())
        times_of_thread.runs += float(ran) * 1e6
        if known:
            times_of_thread.delays += float(delay) * 1e6
            times_of_thread.end = float(end) * 1e9
    return times


def check_runs(timehist, rows):
    runs = {tid: (row["running"], timehist[tid].runs) for tid, row in rows.items()}
    print("ran:", runs)
    return all(is_near(ours, theirs) for ours, theirs in runs.values())


def check_reasons(ledger):
    """The sleepers sleep, and the lockers wait for the lock or sleep."""
    times = {}
    for row in ledger["blocked_for"]["rows"]:
        if row["function"] and row["function"]["binary"] == "clock":
            times[row["function"]["name"], row["for"]] = row["blocked"]
    print("blocked for:", times)
    return (times.get(("nap", "sleep"), 0) > 80_000_000 and times.get(("run_locker", "lock"), 0) > 3_000_000 and
            ("main", "join") in times and times.get(("run_never", "lock"), 0) > 100_000_000)


def check_delays(timehist, ledger, tids):
    """perf sched timehist begins a delay with the wakeup even if the thread still runs."""
    ours = {}
    for row in ledger["delays"]["longest"]["rows"]:
        tid = row["tid"]
        if tid in tids and row["after"] == "wakeup" and row["begin"] <= timehist[tid].end:
            ours[tid] = ours.get(tid, 0) + row["time"]
    delays = {tid: (ns, timehist[tid].delays) for tid, ns in ours.items()}
    print("delays after wakeups:", delays)
    return len(ours) > 2 and all(ns - SLACK_NS <= theirs <= 1.25 * ns + 2 * SLACK_NS for ns, theirs in delays.values())


def read_latencies(path):
    """Sum up periods by thread, each of which is divided by the number of threads that were running."""
    running, sums, has_switches = set(), {}, False
    for line in run("perf", "script", "-i", path, "-F", "tid,time,event,period", "--ns", "--show-switch-events",
                    "--show-task-events").splitlines():
        match = SCRIPT_LINE.match(line)
        tid, what = int(match.group(1)), match.group(2)
        if what.startswith("PERF_RECORD_SWITCH"):
            has_switches = True
            (running.add if " IN" in what else running.discard)(tid)
        elif what.startswith("PERF_RECORD_EXIT"):
            running.discard(tid)
        elif what[0].isdigit():
            n = len(running | {tid}) if has_switches else 1
            sums[tid] = sums.get(tid, 0) + int(what.split()[0]) / n
    return sums


def check_latencies(pdconv, path):
    table = json.loads(run(pdconv, "report", path, "-q", "--sort", "latency,tid", "--limit", "1000000", "--json",
                           "--event", "cpu-clock:u"))["by_event"][0]["table"]
    ours = {}
    # A thread has a row for each of its names.
    for row in table["rows"]:
        tid = int(row["tid"].split(":")[0])
        ours[tid] = ours.get(tid, 0) + row["latency"]
    theirs = read_latencies(path)
    print("latencies:", {tid: (ns, theirs.get(tid)) for tid, ns in ours.items()})
    return ours.keys() == theirs.keys() and all(abs(ns - theirs[tid]) < 1000 for tid, ns in ours.items())


def check(pdconv, program, path, mode, options, has_wakeups):
    times = record(pdconv, program, path, options)
    ledger = read_ledger(pdconv, path)
    check_sums(ledger)
    check_groups(ledger)
    check_ranges(pdconv, path)
    rows = {row["tid"]: row for row in ledger["threads"]["rows"] if row["tid"] in times}
    pids = {row["pid"] for row in rows.values()}
    others = [row for row in ledger["threads"]["rows"] if row["pid"] in pids and row["tid"] not in times]
    ok = ledger["balances"] and rows.keys() == times.keys() and len(pids) == 1 and check_never(others)
    for tid, row in rows.items():
        # The main thread existed before the program, while perf prepared the recording.
        if times[tid][0] != "main":
            ok &= check_thread(mode, row, times[tid], has_wakeups)
    if "-a" in options:
        ok &= check_cpus(ledger)
        check_one_cpu(pdconv, path, ledger)
    if mode == "tracepoints":
        timehist = read_timehist(path)
        ok &= check_runs(timehist, rows)
        ok &= check_delays(timehist, ledger, rows)
    if mode == "threads":
        ok &= check_latencies(pdconv, path)
    if mode == "stacks":
        ok &= check_reasons(ledger)
        ok &= sum(row["threads"] for row in ledger["cgroups"]["rows"] if row["cgroup"] != "[not sampled]") >= len(rows)
    return ok


def main():
    pdconv, program, work = sys.argv[1:]
    path = os.path.join(work, "ledger.data")
    return 0 if perfs.check_modes(MODES, lambda *mode: check(pdconv, program, path, *mode)) else 1


if __name__ == "__main__":
    sys.exit(main())
