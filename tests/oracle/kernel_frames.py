#!/usr/bin/env python3
"""Compare names of addresses in a vmlinux or in modules with those by addr2line.

usage: kernel_frames.py [--count N] [--offset HEX] FRAMES VMLINUX [MODULE.ko ...]

Writes a recording with samples at random addresses in the text of the vmlinux, moved as KASLR does it, and in
that of each module, loaded at some address. FRAMES is build/tests/oracle/frames. addr2line names the same
addresses.
"""
import argparse
import bisect
import collections
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

MODULES_AT = 0xFFFFFFFFC0000000
MODULE_SPACE = 0x1000000


def text_of(path):
    """Return the address and size of .text."""
    out = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True, check=True).stdout
    found = re.search(r"\] \.text +(?:PROGBITS|NOBITS) +([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+)", out)
    return int(found[1], 16), int(found[2], 16)


def build_id_of(path):
    out = subprocess.run(["readelf", "-nW", path], capture_output=True, text=True, check=True).stdout
    return bytes.fromhex(re.search(r"Build ID: ([0-9a-f]+)", out)[1])


def symbol_of(path, name):
    out = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout
    return int(re.search(r"^([0-9a-f]+) \w " + name + "$", out, re.M)[1], 16)


def functions_of(path):
    """Return start and end of every symbol that has a size."""
    out = subprocess.run(["readelf", "-sW", path], capture_output=True, text=True, check=True).stdout
    rows = (line.split() for line in out.splitlines())
    return sorted((int(r[1], 16), int(r[1], 16) + int(r[2], 0)) for r in rows if len(r) > 7 and r[2] != "0" and r[3] in ("FUNC", "NOTYPE") and r[6].isdigit())


def is_covered(functions, addr):
    i = bisect.bisect_right(functions, (addr, 1 << 64))
    return any(start <= addr < end for start, end in functions[max(0, i - 8):i])


def padded(text):
    raw = text.encode() + b"\0"
    return raw + b"\0" * (-len(raw) % 8)


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def mmap(name, start, size, pgoff):
    return record(1, 1, struct.pack("<iIQQQ", -1, 0, start, size, pgoff) + padded(name))


def build_id(name, bytes_):
    """Encode an entry of the feature BUILD_ID."""
    return record(67, 0x8001, struct.pack("<i", -1) + bytes_.ljust(20, b"\0") + bytes([len(bytes_)]) + b"\0" * 3 + padded(name))


def sample(ip):
    return record(9, 1, struct.pack("<QII", ip, 1, 1))


def recording(records, ids):
    """Encode a perf.data with the event cpu-clock, samples with IP and TID, and the feature BUILD_ID (2)."""
    attr = struct.pack("<IIQQQQQ", 1, 64, 0, 4000, 3, 0, 0).ljust(64, b"\0") + struct.pack("<QQ", 0, 0)
    at = 104 + len(attr)
    header = b"PERFILE2" + struct.pack("<QQQQQQQQ", 104, len(attr), 104, len(attr), at, len(records), 0, 0)
    header += struct.pack("<QQQQ", 4, 0, 0, 0)
    where = at + len(records)
    return header + attr + records + struct.pack("<QQ", where + 16, len(ids)) + ids


def ask_addr2line(path, addrs):
    """Return for each address the list of (function, file:line), innermost first."""
    asked = "".join(f"{addr:x}\n" for addr in addrs)
    out = subprocess.run(["addr2line", "-aifCe", path, "-j", ".text"] if path.endswith(".ko") else ["addr2line", "-aifCe", path],
                         input=asked, capture_output=True, text=True, check=True).stdout.splitlines()
    answers, i = [], -1
    names = iter(out)
    for line in names:
        if re.fullmatch(r"0x[0-9a-f]{16}", line):
            answers.append([])
            continue
        place = next(names).split(" (discriminator")[0]
        answers[-1].append((line, place))
    return answers


def ask_pdconv(frames, data, vmlinux, dirs):
    """Return for each address the list of (function, file:line), innermost first."""
    out = subprocess.run([frames, data, vmlinux, dirs], capture_output=True, text=True, check=True).stdout
    answers = {}
    for line in out.splitlines():
        place, *functions = line.split("\t")
        answers[int(place.split()[0], 16)] = [tuple(f.rsplit(" ", 1)) for f in functions]
    return answers


def normal(answer):
    """Normalize names: an unknown function or line is '??'."""
    result = []
    for function, place in answer:
        file, _, line = place.rpartition(":")
        line = "0" if line == "?" else line
        result.append((function, os.path.normpath(file) if file else "??", line))
    return result


def kind_of(ours, theirs, is_covered):
    if ours == theirs:
        return "identical"
    if not ours:
        return "we have no name" if is_covered else "no function is there: padding"
    if ours[:-1] == theirs[:-1] and ours[-1][1:] == theirs[-1][1:]:
        is_clone = ours[-1][0].startswith(theirs[-1][0] + ".")
        return "the symbol's name, of a clone" if is_clone else "the symbol's name, of an alias"
    if [f for f, _, _ in ours] == [f for f, _, _ in theirs]:
        return "other place"
    if [(p, l) for _, p, l in ours] == [(p, l) for _, p, l in theirs]:
        return "other name"
    return "other functions" if len(ours) == len(theirs) else "other depth"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--offset", type=lambda s: int(s, 16), default=0x1E400000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("frames")
    parser.add_argument("vmlinux")
    parser.add_argument("modules", nargs="*")
    args = parser.parse_args()
    chance = random.Random(args.seed)
    start, size = text_of(args.vmlinux)
    ref = symbol_of(args.vmlinux, "_text")
    records = mmap("[kernel.kallsyms]_text", ref + args.offset, size + start - ref, ref + args.offset)
    ids = build_id("[kernel.kallsyms]", build_id_of(args.vmlinux))
    # The samples: file, address of its text, offset in it.
    places = [(args.vmlinux, start, start + args.offset, chance.randrange(size)) for _ in range(args.count)]
    for i, module in enumerate(args.modules):
        at = MODULES_AT + i * MODULE_SPACE
        _, size = text_of(module)
        records += mmap(f"/lib/modules/0/kernel/{os.path.basename(module)}", at, MODULE_SPACE, 0)
        ids += build_id(f"/lib/modules/0/kernel/{os.path.basename(module)}", build_id_of(module))
        places += [(module, 0, at, chance.randrange(size)) for _ in range(args.count // len(args.modules))]
    records += b"".join(sample(base + off) for _, _, base, off in places)
    with tempfile.NamedTemporaryFile(suffix=".data") as data:
        data.write(recording(records, ids))
        data.flush()
        dirs = ":".join(sorted({os.path.dirname(os.path.abspath(m)) for m in args.modules}))
        ours = ask_pdconv(args.frames, data.name, args.vmlinux, dirs)
    verdicts = collections.Counter()
    for path in [args.vmlinux] + args.modules:
        wanted = [(base + off, linked + off) for p, linked, base, off in places if p == path]
        functions = functions_of(path)
        theirs = ask_addr2line(path, [vaddr for _, vaddr in wanted])
        for (addr, vaddr), answer in zip(wanted, theirs):
            mine, other = normal(ours.get(addr, [])), normal(answer)
            kind = kind_of(mine, other, is_covered(functions, vaddr))
            verdicts[kind] += 1
            if args.verbose and kind != "identical":
                print(f"{kind}: {os.path.basename(path)} {vaddr:x}\n  ours   {mine}\n  theirs {other}")
    total = sum(verdicts.values())
    for kind, n in verdicts.most_common():
        print(f"{100 * n / total:7.3f} % {n:6} {kind}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
