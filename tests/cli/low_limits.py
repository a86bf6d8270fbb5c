"""Inputs that reach the limits of tests/cli/low_limits.h, with a program that was built with them.

Usage: low_limits.py PDCONV ROOT

The limits are those that only huge inputs reach otherwise. Each of them must have a case here.
"""
import lzma
import os
import random
import struct
import subprocess
import sys
import time

import limits as common
import growth_binaries as made
import growth_elf as elf
import growth_shapes as shapes
from growth_binaries import BASE, CU, FUNCTION, Program, SIZE, Stacks, at, span
from growth_elf import ADDR, DATA4, HIGH, LOW, NAME, STRING, TEXT, uleb

PDCONV, ROOT = sys.argv[1:]
X86_PLT_ENTRY = b"\xff\x25"


def large_units(n):
    """Units of 20 functions each"""
    functions = (b"".join(uleb(2) + span(at(20 * i + k), SIZE, b"f") for k in range(20)) for i in range(n))
    units = (elf.unit(uleb(1) + span(at(20 * i), 20 * SIZE) + dies + b"\0") for i, dies in enumerate(functions))
    return Program(20 * n).dwarf(b"".join(units), elf.abbreviations(CU, FUNCTION))


def split_units(n):
    """A skeleton unit whose .dwo file has n units"""
    rows = (0x11, 0, ((LOW, ADDR), (HIGH, DATA4), (0x2130, STRING), (0x2131, 7)))
    info = elf.unit(uleb(1) + struct.pack("<QI", TEXT, SIZE) + b"/x.dwo\0" + struct.pack("<Q", 1))
    s = Program(1).dwarf(info, elf.abbreviations(rows))
    own = elf.Elf(SIZE)
    own.add(".debug_info.dwo", elf.unit(uleb(1) + b"f\0" + struct.pack("<Q", 1)) * n)
    own.add(".debug_abbrev.dwo", elf.abbreviations((0x11, 0, ((NAME, STRING), (0x2131, 7)))))
    s.files["/x.dwo"] = own.file()
    return s


def plt(n):
    """A program whose n entries of the PLT have a relocation each"""
    s = Program(n)
    got = TEXT + (n + 16) * SIZE
    code = b"".join(X86_PLT_ENTRY + struct.pack("<i", got + 8 * i - at(i) - 6) + b"\x90" * 10 for i in range(n))
    s.elf.sections[0] = (".plt", *s.elf.sections[0][1:4], code, 0, SIZE)
    names = elf.Strings()
    symbols = bytearray(24)
    for i in range(n):
        symbols += struct.pack("<IBBHQQ", names.add(f"s{i}"), 0x12, 0, 0, 0, 0)
    s.elf.add(".dynstr", names.data, elf.STRTAB, elf.ALLOC)
    s.elf.add(".dynsym", symbols, 11, elf.ALLOC, link=2, entry=24)
    s.elf.add(".rela.plt", b"".join(struct.pack("<QQq", got + 8 * i, (i + 1) << 32 | 7, 0) for i in range(n)), 4,
              elf.ALLOC, link=3, entry=24)
    return s


def kernel_module(size):
    """A module of the kernel with a section of this size"""
    s = shapes.Shape()
    start = 0xffffffffc0000000
    path = "/lib/modules/6.1/kernel/m.ko"
    s.map(start, 0x10000, path, 0xffffffff, misc=shapes.KERNEL)
    s.sample(start + 16, misc=shapes.KERNEL)
    module = elf.Elf(size)
    module.symbols([("f", 0, 32)])
    module.add(".modinfo", b"vermagic=6.1 SMP\0")
    s.features[4] = struct.pack("<I8s", 8, b"6.1")
    data = bytearray(module.file())
    struct.pack_into("<H", data, 16, 1)
    s.files[path] = bytes(data)
    return s


def run_times(n):
    """Processes with a mapping of a language's runtime each"""
    s = shapes.Shape()
    for i in range(n):
        s.map(BASE, 4096, "/usr/lib/libpython3.11.so.1.0", 100 + i)
        s.sample(BASE, 100 + i)
    return s


class Known(Program):
    """A program with a build id, for which names are kept."""

    options = ()

    def __init__(self, n):
        super().__init__(n)
        common.identified(self)
        self.elf.symbols((f"symbol{i}", at(i), SIZE) for i in range(n))


def stitched(n):
    """Stacks of n threads"""
    s = Stacks(4)
    for i in range(n):
        at_ = len(s.data)
        s.stack(i % 4)
        struct.pack_into("<II", s.data, at_ + 16, 7, 100 + i)
    return s


