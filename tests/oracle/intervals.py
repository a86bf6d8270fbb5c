#!/usr/bin/env python3
"""Compare intervals with what perf finds in the same recordings.

usage: intervals.py PDCONV DIR

Records a program that makes system calls, and compares its calls, errors, sums and longest times by thread and name with
`perf trace -s`. With captured stacks, each call has the stack of the sample in which it began. Then records softirqs and
locks of the kernel, and compares with pairs of the lines of `perf script`.
Numbers of `perf trace` are rounded to microseconds.
"""
import collections
import json
import os
import re
import signal
import subprocess
import sys

PROGRAM = r"""
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static void *work(void *arg)
{
	for (long i = 0; i < 200; i++) {
		struct timespec t = { 0, 100000 + 1000 * (long)arg };
		int fd = open(i % 3 ? "/" : "/nowhere/at all", O_RDONLY);
		nanosleep(&t, 0);
		if (fd >= 0)
			close(fd);
	}
	return 0;
}
int main(void)
{
	pthread_t threads[4];
	for (long i = 0; i < 4; i++)
		pthread_create(&threads[i], 0, work, (void *)i);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], 0);
	return 0;
}
"""


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="backslashreplace")


def intervals(pdconv, recording, *arguments):
    """Return the intervals of the report, by kind."""
    report = run(pdconv, "report", recording, "--intervals", "--limit", "1000000", "--json", "-q", *arguments)
    return {kind["kind"]: kind for kind in json.loads(report.stdout)["intervals"]}


def perf_trace_summary(recording):
    """Return {(tid, call): (calls, errors, total ms, max ms)} of perf trace -s."""
    rows, tid = {}, None
    # The summary is on standard error; columns are those of perf 6: without "errors" in perf 5.
    result = run("perf", "trace", "-s", "-i", recording)
    for line in (result.stderr + result.stdout).splitlines():
        if head := re.match(r" .* \((\d+)\), \d+ events", line):
            tid = int(head[1])
        elif row := re.match(r"   (\w+) +(\d+) +(\d+) +([\d.]+) +[\d.]+ +[\d.]+ +([\d.]+) ", line):
            rows[tid, row[1]] = int(row[2]), int(row[3]), float(row[4]), float(row[5])
    return rows


def compare_calls(pdconv, recording, tids):
    """Compare each thread by itself. perf takes an end without a beginning for a call that took no time."""
    expected = perf_trace_summary(recording)
    assert len({tid for tid, _ in expected}) == len(tids), "perf trace -s shows other threads"
    n = 0
    for tid in tids:
        kind = intervals(pdconv, recording, "--tid", str(tid))["syscalls"]
        for row in kind["names"]["rows"]:
            calls, errors, total, longest = expected.pop((tid, row["name"]))
            same = (row["times"], row["errors"] or 0) == (calls, errors)
            # perf rounds each number to microseconds.
            same &= abs(row["total"] / 1e6 - total) < 0.00101 and abs(row["max"] / 1e6 - longest) < 0.00101
            assert same, f"thread {tid}: {row}, but perf trace has {calls, errors, total, longest}"
            n += calls
    left = {key: value for key, value in expected.items() if value != (1, 0, 0.0, 0.0)}
    assert not left, f"perf trace shows more: {left}"
    return n


def perf_pairs(recording, begin, end, key):
    """Pair lines of perf script by KEY, a pattern. Return times of pairs by what the line of the beginning shows."""
    open_, pairs = {}, collections.defaultdict(list)
    text = run("perf", "script", "-i", recording, "--ns", "-F", "tid,cpu,time,event,trace").stdout
    for line in text.splitlines():
        found = re.match(r" *(-?\d+) +\[(\d+)\] +(\d+)\.(\d+): +(\S+): +(.*)", line)
        if not found or found[5] not in (begin, end):
            continue
        time = int(found[3]) * 10**9 + int(found[4])
        which = key(int(found[1]), int(found[2]), found[6])
        if found[5] == begin:
            open_[which] = time, found[6]
        elif which in open_:
            at, shown = open_.pop(which)
            pairs[shown].append(time - at)
    return pairs


