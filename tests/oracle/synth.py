#!/usr/bin/env python3
"""Compare the records that are synthesized before a recording, and the header's features, with perf's.

usage: synth.py SYNTH_ALL PDCONV DIR [-v]

perf records for a moment in several modes, in DIR, and right after it SYNTH_ALL writes its records. Records
of the kernel, of modules, BPF programs and cgroups, and of every process that kept its threads and mappings
meanwhile must be equal, field by field and in the same order, and features, too. KNOWN and KNOWN_FEATURES
list the permitted differences with their reasons. A process may map memory for a moment, so what differs is
recorded again, and is wrong if it differs each time. Prints a line for each such difference; -v also counts
the known ones.
"""
import collections
import ctypes
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import time

import perfs
from processes import stat_fields

CLOCK = ["-e", "cpu-clock"]
TRACEPOINTS = ["-e", "sched:sched_switch,sched:sched_wakeup,syscalls:sys_enter_openat"]

# (name, options of perf record; PID is a process with threads, options of SYNTH_ALL)
MODES = [
    ("all", ["-a", *CLOCK], []),
    ("namespaces", ["-a", "--namespaces", "--all-cgroups", *CLOCK], ["--namespaces", "--cgroups"]),
    ("data", ["-a", "-d", *CLOCK], ["--data"]),
    ("build-ids", ["-a", "--buildid-mmap", *CLOCK], ["--build-ids"]),
    ("build-ids-data", ["-a", "-d", "--buildid-mmap", *CLOCK], ["--build-ids", "--data"]),
    ("process", ["-p", "PID", *CLOCK], ["--no-forks", "--pid", "PID"]),
    ("tracepoints", ["-a", *TRACEPOINTS, *CLOCK, "-k", "mono"], []),
]

MOST_TRIES = 4

# Records of the machine, and of processes.
MACHINE = {"MMAP", "KSYMBOL", "BPF_EVENT", "CGROUP"}
TASKS = {"FORK", "NAMESPACES", "COMM", "MMAP2"}


class Tally:
    def __init__(self):
        self.known = collections.Counter()
        self.compared = collections.Counter()
        # What differs in the mode that is compared, by whose it is: a process, None for the machine, or a feature.
        self.differs = {}
        self.n_wrong = 0

    def wrong(self, whose, what, perf, ours):
        self.differs.setdefault(whose, []).append(f"{what}\n  perf: {perf}\n  ours: {ours}")


def run(*command):
    return subprocess.run([str(c) for c in command], capture_output=True, timeout=120, check=True).stdout


class Recording:
    """Synthesized records by process (None for the machine), and features by name."""

    def __init__(self, pdconv, path):
        self.records = collections.defaultdict(list)
        self.features = {}
        for line in run(pdconv, "dump", "--json", path).decode(errors="replace").splitlines():
            self.add(json.loads(line))

    def add(self, part):
        body, kind = part["body"], part["type"]
        if kind == "FEATURE":
            self.features[part["feature"]] = body.get("data")
        sid = body.pop("sample_id", {}) if isinstance(body, dict) else {}
        if sid.get("time") != 0 or any(sid.values()):
            return
        if kind in MACHINE or kind == "MMAP2" and part["misc"] & 7 == 1:
            self.records[None].append((kind, part["misc"], part["size"], body))
        elif kind in TASKS:
            self.records[body["pid"]].append((kind, part["misc"], part["size"], body))


# Known differences: each returns what to compare instead, or None if it does not apply.

def worker(perf, ours):
    """Ignore the current work of a kernel thread, which is a part of its name."""
    def name(record):
        return {**record[3], "comm": re.split("[-+]", record[3]["comm"])[0]}

    if perf[0] == ours[0] == "COMM" and perf[3]["comm"].startswith("kworker/"):
        return name(perf), name(ours)
    return None


def identified(perf, ours):
    """Ignore build ids of [vdso] and deleted files. perf reads build ids by path, so it has none for these."""
    dropped = ("build_id", "maj", "min", "ino", "ino_generation")
    has_no_path = perf[3].get("filename") == "[vdso]" or perf[3].get("filename", "").endswith(" (deleted)")

    if perf[0] == ours[0] == "MMAP2" and has_no_path and "build_id" in ours[3] and "build_id" not in perf[3]:
        return tuple({k: v for k, v in r[3].items() if k not in dropped} for r in (perf, ours))
    return None


KNOWN = [worker, identified]


def without(*names):
    def drop(value):
        if isinstance(value, dict):
            return {k: drop(v) for k, v in value.items() if k not in names}
        return [drop(v) for v in value] if isinstance(value, list) else value
    return drop


