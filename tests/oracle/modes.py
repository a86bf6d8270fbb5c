#!/usr/bin/env python3
"""Record in every mode of perf, and compare counts with `perf script -D`.

usage: modes.py PDCONV DIR [-v]

Makes recordings in DIR. For each mode compares records by type, samples, the sum of their periods, processes,
threads, first and last time, call chain entries, and samples and periods of each event in the output of perf
script. A mode that perf rejects on this machine is left out; -v prints which.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import time

WORK = ["sh", "-c",
        "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; ls -R /usr/include/linux >/dev/null"]
CLOCK = ["-e", "cpu-clock"]
# Bit of HEADER_COMPRESSED.
COMPRESSED = 27
TRACEPOINTS = ["-e", "sched:sched_switch", "-e", "sched:sched_process_exec",
               "-e", "syscalls:sys_enter_openat"]

# (name, arguments of perf; OUT is the recording)
MODES = [
    ("file", ["record", *CLOCK, "-o", "OUT"]),
    ("all-cpus", ["record", *CLOCK, "-a", "-o", "OUT"]),
    ("frame-pointers", ["record", *CLOCK, "-g", "-o", "OUT"]),
    ("dwarf", ["record", *CLOCK, "--call-graph", "dwarf,4096", "-o", "OUT"]),
    ("fixed-period", ["record", "-e", "cpu-clock", "-c", "1000000", "-o", "OUT"]),
    ("pipe", ["record", *CLOCK, "-o", "-"]),
    ("pipe-compressed", ["record", *CLOCK, "-z", "-g", "-o", "-"]),
    ("threads", ["record", *CLOCK, "-a", "--threads", "-o", "OUT"]),
    ("threads-compressed", ["record", *CLOCK, "-a", "--threads", "-z", "-o", "OUT"]),
    ("compressed", ["record", *CLOCK, "-z", "--call-graph", "dwarf,4096", "-o", "OUT"]),
    ("branches", ["record", *CLOCK, "-b", "-o", "OUT"]),
    ("switch-events", ["record", *CLOCK, "-a", "--switch-events", "-o", "OUT"]),
    ("namespaces", ["record", *CLOCK, "--namespaces", "-o", "OUT"]),
    ("cgroups", ["record", *CLOCK, "-a", "--all-cgroups", "-o", "OUT"]),
    ("software", ["record", "-e", "cpu-clock,task-clock,page-faults,context-switches,"
                  "cpu-migrations,minor-faults,dummy", "-o", "OUT"]),
    ("group", ["record", "-e", "{cpu-clock,page-faults,context-switches}:S", "-o", "OUT"]),
    ("tracepoints", ["record", *TRACEPOINTS, "-a", "-o", "OUT"]),
    ("tracepoints-pipe", ["record", *TRACEPOINTS, "-a", "-o", "-"]),
    ("uprobe", ["record", "-e", "probe_sh:*", "-a", "-o", "OUT"]),
    ("data", ["record", *CLOCK, "--data", "--phys-data", "--weight", "--intr-regs=ax,bx,ip,sp",
              "-o", "OUT"]),
    ("user-regs", ["record", *CLOCK, "--user-regs=ip,sp,bp", "--data", "-W", "-o", "OUT"]),
    ("read", ["record", *CLOCK, "-s", "--no-inherit", "-o", "OUT"]),
    ("inherit-stat", ["record", *CLOCK, "-s", "-o", "OUT"]),
    ("clock", ["record", *CLOCK, "-k", "CLOCK_MONOTONIC", "-o", "OUT"]),
    ("sample-cpu", ["record", *CLOCK, "--sample-cpu", "--sample-identifier", "--code-page-size",
                    "--data-page-size", "-o", "OUT"]),
    ("buildid-mmap", ["record", *CLOCK, "--buildid-mmap", "-o", "OUT"]),
    ("no-buildid", ["record", *CLOCK, "-B", "-o", "OUT"]),
    ("tail-synthesize", ["record", *CLOCK, "-a", "--tail-synthesize", "--overwrite", "-o", "OUT"]),
    ("no-inherit", ["record", *CLOCK, "--no-inherit", "-o", "OUT"]),
    ("stat", ["stat", "record", "-e", "cpu-clock,page-faults", "-o", "OUT"]),
    ("stat-interval", ["stat", "record", "-I", "100", "-e", "cpu-clock", "-a", "-o", "OUT"]),
    ("sched", ["sched", "record", "-o", "OUT"]),
    ("lock", ["lock", "record", "-o", "OUT"]),
    ("inject", ["sh", "perf record -q -e cpu-clock -o OUT.in -- ls -R /usr/include/linux &&"
                " perf inject -b -i OUT.in -o OUT"]),
    ("inject-pipe", ["sh", "perf record -q -e cpu-clock -o - -- true | perf inject -b >OUT"]),
    ("timehist", ["record", "-e", "sched:*", "-a", "-o", "OUT"]),
]
# One of each container, and the fields and records that most recordings have.
QUICK_MODES = ("all-cpus", "dwarf", "pipe-compressed", "threads-compressed", "group", "tracepoints", "data", "stat", "killed")


def record(mode, args, path):
    """Return true if perf made the recording."""
    if mode == "uprobe":
        subprocess.run(["perf", "probe", "-q", "-x", "/bin/sh", "main"], capture_output=True,
                       check=False)
        subprocess.run(["perf", "probe", "-q", "-x", shutil.which("ls"), "probe_sh:ls=0x4000"],
                       capture_output=True, check=False)
    command = ["perf", *[str(path) if a == "OUT" else a for a in args], "--", *WORK]
    if args[0] == "sh":
        command = ["sh", "-c", args[1].replace("OUT", str(path))]
    if "-" in args:
        with open(path, "wb") as out:
            result = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, check=False,
                                    timeout=60)
    else:
        result = subprocess.run(command, capture_output=True, check=False, timeout=60)
    if mode == "uprobe":
        subprocess.run(["perf", "probe", "-q", "-d", "probe_sh:*"], capture_output=True,
                       check=False)
    return result.returncode == 0 and path.exists() and (path.is_dir() or path.stat().st_size)


def record_killed(path):
    """Kill a recorder with SIGKILL. Return a copy of the recording with a header that perf can read."""
    with subprocess.Popen(["perf", "record", "-q", *CLOCK, "-a", "-g", "-o", str(path), "--",
                           "sh", "-c", "while :; do :; done"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, start_new_session=True) as perf:
        for _ in range(100):
            time.sleep(0.1)
            if path.exists() and path.stat().st_size > 200000:
                break
        os.killpg(perf.pid, signal.SIGKILL)
    data = bytearray(path.read_bytes())
    offset, = struct.unpack_from("<Q", data, 40)
    at = offset
    while at + 8 <= len(data):
        size, = struct.unpack_from("<H", data, at + 6)
        if size < 8 or at + size > len(data):
            break
        at += size
    data[48:56] = struct.pack("<Q", at - offset)
    data[72:104] = bytes(32)
    copy = path.with_suffix(".finished")
    copy.write_bytes(data[:at])
    return copy


def with_ring_size(path):
    """Return the recording, or a copy that perf reads.

    perf stat writes a HEADER_COMPRESSED that is all zero. perf 7.2 rejects the recording because its size of a ring is.
    """
    shown = subprocess.run(["perf", "script", "-D", "-i", str(path)], capture_output=True, check=False, timeout=120)
    if b"Invalid HEADER_COMPRESSED: comp_mmap_len (0)" not in shown.stderr:
        return path
    data = bytearray(path.read_bytes())
    offset, size, _, _, bits = struct.unpack_from("<5Q", data, 40)
    row = offset + size + 16 * (bits & ((1 << COMPRESSED) - 1)).bit_count()
    at, = struct.unpack_from("<Q", data, row)
    assert not any(data[at:at + 20]), data[at:at + 20]
    data[at + 16:at + 20] = struct.pack("<I", 4096)
    copy = path.with_suffix(".with_ring_size")
    copy.write_bytes(data)
    return copy


def dump_facts(path):
    """Return the facts in the output of `perf script -D`, by their names in pdconv info."""
    result = subprocess.run(["perf", "script", "-D", "-i", str(path)], capture_output=True,
                            check=False, timeout=120)
    out = result.stdout.decode(errors="replace")
    facts = {"status": result.returncode, "samples": 0, "period_sum": 0, "callchain_entries": 0}
    counts, pids, tids, times = collections.Counter(), set(), set(), []
    for line in out.splitlines():
        match = re.search(r"\b(?:0x)?[0-9a-f]+(?:@\S+)? \[(?:0x)?[0-9a-f]+\]: PERF_RECORD_(\w+)(.*)",
                          line)
        if not match:
            chain = re.match(r"\.\.\. (?:FP|LBR) chain: nr:(\d+)", line)
            facts["callchain_entries"] += int(chain[1]) if chain else 0
            continue
        # perf stat prints no space after STAT_ROUND.
        counts[match[1].replace("STAT_ROUNDCPU", "STAT_ROUND")] += 1
        if match[1] != "SAMPLE":
            continue
        sample = re.match(r"\(\w+, 0x[0-9a-f]+\): (-?\d+)/(-?\d+): 0x[0-9a-f]+ period: (\d+)",
                          match[2])
        if not sample:
            continue
        facts["samples"] += 1
        facts["period_sum"] += int(sample[3])
        pids.add(sample[1])
        tids.add(sample[2])
        stamp = re.match(r"\s*(?:-?\d+ )?(\d+) (?:0x)?[0-9a-f]+ \[", line)
        if stamp and int(stamp[1]):
            times.append(int(stamp[1]))
    facts.update(records=dict(counts), distinct_pids=len(pids), distinct_tids=len(tids))
    if times:
        facts.update(first_sample_time_ns=min(times), last_sample_time_ns=max(times))
    return facts


def script_events(path):
    """Return samples and periods of each event in the output of perf script."""
    result = subprocess.run(["perf", "script", "-i", str(path), "-F", "event,period"],
                            capture_output=True, check=False, timeout=120)
    events = collections.defaultdict(lambda: [0, 0])
    for line in result.stdout.decode(errors="replace").splitlines():
        match = re.fullmatch(r"\s*(\d+) +(\S.*?):\s*", line)
        if match:
            events[match[2]][0] += 1
            events[match[2]][1] += int(match[1])
    return {name: tuple(counts) for name, counts in events.items()}


def info(pdconv, path):
    result = subprocess.run([pdconv, "info", "--json", str(path)], capture_output=True,
                            check=False, timeout=120)
    return json.loads(result.stdout) if result.returncode == 0 else result.stderr.decode()


def compare(mode, have, path):
    """Yield (fact, ours, perf's)."""
    want = dump_facts(path)
    counts = dict(have["records"])
    for container in ("COMPRESSED", "COMPRESSED2"):
        # Versions of perf differ in which of the two they dump.
        if container not in want["records"]:
            counts.pop(container, None)
    yield "records", counts, want.pop("records")
    yield "perf script -D: status", 0, want.pop("status")
    for fact, value in want.items():
        if want["samples"] or fact == "samples":
            yield fact, have[fact], value
    events = {e["name"]: (e["samples"], e["period_sum"]) for e in have["events"] if e["samples"]}
    if mode != "killed":
        yield "events", events, script_events(path)


def check(pdconv, work, mode, args):
    """Record in a mode. Return our facts, or None if perf rejects the mode, and lines about differences."""
    path = original = work / mode
    if args is None:
        path = record_killed(original)
    elif not record(mode, args, path):
        return None, []
    elif mode.startswith("stat"):
        path = with_ring_size(path)
    have = info(pdconv, original)
    if isinstance(have, str):
        return have, [f"{mode}: {have}"]
    return have, [f"{mode}: {fact}: {ours!r}, not {theirs!r}"
                  for fact, ours, theirs in compare(mode, have, path) if ours != theirs]


def main():
    pdconv, work = sys.argv[1], pathlib.Path(sys.argv[2])
    verbose = "-v" in sys.argv
    # perf 6.1 crashes if two of its processes write to one build id cache.
    os.environ["PERF_BUILDID_DIR"] = ""
    modes = [*MODES, ("killed", None)]
    if os.environ.get("QUICK"):
        modes = [mode for mode in modes if mode[0] in QUICK_MODES]
    done, left_out, n_wrong = [], [], 0
    # perf 6.1 waits a second for BPF programs when it ends.
    with concurrent.futures.ThreadPoolExecutor(2 * os.cpu_count()) as pool:
        for (mode, _), (have, wrong) in zip(modes, pool.map(lambda mode: check(pdconv, work, *mode), modes)):
            (left_out if have is None else done).append(mode)
            n_wrong += len(wrong)
            print("\n".join(wrong), end="\n" if wrong else "")
            if verbose and have and not wrong:
                print(f"{mode}: {have['samples']} samples, {sum(have['records'].values())} records")
    print(f"{len(done)} modes compared, {n_wrong} facts wrong; perf refuses {', '.join(left_out) or 'none'}")
    return 1 if n_wrong or len(done) < min(10, len(modes)) else 0


sys.exit(main())
