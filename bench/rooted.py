#!/usr/bin/env python3
"""Compare the share of user stacks that reach the root of their thread in pdconv, perf and hotspot's perfparser.

usage: bench/rooted.py PDCONV CHAINS PERF_DATA

The recorded programs must be on this machine. CHAINS is the program built from tests/oracle/chains.c. A stack
is rooted if its outermost frame is in the first 64 bytes at the entry point of an ELF file, or in a function
of the C library that starts threads. Samples of perf itself and samples without a user stack are left out;
the others are matched between the tools by thread and time. perfparser reports how many outer frames of a
stack it guessed: it takes them from other stacks, even of other processes. These stacks are counted
separately.
"""
import collections
import os
import re
import struct
import subprocess
import sys

PERFPARSER = "/usr/lib/x86_64-linux-gnu/libexec/hotspot-perfparser"
ENTRY_BYTES = 64
BEGIN_THREADS = {"clone", "clone3", "__clone", "__clone3"}


class Elf:
    """Entry point of a program, as an offset in its file."""
    cache = {}

    def __init__(self, path):
        self.entry = None
        try:
            with open(path, "rb") as f:
                head = f.read(64)
                if head[:5] != b"\x7fELF\x02":
                    return
                entry, phoff = struct.unpack_from("<QQ", head, 24)
                size, n = struct.unpack_from("<HH", head, 54)
                f.seek(phoff)
                table = f.read(size * n)
        except OSError:
            return
        for i in range(n):
            kind, _, offset, vaddr, _, filesz = struct.unpack_from("<IIQQQQ", table, i * size)
            if kind == 1 and vaddr <= entry < vaddr + filesz:
                self.entry = entry - vaddr + offset

    @classmethod
    def at(cls, path):
        if path not in cls.cache:
            cls.cache[path] = cls(path)
        return cls.cache[path]


def is_root(path, offset, function):
    if function in BEGIN_THREADS:
        return True
    entry = Elf.at(path).entry
    return entry is not None and 0 <= offset - entry <= ENTRY_BYTES


def read_chains(chains, path):
    """{(tid, ns): (binary, file offset) of the outermost frame} of samples with a user stack."""
    out = subprocess.run([chains, path], stdout=subprocess.PIPE, text=True, errors="replace", check=True).stdout
    roots, key = {}, None
    for line in out.splitlines():
        fields = line.split(" ", 3)
        if len(fields) == 4 and fields[0].lstrip("-").isdigit() and fields[2].isdigit() and fields[3].isdigit():
            key = (int(fields[0]), int(fields[1])) if fields[3] == "0" else None
            continue
        if key:
            address, binary = line.split(" ", 1)
            roots[key] = (binary, int(address, 16))
    return roots