def without_comms(tracing):
    """Cut tracing data before the names of processes, which change."""
    data = bytes.fromhex(tracing["data"])
    at = data.rfind(b"sched_wakeup")
    names = re.search(rb"(?:\d+ [^\n]+\n)*\Z", data[at:])
    return data[:at + names.start() - 8]


KNOWN_FEATURES = {
    "VERSION": (lambda value: None, "who wrote it"),
    "E_MACHINE": (None, "of perf 7, not written"),
    "CLN_SIZE": (None, "of perf 7, not written"),
    "NUMA_TOPOLOGY": (without("mem_free"), "memory in use changes"),
    "CLOCK_DATA": (without("wall_clock", "clockid_time"), "another moment"),
    "TRACING_DATA": (without_comms, "another moment"),
    "SAMPLE_TIME": (None, "ours has no samples"),
    "BUILD_ID": (None, "ours has no samples"),
    "BPF_PROG_INFO": (None, "not written"),
    "BPF_BTF": (None, "not written"),
    "PMU_CAPS": (None, "perf writes it without a PMU, too"),
}

# perf 6.12 makes up a PMU of the CPUs on a machine without one, of type 4 (PERF_TYPE_RAW) and without capabilities.
MADE_UP_PMU = {"type": 4, "name": "cpu"}


def as_perf_6_12(features):
    """Return our features as perf 6.12 has them: with a PMU of the CPUs, which is the first, and the others by name."""
    pmus = features["PMU_MAPPINGS"]["pmus"]
    made_up = {}
    if not any(pmu["name"] == "cpu" for pmu in pmus):
        pmus = [MADE_UP_PMU, *pmus]
        made_up = {"CPU_PMU_CAPS": {"nr": 0, "caps": []}}
    # perf 7 has one of its own, for what it measures itself.
    if perfs.version() >= (7, 0):
        pmus = [{"type": 0xfffffffe, "name": "tool"}, *pmus]
    pmus = sorted(pmus, key=lambda pmu: (pmu["name"] != "cpu", pmu["name"]))
    return {**features, **made_up, "PMU_MAPPINGS": {"nr": len(pmus), "pmus": pmus}}


def start_time(pid):
    return stat_fields(pid)[19]


def parent(task):
    return re.search(r"^PPid:\s*(\d+)", text_of(task / "status"), re.M)[1]


def text_of(path):
    """Return the contents of a file of /proc. Names of programs and files are bytes: other tests have some that are no text."""
    return path.read_text(errors="surrogateescape")


def state():
    """Return start time, parent, threads and mappings of each process, which must not change meanwhile."""
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            threads = {t.name: text_of(t / "comm") for t in (entry / "task").iterdir()}
            if threads[entry.name].startswith("kworker/"):
                threads = set(threads)
            found[int(entry.name)] = (start_time(entry.name), parent(entry), threads, text_of(entry / "maps"))
        except (OSError, KeyError):
            continue
    return found


def compare_record(tally, who, perf, ours):
    tally.compared[perf[0]] += 1
    if perf == ours:
        return
    for known in KNOWN:
        pair = known(perf, ours)
        if pair and pair[0] == pair[1]:
            tally.known[known.__doc__] += 1
            return
    tally.wrong(who, "record", perf, ours)


def compare_records(tally, who, perf, ours):
    if who is None:
        perf, ours = sorted(perf, key=str), sorted(ours, key=str)
    if len(perf) != len(ours):
        tally.wrong(who, f"records of {who}", perf, ours)
        return
    for one, other in zip(perf, ours):
        compare_record(tally, who, one, other)


def compare_features(tally, perf, ours):
    for name in sorted(perf.keys() | ours.keys()):
        adapt, reason = KNOWN_FEATURES.get(name, (lambda value: value, None))
        if reason:
            tally.known[f"{name}: {reason}"] += 1
        if not adapt and name not in ours:
            continue
        tally.compared["features"] += 1
        if name not in perf or name not in ours:
            tally.wrong(name, name, name in perf, name in ours)
        elif adapt(perf[name]) != adapt(ours[name]):
            tally.wrong(name, name, perf[name], ours[name])


def recorded_threads(recording, process):
    return {fields["tid"] for _, _, _, fields in recording.records[process] if "tid" in fields}


BPF = {"x86_64": 321, "aarch64": 280}.get(platform.machine())


def bpf_programs():
    """Return the ids of the BPF programs on this machine, as far as they may be listed."""
    get_next_id = 11
    attr = (ctypes.c_uint32 * 32)()
    found = set()
    while BPF and ctypes.CDLL(None).syscall(BPF, get_next_id, ctypes.byref(attr), 12) == 0:
        attr[0] = attr[1]
        found.add(attr[0])
    return found


