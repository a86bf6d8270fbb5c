"""Recordings of programs whose files are made to take long: see growth_shapes.py."""
import io
import struct
import tarfile

import growth_elf as elf
from growth_elf import (ADDR, CALL_LINE, COMPILE_UNIT, C_PLUS_PLUS, DATA4, DECL_FILE, Elf, FLAG, HIGH, IMPORT,
                        IMPORTED_UNIT, INLINED, LANGUAGE, LOW, NAME, NAMESPACE, ORIGIN, PARTIAL_UNIT, RANGES, REF4,
                        REF_ADDR, SEC_OFFSET, SPECIFICATION, STMT_LIST, STRING, SUBPROGRAM, TEXT, UDATA, uleb)
from growth_shapes import FLAGS, KERNEL, PAGE, SAMPLE_TYPE, Shape, text

# Where the program is mapped, and the size of a function.
BASE = 0x10000000
SIZE = 16
CU = (COMPILE_UNIT, 1, ((NAME, STRING), (LOW, ADDR), (HIGH, DATA4)))
CU_LINES = (COMPILE_UNIT, 1, ((NAME, STRING), (LOW, ADDR), (HIGH, DATA4), (STMT_LIST, SEC_OFFSET)))
FUNCTION = (SUBPROGRAM, 0, ((NAME, STRING), (LOW, ADDR), (HIGH, DATA4)))


def at(i):
    return TEXT + SIZE * i


def span(addr, size, name=b"f"):
    """Attributes of a unit or function: name, address and size."""
    return name + b"\0" + struct.pack("<QI", addr, size)


def named(i):
    return b"f%x" % i


class Program(Shape):
    """A program with n functions, and a sample in each."""

    def __init__(self, n, machine=elf.X86_64, sampled=True):
        super().__init__()
        self.n = n
        self.elf = Elf(max(n, 1) * SIZE, machine)
        self.map(BASE + TEXT, max(n, 1) * SIZE, "/bin/program", offset=TEXT)
        for i in range(n if sampled else 0):
            self.sample(BASE + at(i))

    def dwarf(self, info, abbrevs, **sections):
        self.elf.add(".debug_info", info)
        self.elf.add(".debug_abbrev", abbrevs)
        for name, data in sections.items():
            self.elf.add(".debug_" + name, data)
        return self

    def one_unit(self, dies, *rows, **sections):
        """Add one unit that has all of the code, with these entries below its own one."""
        return self.dwarf(elf.unit(uleb(1) + span(TEXT, self.n * SIZE) + dies + b"\0"), elf.abbreviations(CU, *rows),
                          **sections)

    def file(self):
        self.files["/bin/program"] = self.elf.file()
        return super().file()


def units(n):
    """Units of one function each, with one table of abbreviations"""
    dies = (uleb(1) + span(at(i), SIZE) + uleb(2) + span(at(i), SIZE, named(i)) + b"\0" for i in range(n))
    return Program(n).dwarf(b"".join(map(elf.unit, dies)), elf.abbreviations(CU, FUNCTION))


def empty_units(n):
    """Units of one entry without children"""
    row = (COMPILE_UNIT, 0, CU[2])
    return Program(n).dwarf(b"".join(elf.unit(uleb(1) + span(at(i), SIZE)) for i in range(n)), elf.abbreviations(row))


def unit_tables(n):
    """Units with a table of abbreviations each"""
    table = elf.abbreviations(CU, FUNCTION)
    dies = (uleb(1) + span(at(i), SIZE) + uleb(2) + span(at(i), SIZE, named(i)) + b"\0" for i in range(n))
    return Program(n).dwarf(b"".join(elf.unit(d, i * len(table)) for i, d in enumerate(dies)), table * n)


def unit_codes(n):
    """Units with one table of abbreviations, of which each uses another one for its own entry"""
    row = (COMPILE_UNIT, 0, CU[2])
    return Program(n).dwarf(b"".join(elf.unit(uleb(i + 1) + span(at(i), SIZE)) for i in range(n)),
                            elf.abbreviations(*(row,) * n))


