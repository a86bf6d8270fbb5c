#!/usr/bin/env python3
"""Time pdconv and perf script on the same recording, in the same run.

usage: bench/run.py [--runs N] [--seconds N] PDCONV [FILE]

Without FILE records bench/workload.sh on all CPUs (perf, as root) three times: with captured stacks, with
instruction pointers only ("flat"), and with call chains of frame pointers ("fp"). The commands alternate, so
that changes in the speed of the machine affect all of them. "cold" is pdconv with an empty cache of names; the
other runs use the cache of the run before. No answer comes from the index. Figures are medians: CPU seconds
(user + system), wall seconds, peak memory without and with mapped files, samples per second, and the ratio to
the CPU seconds of pdconv -j1.
"""
import argparse
import os
import re
import statistics
import subprocess
import tempfile

from measure import run

HERE = os.path.dirname(os.path.abspath(__file__))


# Recordings: file, and options of perf record.
RECORDINGS = {
    "perf.data": ["-F", "4999", "--call-graph", "dwarf,8192"],
    "flat.data": ["-F", "30000"],
    "fp.data": ["-F", "25000", "-g"],
}


def record(path, options, seconds):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    subprocess.run(["perf", "record", "-q", "-a", "-e", "cpu-clock", *options, "-o", path, "--",
                    "sh", os.path.join(HERE, "workload.sh"), str(seconds)], check=True)


def count_samples(pdconv, path):
    text = subprocess.run([pdconv, path, "-f", "report", "-q"], stdout=subprocess.PIPE, text=True,
                          check=True).stdout
    return int(re.search(r": (\d+) samples", text)[1])


def compare(pdconv, path, runs):
    samples = count_samples(pdconv, path)
    with tempfile.TemporaryDirectory() as scratch:
        out = os.path.join(scratch, "out")
        os.environ["XDG_CACHE_HOME"] = os.path.join(scratch, "cache")
        # Only answers that take longer than this are kept in the index.
        os.environ["PDCONV_INDEX_SECONDS"] = "1000000"
        pprof = [pdconv, path, "-f", "pprof", "-o", out]
        emptied = ["sh", "-c", 'rm -rf "$XDG_CACHE_HOME" && exec "$@"', "sh"]
        commands = {
            "pdconv -f pprof -j1, cold": ([*emptied, *pprof, "-j1"], None),
            "pdconv -f pprof -j1": ([*pprof, "-j1"], None),
            "pdconv -f pprof": (pprof, None),
            "pdconv -f folded": ([pdconv, path, "-f", "folded", "-o", out], None),
            "perf script --no-inline": (["perf", "script", "--no-inline", "-i", path], None),
            "perf script | collapse": (["perf", "script", "--no-inline", "-i", path],
                                       ["awk", "-f", os.path.join(HERE, "collapse.awk")]),
            # Call chains in reports take perf 6.1 minutes.
            "perf report": (["perf", "report", "--stdio", "--no-inline", "--no-children", "-g", "none",
                             "-i", path], None),
        }
        figures = {name: [] for name in commands}
        for _ in range(runs):
            for name, (argv, consumer) in commands.items():
                figures[name].append(run(argv, consumer))

    print(f"{path}: {os.path.getsize(path) / 1e6:.0f} MB, {samples} samples, {runs} runs, medians")
    print(f"{'':26} {'CPU s':>8} {'wall s':>8} {'anon MiB':>9} {'RSS MiB':>8} {'samples/s':>10} {'ratio':>6}")
    base = statistics.median(f[0] for f in figures["pdconv -f pprof -j1"])
    for name, values in figures.items():
        cpu, wall, anon, rss = (statistics.median(column) for column in zip(*values))
        print(f"{name:26} {cpu:8.2f} {wall:8.2f} {anon:9.0f} {rss:8.0f} {samples / wall:10.0f} {cpu / base:6.1f}")


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--runs", type=int, default=3)
    args.add_argument("--seconds", type=int, default=18)
    args.add_argument("pdconv")
    args.add_argument("file", nargs="?")
    args = args.parse_args()
    if args.file:
        compare(args.pdconv, args.file, args.runs)
        return
    for name, options in RECORDINGS.items():
        path = os.path.join(os.path.dirname(args.pdconv), "bench", name)
        if not os.path.exists(path):
            record(path, options, args.seconds)
        compare(args.pdconv, path, args.runs)


main()
