#!/usr/bin/env python3
"""Time unwinding per frame, against libdwfl and against reading the file, and whole conversions by one and two
threads.

usage: bench/unwind.py [--runs N] [--dwfl SAMPLES] BUILD FILE

BUILD has pdconv, bench/walks and tests/oracle/dwfl. The commands alternate. Figures are medians. Reading is
read() of the whole file from the page cache, in pieces of 256 KiB. libdwfl unwinds only the first samples
(default: 20000), once before it is timed.
"""
import argparse
import os
import re
import statistics
import subprocess
import tempfile
import time

from measure import run


def read_gb_per_second(path):
    buffer = bytearray(256 << 10)
    start = time.perf_counter()
    with open(path, "rb", buffering=0) as f:
        size = 0
        while n := f.readinto(buffer):
            size += n
    return size / (time.perf_counter() - start) / 1e9


def output(argv):
    return subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--runs", type=int, default=5)
    args.add_argument("--dwfl", type=int, default=20000)
    args.add_argument("build")
    args.add_argument("file")
    args = args.parse_args()

    read_gb_per_second(args.file)  # into the page cache
    reads, first, again, dwfl = [], [], [], []
    walls = {1: [], 2: []}
    with tempfile.TemporaryDirectory() as scratch:
        out = os.path.join(scratch, "out")
        for _ in range(args.runs):
            reads.append(read_gb_per_second(args.file))
            text = output([os.path.join(args.build, "bench/walks"), args.file, "3"])
            first.append(float(re.search(r"first +([0-9.]+)", text)[1]))
            again.append(float(re.search(r"median +([0-9.]+)", text)[1]))
            for jobs in walls:
                cpu, wall, anon, _ = run([os.path.join(args.build, "pdconv"), args.file, "-f", "pprof", "-q",
                                          f"-j{jobs}", "-o", out])
                walls[jobs].append((wall, cpu, anon))
        text = output([os.path.join(args.build, "tests/oracle/dwfl"), args.file, str(args.dwfl)])
        dwfl = float(re.search(r"libdwfl: (\d+) ns", text)[1])

    stacks, frames = re.match(r"(\d+) stacks, (\d+) frames", output(
        [os.path.join(args.build, "bench/walks"), args.file, "1"])).groups()
    wall = {jobs: statistics.median(w for w, _, _ in runs) for jobs, runs in walls.items()}
    print(f"{args.file}: {os.path.getsize(args.file) / 1e6:.0f} MB, {stacks} stacks, {frames} frames")
    print(f"read()                 {statistics.median(reads):8.2f} GB/s")
    print(f"a frame                {statistics.median(again):8.1f} ns; {statistics.median(first):.1f} when every address is new")
    print(f"libdwfl                {dwfl:8.0f} ns a frame: {dwfl / statistics.median(first):.1f} times as much as ours when new, "
          f"{dwfl / statistics.median(again):.1f} times as much as ours")
    for jobs, runs in walls.items():
        print(f"pdconv -f pprof -j{jobs}    {wall[jobs]:8.2f} s, {statistics.median(c for _, c, _ in runs):.2f} s of CPU, "
              f"{statistics.median(a for _, _, a in runs):.0f} MiB, {int(stacks) / wall[jobs]:.0f} stacks/s")
    print(f"two threads            {wall[1] / wall[2]:8.2f} times one")


main()
