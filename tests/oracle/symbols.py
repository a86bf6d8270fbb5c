#!/usr/bin/env python3
"""Compare names of symbols of installed binaries with those of `perf script`.

usage: symbols.py ADDRESSES BINARY...

ADDRESSES prints names of addresses (addresses.c). For each binary, writes a recording with samples at the
start, in the middle, at the last byte and after the end of each symbol, so that perf chooses among aliases
and overlapping symbols. Prints a line for each binary. Fails if a name differs for a reason that is not in
REASONS.
"""
import collections
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

import aliases

# Reasons for a different name where ours is right.
REASONS = {
    "alias": "of symbols with the same address perf chooses one that is not weak, and longer",
    "label": "perf ends a function at a label without a size within it, and extends the label to the next symbol",
    "empty": "perf chooses an empty symbol at the same address",
    "object": "perf names tables within functions",
    "nested": "perf finds the function around a symbol first",
    "language": "perf does not demangle this language, or shows the number of an OCaml function",
}

BASE = 0x7f0000000000
PAGE = 4096
MMAP, COMM, SAMPLE, USER = 1, 3, 9, 2
IP_TID = 3

Symbol = collections.namedtuple("Symbol", "start size kind name")


def output(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=True, **more).stdout


def segments(path):
    """Return [(offset, vaddr, size)] of executable segments."""
    found = re.findall(r"LOAD +0x(\w+) 0x(\w+) 0x\w+ 0x(\w+) 0x\w+ R E", output("readelf", "-lW", path))
    return [tuple(int(number, 16) for number in numbers) for numbers in found]


def files_of(path):
    """Return the binary and its debug file."""
    match = re.search(r"Build ID: (..)(\w+)", output("readelf", "-nW", path))
    debug = pathlib.Path("/usr/lib/debug/.build-id", match[1], match[2] + ".debug") if match else None
    return [path, str(debug)] if debug and debug.exists() else [path]


def unversioned(name):
    """Remove a symbol version, also as readelf shows it, and suffixes of compilers."""
    return aliases.unsuffixed(re.sub(r"@@?(?!plt$)[A-Za-z][\w.+-]*( \(\d+\))?$", "", name.strip()))


def code_sections(path):
    """Return the numbers of executable sections."""
    return re.findall(r"\[ *(\d+)\] .* +\w*AX\w* ", output("readelf", "-SW", path))


def read_symbols(path):
    for file in files_of(path):
        code = code_sections(file)
        for line in output("readelf", "-sW", file).splitlines():
            fields = line.split(None, 7)
            if len(fields) >= 8 and fields[0][:-1].isdigit() and fields[6] in code:
                yield Symbol(int(fields[1], 16), int(fields[2], 0), fields[3], unversioned(fields[7]))


