#!/usr/bin/env python3
"""Compare the names of events that pdconv derives from attrs with those of `perf evlist`.

usage: event_names.py NAMES

NAMES prints the names of a recording's events. The recordings written here hold only a header and attrs, so
that perf derives the names from attrs, too. Prints each difference that is not known.
"""
import itertools
import re
import struct
import subprocess
import sys
import tempfile

HARDWARE, SOFTWARE, HW_CACHE, RAW, BREAKPOINT = 0, 1, 3, 4, 5
USER, KERNEL, HV, PRECISE, HOST, GUEST = 4, 5, 6, 15, 19, 20
SAMPLE_ID_ALL = 1 << 18
IP_TID_TIME_ID = 1 | 2 | 4 | 64

# Software events that perf 6.1 does not know.
NEWER = {"bpf-output", "cgroup-switches"}


def all_flags():
    for bits in itertools.product((0, 1), repeat=5):
        for precise in range(4):
            flags = precise << PRECISE
            for bit, shift in zip(bits, (USER, KERNEL, HV, HOST, GUEST)):
                flags |= bit << shift
            yield flags


def all_attrs():
    """Yield (type, config, flags, bp_type, config1, config2)."""
    host = 1 << GUEST
    for flags in all_flags():
        yield HARDWARE, 0, flags, 0, 0, 0
        yield SOFTWARE, 0, flags, 0, 0, 0
        yield RAW, 0x1a8, flags, 0, 0, 0
        yield HW_CACHE, 0x10002, flags, 0, 0, 0
        yield BREAKPOINT, 0, flags, 3, 0x7fffdeadbeef, 8
    for config in range(14):
        yield HARDWARE, config, host, 0, 0, 0
        yield HARDWARE, config | 4 << 32, host, 0, 0, 0
        yield SOFTWARE, config, host, 0, 0, 0
    yield SOFTWARE, 1 << 32, host, 0, 0, 0
    for cache, op, result in itertools.product(range(9), range(5), range(4)):
        yield HW_CACHE, cache | op << 8 | result << 16, host, 0, 0, 0
    for config in (0, 1, 0xc0, 0x1ffff, 1 << 32, (1 << 64) - 1):
        yield RAW, config, host, 0, 0, 0
        yield HW_CACHE, config, host, 0, 0, 0
    for kind, addr, length in itertools.product(range(9), (0, 1, 0xffffffff81000000), (0, 1, 8)):
        yield BREAKPOINT, 0, host, kind, addr, length
    for pmu in (6, 10, 1000, 1 << 31, (1 << 32) - 1):
        yield pmu, 0x304, host, 0, 0, 0


def recording(attrs):
    table = b"".join(
        struct.pack("<IIQQQQQIIQQ", kind, 72, config, 1, IP_TID_TIME_ID, 0, flags | SAMPLE_ID_ALL,
                    0, bp_type, config1, config2) + bytes(16)
        for kind, config, flags, bp_type, config1, config2 in attrs)
    header = struct.pack("<8sQQQQQQQQ", b"PERFILE2", 104, 88, 104, len(table),
                         104 + len(table), 8, 0, 0) + bytes(32)
    return header + table + struct.pack("<IHH", 68, 0, 8)


def lines(*command):
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    return [line.strip() for line in result.stdout.splitlines()]


def as_perf_7(attr, name):
    """Return the name in perf 7, for which events that count guests are the default.

    Without other modifiers, perf 6 writes ":HG" if the host and guests are counted and nothing if the host is, perf 7
    nothing and ":H". It has another text for events of unknown PMUs.
    """
    _, config, flags = attr[:3]
    if name.startswith("unknown attr type: "):
        name = f"{name.replace('attr type: ', 'event PMU=')} config={config:#x}"
    elif not flags & ~(1 << HOST | 1 << GUEST):
        name = {0: name.removesuffix(":HG"), 1 << GUEST: name + ":H"}.get(flags, name)
    return name


def main():
    version = re.search(r"\d+", lines("perf", "--version")[0])[0]
    attrs = list(all_attrs())
    with tempfile.NamedTemporaryFile(suffix=".data") as file:
        file.write(recording(attrs))
        file.flush()
        ours, theirs = lines(sys.argv[1], file.name), lines("perf", "evlist", "-i", file.name)
    if not len(ours) == len(theirs) == len(attrs):
        print(f"{len(ours)} names, perf has {len(theirs)}, of {len(attrs)}")
        return 1
    wrong = 0
    for attr, name, want in zip(attrs, ours, theirs):
        name = as_perf_7(attr, name) if int(version) >= 7 else name
        if name != want and not (name.removesuffix(":H") in NEWER and want.startswith("unknown-software")):
            print(f"{attr}: {name}, perf has {want}")
            wrong += 1
    print(f"{len(attrs)} names, {wrong} differ")
    return 1 if wrong else 0


sys.exit(main())
