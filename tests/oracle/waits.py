#!/usr/bin/env python3
"""Compare the waits of a report of sched:sched_switch with what the program measured, and with perf.

usage: waits.py PDCONV PROGRAM WORK

PROGRAM is programs/waits.c, which measures its own waits. The switches of each thread are paired here too, from
the text of perf script; and perf sched timehist has the same sums.
"""
import collections
import json
import os
import re
import subprocess
import sys

EVENTS = "sched:sched_switch,sched:sched_wakeup,sched:sched_wakeup_new"

# A function spends its time off the CPU except for entering and leaving the kernel, which takes microseconds.
LEAST_SHARE = 0.95

SAMPLE = re.compile(r"^ *(\d+)\.(\d+): +sched:(\w+): (.*)$")
SWITCH = re.compile(r"^.* prev_pid=(\d+) prev_prio=-?\d+ prev_state=(\S+) ==> .* next_pid=(\d+) next_prio=-?\d+$")
WAKEUP = re.compile(r"^.* pid=(\d+) prio=-?\d+ target_cpu=\d+$")
TIMEHIST = re.compile(r"^ *\d+\.\d+ \[\d+\] +(.+?)\[(\d+)(?:/\d+)?\] +([\d.]+) +([\d.]+) +([\d.]+)(?: .*)?$")


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True,
                          stdin=subprocess.DEVNULL).stdout.decode(errors="replace")


def report(pdconv, path, *options):
    text = run(pdconv, "report", path, "-q", "--json", "--limit", "1000000", *options)
    return json.loads(text)["waits"]


def check_measured(waits, measured):
    """Compare functions that wait with what they measured. Return true if all agree."""
    found = collections.Counter()
    main_kind = {}
    for row in waits["functions"]["rows"]:
        name = row["function"]["name"]
        found[name] += row["waiting"]
        main_kind.setdefault(name, row["for"])  # rows are sorted by their sums
    ok = True
    for name, kind, n, ns in measured:
        share = found[name] / ns
        print(f"{name}: {found[name] / 1e6:.3f} ms of {ns / 1e6:.3f} ms that it measured, for {main_kind.get(name)}")
        ok &= LEAST_SHARE <= share <= 1 and main_kind.get(name) in kind.split("|")
    return ok and len(measured) == 7


def pair(path):
    """Return sums in ns by thread id: off the CPU, and between a wakeup and running. And the last wait of each."""
    off, woken, waiting, delay, last = {}, {}, collections.Counter(), collections.Counter(), {}
    for line in run("perf", "script", "-i", path, "--ns", "-F", "time,event,trace", "-G").splitlines():
        sample = SAMPLE.match(line)
        if not sample:
            continue
        time = int(sample.group(1)) * 10**9 + int(sample.group(2))
        if sample.group(3) != "sched_switch":
            tid = WAKEUP.match(sample.group(4)).group(1)
            if tid in off:
                woken.setdefault(tid, time)
            continue
        prev, state, following = SWITCH.match(sample.group(4)).groups()
        if following in off:
            start, is_runnable = off.pop(following)
            last[following] = time - start
            waiting[following] += last[following]
            delay[following] += time - (start if is_runnable else woken.get(following, time))
        woken.pop(following, None)
        if prev != "0" and state[0] not in "XZ":
            off[prev] = time, state[0] == "R"
            woken.pop(prev, None)
    return waiting, delay, last


def check_pairs(pdconv, path, pairs, tids):
    waiting, delay, _ = pairs
    ok = True
    for tid in tids:
        rows = report(pdconv, path, "--tid", tid)["threads"]["rows"]
        ours = sum(row["waiting"] for row in rows), sum(row["delay"] or 0 for row in rows)
        if ours != (waiting[tid], delay[tid]):
            print(f"thread {tid}: waits {ours[0]} ns, delay {ours[1]} ns; by perf script {waiting[tid]}, {delay[tid]}")
            ok = False
    return ok


def check_timehist(path, pairs, tids):
    """perf rounds to microseconds, and counts no wait after which the thread has not left the CPU again."""
    waiting, _, last = pairs
    sums, counts = collections.Counter(), collections.Counter()
    for line in run("perf", "sched", "timehist", "-i", path).splitlines():
        row = TIMEHIST.match(line)
        if row:
            sums[row.group(2)] += float(row.group(3)) * 1e6
            counts[row.group(2)] += 1
    ok = True
    for tid in tids:
        difference = waiting[tid] - sums[tid]
        slack = 1000 * (counts[tid] + 1)
        if abs(difference) > slack and abs(difference - last[tid]) > slack:
            print(f"thread {tid}: waits {waiting[tid]} ns, by perf sched timehist {sums[tid]:.0f} ns")
            ok = False
    return ok


def has_gaps(path, tids):
    """
    Return true if a switch on CPU 0 is missing between two that concern the threads: one leaves the CPU that did not
    get it. On a virtual machine, switches from a thread of its host's agent were missing, without a LOST record.
    """
    running = None
    for line in run("perf", "script", "-i", path, "--cpu", "0", "--ns", "-F", "time,event,trace", "-G").splitlines():
        sample = SAMPLE.match(line)
        if not sample or sample.group(3) != "sched_switch":
            continue
        prev, _, following = SWITCH.match(sample.group(4)).groups()
        if running not in (None, prev) and (prev in tids or running in tids):
            return True
        running = following
    return False


def threads(path, comm):
    tids = run("perf", "script", "-i", path, "-F", "tid", "-G", "--comms", comm)
    return sorted({tid for tid in re.findall(r"^ *(\d+) *$", tids, re.M) if int(tid)})


def record(program, path):
    """
    Record the program, and return what it measured. Try again if samples were lost: their waits are, too. All runs on
    CPU 0, because switches from the idle thread of another CPU may be missing: seen on Linux 6.18 after that CPU had
    been offline. Mappings have build ids, because processes with another root directory have other files at the same
    paths.
    """
    for _ in range(10):
        text = run("perf", "record", "-q", "-a", "-m", "8M", "--buildid-mmap", "-e", EVENTS, "--call-graph", "dwarf,2048", "-o", path,
                   "taskset", "-c", "0", program)
        if "LOST" not in run("perf", "script", "-i", path, "--show-lost-events", "-F", "event", "-G") and \
                not has_gaps(path, threads(path, os.path.basename(program))):
            break
        print("samples were lost")
    return [(name, kind, int(n), int(ns)) for name, kind, n, ns in map(str.split, text.splitlines())]


def check(pdconv, program, path):
    """Record the program once, and return true if all comparisons agree."""
    measured = record(program, path)
    comm = os.path.basename(program)
    ok = check_measured(report(pdconv, path, "--comm", comm), measured)
    pairs = pair(path)
    tids = threads(path, comm)
    ok &= len(tids) >= 6
    ok &= check_pairs(pdconv, path, pairs, tids)
    ok &= check_timehist(path, pairs, tids)
    print(f"{len(tids)} threads compared with perf")
    return ok


def main():
    pdconv, program, work = sys.argv[1:]
    path = os.path.join(work, "waits.data")
    # A machine with much other work can lose samples of which perf knows nothing. What agrees does not agree by chance.
    return 0 if any(check(pdconv, program, path) for _ in range(3)) else 1


if __name__ == "__main__":
    sys.exit(main())
