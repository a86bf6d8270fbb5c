#!/usr/bin/env python3
"""Measure how time and memory grow with recordings and binaries that are made to take long: see doc/design/growth.md.

usage: growth.py [--program PDCONV] [--smallest N] [--doublings N] [--instructions] [--markdown] [--list | --check]
                 [--args ARGS] [SHAPE ...]

Each shape is converted at several sizes, each twice the size before. The exponent is log2 of the ratio of the last two
costs: 1 is linear, 2 is quadratic. What a recording of size 1 costs is subtracted. Costs are seconds of CPU or, with
--instructions, those that valgrind counts, which are the same on a busy machine.
"""
import argparse
import math
import os
import re
import subprocess
import sys
import tempfile

import growth_binaries
import growth_shapes

SHAPES = growth_shapes.SHAPES + growth_binaries.SHAPES
# n log n at the sizes of the check is 1.1. Tables that double cost more at some sizes than at others.
MAX_EXPONENT = 1.4
# Memory grows by doubling, so of two sizes one may have twice what it needs.
MAX_MEMORY_EXPONENT = 1.7
# Sizes of the check: a quadratic part of 1 ns at the larger size exceeds the limit, and a shape takes half a second.
CHECK_SMALL = 4000
CHECK_LARGE = 16000
CHECK_FULL = 4000
ARGS = "--folded -o /dev/null"
# Shorter times are not compared, in seconds, nor less memory, in MiB.
LEAST_TIME = 0.02
LEAST_MEMORY = 4


def make(shape, n, path):
    """
    Write the recording, and the files of its machine below a directory of the same name with ".root". This is done in
    another process: the memory of this one would count as that of the commands it starts.
    """
    pid = os.fork()
    if not pid:
        made = shape(n)
        with open(path, "wb") as file:
            file.write(made.file())
        for suffix, contents in made.beside.items():
            with open(path + suffix, "wb") as file:
                file.write(contents)
        for name, contents in made.files.items():
            os.makedirs(os.path.dirname(path + ".root" + name), exist_ok=True)
            with open(path + ".root" + name, "wb") as file:
                file.write(contents)
        os._exit(0)
    if os.waitpid(pid, 0)[1]:
        sys.exit(f"cannot make a recording of {shape.__name__}")


def measure(argv):
    """Run a command without output. Return CPU seconds and peak resident MiB."""
    sink = os.open("/dev/null", os.O_WRONLY)
    actions = [(os.POSIX_SPAWN_DUP2, sink, 1), (os.POSIX_SPAWN_DUP2, sink, 2)]
    pid = os.posix_spawn(argv[0], argv, os.environ, file_actions=actions)
    os.close(sink)
    _, status, usage = os.wait4(pid, 0)
    if status:
        sys.exit(f"failed: {' '.join(argv)}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def count_instructions(argv):
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *argv],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace", check=False)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or not found:
        sys.exit(f"failed: {' '.join(argv)}\n{done.stderr[-1000:]}")
    return int(found[1])


def convert(opts, shape, n, how):
    """Return the size of the input in bytes, and what how() returns for its conversion."""
    with tempfile.TemporaryDirectory() as directory:
        recording = directory + "/perf.data"
        root = recording + ".root"
        os.mkdir(root)
        make(shape, n, recording)
        args = opts.args or getattr(shape, "args", ARGS)
        size = sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(directory) for name in names)
        return size, how([opts.program, recording, "--no-cache", "-j1", "--symfs", root,
                          *args.format(root=root).split()])


def show(opts, row):
    form = "| {} | {} | {} | {} | {} | {} |" if opts.markdown else "{:<26} {:>9} {:>9} {:>14} {:>9} {:>9}"
    print(form.format(*row), flush=True)


