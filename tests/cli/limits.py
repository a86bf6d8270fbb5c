"""Binaries that reach the limits of base/limit_defs.h: each limit is reported once, with the file.

Usage: limits.py PDCONV ROOT

Programs are those of bench/growth_binaries.py, and others like them. What is reported must be exactly the limits that a
program is made to reach, so one that stays just below reports none.
"""
import gzip
import lzma
import os
import re
import struct
import subprocess
import sys
import tarfile
import zlib

PDCONV, ROOT = sys.argv[1:]
sys.path.append(os.path.join(ROOT, "bench"))
import growth_binaries as made
import growth_elf as elf
import growth_shapes
import hostile_recording
import old_kernel
from growth_binaries import BASE, CU, FUNCTION, Program, SIZE, Stacks, at, frames, span
from growth_elf import ADDR, DATA4, HIGH, LANGUAGE, LOW, NAME, NAMESPACE, STRING, STRP, SUBPROGRAM, TEXT, uleb


def nested_namespaces(n):
    """A function of C++ in n namespaces"""
    row = (CU[0], 1, (*CU[2], (LANGUAGE, DATA4)))
    dies = (uleb(2) + b"n\0") * n + uleb(3) + span(TEXT, SIZE, b"f") + b"\0" * n
    info = elf.unit(uleb(1) + span(TEXT, SIZE) + struct.pack("<I", elf.C_PLUS_PLUS) + dies + b"\0")
    return Program(1).dwarf(info, elf.abbreviations(row, (NAMESPACE, 1, ((NAME, STRING),)), FUNCTION))


