#!/usr/bin/env python3
"""Compare pdconv's call chains with those of `perf script --no-inline`, frame by frame.

usage: against_perf.py [-v] [--least PERCENT] CHAINS PERF_DATA

CHAINS is the program built from tests/oracle/chains.c. Prints the share of samples with equal chains, and the
most frequent differences. With --least, fails if fewer chains are equal, not counting the frame
ffffffffffffffff that perf appends. Use recordings of one process: in others perf loses outer frames.
"""
import argparse
import collections
import re
import subprocess
import sys

import perfs

HEAD = re.compile(r"^\s*(-?\d+)\s+(\d+)\.(\d+):\s*$")
# Frame that perf appends where the captured stack was too short.
APPENDED = "perf appends ffffffffffffffff"
FRAME = re.compile(r"^\s+([0-9a-f]+) \((.*)\)$")


def read_perf(path):
    out = subprocess.run(
        ["perf", "script", "--no-inline", "--ns", "--max-stack", "1024", "-F", "tid,time,ip,dso", "-i", path],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace", check=True).stdout
    samples, frames = [], None
    for line in out.splitlines():
        head = HEAD.match(line)
        if head:
            frames = []
            samples.append(((int(head[1]), int(head[2]) * 10**9 + int(head[3])), frames))
            continue
        frame = FRAME.match(line)
        if frame and frames is not None:
            frames.append((frame[1], frame[2]))
    return samples


def read_chains(program, path):
    out = subprocess.run([program, path], stdout=subprocess.PIPE, text=True, errors="replace", check=True).stdout
    samples, frames = [], None
    for line in out.splitlines():
        fields = line.split(" ", 3)
        if len(fields) == 4 and fields[0].lstrip("-").isdigit() and fields[2].isdigit() and fields[3].isdigit():
            frames = []
            samples.append(((int(fields[0]), int(fields[1])), frames, int(fields[2]), int(fields[3])))
        else:
            addr, offset, binary = line.split(" ", 2)
            frames.append((offset if perfs.prints_file_offsets() else addr, binary))
    return samples


def classify(ours, perfs):
    """Describe the difference between two chains in a few words."""
    a, b = [f[0] for f in ours], [f[0] for f in perfs]
    if b and b[-1] == "ffffffffffffffff" and a == b[:-1]:
        return APPENDED
    common = 0
    while common < min(len(a), len(b)) and a[common] == b[common]:
        common += 1
    where = perfs[common - 1][1] if common else "leaf"
    if common == len(b):
        return "perf stops earlier, in " + where
    if common == len(a):
        return "pdconv stops earlier, in " + where
    return "chains part after " + where


def main():
    options = argparse.ArgumentParser()
    options.add_argument("-v", action="store_true")
    options.add_argument("--least", type=float, default=0, metavar="PERCENT")
    options.add_argument("program")
    options.add_argument("path")
    args = options.parse_args()
    program, path = args.program, args.path
    perfs = collections.defaultdict(list)
    for key, frames in read_perf(path):
        perfs[key].append(frames)
    ours = read_chains(program, path)
    equal, missing = 0, 0
    kinds, examples = collections.Counter(), {}
    for key, frames, end, _ in ours:
        theirs = perfs.get(key)
        if not theirs:
            missing += 1
            continue
        other = theirs.pop(0)
        if [f[0] for f in frames] == [f[0] for f in other]:
            equal += 1
            continue
        kind = classify(frames, other)
        kinds[kind] += 1
        examples.setdefault(kind, (key, end, frames, other))
    total = len(ours)
    appended = kinds[APPENDED]
    ends = collections.Counter(s[2] for s in ours if s[3] == 0)
    walked = sum(ends.values())
    print(f"{total} samples, {equal} equal ({100 * equal / max(total, 1):.2f} %), "
          f"{100 * (equal + appended) / max(total, 1):.2f} % but for a frame ffffffffffffffff of perf's; "
          f"{missing} not in perf script")
    if walked:
        good = ends[0] + ends[1]
        print(f"{walked} walked: {100 * ends[0] / walked:.2f} % root, {100 * ends[1] / walked:.2f} % slice full, "
              f"{100 * good / walked:.2f} % either; ends {dict(ends)}")
    for kind, n in kinds.most_common(12):
        print(f"  {n:6} {kind}")
        if args.v:
            key, end, frames, other = examples[kind]
            print("         ", key, "end", end)
            first = next(i for i in range(max(len(frames), len(other)))
                         if i >= min(len(frames), len(other)) or frames[i][0] != other[i][0])
            for i in range(max(0, first - 3), min(first + 5, max(len(frames), len(other)))):
                print("         ", frames[i] if i < len(frames) else "", "|", other[i] if i < len(other) else "")
    return 0 if 100 * (equal + appended) >= args.least * total and total else 1


sys.exit(main())
