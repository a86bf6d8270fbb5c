#!/usr/bin/env python3
"""Time pdconv and the tools that people use for the same tasks, on the same recordings in the same run.

usage: bench/peers.py [--runs N] [--limit SECONDS] [--markdown] PDCONV [RECORDING...]

Without RECORDING, records bench/workload.sh on all CPUs twice (perf, as root): with captured stacks and with chains of
frame pointers. Tools that are not installed are left out, and named. stackcollapse-perf.pl is found in $PATH. Each
task runs the tool and pdconv in turn, so that changes in the speed of the machine affect both. "first" is pdconv
with empty caches, as for a recording that it has not seen; "again" may use the cache of names, but no kept profile.
Figures are medians: CPU seconds of all processes, wall seconds, and peak memory of the largest process including mapped files.
A tool that takes longer than --limit is stopped; its time is shown as "> ...", and only wall time is compared.
"""
import argparse
import collections
import os
import platform
import shutil
import statistics
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
# Debian and Fedora keep it out of $PATH.
PERFPARSER = ["/usr/lib/x86_64-linux-gnu/libexec/hotspot-perfparser", "/usr/libexec/hotspot-perfparser"]

Task = collections.namedtuple("Task", "name peer tools command pdconv modes")

# What people want, the tool that they use, the programs it needs, its shell command, and pdconv's. In the commands,
# $in is the recording and $out a scratch file. Modes: the kinds of recordings for which the comparison is fair.
TASKS = [
    Task("text of each sample", "perf script --no-inline", ["perf"],
         'perf script --no-inline -i "$in" >"$out"',
         '"$pdconv" "$in" --script --no-inline -o "$out"', ["dwarf", "fp"]),
    Task("folded stacks", "perf script --no-inline | stackcollapse-perf.pl", ["perf", "stackcollapse-perf.pl"],
         'perf script --no-inline -i "$in" | stackcollapse-perf.pl >"$out"',
         '"$pdconv" "$in" --folded --no-inline -o "$out"', ["dwarf", "fp"]),
    Task("folded stacks", "perf script --no-inline | inferno-collapse-perf", ["perf", "inferno-collapse-perf"],
         'perf script --no-inline -i "$in" | inferno-collapse-perf >"$out"',
         '"$pdconv" "$in" --folded --no-inline -o "$out"', ["dwarf", "fp"]),
    # samply writes addresses. Its server finds names when the profile is looked at.
    Task("a profile for the Firefox Profiler", "samply import --save-only", ["samply"],
         'samply import --save-only -o "$out.json.gz" "$in"',
         '"$pdconv" "$in" -f firefox -o "$out.json.gz"', ["dwarf", "fp"]),
    Task("functions by cost", "perf report --stdio --no-inline -g none", ["perf"],
         'perf report --stdio --no-inline -g none -i "$in" >"$out"',
         '"$pdconv" "$in" -f report --no-inline -o "$out"', ["dwarf", "fp"]),
    Task("names, inlined functions and lines for a viewer", "hotspot-perfparser", ["hotspot-perfparser"],
         'hotspot-perfparser --input "$in" --output "$out"',
         '"$pdconv" "$in" -f pprof -o "$out"', ["dwarf", "fp"]),
    Task("text of each sample with inlined functions", "perf script", ["perf"],
         'perf script -i "$in" >"$out"',
         '"$pdconv" "$in" --script -o "$out"', ["dwarf"]),
]


def record(path, seconds, *options):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    subprocess.run(["perf", "record", "-q", "-a", "-e", "cpu-clock", *options, "-o", path, "--",
                    "sh", os.path.join(HERE, "workload.sh"), str(seconds)], check=True)


def own_recordings(build, seconds):
    dwarf, fp = (os.path.join(build, "bench", name) for name in ("peers-dwarf.data", "peers-fp.data"))
    if not os.path.exists(dwarf):
        record(dwarf, seconds, "-F", "999", "--call-graph", "dwarf,8192")
    if not os.path.exists(fp):
        record(fp, seconds, "-F", "4999", "-g")
    return [dwarf, fp]