def record_both(options, ours_options, synth_all, theirs, own):
    """Record by perf, then by SYNTH_ALL. Return the processes before and after, or nothing if perf cannot."""
    before = state()
    # perf 7 has build ids of mappings by default.
    by_default = [] if "--buildid-mmap" in options else ["--no-buildid-mmap"]
    recorded = subprocess.run(["perf", "record", "-q", *by_default, *options, "-o", theirs, "sleep", "0.2"],
                              capture_output=True, timeout=120, check=False)
    if recorded.returncode:
        return None
    run(synth_all, own, theirs, *ours_options)
    return before, state()


def compare_once(tally, name, options, ours_options, synth_all, pdconv, folder, pid):
    def fill(words):
        return [str(pid) if word == "PID" else word for word in words]

    theirs, own = folder / f"synth-{name}.perf", folder / f"synth-{name}.ours"
    most_tries = 50
    # Again while somebody else loads or unloads BPF programs.
    for _ in range(most_tries):
        programs = bpf_programs()
        states = record_both(fill(options), fill(ours_options), synth_all, theirs, own)
        if not states:
            return
        if bpf_programs() == programs:
            break
    before, after = states
    perf, ours = Recording(pdconv, theirs), Recording(pdconv, own)
    # A thread that existed only in between is in neither state, but one of the recordings may have it. The
    # program of this test has no such threads and is always compared.
    stable = [p for p in before if before[p] == after.get(p) and
              (p == pid or recorded_threads(perf, p) | recorded_threads(ours, p) <= {int(t) for t in before[p][2]})]
    if "PID" in options:
        stable = [pid]
    compare_records(tally, None, perf.records[None], ours.records[None])
    for process in stable:
        compare_records(tally, process, perf.records[process], ours.records[process])
    tally.compared["processes"] += len(stable)
    is_new = perfs.version() >= (6, 12)
    compare_features(tally, perf.features, as_perf_6_12(ours.features) if is_new else ours.features)


def compare(tally, name, *arguments):
    """Compare in one mode. What differs is wrong if it does so each time."""
    for tries in range(MOST_TRIES):
        before, tally.differs = tally.differs, {}
        compare_once(tally, name, *arguments)
        if tries:
            tally.differs = {whose: texts for whose, texts in tally.differs.items() if whose in before}
        if not tally.differs:
            return
    for texts in tally.differs.values():
        tally.n_wrong += len(texts)
        print("\n".join(f"{name}: {text}" for text in texts))
    tally.differs = {}


def load_program():
    """Load a BPF program that returns 0 until this process exits, where that is permitted."""
    code = (ctypes.c_uint64 * 2)(0xb7, 0x95)
    name = ctypes.create_string_buffer(b"GPL")
    load, socket_filter = 5, 1
    attr = (ctypes.c_uint8 * 128)()
    ctypes.c_uint32.from_buffer(attr, 0).value = socket_filter
    ctypes.c_uint32.from_buffer(attr, 4).value = 2
    ctypes.c_uint64.from_buffer(attr, 8).value = ctypes.addressof(code)
    ctypes.c_uint64.from_buffer(attr, 16).value = ctypes.addressof(name)
    ctypes.memmove(ctypes.addressof(attr) + 48, b"pdconv_synth", 12)
    if BPF:
        ctypes.CDLL(None).syscall(BPF, load, ctypes.byref(attr), 72)


# A process with threads, executable memory without a file, and a name with special characters.
PROCESS = """
import mmap, os, threading, time
m = mmap.mmap(-1, 8192, prot=7)
n = mmap.mmap(-1, 8192, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=7)
open("/proc/self/comm", "w").write("a b(c) d")
for i in range(3):
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
print(flush=True)
time.sleep(600)
"""


def main():
    synth_all, pdconv, folder = sys.argv[1:4]
    tally = Tally()
    load_program()
    with subprocess.Popen([sys.executable, "-c", PROCESS], stdout=subprocess.PIPE) as child:
        try:
            child.stdout.readline()
            time.sleep(0.1)
            for mode in [mode for mode in MODES if not os.environ.get("QUICK") or mode[0] in ("build-ids-data", "process")]:
                compare(tally, *mode, synth_all, pdconv, pathlib.Path(folder), child.pid)
        finally:
            child.kill()
    if not tally.compared["processes"]:
        print("nothing was compared")
        return 1
    print(f"{sum(tally.compared.values())} compared, {tally.n_wrong} differ")
    if "-v" in sys.argv:
        for what, n in (tally.compared + tally.known).items():
            print(f"{n:6} {what}")
    return tally.n_wrong > 0


if __name__ == "__main__":
    sys.exit(main())
