#!/usr/bin/env python3
"""Compare the cost of recording the whole machine with stacks: by BPF, unwound in the recorder, and copied.

usage: bench/bpf_cost.py PDCONV [ROUNDS]

Compilers and scripts do the same work with each way of recording, in turn, and once without a recording. "program"
is the CPU time of that work above that of the work without a recording in the same round, "recorder" that of the
recorder with its processes, in CPU seconds. Figures are medians of the rounds, after a first one that is not counted.
The share of stacks that reach the root is as pdconv reports it for the last round.
"""
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
WORK = r"""
g++ -O2 -g -c "$1" -o "$2/t.o" &
clang++ -O1 -c "$1" -o "$2/u.o" &
python3 -c 'import json, random
for i in range(20):
    json.loads(json.dumps([{"k%d" % i: [random.random() for _ in range(20)]} for i in range(3000)]))' &
for i in 1 2 3 4 5 6 7 8; do
    ls -lR /usr/include/linux | sort -k5 -n | awk '{ s += $5 } END { print s }' >/dev/null
done
wait
"""
REPETITIONS = 1
SOURCE = r"""
#include <map>
#include <regex>
#include <string>
#include <vector>
int f(std::string s)
{
    std::map<std::string, std::vector<int>> m;
    std::regex r("([a-z]+)([0-9]*)");
    for (std::sregex_iterator i(s.begin(), s.end(), r), e; i != e; ++i)
        m[i->str(1)].push_back(i->position());
    return m.size();
}
"""
STACKS = {
    "no stacks": ("pdconv", []),
    "bpf": ("pdconv", ["--call-graph", "bpf"]),
    "dwarf,8192 --live": ("pdconv", ["--call-graph", "dwarf,8192", "--live"]),
    "dwarf,8192": ("pdconv", ["--call-graph", "dwarf,8192"]),
    "dwarf,65528": ("pdconv", ["--call-graph", "dwarf,65528"]),
    "perf, dwarf,8192": ("perf", ["--call-graph", "dwarf,8192"]),
}


def cpu(usage):
    return usage.ru_utime + usage.ru_stime


def do_work(work):
    used = 0
    for _ in range(REPETITIONS):
        process = subprocess.Popen(["sh", "-c", WORK, "sh", f"{work}/t.cpp", work])
        used += cpu(os.wait4(process.pid, 0)[2])
        process.returncode = 0
    return used


def record(pdconv, tool, options, frequency, work):
    """Record the work. Returns CPU seconds of work and recorder, peak memory in MB, size in MB, and the recorder's messages."""
    out = f"{work}/out.data"
    command = [pdconv, "record", "--no-buildid-cache"] if tool == "pdconv" else ["perf", "record", "-N"]
    with open(f"{work}/messages", "w+", encoding="utf-8") as messages:
        recorder = subprocess.Popen([*command, "-a", "-e", "cpu-clock", "-F", str(frequency), *options, "-o", out],
                                    stdout=messages, stderr=messages)
        time.sleep(2)
        used = do_work(work)
        recorder.send_signal(signal.SIGINT)
        usage = os.wait4(recorder.pid, 0)[2]
        recorder.returncode = 0
        messages.seek(0)
        return used, cpu(usage), usage.ru_maxrss / 1e3, os.path.getsize(out) / 1e6, messages.read()


def rooted(pdconv, path):
    text = subprocess.run([pdconv, path, "-f", "report", "-q", "--no-inline"], stdout=subprocess.PIPE, text=True, check=True).stdout
    found = re.search(r"stacks +(.*)", text)
    return found[1].strip() if found else ""


def main():
    pdconv, rounds = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 3
    with tempfile.TemporaryDirectory() as work:
        with open(f"{work}/t.cpp", "w", encoding="utf-8") as source:
            source.write(SOURCE)
        for frequency in (999, 4000):
            figures, notes = {name: [] for name in STACKS}, {}
            for number in range(rounds + 1):
                plain = do_work(work)
                for name, (tool, options) in STACKS.items():
                    used, recorder, memory, size, messages = record(pdconv, tool, options, frequency, work)
                    # The first round fills caches.
                    if number:
                        figures[name].append((used - plain, recorder, memory, size))
                    if number == rounds:
                        notes[name] = f"{rooted(pdconv, f'{work}/out.data')} | {messages.strip().splitlines()[0]}"
            print(f"{frequency} Hz, {rounds} rounds, work {plain:.1f} CPU s")
            print(f"{'':20} {'program s':>10} {'recorder s':>10} {'MB of memory':>12} {'MB written':>10}")
            for name, rows in figures.items():
                columns = [statistics.median(column) for column in zip(*rows)]
                print(f"{name:20} {columns[0]:10.2f} {columns[1]:10.2f} {columns[2]:12.0f} {columns[3]:10.1f}  {notes[name]}")


if __name__ == "__main__":
    main()