def unit_overlapping_tables(n):
    """Units whose tables of abbreviations are parts of one table, and use its last one"""
    row = (COMPILE_UNIT, 0, CU[2])
    rows = [elf.abbreviation(i + 1, *row) for i in range(n)]
    starts = [0]
    for data in rows:
        starts.append(starts[-1] + len(data))
    return Program(n).dwarf(b"".join(elf.unit(uleb(n) + span(at(i), SIZE), starts[i]) for i in range(n)),
                            b"".join(rows) + b"\0")


def attributes(n):
    """Functions of one byte, whose abbreviation has n attributes"""
    rows = (CU, (SUBPROGRAM, 0, ((0x2000, FLAG),) * n))
    return Program(1).dwarf(elf.unit(uleb(1) + span(TEXT, SIZE) + uleb(2) * n + b"\0"), elf.abbreviations(*rows))


def origins(n):
    """Functions whose abstract origin is the one before, of which every sixth has a name"""
    dies = bytearray()
    last = 0
    for i in range(n):
        here = 11 + 15 + len(dies)
        if i % 6:
            dies += uleb(2) + struct.pack("<QII", at(i), SIZE, last)
        else:
            dies += uleb(3) + span(at(i), SIZE, named(i))
        last = here
    return Program(n).one_unit(bytes(dies), (SUBPROGRAM, 0, ((LOW, ADDR), (HIGH, DATA4), (ORIGIN, REF4))), FUNCTION)


def origin_cycles(n):
    """Functions whose specification is the function itself, in units of their own"""
    data = bytearray()
    for i in range(n):
        here = len(data) + 11 + 15
        data += elf.unit(uleb(1) + span(at(i), SIZE) + uleb(2) + struct.pack("<QII", at(i), SIZE, here) + b"\0")
    row = (SUBPROGRAM, 0, ((LOW, ADDR), (HIGH, DATA4), (SPECIFICATION, REF_ADDR)))
    return Program(n).dwarf(bytes(data), elf.abbreviations(CU, row))


def imported_units(n):
    """Partial units that import each other in a loop"""
    rows = (CU, FUNCTION, (PARTIAL_UNIT, 1, ()), (IMPORTED_UNIT, 0, ((IMPORT, REF_ADDR),)))
    first = elf.unit(uleb(1) + span(TEXT, n * SIZE) + uleb(4) + struct.pack("<I", 0) + b"".join(
        uleb(2) + span(at(i), SIZE, named(i)) for i in range(n)) + b"\0")
    size = len(elf.unit(uleb(3) + uleb(4) + bytes(4) + b"\0"))
    parts = (elf.unit(uleb(3) + uleb(4) + struct.pack("<I", len(first) + (i + 1) % n * size + 11) + b"\0")
             for i in range(n))
    return Program(n).dwarf(first + b"".join(parts), elf.abbreviations(*rows))


def deep_entries(n):
    """Namespaces inside each other, with a function in each"""
    dies = b"".join(uleb(2) + b"n\0" + uleb(3) + span(at(i), SIZE, named(i)) for i in range(n)) + b"\0" * n
    return Program(n).one_unit(dies, (NAMESPACE, 1, ((NAME, STRING),)), FUNCTION)


def qualified(n):
    """Functions of C++ in a namespace each, which are declared in a large class"""
    row = (COMPILE_UNIT, 1, (*CU[2], (LANGUAGE, DATA4)))
    dies = b"".join(uleb(2) + b"n\0" + uleb(3) + span(at(i), SIZE, named(i)) + b"\0" for i in range(n))
    info = elf.unit(uleb(1) + span(TEXT, n * SIZE) + struct.pack("<I", C_PLUS_PLUS) + dies + b"\0")
    return Program(n).dwarf(info, elf.abbreviations(row, (NAMESPACE, 1, ((NAME, STRING),)), FUNCTION))


CALL = ((ORIGIN, REF4), (LOW, ADDR), (HIGH, DATA4), (CALL_LINE, DATA4))
INLINED_ROWS = ((SUBPROGRAM, 1, FUNCTION[2]), (INLINED, 1, CALL), (INLINED, 0, CALL))


def call(code, addr, size, line):
    return uleb(code) + struct.pack("<IQII", 11 + 15, addr, size, line)


def deep_inlining(n):
    """Inlined calls inside each other"""
    dies = b"".join(call(3, at(i), (n - i) * SIZE, i) for i in range(n)) + b"\0" * n
    return Program(n).one_unit(uleb(2) + span(TEXT, n * SIZE) + dies + b"\0", *INLINED_ROWS)


