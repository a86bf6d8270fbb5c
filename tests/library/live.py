#!/usr/bin/env python3
"""Compare a live unwinder with perf: live.py CALLS UNWIND SECONDS DIRECTORY.

CALLS is tests/oracle/programs/calls.c, whose call chains are known. While it runs, perf records it and
UNWIND (examples/unwind.c) unwinds it. Stacks are compared by the functions of the program in them:

- A stack is complete if it begins at the program's first function and follows a known chain.
- The share of complete stacks, and of those that reach the root as UNWIND says.
- Each distinct complete stack, whose shares may differ by chance only.
"""
import collections
import itertools
import math
import re
import subprocess
import sys

FREQUENCY = "199"  # that of the example
# Differences in standard deviations that chance explains, for all stacks together.
MAX_DEVIATIONS = 4.5
MIN_SAMPLES = 100

ROOTS = [("main", "live_work"), ("live_thread", "live_work")]
CHAINS = [
    ("live_outer", "live_inner", "live_burn"),
    ("live_sort", "live_compare", "live_burn"),
    ("live_recurse",) * 21 + ("live_burn",),
]
KNOWN = [root + chain for root in ROOTS for chain in CHAINS]


def is_ours(name):
    return name == "main" or name.startswith("live_")


def is_complete(stack):
    return any(known[: len(stack)] == stack for known in KNOWN) and len(stack) > 0


def read_live(text):
    """The stacks of lines "comm;root;...;leaf 1"."""
    for line in text.splitlines():
        names = line.rpartition(" ")[0].split(";")[1:]
        yield tuple(name for name in names if is_ours(name))


def read_perf(text):
    """The stacks of perf script -F ip,sym: a line for each frame, leaf first, and an empty one after each sample."""
    for sample in text.split("\n\n"):
        frames = [re.sub(r"\s*[0-9a-f]+ ", "", line, count=1).split("+")[0].strip() for line in sample.splitlines()]
        frames = [frame for frame in frames if frame]
        if frames:
            yield tuple(name for name in reversed(frames) if is_ours(name))


def record(calls, unwind, seconds, directory):
    program = subprocess.Popen([calls], stdout=subprocess.PIPE)
    try:
        program.stdout.readline()
        data = f"{directory}/live.data"
        perf = subprocess.Popen(
            ["perf", "record", "-q", "-e", "cpu-clock", "-F", FREQUENCY, "--call-graph", "dwarf,32768", "-o", data]
            + ["-p", str(program.pid), "--", "sleep", seconds],
            stderr=subprocess.DEVNULL,
        )
        live = subprocess.run([unwind, str(program.pid), seconds], check=True, capture_output=True, text=True)
        perf.wait()
    finally:
        program.kill()
        program.wait()
    script = subprocess.run(
        ["perf", "script", "-i", data, "--no-inline", "-F", "ip,sym"], check=True, capture_output=True, text=True
    )
    return live, script.stdout


def deviations(part, whole, other_part, other_whole):
    """The difference of two shares in standard deviations of what chance makes."""
    share = (part + other_part) / (whole + other_whole)
    deviation = math.sqrt(share * (1 - share) * (1 / whole + 1 / other_whole))
    return abs(part / whole - other_part / other_whole) / deviation if deviation else 0


def shorten(stack):
    """The functions of a stack, with a count of those that call themselves."""
    runs = ((name, len(list(run))) for name, run in itertools.groupby(stack))
    return ";".join(f"{name} x {n}" if n > 1 else name for name, n in runs)


def main():
    live, script = record(*sys.argv[1:])
    ours = list(read_live(live.stdout))
    perfs = list(read_perf(script))
    counts = [collections.Counter(filter(is_complete, stacks)) for stacks in (ours, perfs)]
    totals = [sum(count.values()) for count in counts]
    samples, _, rooted, _ = live.stderr.split()
    print(f"live: {samples} samples, {int(rooted) / int(samples):.2%} reach the root, {totals[0] / len(ours):.2%} complete")
    print(f"perf: {len(perfs)} samples, {totals[1] / len(perfs):.2%} complete")
    failed = min(len(ours), len(perfs)) < MIN_SAMPLES
    if int(rooted) < 0.98 * int(samples) or totals[0] / len(ours) < max(0.98, totals[1] / len(perfs) - 0.01):
        print("too few live stacks are complete:")
        print(*collections.Counter(shorten(stack) for stack in ours if not is_complete(stack)).most_common(5), sep="\n")
        failed = True
    for stack in sorted(counts[0] | counts[1], key=len):
        parts = [count[stack] for count in counts]
        apart = deviations(parts[0], totals[0], parts[1], totals[1])
        print(f"{parts[0] / totals[0]:7.2%} live {parts[1] / totals[1]:7.2%} perf, {apart:.1f} deviations: {shorten(stack)}")
        failed = failed or apart > MAX_DEVIATIONS
    return failed


sys.exit(main())