def compare_pairs(kind, pairs, label):
    """Compare a kind of intervals with pairs of lines, of which LABEL is called like rows."""
    expected = collections.defaultdict(list)
    for shown, times in pairs.items():
        expected[label(shown)] += times
    for row in kind["names"]["rows"]:
        times = sorted(expected.pop(row["name"]))
        ours = [row[key] for key in ("times", "total", "p50", "p99", "max")]
        ranks = [-(-len(times) * percent // 100) - 1 for percent in (50, 99)]
        theirs = [len(times), sum(times), times[ranks[0]], times[ranks[1]], times[-1]]
        assert ours == theirs, f"{row}: perf script has {theirs}"
    assert not expected, f"perf script shows more: {expected}"
    return kind["times"]


def compare_stacks(pdconv, recording):
    """Each interval has the stack of the sample in which it began, and the table by stack has the sums of these."""
    joined = ("FROM intervals i JOIN samples s ON s.time = i.time AND s.thread = i.thread "
              "JOIN events e ON e.id = s.event WHERE e.name LIKE '%sys_enter'")
    for jobs in "1", "3":
        query = f"SELECT count(*) AS n, sum(i.stack IS s.stack) AS same, count(i.stack) AS stacks {joined}"
        row, = json.loads(run(pdconv, "sql", recording, query, "--json", "-q", "-j", jobs).stdout)
        kind = intervals(pdconv, recording, "-j", jobs)["syscalls"]
        assert row["n"] == row["same"] == row["stacks"] == kind["times"], f"{row}, {kind['times']} calls"
        for column in "times", "total", "errors":
            sums = [sum(row[column] or 0 for row in kind[table]["rows"]) for table in ("names", "threads", "stacks")]
            assert sums[0] == sums[1] == sums[2], f"{column}: {sums}"
        naps = [row for row in kind["stacks"]["rows"] if re.search(r";work;\w*nanosleep;", row["stack"] + ";")]
        assert sum(row["times"] for row in naps) == 800, kind["stacks"]
    return row["n"], len(kind["stacks"]["rows"])


def main():
    pdconv, work = sys.argv[1], sys.argv[2]
    os.makedirs(work, exist_ok=True)
    program, calls, kernel = (os.path.join(work, name) for name in ("program", "calls.data", "kernel.data"))
    subprocess.run(["cc", "-pthread", "-x", "c", "-o", program, "-"], input=PROGRAM, text=True, check=True)
    run("perf", "record", "-q", "-m", "8M", "-e", "raw_syscalls:sys_enter,raw_syscalls:sys_exit", "-o", calls, program)
    tids = sorted({int(tid) for tid in run("perf", "script", "-i", calls, "-F", "tid").stdout.split()})
    try:
        print(f"{compare_calls(pdconv, calls, tids)} system calls of {len(tids)} threads are those of perf trace -s")
    except subprocess.CalledProcessError as failure:
        # perf 6.12 crashes at any recording.
        if failure.returncode != -signal.SIGSEGV or failure.cmd[:2] != ("perf", "trace"):
            raise
        print("perf trace -s crashes: system calls are not compared with it")

    stacks = os.path.join(work, "stacks.data")
    run("perf", "record", "-q", "-m", "16M", "-e", "raw_syscalls:sys_enter,raw_syscalls:sys_exit", "--call-graph", "dwarf,2048",
        "-o", stacks, program)
    print("{} system calls have the stacks in which they began, {} different ones".format(*compare_stacks(pdconv, stacks)))

    events = "irq:softirq_entry,irq:softirq_exit,lock:contention_begin,lock:contention_end"
    run("perf", "record", "-q", "-a", "-m", "1M", "-e", events, "-o", kernel, program)
    kinds = intervals(pdconv, kernel)
    softirqs = perf_pairs(kernel, "irq:softirq_entry", "irq:softirq_exit", lambda tid, cpu, text: (cpu, text))
    n = compare_pairs(kinds["softirqs"], softirqs, lambda text: re.search(r"action=(\w+)", text)[1])
    locks = perf_pairs(kernel, "lock:contention_begin", "lock:contention_end",
                       lambda tid, cpu, text: (tid if tid else (0, cpu), text.split()[0]))
    n_locks = compare_pairs(kinds["locks"], locks, lambda text: re.search(r"flags=(.*)\)", text)[1])
    print(f"{n} softirqs and {n_locks} locks are the pairs of perf script")


main()