def places(symbols, code):
    chance = random.Random(1)
    found = set()
    for symbol in symbols:
        if symbol.kind in ("FUNC", "IFUNC", "NOTYPE", "OBJECT"):
            last = max(symbol.size, 1) - 1
            found.update(symbol.start + inside for inside in (0, chance.randint(0, last), last, last + 1))
    return sorted(addr for addr in found if any(start <= addr < start + size for _, start, size in code))


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def recording(path, addrs, code):
    name = path.encode() + b"\0"
    name += bytes(-len(name) % 8)
    data = record(COMM, 0, struct.pack("<II8s", 100, 100, b"symbols"))
    for offset, start, size in code:
        begin, end = start // PAGE * PAGE, -(-(start + size) // PAGE) * PAGE
        data += record(MMAP, USER, struct.pack("<IIQQQ", 100, 100, BASE + begin, end - begin, offset // PAGE * PAGE)
                       + name)
    data += b"".join(record(SAMPLE, USER, struct.pack("<QII", BASE + addr, 100, 100)) for addr in addrs)
    attr = struct.pack("<IIQQQQQIIQQ", 1, 72, 0, 1, IP_TID, 0, 0, 0, 0, 0, 0) + bytes(16)
    return struct.pack("<8sQQQQQQQQ", b"PERFILE2", 104, 88, 104, 88, 192, len(data), 0, 0) + bytes(32) + attr + data


def perf_names(path, addrs, code):
    with tempfile.NamedTemporaryFile(suffix=".data") as file:
        file.write(recording(path, addrs, code))
        file.flush()
        lines = output("perf", "script", "-i", file.name, "-F", "ip,sym", "--no-inline").splitlines()
    found = dict(line.split(None, 1) for line in lines if line.strip())
    return {int(addr, 16) - BASE: "??" if name == "[unknown]" else unversioned(name)
            for addr, name in found.items()}


def our_names(program, path, addrs, *form):
    """Return the outermost function of each address."""
    ret = {}
    lines = iter(output(program, *form, path, input="".join(f"{addr:x}\n" for addr in addrs)).splitlines())
    for line in lines:
        if re.fullmatch("0x[0-9a-f]{16}", line):
            addr = int(line, 16)
        else:
            ret[addr] = line
            next(lines)
    return ret


def uses_language(path):
    """Return whether the binary is of a language that perf does not demangle as pdconv does."""
    marks = r" (caml_call_gc|caml_shared_startup|stg_ap_|NimMain|FPC_|__gnat_|_gfortran_)"
    return any(re.search(marks, output("readelf", "-sW", file)) for file in files_of(path))


def as_perf(name):
    """Return a linkage name as perf shows it. Of these languages perf knows OCaml, and replaces what looks like it."""
    if not re.match("caml[A-Z]", name):
        return name
    return re.sub(r"\$([0-9a-f]{2})", lambda match: chr(int(match[1], 16)), name[4:].replace("__", "."))


def is_nested(addr, outer, inner):
    return any(a.start <= b.start <= addr < a.start + a.size for a in outer for b in inner)


def why(addr, theirs, ours, linkage, by_name, objects):
    if linkage and theirs == as_perf(linkage):
        return "language"
    candidates = by_name.get(theirs, [])
    same = {symbol.start for symbol in by_name.get(linkage or ours, [])}
    if any(symbol.start in same and symbol.start <= addr < symbol.start + symbol.size for symbol in candidates):
        return "alias"
    if any(start <= addr < start + size for start, size in objects):
        return "object"
    if any(symbol.kind == "NOTYPE" and not symbol.size for symbol in candidates):
        return "label"
    if any(symbol.kind == "FUNC" and not symbol.size for symbol in candidates):
        return "empty"
    if is_nested(addr, candidates, by_name.get(linkage or ours, [])):
        return "nested"
    return None


def compare(program, path):
    symbols = list(read_symbols(path))
    code = segments(path)
    addrs = places(symbols, code)
    theirs, ours = perf_names(path, addrs, code), our_names(program, path, addrs, "-C")
    linkage = our_names(program, path, addrs) if uses_language(path) else {}
    by_name = collections.defaultdict(list)
    for symbol in symbols:
        by_name[symbol.name].append(symbol)
        if as_perf(symbol.name) != symbol.name:
            by_name[as_perf(symbol.name)].append(symbol)
        if symbol.kind == "FUNC" and not symbol.size:
            by_name[demangled(symbol.name)].append(symbol)
    objects = [(symbol.start, symbol.size) for symbol in symbols if symbol.kind == "OBJECT"]
    different = [addr for addr in addrs if theirs.get(addr) != ours[addr]]
    reasons = {addr: why(addr, theirs.get(addr), ours[addr], linkage.get(addr), by_name, objects) for addr in different}
    wrong = [addr for addr in different if not reasons[addr]]
    counts = collections.Counter(reason for reason in reasons.values() if reason)
    print(f"{path}: {len(addrs)} addresses, {100 - 100 * len(different) / max(len(addrs), 1):.3f} % identical, "
          f"{len(wrong)} wrong" + "".join(f", {n} {reason}" for reason, n in counts.items()))
    for addr in wrong[:5]:
        print(f"  {addr:#x}: {ours[addr]}, perf has {theirs.get(addr)}")
    return bool(addrs) and not wrong


def demangled(name):
    """Return a name as perf shows it, without parameters."""
    return output("c++filt", "-p", name).strip()


def main():
    passed = [compare(str(pathlib.Path(sys.argv[1]).resolve()), str(pathlib.Path(path).resolve()))
              for path in sys.argv[2:]]
    return 0 if passed and all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