# Incompressible bytes, so that no ratio is exceeded.
NOISE = random.Random(1).randbytes(8000)


def many_tables(n):
    """Units with a table of 250 attributes each"""
    row = (0x34, 0, ((0x2000, 0x19),) * 247)
    table = elf.abbreviations(CU, row)
    dies = [elf.unit(uleb(1) + span(at(i), SIZE) + b"\0", i * len(table)) for i in range(n)]
    return Program(n).dwarf(b"".join(dies), table * n)


class Stream(shapes.Pipe):
    """A stream with one event"""

    def __init__(self):
        super().__init__()
        self.add(shapes.HEADER_ATTR, 0, shapes.attr(0, False))

    def build_id(self, i):
        row = struct.pack("<i20s4x", -1, i.to_bytes(20, "little")) + shapes.text(f"/nowhere/lib{i}.so")
        self.add(shapes.HEADER_BUILD_ID, shapes.USER, row)


def build_ids(n):
    """BUILD_ID records of a stream"""
    s = Stream()
    for i in range(n):
        s.build_id(i)
    s.sample(4096)
    return s


def event_types(n):
    """EVENT_TYPE records of a stream"""
    s = Stream()
    for i in range(n):
        s.add(65, 0, struct.pack("<Q64s", i, b"name%d" % i))
    s.sample(4096)
    return s


def event_ids(n):
    """An event of a stream with n ids"""
    s = shapes.Pipe()
    s.add(shapes.HEADER_ATTR, 0, shapes.attr(0, True) + struct.pack(f"<{n}Q", *range(1, n + 1)))
    shapes.identified(s, 1, 1)
    return s


def late_event(n, size=8):
    """A stream with n records between its two events"""
    s = shapes.Pipe()
    s.add(shapes.HEADER_ATTR, 0, shapes.attr(0, True) + struct.pack("<Q", 1))
    for i in range(n):
        s.map(i * 4096 + 4096, 4096, "/" + "p" * size)
    s.add(shapes.HEADER_ATTR, 0, shapes.attr(1, True) + struct.pack("<Q", 2))
    shapes.identified(s, 2, 2)
    return s


def sampled(s):
    s.sample(4096)
    return s


def long_names(n):
    """A function with a short name and n names of 9,000 bytes"""
    s = made.Program(1)
    s.elf.symbols([("s", made.TEXT, made.SIZE)] + [("s" * 9000 + str(i), made.TEXT, made.SIZE) for i in range(n)])
    return s


def package(n):
    """Mappings of a package"""
    s = shapes.Shape()
    for i in range(n):
        s.map(BASE + 0x10000 * i, 4096, "/app/base.apk", offset=4096 * i)
        s.sample(BASE + 0x10000 * i)
    return s


# Programs, and the limits that they reach.
CASES = (
    (made.units(10), ""),
    (many_tables(10), ""),
    (many_tables(50), "KEPT_SPECS"),
    (made.inlined(63), ""),
    (made.inlined(64), "UNIT_RANGES"),
    (made.units(64), ""),
    (made.units(65), "BINARY_RANGES"),
    (large_units(3), ""),
    (large_units(8), "UNIT_LOCATIONS"),
    (split_units(4), ""),
    (split_units(5), "SPLIT_UNITS"),
    (made.symbols(100), ""),
    (made.symbols(2000), "NAME_TABLE_BYTES"),
    (long_names(2), ""),
    (long_names(4), "LONG_NAMES_BYTES"),
    (common.minidebug(lzma.compress(NOISE + bytes(1000000))), ""),
    (common.minidebug(lzma.compress(NOISE + bytes(1100000))), "MINIDEBUG_BYTES"),
    (package(4), ""),
    (package(5), "PACKAGE_SEARCHES"),
    (plt(64), ""),
    (plt(65), "PLT_RELOCATIONS"),
    (common.stack_code(b"\x90" * 1024), ""),
    (common.stack_code(b"\x90" * 1040), ""),
    (kernel_module(4096), ""),
    (kernel_module(4112), "MODULE_BYTES"),
    (made.go_functions(64), ""),
    (made.go_functions(65), "GO_TREE_FUNCTIONS"),
    (Known(2), ""),
    (Known(100), "CACHE_FILE_BYTES"),
)