def mode_of(pdconv, path):
    attrs = subprocess.run([pdconv, "info", path, "--json", "-q"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return "dwarf" if "STACK_USER" in attrs else "fp"


def depth_of(pdconv, path):
    """Mean number of frames of a sample, without inlined functions."""
    text = subprocess.run([pdconv, path, "--folded", "--no-inline", "--weight", "samples", "-q"], stdout=subprocess.PIPE,
                          text=True, check=True).stdout
    rows = [line.rpartition(" ") for line in text.splitlines()]
    # The first element is the name of the thread.
    return sum(stack.count(";") * int(n) for stack, _, n in rows) / max(1, sum(int(n) for _, _, n in rows))


def time_of(command, env, limit):
    """Run a shell command. Return CPU seconds, wall seconds, peak MiB; the CPU seconds are None if it was stopped."""
    before = os.times()
    start = time.monotonic()
    child = subprocess.Popen(["bash", "-c", "set -o pipefail; " + command], env=env, start_new_session=True,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    is_stopped = False
    peak = 0
    while child.poll() is None:
        peak = max(peak, resident(child.pid))
        if time.monotonic() - start > limit:
            os.killpg(child.pid, 9)
            is_stopped = True
        time.sleep(0.01)
    wall = time.monotonic() - start
    after = os.times()
    cpu = after.children_user - before.children_user + after.children_system - before.children_system
    if child.returncode and not is_stopped:
        raise SystemExit(f"failed with status {child.returncode}: {command}")
    return None if is_stopped else cpu, wall, peak


def resident(session):
    """Peak resident MiB of the largest process in a session."""
    largest = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.getsid(int(pid)) != session:
                continue
            with open(f"/proc/{pid}/status") as status:
                for line in status:
                    if line.startswith("VmHWM:"):
                        largest = max(largest, int(line.split()[1]) / 1024)
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            pass
    return largest


def version(command):
    out = subprocess.run(command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    return out.strip().splitlines()[0] if out.strip() else "unknown"


def cpu_model():
    with open("/proc/cpuinfo") as info:
        for line in info:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


def describe():
    with open("/etc/os-release") as release:
        system = dict(line.rstrip().split("=", 1) for line in release if "=" in line)["PRETTY_NAME"].strip('"')
    parts = [time.strftime("%Y-%m-%d"), cpu_model(), f"{os.cpu_count()} CPUs", system, f"Linux {platform.release()}"]
    if shutil.which("perf"):
        parts.append(version("perf --version"))
    if shutil.which("hotspot"):
        parts.append("hotspot " + version("dpkg-query -Wf '${Version}' hotspot"))
    if shutil.which("samply"):
        parts.append(version("samply --version"))
    if shutil.which("inferno-collapse-perf"):
        parts.append(version("cargo install --list | grep '^inferno ' || echo inferno").rstrip(":"))
    return ", ".join(parts)


def compare(task, env, runs, limit):
    """Run both sides of a task in turn. Return medians (CPU, wall, MiB) by side; a stopped tool is not run again."""
    figures = {"peer": [], "first": [], "again": []}
    for _ in range(runs):
        if not figures["peer"] or figures["peer"][-1][0] is not None:
            figures["peer"].append(time_of(task.command, env, limit))
        for side in ("first", "again"):
            if side == "first":
                shutil.rmtree(env["XDG_CACHE_HOME"], ignore_errors=True)
            figures[side].append(time_of(task.pdconv, env, limit))
    return {side: [statistics.median(v) if None not in v else None for v in zip(*rows)]
            for side, rows in figures.items()}


def show(task, mode, medians, markdown):
    peer, first, again = medians["peer"], medians["first"], medians["again"]
    if peer[0] is None:
        cells = [f"> {peer[1]:.0f}", f"{first[0]:.2f}", f"{again[0]:.2f}", "", f"> {peer[1] / first[1]:.0f}x"]
    else:
        cells = [f"{peer[0]:.2f}", f"{first[0]:.2f}", f"{again[0]:.2f}", f"{peer[0] / first[0]:.1f}x",
                 f"{peer[1] / first[1]:.1f}x"]
    cells += [f"{peer[2]:.0f}", f"{first[2]:.0f}"]
    if markdown:
        command = task.peer.replace("|", "\\|")
        print("| " + " | ".join([task.name, mode, f"`{command}`", *cells]) + " |", flush=True)
    else:
        print(f"{task.name:48} {mode:6}" + "".join(f" {cell:>8}" for cell in cells) + f"   {task.peer}", flush=True)


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--runs", type=int, default=3)
    args.add_argument("--seconds", type=int, default=15)
    args.add_argument("--limit", type=float, default=300)
    args.add_argument("--markdown", action="store_true")
    args.add_argument("pdconv")
    args.add_argument("recordings", nargs="*")
    args = args.parse_args()
    args.pdconv = os.path.abspath(args.pdconv)
    recordings = args.recordings or own_recordings(os.path.dirname(args.pdconv), args.seconds)

    perfparser = [p for p in PERFPARSER if os.path.exists(p)]
    os.environ["PATH"] += "".join(":" + os.path.dirname(p) for p in perfparser)
    absent = sorted({tool for task in TASKS for tool in task.tools if not shutil.which(tool)})

    print(describe())
    modes = {}
    for path in recordings:
        modes[path] = mode_of(args.pdconv, path)
        print(f"{modes[path]}: {os.path.basename(path)}, {os.path.getsize(path) / 1e6:.0f} MB, "
              f"{depth_of(args.pdconv, path):.0f} frames a sample")
    print("medians of %d runs" % args.runs)
    if absent:
        print("not installed: " + ", ".join(absent))
    print()
    if args.markdown:
        print("| task | recording | tool | CPU s | pdconv first | again | CPU ratio | wall ratio | MiB | pdconv MiB |")
        print("|-|-|-|-|-|-|-|-|-|-|")
    else:
        print(f"{'CPU seconds of the tool and of pdconv':55}" + "".join(
            f" {name:>8}" for name in ("tool", "first", "again", "ratio", "wall", "MiB", "MiB")))
    with tempfile.TemporaryDirectory() as scratch:
        for path, mode in modes.items():
            # A kept profile would answer at once.
            env = dict(os.environ, XDG_CACHE_HOME=os.path.join(scratch, "cache"), PDCONV_INDEX_SECONDS="1000000",
                       pdconv=args.pdconv, out=os.path.join(scratch, "out"))
            env["in"] = path
            for task in TASKS:
                if mode in task.modes and not set(task.tools) & set(absent):
                    show(task, mode, compare(task, env, args.runs, args.limit), args.markdown)


main()