def many_attributes(n):
    """A table of abbreviations with n attributes, the last of which belong to the function"""
    rows = [CU] + [(0x34, 0, ((0x2000, 0x19),) * 250)] * (n // 250) + [FUNCTION]
    die = uleb(len(rows)) + span(TEXT, SIZE, b"f")
    return Program(1).dwarf(elf.unit(uleb(1) + span(TEXT, SIZE) + die + b"\0"), elf.abbreviations(*rows))


def long_text(n):
    """A function whose name in .debug_str has n bytes"""
    row = (SUBPROGRAM, 0, ((NAME, STRP), (LOW, ADDR), (HIGH, DATA4)))
    die = uleb(2) + struct.pack("<IQI", 0, TEXT, SIZE)
    return Program(1).one_unit(die, row, str=b"f" * n + b"\0" + bytes(1 << 18))


class ByPath(growth_shapes.Shape):
    """A recording of a program at a path, which is followed by steps"""

    is_by_steps = True

    def __init__(self, path, file, links):
        super().__init__()
        self.map(BASE, 4096, path)
        self.sample(BASE)
        program = Program(1)
        program.elf.symbols([("f", TEXT, SIZE)])
        self.files = {file: program.elf.file()}
        self.links = links


def links(n):
    """A program behind n links"""
    return ByPath(f"/links/{n}", "/links/0", {f"/links/{i}": str(i - 1) for i in range(1, n + 1)})


def folders(n):
    """A program in n folders"""
    path = "/d" * n + "/x"
    return ByPath(path, path, {})


def symbol(name, options=("--no-cache",)):
    """A program with one symbol"""
    s = Program(1)
    s.elf.symbols([(name, TEXT, SIZE)])
    s.options = options
    return s


class Sectionless(Program):
    """A program with n segments and no section headers"""

    def __init__(self, n):
        super().__init__(1)
        self.elf.segments += [(1, 4, 0x100000 * i, 16) for i in range(1, n)]

    def file(self):
        self.files["/bin/program"] = self.elf.file()
        program = bytearray(self.files["/bin/program"])
        program[40:48] = bytes(8)
        program[58:64] = bytes(6)
        self.elf.file = lambda: bytes(program)
        return super().file()


def doubled(n):
    """Name of a function whose arguments are templates of two equal arguments, n deep, and an expression"""
    types = "".join(f"S0_IS{i:X}_S{i:X}_E" for i in range(1, n))
    return symbol(f"_Z1fI1aIiiE{types}XstiEEvv")


def replaced(n):
    """Name of a function with n template arguments, which are replaced if they are too many"""
    return symbol("_Z1fI" + "1a" * n + "Evv")


def nested_symbols(n):
    """Symbols inside each other that end before some of the samples, in one around them"""
    s = Program(16)
    s.elf.symbols([("outer", TEXT, 16 * SIZE)] + [(f"s{i}", TEXT + 1 + i, 100 - 2 * i) for i in range(n)])
    return s


def compressed(size, name=".debug_frame", data=b"x"):
    """A section whose header says that it has this size"""
    s = Stacks(1)
    s.elf.add(name, struct.pack("<IIQQ", 1, 0, size, 1) + zlib.compress(data), flags=0x800)
    return s


def too_much_dwarf(size):
    """Debug information whose header says that it has this size"""
    s = made.units(1)
    s.elf.add(".debug_loc", struct.pack("<IIQQ", 1, 0, size, 1) + zlib.compress(b"x"), flags=0x800)
    return s


def minidebug(data):
    """A program with .gnu_debugdata"""
    s = Program(1)
    s.elf.add(".gnu_debugdata", data)
    return s


def large_dictionary(prop):
    """An xz stream whose decoder needs a dictionary of this size, as the format has it (40: 4 GiB)"""
    data = bytearray(lzma.compress(b"x" * 100, format=lzma.FORMAT_XZ))
    size = (data[12] + 1) * 4
    data[12 + data.index(b"\x21\x01", 12) - 12 + 2] = prop
    data[12 + size - 4:12 + size] = struct.pack("<I", zlib.crc32(bytes(data[12:12 + size - 4])))
    return minidebug(bytes(data))


def line_table(formats, name=b"f", in_section=False):
    """A program whose line table of DWARF 5 has so many forms for a file, of which the first is its name"""
    names = b"\x01\x01\x08\x01/d\0"
    rows = uleb(formats) + b"\x01" + (b"\x1f" if in_section else b"\x08") + b"\x05\x0b" * (formats - 1)
    entry = (struct.pack("<I", 0) if in_section else name + b"\0") + b"\0" * (formats - 1)
    files = rows + uleb(2) + entry * 2
    header = struct.pack("<BBBbBB", 1, 1, 1, -5, 14, 13) + bytes((0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1)) + names + files
    program = elf.sequence(TEXT, SIZE)
    body = struct.pack("<HBBI", 5, 8, 0, len(header)) + header + program
    die = uleb(1) + span(TEXT, SIZE) + struct.pack("<I", 0) + uleb(2) + span(TEXT, SIZE, b"f") + b"\0"
    return Program(1).dwarf(elf.unit(die), elf.abbreviations(made.CU_LINES, FUNCTION), line=struct.pack(
        "<I", len(body)) + body, line_str=name + b"\0" + bytes(1 << 14))


def with_code(s, code):
    """Replace the code of a program."""
    name, kind, flags, addr, _, link, entry = s.elf.sections[0]
    s.elf.sections[0] = (name, kind, flags, addr, code, link, entry)
    return s


def go_calls(n):
    """A function of Go whose stack pointer changes n times, and samples in it"""
    s = Stacks(n // SIZE)
    table = elf.go_table([(TEXT, 0, 1)], b"\0" + b"\x04\x01\x03\x01" * n + b"\0", b"main.f\0", BASE)
    s.elf.add(".gopclntab", table, flags=elf.ALLOC, addr=BASE // 2)
    return with_code(s, b"\xc3" * n)


def go_tree(calls, values, size):
    """A function of Go with this many inlined calls, each in the one before, and the values of its code"""
    tree = b"".join(struct.pack("<hBBIIII", i - 1, 0, 0, 0, 1, 0, 0) for i in range(calls))
    data, tree_at = b"\0" + made.GO_LINES[1:] + values + b"\0", 2 * BASE
    head = struct.pack("<IHBB", 0xfffffffa, 0, 1, 8)
    names, files = b"main.f\0", b"\0main.go\0"
    starts = [64]
    for part in names, struct.pack("<I", 1), files, data:
        starts.append(starts[-1] + len(part))
    starts[-1] += -starts[-1] % 8
    table = head + struct.pack("<7Q", 1, 1, *starts) + names + struct.pack("<I", 1) + files + data
    table += bytes(starts[-1] - len(table)) + struct.pack("<QQQ", TEXT, 24, TEXT + size)
    table += struct.pack("<QIIIIIIIIBBBB", TEXT, 0, 0, 0, 1, 1, 1, 3, 0, 0, 0, 0, 4)
    table += struct.pack("<IIIQQQQ", 0, 0, len(made.GO_LINES), 0, 0, 0, tree_at)
    s = Program(size // SIZE)
    s.elf.add(".gopclntab", table, flags=elf.ALLOC, addr=BASE // 2)
    s.elf.add(".noptrdata", tree, flags=elf.ALLOC, addr=tree_at)
    return s


def go_nested(n):
    """Inlined calls of Go inside each other"""
    return go_tree(n, uleb(2 * n) + uleb(SIZE), SIZE)


def go_changes(n):
    """Code of Go with n changes between an inlined call and none"""
    return go_tree(1, b"\x02\x01\x01\x01" * (n // 2), n)


def go_addresses(n):
    """A table of Go, and n words that may be the address of it"""
    s = Program(1)
    at = BASE // 2
    table = struct.pack("<IHBB8Q", 0xfffffff1, 0, 1, 8, 1, 1, TEXT, 72, 80, 80, 80, 80) + b"f\0".ljust(8, b"\0")
    table += struct.pack("<III", 0, 12, SIZE) + bytes(64)
    s.elf.add(".gopclntab", table, flags=elf.ALLOC, addr=at)
    s.elf.add(".data", struct.pack("<Q", at) * n + bytes(400), flags=elf.ALLOC, addr=2 * BASE)
    return s


def roots(n):
    """Functions at the base of a stack"""
    s = Stacks(1)
    s.elf.add(".gopclntab", elf.go_table([(at(i), 0, 1) for i in range(n)], made.GO_LINES, b"runtime.goexit\0", BASE),
              flags=elf.ALLOC, addr=BASE // 2)
    return s


def cfa(program, own=b""):
    """A function with this program of call frame instructions"""
    return frames(1, 1, at, lambda i: SIZE, lambda i: program)


def expression(code):
    """A function whose CFA is this expression"""
    return cfa(b"\x0f" + uleb(len(code)) + code)


def marked_rows(n):
    """Functions with long programs, with eight remembered rows each"""
    program = b"\x0a" * 8 + bytes(1100)
    return frames(n, n, at, lambda i: SIZE, lambda i: program)


def stack_code(code):
    """Code without call frame information"""
    return with_code(Stacks(max(len(code) // SIZE, 1)), code)


def arm_entry(n):
    """An entry of .ARM.exidx with n instructions in .ARM.extab"""
    s = Stacks(1, elf.ARM)
    index = TEXT + 16 * SIZE
    table = index + 16
    words = (n + 2) // 4
    body = bytes((0x81, words)) + bytes(4 * words + 2)
    extab = b"".join(body[i:i + 4][::-1] for i in range(0, len(body), 4))
    s.elf.add(".ARM.exidx", struct.pack("<II", (TEXT - index) & 0x7fffffff, (table - index - 4) & 0x7fffffff),
              kind=0x70000001, flags=elf.ALLOC, addr=index)
    s.elf.add(".ARM.extab", extab, flags=elf.ALLOC, addr=table)
    return s


def archive(n):
    """A tarball of n programs of perf archive, which are headers of programs only"""
    s = made.build_id_table(2)
    member = tarfile.TarInfo(".build-id/00/00")
    member.size = 8
    tar = member.tobuf(tarfile.USTAR_FORMAT) + b"\x7fELF".ljust(512, b"\0")
    s.beside[".tar.gz"] = gzip.compress(tar * n + bytes(1024), 1)
    return s


def bpf_programs(n):
    """BPF programs that had the same address, of which the first is sampled"""
    s = hostile_recording.Recording(b"x", False)
    program = s.features[25][4:]
    tags = (bytes((i % 256, i // 256, *hostile_recording.TAG[2:])) for i in range(2, n + 1))
    others = (program.replace(hostile_recording.TAG, tag) for tag in tags)
    s.features[25] = struct.pack("<I", n) + program + b"".join(others)
    return s


def large_file():
    """A program of more than 1 TiB, without blocks"""
    s = Program(1)
    s.extended = (1 << 40) + 1
    return s


def renamed_events(n):
    """A stream with names of events before n events"""
    s = growth_shapes.Pipe()
    desc = struct.pack("<II", 1, 64) + growth_shapes.attr(0, False) + struct.pack("<II8s", 0, 8, b"cycles")
    s.add(80, 0, struct.pack("<Q", 12) + desc)
    for i in range(n):
        s.add(growth_shapes.HEADER_ATTR, 0, growth_shapes.attr(i, True) + struct.pack("<Q", 1 + i))
    growth_shapes.identified(s, n, n)
    return s


def written(s, *output):
    """Set the options for the output of a recording."""
    s.output = output
    return s


# Programs, and the limits that they reach, in order of the alphabet.
CASES = (
    (links(40), ""),
    (links(41), "PATH_LINKS"),
    (folders(130), ""),
    (folders(150), "PATH_STEPS"),
    (made.units(1), ""),
    (made.deep_inlining(250), ""),
    (made.deep_inlining(300), "DIE_DEPTH"),
    (made.deep_entries(300), "DIE_DEPTH"),
    (nested_namespaces(32), ""),
    (nested_namespaces(33), "NAME_PARTS"),
    (made.origin_cycles(2), "DIE_ORIGINS"),
    (many_attributes(260000), ""),
    (many_attributes(263000), "ABBREVIATION_SPECS"),
    (made.attributes(256), ""),
    (made.attributes(257), "ENTRY_ATTRIBUTES"),
    (made.unit_overlapping_tables(2000), "ABBREVIATION_READS"),
    (made.shared_ranges(2000), "RANGE_LIST_READS"),
    (made.functions_overlapping(2000), "BYTE_WORK"),
    (made.functions_overlapping(20000), "UNIT_WORK"),
    (made.line_table_shared(100), "LINE_TABLE_READS"),
    (line_table(16), ""),
    (line_table(17), "LINE_ENTRY_FORMATS"),
    (line_table(1, b"f" * 4000, True), ""),
    (line_table(1, b"f" * 5000, True), "PATH_BYTES"),
    (made.skeletons(300), "PACKAGE_PROBES"),
    (long_text((1 << 17) - 1), ""),
    (long_text(1 << 17), "FUNCTION_NAME_BYTES"),
    (long_text(1 << 18), "NAME_BYTES"),
    (symbol("s" * ((1 << 17) - 1)), ""),
    (symbol("s" * (1 << 17)), "FUNCTION_NAME_BYTES"),
    (symbol("_Z4000" + "s" * 4000 + "v"), ""),
    (symbol("_Z5000" + "s" * 5000 + "v"), "MANGLED_BYTES"),
    (doubled(5), ""),
    (doubled(14), "DEMANGLED_BYTES"),
    (replaced(60000), ""),
    (Sectionless(256), ""),
    (Sectionless(257), "SECTIONLESS_SEGMENTS"),
    (nested_symbols(30), ""),
    (nested_symbols(40), "NESTED_SYMBOLS"),
    (compressed(1 << 28), ""),
    (compressed(1 << 30), "SECTION_RATIO"),
    (too_much_dwarf(17 << 30), "DEBUG_BYTES SECTION_RATIO"),
    (minidebug(lzma.compress(bytes(10 << 20))), ""),
    (minidebug(lzma.compress(bytes(20 << 20))), "MINIDEBUG_RATIO"),
    (large_dictionary(24), ""),
    (large_dictionary(32), "MINIDEBUG_DECODER_BYTES"),
    (made.go_lines(2000), "GO_VALUES"),
    (made.go_name(14000), "FUNCTION_NAME_BYTES"),
    (go_nested(256), ""),
    (go_nested(257), "GO_INLINE_DEPTH"),
    (go_changes(4096), ""),
    (go_changes(4112), "GO_TREE_VALUES"),
    (go_addresses(63), ""),
    (go_addresses(64), "GO_CANDIDATES"),
    (roots(64), ""),
    (roots(65), "ROOT_FUNCTIONS"),
    (go_calls(16000), ""),
    (go_calls(17000), "GO_STACK_CHANGES"),
    (cfa(bytes(262000)), ""),
    (cfa(bytes(263000)), "CFA_OPS"),
    (cfa(b"\x0a" * 8), ""),
    (cfa(b"\x0a" * 9), "CFA_STATES"),
    (marked_rows(2000), "CFA_MARKED_ROWS"),
    (expression(b"\x77\x08" + b"\x96" * 4000), ""),
    (expression(b"\x77\x08" + b"\x96" * 5000), "EXPRESSION_OPS"),
    (expression(b"\x30" * 64), ""),
    (expression(b"\x30" * 65), "EXPRESSION_VALUES"),
    (arm_entry(200), ""),
    (arm_entry(300), "EXIDX_OPS"),
    (stack_code(b"\x90" * 1600), ""),
    (stack_code(b"\x90" * 16000), ""),
    (stack_code(b"\xf4" + b"\x74\x02\x90\x90" * 60 + b"\xc3"), ""),
    (large_file(), "FILE_BYTES"),
)


# Recordings, and what is reported of them.
RECORDINGS = (
    (growth_shapes.attrs(16384), ""),
    (growth_shapes.attrs(16385), "attr: too many events"),
    (growth_shapes.pipe_attrs(16384), ""),
    (growth_shapes.pipe_attrs(16385), "ATTR: too many events"),
    (archive(65536), ""),
    (archive(65537), "perf.data.tar.gz: has too many files"),
    (renamed_events(1024), ""),
    (renamed_events(1025), "RENAMED_EVENTS: events have their generic names"),
    (written(growth_shapes.attrs(1024), "-f", "pprof", "-o", "out"), ""),
    (written(growth_shapes.attrs(1025), "-f", "pprof", "-o", "out"), "PPROF_EVENTS: all events share two values"),
    (bpf_programs(64), ""),
    (bpf_programs(66), "the limit for BPF programs that had the same address is reached"),
)


def write(shape):
    with open("perf.data", "wb") as file:
        file.write(shape.file())
    for suffix, contents in getattr(shape, "beside", {}).items():
        with open("perf.data" + suffix, "wb") as file:
            file.write(contents)
    for name, contents in getattr(shape, "files", {}).items():
        os.makedirs("root" + os.path.dirname(name), exist_ok=True)
        with open("root" + name, "wb") as file:
            file.write(contents)
            if getattr(shape, "extended", 0):
                file.truncate(shape.extended)
    for name, target in getattr(shape, "links", {}).items():
        if not os.path.lexists("root" + name):
            os.symlink(target, "root" + name)


def identified(s):
    """Add a build id, with which names are cached."""
    s.elf.add(".note.gnu.build-id", struct.pack("<III4s20s", 4, 20, 3, b"GNU", b"i" * 20), kind=7, flags=elf.ALLOC)
    return s


def output_of(shape):
    return getattr(shape, "output", ("-f", "folded", "-o", "/dev/null"))


def check(number, shape, limits):
    write(shape)
    options = getattr(shape, "options", ("--no-cache",))
    run = old_kernel.run if getattr(shape, "is_by_steps", False) else subprocess.run
    done = run([PDCONV, "perf.data", "--symfs", "root", *output_of(shape), *options],
               capture_output=True, text=True, check=False)
    lines = [line for line in done.stderr.splitlines() if line.endswith(" is reached")]
    found = [re.fullmatch(r"pdconv: [^:]+: ([A-Z_]+): .*: the limit for .* is reached", line) for line in lines]
    ok = not done.returncode and all(found) and sorted(match[1] for match in found) == limits.split()
    if not ok:
        print(f"case {number}, {limits or 'no limit'}: status {done.returncode}: {done.stderr}")
    return ok


def check_recording(number, shape, message):
    write(shape)
    done = subprocess.run([PDCONV, "perf.data", "--no-cache", "--symfs", "empty", *output_of(shape)],
                          capture_output=True, text=True, check=False)
    found = re.findall(r"is reached|too many|too long|left out", done.stderr)
    ok = not done.returncode and (message in done.stderr if message else not found)
    if not ok:
        print(f"recording {number}, {message or 'no limit'}: status {done.returncode}: {done.stderr[:2000]}")
    for suffix in getattr(shape, "beside", {}):
        os.unlink("perf.data" + suffix)
    return ok


def main():
    wrong = 0
    os.environ["XDG_CACHE_HOME"] = os.getcwd()
    os.mkdir("empty")
    for number, (shape, limits) in enumerate(CASES):
        wrong += not check(number, shape, limits)
    for number, (shape, message) in enumerate(RECORDINGS):
        wrong += not check_recording(number, shape, message)
    # The cache of names keeps no table that lacks something.
    for shape, limits in ((made.deep_inlining(250), ""), (made.deep_inlining(300), "DIE_DEPTH")):
        identified(shape).options = ()
        for when in "cached", "again":
            wrong += not check(when, shape, limits)
        is_kept = any(name.endswith(".names") for name in os.listdir("pdconv"))
        wrong += is_kept != (not limits)
        for name in os.listdir("pdconv"):
            os.unlink("pdconv/" + name)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