PERFDATA = ("-f", "perfdata", "-o", "out")
TOO_MANY_BUILD_IDS = "BUILD_ID: too many build ids: further ones are left out"
TOO_MANY_IDS = "ATTR: too many ids: further ones are left out"
# Recordings, and what is reported of them.
RECORDINGS = (
    (sampled(shapes.mappings(63)), ""),
    (sampled(shapes.mappings(65)), "MAPPINGS: "),
    (run_times(64), ""),
    (run_times(65), "RUNTIME_STEPS: "),
    (build_ids(64), ""),
    (build_ids(65), TOO_MANY_BUILD_IDS),
    (common.written(build_ids(10), *PERFDATA), ""),
    (common.written(build_ids(30), *PERFDATA), "EDIT_BUILD_ID_BYTES: "),
    (common.written(event_types(14), *PERFDATA), ""),
    (common.written(event_types(15), *PERFDATA), "EDIT_EVENT_TYPE_BYTES: "),
    (event_ids(64), ""),
    (event_ids(65), TOO_MANY_IDS),
    (late_event(50), ""),
    (late_event(70), "AHEAD_RECORDS: "),
    (late_event(10, 4000), "AHEAD_BYTES: "),
    (common.written(stitched(8), "-f", "folded", "-o", "/dev/null", "--stitch"), ""),
    (common.written(stitched(80), "-f", "folded", "-o", "/dev/null", "--stitch"), "STITCHED_FRAMES: "),
)


# A file of sysfs, whose size is that of a page.
VIRTUAL_FILE = "/sys/kernel/uevent_seqnum"


def check_index():
    """An entry of the index that is too large, and one that depends on a file that is too large"""
    os.environ["PDCONV_INDEX_SECONDS"] = "0"
    cases = [(made.symbols(100), (), "perf.data: CACHE_FILE_BYTES")]
    if os.path.exists(VIRTUAL_FILE):
        cases.append((made.kallsyms(1), ("--kallsyms", VIRTUAL_FILE), "kernel: COMPARED_BYTES"))
    wrong = 0
    for shape, words, limit in cases:
        common.write(shape)
        # Answers about a file that was just changed are not kept.
        time.sleep(0.1)
        for quiet in (), ("-q",):
            done = subprocess.run([PDCONV, "perf.data", "--symfs", "root", *words, "--folded", "-o", "out", *quiet],
                                  capture_output=True, text=True, check=False)
            expected = not quiet
            if done.returncode or done.stderr.count(f"pdconv: {limit}: ") != expected:
                print(f"{limit}, {' '.join(quiet)}: status {done.returncode}: {done.stderr}")
                wrong += 1
    if any(name.endswith(".index") for name in os.listdir("pdconv")):
        print("an entry is kept")
        wrong += 1
    return wrong


def check_strict():
    """--strict refuses what leaves names out, not names that are too many to be kept for the next run"""
    wrong = 0
    for shape, limit, status in ((made.units(65), "BINARY_RANGES", 3), (Known(100), "CACHE_FILE_BYTES", 0)):
        common.write(shape)
        done = subprocess.run([PDCONV, "perf.data", "--symfs", "root", "--strict", "--folded", "-o", "out"],
                              capture_output=True, text=True, check=False)
        if done.returncode != status or f"{limit}: " not in done.stderr:
            print(f"--strict, {limit}: status {done.returncode}: {done.stderr}")
            wrong += 1
    return wrong


def check_foreign(text, status, message):
    """Name the addresses in a text, which is no recording."""
    with open("text", "w", encoding="ascii") as file:
        file.write(text)
    done = subprocess.run([PDCONV, "symbolize", "text", "--no-cache", "--symfs", "empty"],
                          capture_output=True, text=True, check=False)
    ok = done.returncode == status and (message in done.stderr if message else "limit" not in done.stderr)
    ok = ok and done.stdout == (text if not status else "")
    if not ok:
        print(f"text of {len(text)} bytes, {message or 'no limit'}: status {done.returncode}: {done.stderr}")
    return ok


FOREIGN = (
    ("." * 65536, 0, ""),
    ("." * 65537, 1, "pdconv: text: too large: the limit FOREIGN_BYTES is 65536 bytes"),
    ("".join(f"/{i}.so+0x10 /{i}.so+0x20\n" for i in range(64)), 0, ""),
    ("".join(f"/{i}.so+0x10 /{i}.so+0x20\n" for i in range(65)), 0, "pdconv: text: FOREIGN_MODULES: "),
)


def main():
    wrong = 0
    os.environ["XDG_CACHE_HOME"] = os.getcwd()
    os.mkdir("empty")
    for number, (shape, limits) in enumerate(CASES):
        wrong += not common.check(number, shape, limits)
    for number, case in enumerate(RECORDINGS):
        wrong += not common.check_recording(number, *case)
    wrong += check_index()
    wrong += check_strict()
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