def inlined(n):
    """Inlined calls one after the other"""
    dies = b"".join(call(4, at(i), SIZE, i) for i in range(n))
    return Program(n).one_unit(uleb(2) + span(TEXT, n * SIZE) + dies + b"\0", *INLINED_ROWS)


def inlined_backwards(n):
    """Inlined calls in descending order of address"""
    dies = b"".join(call(4, at(n - 1 - i), SIZE // 2, i) for i in range(n))
    return Program(n).one_unit(uleb(2) + span(TEXT, n * SIZE) + dies + b"\0", *INLINED_ROWS)


def inlined_from_both_ends(n):
    """Inlined calls from both ends of the code in turn"""
    dies = b"".join(call(4, at(i // 2 if i % 2 else n - 1 - i // 2), SIZE // 2, i) for i in range(n))
    return Program(n).one_unit(uleb(2) + span(TEXT, n * SIZE) + dies + b"\0", *INLINED_ROWS)


def inlined_overlapping(n):
    """Inlined calls next to each other, and others with all of their code"""
    dies = b"".join(call(4, at(i), SIZE, i) for i in range(n // 2)) + b"".join(
        call(4, TEXT, n // 2 * SIZE, i) for i in range(n // 2))
    return Program(n).one_unit(uleb(2) + span(TEXT, n * SIZE) + dies + b"\0", *INLINED_ROWS)


def functions_overlapping(n):
    """Functions that all have all of the code"""
    dies = b"".join(uleb(2) + span(TEXT, n * SIZE, named(i)) for i in range(n))
    return Program(n).one_unit(dies, FUNCTION)


def functions_around(n):
    """Functions next to each other, and others with all of their code"""
    dies = b"".join(uleb(2) + span(at(i), SIZE, named(i)) for i in range(n // 2)) + b"".join(
        uleb(2) + span(TEXT, n // 2 * SIZE, named(i)) for i in range(n // 2))
    return Program(n).one_unit(dies, FUNCTION)


def units_overlapping(n):
    """Units with a part of the code each, whose functions have all of it"""
    dies = (uleb(1) + span(at(i), SIZE) + uleb(2) + span(TEXT, n * SIZE, named(i)) + b"\0" for i in range(n))
    return Program(n).dwarf(b"".join(map(elf.unit, dies)), elf.abbreviations(CU, FUNCTION))


def units_inside(n):
    """Units whose code is inside that of the next one"""
    dies = (uleb(1) + span(at(n - 1 - i), (i + 1) * SIZE) + uleb(2) + span(at(n - 1 - i), SIZE, named(i)) + b"\0"
            for i in range(n))
    return Program(n).dwarf(b"".join(map(elf.unit, dies)), elf.abbreviations(CU, FUNCTION))


def range_list(n):
    return b"".join(struct.pack("<QQ", at(2 * i) - TEXT, at(2 * i) - TEXT + SIZE) for i in range(n)) + bytes(16)


FUNCTION_RANGES = (SUBPROGRAM, 0, ((NAME, STRING), (RANGES, SEC_OFFSET)))


def shared_ranges(n):
    """Functions of one unit that share a list of ranges"""
    dies = b"".join(uleb(2) + named(i) + b"\0" + struct.pack("<I", 0) for i in range(n))
    return Program(n).one_unit(dies, FUNCTION_RANGES, ranges=range_list(n))


def units_sharing_ranges(n):
    """Units that share a list of ranges"""
    row = (COMPILE_UNIT, 0, ((NAME, STRING), (LOW, ADDR), (RANGES, SEC_OFFSET)))
    info = b"".join(elf.unit(uleb(1) + b"f\0" + struct.pack("<QI", TEXT, 0)) for i in range(n))
    return Program(n).dwarf(info, elf.abbreviations(row), ranges=range_list(n))


def functions_sharing_ranges(n):
    """Units in which functions share a list of ranges"""
    dies = b"".join(uleb(2) + named(i) + b"\0" + struct.pack("<I", 0) for i in range(64))
    info = b"".join(elf.unit(uleb(1) + span(at(i), SIZE) + dies + b"\0") for i in range(n))
    return Program(n).dwarf(info, elf.abbreviations(CU, FUNCTION_RANGES), ranges=range_list(n))


def aranges(n):
    """Units without addresses, and .debug_aranges that give each of them all of the code"""
    row = (COMPILE_UNIT, 0, ((NAME, STRING),))
    info = elf.unit(uleb(1) + b"f\0")
    body = bytes(4) + struct.pack("<QQ", TEXT, n * SIZE) + bytes(16)
    sets = b"".join(struct.pack("<IHIBB", 8 + len(body), 2, i * len(info), 8, 0) + body for i in range(n))
    return Program(n).dwarf(info * n, elf.abbreviations(row), aranges=sets)


def segments(n):
    """Segments of code, and units in the last one"""
    s = units(n)
    s.elf.segments = [(1, 5, TEXT + (n + i) * PAGE, SIZE) for i in range(min(n, 60000))]
    return s


def sections(n):
    """Sections of code, with a symbol without a size each"""
    s = Program(n)
    s.elf.symbols(((f"s{i}", at(i), 0) for i in range(n)))
    for i in range(min(n, 60000)):
        s.elf.add(".init_", b"", flags=elf.EXEC, addr=at(i))
    return s


def lines(n, program, dirs=("d",), files=(("f", 1),)):
    table = elf.line_table(dirs, files, program)
    info = elf.unit(uleb(1) + span(TEXT, n * SIZE) + struct.pack("<I", 0) + uleb(2) + span(TEXT, n * SIZE) + b"\0")
    return Program(n).dwarf(info, elf.abbreviations(CU_LINES, FUNCTION), line=table)


LINES = "--folded --context -o /dev/null"


def line_sequences(n):
    """Sequences of one row each in one line table"""
    return lines(n, b"".join(elf.sequence(at(i), SIZE, line=i) for i in range(n)))


line_sequences.args = LINES


def line_sequences_overlapping(n):
    """Sequences of all of the code in one line table"""
    return lines(n, b"".join(elf.sequence(TEXT, n * SIZE, line=i) for i in range(n)))


line_sequences_overlapping.args = LINES


def line_files(n):
    """Directories and files of one line table"""
    return lines(n, b"".join(elf.sequence(at(i), SIZE, file=i + 1) for i in range(n)), [f"d{i}" for i in range(n)],
                 [(f"f{i}", i + 1) for i in range(n)])


line_files.args = LINES


def line_tables(n):
    """Units with a line table each"""
    tables = [elf.line_table(("d",), ((f"f{i}", 1),), elf.sequence(at(i), SIZE)) for i in range(n)]
    dies, offset = [], 0
    for i, table in enumerate(tables):
        dies.append(uleb(1) + span(at(i), SIZE) + struct.pack("<I", offset) + uleb(2) + span(at(i), SIZE, named(i)) +
                    b"\0")
        offset += len(table)
    return Program(n).dwarf(b"".join(map(elf.unit, dies)), elf.abbreviations(CU_LINES, FUNCTION), line=b"".join(tables))


line_tables.args = LINES


def line_table_shared(n):
    """Units that share a line table with a row for each"""
    table = elf.line_table(("d",), (("f", 1),), b"".join(elf.sequence(at(i), SIZE) for i in range(n)))
    row = (*CU_LINES[:2], (*CU_LINES[2], (DECL_FILE, UDATA)))
    dies = (uleb(1) + span(at(i), SIZE) + struct.pack("<I", 0) + uleb(1) + b"\0" for i in range(n))
    return Program(n).dwarf(b"".join(map(elf.unit, dies)), elf.abbreviations(row), line=table)


line_table_shared.args = LINES


def symbols(n):
    """Symbols next to each other"""
    s = Program(n)
    s.elf.symbols((f"s{i}", at(i), SIZE) for i in range(n))
    return s


def symbols_overlapping(n):
    """Symbols inside each other"""
    s = Program(n)
    s.elf.symbols((f"s{i}", at(i), (n - i) * SIZE) for i in range(n))
    return s


def symbols_equal(n):
    """Symbols of the same code"""
    s = Program(n)
    s.elf.symbols((f"_ZN1a{len(str(i)) + 1}s{i}Ev", TEXT, n * SIZE) for i in range(n))
    return s


def symbols_of_descriptors(n):
    """Function descriptors of PowerPC, and sections of code"""
    s = Program(n, elf.PPC64)
    opd = TEXT + (n + 16) * SIZE
    s.elf.add(".opd", b"".join(struct.pack("<QQQ", at(i), 0, 0) for i in range(n)), flags=elf.ALLOC, addr=opd)
    s.elf.symbols((f"s{i}", opd + 24 * i, SIZE) for i in range(n))
    for i in range(min(n, 60000)):
        s.elf.add(".x", b"", flags=elf.ALLOC | elf.EXEC, addr=8 * i)
    # Symbols of descriptors are in a section that has no code.
    name, kind, flags, addr, data, link, entry = s.elf.sections[3]
    data = b"".join(data[i:i + 6] + struct.pack("<H", 2) + data[i + 8:i + 24] for i in range(0, len(data), 24))
    s.elf.sections[3] = (name, kind, flags, addr, data, link, entry)
    return s


def go(n, functions, values=b"\0", names=b"main.f\0", files=b"\0main.go\0"):
    s = Program(n)
    s.elf.add(".gopclntab", elf.go_table(functions, values, names, BASE, files), flags=elf.ALLOC, addr=BASE // 2)
    return s


# Two values of one byte of code each: the line is 1, and then 0.
GO_LINES = b"\0" + b"\x04\x01\x03\x01" + b"\0"


def go_functions(n):
    """Functions of Go"""
    return go(n, [(at(i), 0, 1) for i in range(n)], GO_LINES)


def go_equal(n):
    """Functions of Go at one address"""
    return go(n, [(at(0), 0, 1)] * n, GO_LINES)


def go_lines(n):
    """Functions of Go with a sample each, which share a table of n lines"""
    start = [at(0) + i * n * SIZE for i in range(n)]
    s = go(0, [(addr, 0, 1) for addr in start], b"\0" + b"\x04\x01\x03\x01" * n + b"\0")
    # The table claims more code than the file has.
    s.elf.segments = [(1, 5, TEXT, n * n * SIZE)]
    s.map(BASE + TEXT, n * n * SIZE, "/bin/program", offset=TEXT)
    for addr in start:
        s.sample(BASE + addr)
    return s


def go_name(n):
    """Functions of Go that share a long name"""
    return go(n, [(at(i), 0, 1) for i in range(n)], GO_LINES, b"n" * (10 * n) + b"\0")


def go_file(n):
    """Functions of Go in a file with a long name"""
    return go(n, [(at(i), 0, 1) for i in range(n)], GO_LINES, files=b"\0" + b"f" * (10 * n) + b"\0")


class Stacks(Program):
    """Samples with registers and a captured stack that returns to the next function, and so on."""

    def __init__(self, n, machine=elf.X86_64):
        super().__init__(n, machine, False)
        self.is_wide = machine != elf.ARM
        self.features[6] = struct.pack("<I", 8) + (b"x86_64\0\0" if self.is_wide else b"armv7l\0\0")
        # Stack pointer and program counter in the kernel's order of registers, and the link register of ARM.
        self.regs = 1 << 7 | 1 << 8 if self.is_wide else 1 << 13 | 1 << 14 | 1 << 15
        for i in range(n):
            self.stack(i)

    def attr(self):
        flags = FLAGS
        return struct.pack("<IIQQQQQIIQQQQIi", 1, 96, 0, 1000, SAMPLE_TYPE | 1 << 12 | 1 << 13, 0, flags, 0, 0, 0, 0, 0,
                           self.regs, 256, 0)

    def stack(self, i):
        sp, word = 0x7ffd0000, "Q" if self.is_wide else "I"
        back = [BASE + at((i * 7919 + k) % self.n) + SIZE // 2 for k in range(6)]
        stack = struct.pack(f"<6{word}", *back)
        values = [sp, BASE + at(i)] if self.is_wide else [sp, back[0], BASE + at(i)]
        self.add(9, 2, struct.pack("<QIIQQQ", BASE + at(i), 7, 7, self.tick(), 1000, 0) + struct.pack(
            f"<Q{len(values)}Q", 2 if self.is_wide else 1, *values) + struct.pack("<Q", len(stack)) + stack +
                 struct.pack("<Q", len(stack)))


def frames(n, count, start, size, program=lambda i: b"", own_cies=False):
    """Call frame information of n functions."""
    s = Stacks(n)
    data = bytearray(elf.cie())
    first = 0
    for i in range(count):
        if own_cies:
            first = len(data)
            data += elf.cie()
        data += elf.fde(first, start(i), size(i), program(i))
    s.elf.add(".debug_frame", data)
    return s


def fdes(n):
    """FDEs next to each other"""
    return frames(n, n, at, lambda i: SIZE)


def fdes_with_cies(n):
    """FDEs with a CIE each"""
    return frames(n, n, at, lambda i: SIZE, own_cies=True)


def fdes_overlapping(n):
    """FDEs inside each other"""
    return frames(n, n, at, lambda i: (n - i) * SIZE)


def fdes_equal(n):
    """FDEs of the same code"""
    return frames(n, n, lambda i: TEXT, lambda i: n * SIZE)


def fde_rows(n):
    """FDE with a row for each sample"""
    advance = bytes((0x40 | SIZE, 0x0e, 8))
    return frames(n, 1, at, lambda i: n * SIZE, lambda i: advance * (n - 1))


def exidx(n):
    """Entries of .ARM.exidx of the same code"""
    s = Stacks(n, elf.ARM)
    start = TEXT + (n + 16) * SIZE
    data = b"".join(struct.pack("<II", (TEXT - start - 8 * i) & 0x7fffffff, 0x80b0b0b0) for i in range(n))
    s.elf.add(".ARM.exidx", data, kind=0x70000001, flags=elf.ALLOC, addr=start)
    return s


def kallsyms(n):
    """Symbols of the kernel, two at each address"""
    s = Shape()
    first = 0xffffffff81000000
    s.map(first, max(n, 1) * SIZE, "[kernel.kallsyms]_text", 0xffffffff, misc=KERNEL, offset=first)
    for i in range(n):
        s.sample(first + i * SIZE, misc=KERNEL)
    lines = (f"{first + i // 2 * 2 * SIZE:x} t k{i}\n" for i in range(n))
    s.files["/kallsyms"] = (f"{first:x} T _text\n" + "".join(lines)).encode()
    return s


kallsyms.args = "--folded --kallsyms {root}/kallsyms -o /dev/null"


def perf_map(n):
    """Lines of a perf map inside each other"""
    s = Shape()
    s.map(PAGE, n * 64, "//anon")
    for i in range(n):
        s.sample(PAGE + 32 * i)
    s.files["/tmp/perf-7.map"] = "".join(f"{PAGE + 8 * i:x} {64 * n - 16 * i:x} j{i}\n" for i in range(n)).encode()
    return s


def perf_map_forks(n):
    """Processes forked from one with a perf map"""
    s = Shape()
    s.map(PAGE, n * 64, "//anon")
    for i in range(n):
        s.fork(7, 100 + i)
        s.sample(PAGE + 32 * i, 100 + i)
    s.files["/tmp/perf-7.map"] = "".join(f"{PAGE + 32 * i:x} 20 j{i}\n" for i in range(n)).encode()
    return s


class Jit(Shape):
    """A process with a jitdump, whose times are those of the recording."""

    def __init__(self):
        super().__init__()
        self.dump = bytearray(struct.pack("<IIIIIIQQ", 0x4a695444, 1, 40, elf.X86_64, 0, 7, 0, 0))
        self.map(PAGE, PAGE, "/tmp/jit-7.dump")

    def attr(self):
        return struct.pack("<IIQQQQQIIQQQQIi", 1, 96, 0, 1000, SAMPLE_TYPE, 0, FLAGS | 1 << 25, 0, 0, 0, 0, 0, 0, 0, 1)

    def load(self, i, addr, size):
        name = b"j%d\0" % i
        # The header of the record, its members, the name, and the code, of which there may be less than it says.
        self.dump += struct.pack("<IIQIIQQQQ", 0, 56 + len(name) + 64, self.tick(), 7, 7, addr, addr, size, i) + name
        self.dump += bytes(64)

    def file(self):
        self.files["/tmp/jit-7.dump"] = bytes(self.dump)
        return super().file()


def jit_loads(n):
    """Code of a jitdump at descending addresses"""
    s = Jit()
    for i in range(n):
        s.load(i, PAGE * 16 + (n - i) * 64, 64)
    for i in range(n):
        s.sample(PAGE * 16 + (n - i) * 64)
    return s


def jit_loads_equal(n):
    """Code of a jitdump at one address, with a sample each"""
    s = Jit()
    for i in range(n):
        s.load(i, PAGE * 16, 64)
        s.sample(PAGE * 16 + i % 64)
    return s


def jit_loads_around(n):
    """Large code of a jitdump that other code replaces part by part"""
    s = Jit()
    s.load(0, PAGE * 16, n * 64)
    for i in range(n):
        s.load(i + 1, PAGE * 16 + i * 64, 64)
        s.sample(PAGE * 16 + i * 64)
    return s


def jit_forks(n):
    """Processes forked from one with a jitdump that changes"""
    s = Jit()
    for i in range(n):
        s.load(i, PAGE * 16 + i % 64 * 64, 64)
        s.fork(7, 100 + i)
        s.sample(PAGE * 16 + i % 64 * 64, 100 + i)
    return s


def build_id_table(n):
    """Build ids in the header, of binaries with a mapping and a sample each"""
    s = Shape()
    table = bytearray()
    for i in range(n):
        name = f"/nowhere/lib{i}.so"
        s.map(i % 60000 * 2 * PAGE + PAGE, PAGE, name)
        s.sample(i % 60000 * 2 * PAGE + PAGE)
        row = struct.pack("<i20s4x", -1, i.to_bytes(20, "little")) + text(name)
        table += struct.pack("<IHH", 0, 2, 8 + len(row)) + row
    s.features[2] = bytes(table)
    return s


def archive(n):
    """Members of a tarball of perf archive, one for each binary"""
    s = build_id_table(n)
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", format=tarfile.USTAR_FORMAT, compresslevel=1) as tar:
        for i in range(n):
            name = i.to_bytes(20, "little").hex()
            member = tarfile.TarInfo(f".build-id/{name[:2]}/{name[2:]}")
            member.size = 8
            tar.addfile(member, io.BytesIO(bytes(8)))
    s.beside[".tar.gz"] = out.getvalue()
    return s


def skeletons(n):
    """Skeleton units, and a package whose index has no free slot"""
    slots = 1 << max(n - 1, 1).bit_length()
    rows = (COMPILE_UNIT, 0, ((LOW, ADDR), (HIGH, DATA4), (0x2130, STRING), (0x2131, 7)))
    info = b"".join(elf.unit(uleb(1) + struct.pack("<QI", at(i), SIZE) + b"x.dwo\0" + struct.pack("<Q", i + 1))
                    for i in range(n))
    package = Elf(SIZE)
    unit = elf.unit(uleb(1) + b"f\0")
    index = struct.pack("<IIII", 2, 2, 1, slots) + b"".join(struct.pack("<Q", 1 << 63 | i) for i in range(slots))
    index += struct.pack("<I", 1) * slots + struct.pack("<II", 1, 3) + struct.pack("<II", 0, 0)
    index += struct.pack("<II", len(unit), 64)
    package.add(".debug_info.dwo", unit)
    package.add(".debug_abbrev.dwo", elf.abbreviations((COMPILE_UNIT, 0, ((NAME, STRING),))))
    package.add(".debug_cu_index", index)
    s = Program(n).dwarf(info, elf.abbreviations(rows))
    s.files["/bin/program.dwp"] = package.file()
    return s


SHAPES = (units, empty_units, unit_tables, unit_codes, unit_overlapping_tables, attributes, origins, origin_cycles,
          imported_units, deep_entries, qualified, deep_inlining, inlined, inlined_backwards,
          inlined_from_both_ends, inlined_overlapping, functions_overlapping, functions_around, units_overlapping, units_inside, shared_ranges,
          units_sharing_ranges, functions_sharing_ranges, aranges, segments, sections, line_sequences,
          line_sequences_overlapping, line_files, line_tables, line_table_shared, symbols, symbols_overlapping,
          symbols_equal, symbols_of_descriptors, go_functions, go_equal, go_lines, go_name, go_file, fdes,
          fdes_with_cies, fdes_overlapping, fdes_equal, fde_rows, exidx, kallsyms, perf_map, perf_map_forks,
          jit_loads, jit_loads_equal, jit_loads_around, jit_forks, build_id_table, archive, skeletons)