def show_growth(opts, shape):
    counts = opts.instructions
    # valgrind itself takes memory, so that is measured without it.
    how = (lambda argv: (count_instructions(argv), measure(argv)[1])) if counts else measure
    _, (base, _) = convert(opts, shape, 1, how)
    before = 0
    for i in range(opts.doublings + 1):
        n = opts.smallest << i
        size, (spent, memory) = convert(opts, shape, n, how)
        cost = spent - base
        exponent = f"{math.log2(cost / before):.2f}" if min(before, cost) > LEAST_TIME else ""
        before = cost
        if not opts.markdown or i == opts.doublings:
            show(opts, (shape.__doc__ if opts.markdown else shape.__name__, f"{n:,}", f"{size / 1e6:.1f} MB",
                        f"{spent / 1e6:,.0f} M" if counts else f"{spent:.2f} s", f"{memory:.0f} MiB", exponent))


def exponent_of(one, small, large):
    """Return the exponent of the growth of what grows with the input."""
    return math.log(max(large - one, 1e-9) / max(small - one, 1e-9), CHECK_LARGE / CHECK_SMALL)


def check(opts, shape):
    """
    Print the exponents of time and memory. Return whether both are near 1. A busy machine can make any time longer, so
    it is instructions that count if the times are not in proportion, and larger inputs if memory is not.
    """
    def best(n):
        runs = [convert(opts, shape, n, measure)[1] for _ in range(1 if n == CHECK_LARGE else 2)]
        return min(runs)

    (one, one_memory), (small, small_memory), (large, large_memory) = map(best, (1, CHECK_SMALL, CHECK_LARGE))
    exponent, what = exponent_of(one, small, large), "time"
    if exponent >= MAX_EXPONENT:
        what = "instructions"
        exponent = exponent_of(*(convert(opts, shape, n, count_instructions)[1] for n in (1, CHECK_SMALL, CHECK_LARGE)))
    memory = exponent_of(one_memory, small_memory, large_memory) if small_memory - one_memory > LEAST_MEMORY else 1
    if memory >= MAX_MEMORY_EXPONENT:
        # Buffers of a fixed size may have held the small input. They do not hold this one.
        larger_memory = convert(opts, shape, CHECK_LARGE * CHECK_LARGE // CHECK_SMALL, measure)[1][1]
        memory = exponent_of(one_memory, large_memory, larger_memory)
    is_linear = exponent < MAX_EXPONENT and memory < MAX_MEMORY_EXPONENT
    print(f"{shape.__name__:<26} {large:.2f} s, {large_memory:.0f} MiB, exponents: {what} {exponent:.2f}, "
          f"memory {memory:.2f}{'' if is_linear else ' NOT LINEAR'}", flush=True)
    return is_linear


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default="build/pdconv")
    parser.add_argument("--smallest", type=int, default=10000)
    parser.add_argument("--doublings", type=int, default=3)
    parser.add_argument("--instructions", action="store_true", help="count instructions with valgrind")
    parser.add_argument("--markdown", action="store_true", help="print the largest size of each shape, as a table")
    parser.add_argument("--list", action="store_true", help="print the names of the shapes")
    parser.add_argument("--check", action="store_true", help="fail if the time or memory of a shape is not linear")
    parser.add_argument("--args", help=f"arguments of pdconv instead of {ARGS}")
    parser.add_argument("shapes", nargs="*", metavar="SHAPE")
    opts = parser.parse_args()
    known = {shape.__name__: shape for shape in SHAPES}
    if opts.list:
        print("\n".join(known))
        return
    wrong = set(opts.shapes) - set(known)
    if wrong:
        sys.exit(f"unknown shapes: {' '.join(sorted(wrong))}")
    shapes = [known[name] for name in opts.shapes or known]
    if opts.check:
        growth_shapes.FULL = CHECK_FULL
        results = [check(opts, shape) for shape in shapes]
        sys.exit(0 if all(results) else f"some shapes have an exponent of more than {MAX_EXPONENT}, in memory "
                 f"{MAX_MEMORY_EXPONENT}")
    show(opts, ("shape", "n", "size", "instructions" if opts.instructions else "time", "memory", "exponent"))
    if opts.markdown:
        show(opts, ("-",) * 6)
    for shape in shapes:
        show_growth(opts, shape)


if __name__ == "__main__":
    main()