def read_perf(path):
    """The same by perf script, with the function, and which samples are perf's own."""
    out = subprocess.run(
        ["perf", "script", "--no-inline", "--ns", "--max-stack", "1024", "-F", "comm,tid,time,ip,sym,dso", "-i", path],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace", check=True).stdout
    roots, own, key = {}, set(), None
    head = re.compile(r"^\s*(.+?)\s+(-?\d+)\s+(\d+)\.(\d+):\s*$")
    frame = re.compile(r"^\s+([0-9a-f]+) (.*) \((.*)\)$")
    for line in out.splitlines():
        match = frame.match(line)
        if match and key:
            roots[key] = (match[3], int(match[1], 16), match[2])
            continue
        match = head.match(line)
        if match:
            key = (int(match[2]), int(match[3]) * 10**9 + int(match[4]))
            if match[1].startswith("perf"):
                own.add(key)
    return roots, own


def read_perfparser(path):
    """The same by perfparser, whose stream is messages of Qt's QDataStream."""
    out = path + ".perfparser"
    subprocess.run([PERFPARSER, "--input", path, "--output", out, "--max-frames", "1024"],
                   stderr=subprocess.DEVNULL, check=True)
    with open(out, "rb") as f:
        data = f.read()
    os.unlink(out)
    LOCATION, SYMBOL, STRING, SAMPLE = 3, 4, 5, 13
    strings, locations, symbols, samples = {}, {}, {}, []
    at = data.index(b"\0") + 1 + 4
    while at + 4 <= len(data):
        size = struct.unpack_from("<I", data, at)[0]
        body = data[at + 4:at + 4 + size]
        at += 4 + size
        kind = body[0]
        if kind == STRING:
            strings[struct.unpack_from(">i", body, 1)[0]] = body[9:].decode(errors="replace")
        elif kind == LOCATION:
            locations[struct.unpack_from(">i", body, 1)[0]] = body[5:]
        elif kind == SYMBOL:
            symbols[struct.unpack_from(">i", body, 1)[0]] = body[5:]
        elif kind == SAMPLE:
            _, tid, time, _, n = struct.unpack_from(">IIQII", body, 1)
            frames = struct.unpack_from(f">{n}i", body, 25)
            samples.append(((tid, time), frames, body[25 + 4 * n]))
    return strings, locations, symbols, samples


def read_script(pdconv, path):
    """{(tid, us): where the outermost frame is in its page}: the same in the file and in the process."""
    out = subprocess.run([pdconv, path, "--script", "--no-inline", "--no-truncated", "-q"],
                         stdout=subprocess.PIPE, text=True, errors="replace", check=True).stdout
    outer, key = {}, None
    for line in out.splitlines():
        if line.startswith("\t"):
            outer[key] = int(line.split()[0], 16) & 0xfff
        elif line.strip():
            match = re.match(r"^\s*.+?\s+(-?\d+)\s+(?:\[\d+\]\s+)?(\d+)\.(\d+):", line)
            key = (int(match[1]), int(match[2]) * 10**6 + int(match[3]))
    return outer


def outermost(locations, frames):
    """The location of the outermost frame: of what was inlined, the function that holds it."""
    at = frames[-1]
    while True:
        parent = struct.unpack_from(">i", locations[at], 24)[0]
        if parent < 0 or parent not in locations:
            return at
        at = parent


def perfparser_roots(parsed, samples_left, root_addresses):
    strings, locations, symbols, samples = parsed
    rooted, guessed = 0, 0
    for key, frames, n_guessed in samples:
        if key not in samples_left or not frames:
            continue
        at = outermost(locations, frames)
        address = struct.unpack_from(">Q", locations[at], 0)[0]
        name = strings.get(struct.unpack_from(">i", symbols[at], 0)[0], "") if at in symbols else ""
        known = root_addresses[key[0]]
        # A return address, or the call before it.
        is_known = not known.isdisjoint({address & 0xfff, address - 1 & 0xfff})
        if name in BEGIN_THREADS or name == "_start" or is_known:
            rooted += not n_guessed
            guessed += n_guessed > 0
    return rooted, guessed


def main():
    pdconv, chains, path = sys.argv[1:4]
    ours = read_chains(chains, path)
    perfs, own = read_perf(path)
    left = set(ours) - own
    outer = read_script(pdconv, path)

    rooted = {"pdconv": 0, "perf script": 0}
    root_addresses = collections.defaultdict(set)
    for key in left:
        pc = outer.get((key[0], key[1] // 1000))
        binary, offset = ours[key]
        if is_root(binary, offset, ""):
            rooted["pdconv"] += 1
            root_addresses[key[0]].add(pc)
    functions = dict(((frame[0], frame[1]), frame[2]) for frame in perfs.values())
    for key in left:
        # What begins threads has a name where perf finds the library's symbols.
        binary, offset = ours[key]
        function = functions.get((binary, offset), "").split("+")[0]
        if not is_root(binary, offset, "") and is_root(binary, offset, function):
            rooted["pdconv"] += 1
            root_addresses[key[0]].add(outer.get((key[0], key[1] // 1000)))
        if key in perfs:
            rooted["perf script"] += is_root(*perfs[key][:2], perfs[key][2].split("+")[0])
    rooted["perfparser"], guessed = perfparser_roots(read_perfparser(path), left, root_addresses)
    print(f"{len(left)} user stacks, perf's own left out")
    for name, n in rooted.items():
        print(f"{name:12} {100 * n / len(left):6.2f} % end at the root")
    print(f"perfparser guesses the outer frames of {100 * guessed / len(left):.2f} % more, as it says itself")


main()
