"""Cases of record.py about time: the clock of a recording, its beginning and end, and what threads did in between."""
import json
import os
import re
import subprocess
import time

# It computes for a quarter of a second and then waits for two.
IDLE_END = r"""
#include <time.h>
#include <unistd.h>

int main(void)
{
    clock_t end = clock() + CLOCKS_PER_SEC / 4;

    while (clock() < end)
        ;
    usleep(2000000);
    return 0;
}
"""

# Clocks as perf and clock_gettime(2) name them. All events of this kind can use them.
CLOCKS = (("mono", time.CLOCK_MONOTONIC), ("CLOCK_MONOTONIC", time.CLOCK_MONOTONIC),
          ("clock_monotonic_raw", time.CLOCK_MONOTONIC_RAW), ("Boottime", time.CLOCK_BOOTTIME),
          ("CLOCK_TAI", time.CLOCK_TAI), ("real", time.CLOCK_REALTIME))


def build(bench, name, source):
    """Compile a program, and return its path."""
    program = bench.path(name)
    with open(program + ".c", "w", encoding="utf-8") as out:
        out.write(source)
    subprocess.run(["cc", "-O1", "-g", "-o", program, program + ".c", "-lpthread"], check=True)
    return program


def record(bench, name, *options):
    result = bench.run(bench.pdconv, "record", "-q", "-o", bench.path(name), *options)
    assert result.returncode == 0, result.stderr
    return result


def report(bench, name, *options):
    """Return the JSON of a report with its ledger."""
    result = bench.run(bench.pdconv, "report", "-q", "--json", "--limit", "1000000", "--ledger", *options, bench.path(name))
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def waited(bench, name):
    """Return the sum of all waits, in nanoseconds."""
    result = bench.run(bench.pdconv, "report", "-q", "--json", bench.path(name))
    assert result.returncode == 0, result.stderr
    return sum(row["waiting"] for row in json.loads(result.stdout)["waits"]["threads"]["rows"])


def clocks(bench):
    """Times are those of the clock that is named."""
    for name, clock in CLOCKS:
        before = time.clock_gettime(clock)
        record(bench, "clock", "-e", "cpu-clock", "-k", name, "--", bench.program, "0.02")
        after = time.clock_gettime(clock)
        shown = bench.run("perf", "script", "-F", "time", "--ns", "-i", bench.path("clock"))
        times = [float(text) for text in re.findall(r"([\d.]+):", shown.stdout)]
        assert times and before <= min(times) and max(times) <= after, (name, before, after, times)


def n_marks(bench, name):
    """Return the number of marks in a recording, about which perf says nothing."""
    plain = bench.run("perf", "script", "-F", "tid,time,event", "-i", bench.path(name))
    shown = bench.run("perf", "report", "--stdio", "-i", bench.path(name))
    whole = bench.run("perf", "script", "-D", "-i", bench.path(name))
    for result in (plain, whole):
        assert result.returncode == 0 and not result.stderr, result.stderr
    assert "lost" not in plain.stdout.lower(), plain.stdout
    assert "lost" not in shown.stderr.lower(), shown.stderr
    assert "Total Lost Samples: 0" in shown.stdout or "has no samples" in shown.stderr, shown.stdout
    return whole.stdout.count("PERF_RECORD_LOST_SAMPLES")


def ends(bench):
    """A recording lasts until its end, although nothing happens there. Without an end mark the report says so."""
    program = build(bench, "idle_end", IDLE_END)
    for options in ((), ("--off-cpu",), ("-z", "--switch-events"), ("-k", "mono"), ("--off-cpu", "--live", "-z")):
        record(bench, "ends", "-e", "cpu-clock", *options, "-d", "1.5", "--", program)
        found = report(bench, "ends")
        assert 1.499 < found["seconds"] < 1.9, (options, found["seconds"])
        assert found["cpus_busy"] < 0.25 / 1.4, (options, found["cpus_busy"])
        assert found["ledger"]["end_recorded"] and found["ledger"]["length"] > 1.499e9, (options, found["ledger"])
        assert n_marks(bench, "ends") == 1, options
        if "--off-cpu" in options:
            assert 1.2e9 < waited(bench, "ends") < 1.7e9, waited(bench, "ends")
    bench.run("perf", "record", "-q", "-e", "cpu-clock", "--switch-events", "-o", bench.path("ends"), "timeout", "1", program)
    assert not report(bench, "ends")["ledger"]["end_recorded"], "perf has recorded an end"


def attached_ends(bench):
    """A process that does nothing is recorded from the beginning to the end. One that exits is the end."""
    with subprocess.Popen(["sleep", "60"]) as running:
        record(bench, "attached", "--off-cpu", "-d", "0.5", "-p", str(running.pid))
        running.kill()
    found = report(bench, "attached")
    assert 0.499 < found["seconds"] < 0.9 and found["ledger"]["end_recorded"], found["ledger"]
    assert n_marks(bench, "attached") == 2
    (row,) = found["ledger"]["threads"]["rows"]
    assert row["blocked"] == row["life"] == found["ledger"]["length"], row
    with subprocess.Popen(["sleep", "0.5"]) as running:
        record(bench, "attached", "--off-cpu", "-p", str(running.pid))
    ledger = report(bench, "attached")["ledger"]
    assert not ledger["end_recorded"] and ledger["threads"]["rows"][0]["span"] in ("to its end", "throughout"), ledger


def kept_switches(bench):
    """Switches are kept with --off-cpu unless they are refused. Waits are the same without them."""
    program = build(bench, "idle_end", IDLE_END)
    for options, n_expected in (((), True), (("--no-switch-events",), False), (("--switch-events", "--no-switch-events"), False)):
        record(bench, "switches", "-e", "cpu-clock", "--off-cpu", *options, "-d", "0.6", "--", program)
        n = bench.run("perf", "script", "-D", "-i", bench.path("switches")).stdout.count(": PERF_RECORD_SWITCH")
        assert (n > 0) == n_expected, (options, n)
        found = report(bench, "switches")
        assert found["ledger"]["switches"] == n_expected, (options, found["ledger"])
        (row,) = found["ledger"]["threads"]["rows"]
        waits = waited(bench, "switches")
        # The wait of a part of a millisecond in which the program was read is counted by both.
        assert abs(row["blocked"] - waits) < 1e6, (options, row, waits)
        if n_expected:
            assert not row["unknown"] and row["running"] > 0.24e9, row


CASES = (clocks, ends, attached_ends, kept_switches)
SLOW = ("ends",)
