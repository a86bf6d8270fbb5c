"""ELF files of any size, with the parts of DWARF, call frame information and Go's table that a shape needs."""
import struct

PROGBITS, SYMTAB, STRTAB, NOBITS = 1, 2, 3, 8
ALLOC, EXEC = 2, 4
X86_64, ARM, PPC64 = 62, 40, 21
# The code begins at this file offset and at this address.
TEXT = 0x1000


def uleb(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


class Strings:
    """Contents of a string table."""

    def __init__(self):
        self.data = bytearray(b"\0")

    def add(self, string):
        at = len(self.data)
        self.data += string.encode() + b"\0"
        return at


class Elf:
    """A program of `size` bytes of code, whose addresses are its file offsets."""

    def __init__(self, size, machine=X86_64):
        self.machine = machine
        self.is_wide = machine != ARM
        self.size = size
        # Name, type, flags, address, contents, linked section, size of entries. The index of the first one is 1.
        self.sections = [(".text", PROGBITS, ALLOC | EXEC, TEXT, b"\x90" * size, 0, 0)]
        # Type, flags, address, size: in addition to the segment of the code.
        self.segments = []

    def add(self, name, data, kind=PROGBITS, flags=0, addr=0, link=0, entry=0):
        self.sections.append((name, kind, flags, addr, bytes(data), link, entry))

    def symbols(self, rows):
        """Add a symbol table. Rows are names, addresses and sizes of functions."""
        strings = Strings()
        known = {}
        data = bytearray(24 if self.is_wide else 16)
        for name, addr, size in rows:
            at = known.get(name)
            if at is None:
                at = known[name] = strings.add(name)
            if self.is_wide:
                data += struct.pack("<IBBHQQ", at, 0x12, 0, 1, addr, size)
            else:
                data += struct.pack("<IIIBBH", at, addr, size, 0x12, 0, 1)
        self.add(".strtab", strings.data, STRTAB)
        self.add(".symtab", data, SYMTAB, link=len(self.sections), entry=24 if self.is_wide else 16)

    def file(self):
        wide = self.is_wide
        names = Strings()
        n_segments = 1 + len(self.segments)
        header = 64 if wide else 52
        body = bytearray(TEXT)
        headers = bytearray(64 if wide else 40)
        for name, kind, flags, addr, data, link, entry in (*self.sections, (".shstrtab", STRTAB, 0, 0, b"", 0, 0)):
            at = names.add(name)
            if name == ".shstrtab":
                data = bytes(names.data)
            body += bytes(-len(body) % 8)
            headers += struct.pack("<IIQQQQIIQQ" if wide else "<IIIIIIIIII", at, kind, flags, addr, len(body),
                                   len(data), link, 0, 1, entry)
            body += data
        body += bytes(-len(body) % 8)
        n_sections = len(self.sections) + 2
        program = b"".join(
            struct.pack("<IIQQQQQQ", kind, flags, addr, addr, addr, size, size, PAGE) if wide else
            struct.pack("<IIIIIIII", kind, addr, addr, addr, size, size, flags, PAGE)
            for kind, flags, addr, size in ((1, 5, TEXT, self.size), *self.segments))
        assert n_segments < 0xffff and n_sections < 0xff00
        # Segment headers follow everything else, because there may be many of them.
        ident = b"\x7fELF" + bytes((2 if wide else 1, 1, 1)) + bytes(9)
        body[:header] = ident + struct.pack(
            "<HHIQQQIHHHHHH" if wide else "<HHIIIIIHHHHHH", 3, self.machine, 1, TEXT, len(body) + len(headers),
            len(body), 0, header, 56 if wide else 32, n_segments, 64 if wide else 40, n_sections, n_sections - 1)
        return bytes(body + headers + program)


PAGE = 0x1000

# Tags, attributes and forms of DWARF.
COMPILE_UNIT, PARTIAL_UNIT, SUBPROGRAM, INLINED, NAMESPACE, IMPORTED_UNIT = 0x11, 0x3c, 0x2e, 0x1d, 0x39, 0x3d
NAME, STMT_LIST, LOW, HIGH, LANGUAGE, ORIGIN, SPECIFICATION, RANGES = 3, 0x10, 0x11, 0x12, 0x13, 0x31, 0x47, 0x55
IMPORT, CALL_FILE, CALL_LINE, DECL_FILE, DECL_LINE = 0x18, 0x58, 0x59, 0x3a, 0x3b
ADDR, DATA4, STRING, REF4, REF_ADDR, STRP, SEC_OFFSET, FLAG, UDATA = 1, 6, 8, 0x13, 0x10, 0x0e, 0x17, 0x19, 0x0f
C_PLUS_PLUS = 4


def abbreviation(code, tag, has_children, attrs):
    return (uleb(code) + uleb(tag) + bytes((has_children,)) + b"".join(uleb(a) + uleb(f) for a, f in attrs) + b"\0\0")


def abbreviations(*rows):
    """Table of abbreviations. Rows are tags, whether they have children, and attributes with forms."""
    return b"".join(abbreviation(i + 1, *row) for i, row in enumerate(rows)) + b"\0"


def unit(dies, abbrevs=0, version=4):
    """Unit of DWARF 4. References count from its first byte; the first entry is at 11."""
    return struct.pack("<IHIB", 7 + len(dies), version, abbrevs, 8) + dies


def line_table(dirs, files, program):
    """Line table of DWARF 4. Files are names and numbers of directories."""
    header = struct.pack("<BBBbBB", 1, 1, 1, -5, 14, 13) + bytes((0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1))
    header += b"".join(d.encode() + b"\0" for d in dirs) + b"\0"
    header += b"".join(name.encode() + b"\0" + uleb(d) + b"\0\0" for name, d in files) + b"\0"
    body = struct.pack("<HI", 4, len(header)) + header + program
    return struct.pack("<I", len(body)) + body


def sequence(addr, size, file=1, line=1):
    """Program of a line table: rows from an address on, and the end of their sequence."""
    return (b"\0\x09\x02" + struct.pack("<Q", addr) + b"\x04" + uleb(file) + b"\x03" + uleb(line & 0x3f) + b"\x01" +
            b"\x02" + uleb(size) + b"\0\x01\x01")


def cie(program=b"", address_size=8):
    """CIE of .debug_frame: the CFA is %rsp + 8, and the return address is below it."""
    body = struct.pack("<IBB", 0xffffffff, 1, 0) + bytes((1, 0x78, 16, 0x0c, 7, 8, 0x90, 1)) + program
    body += bytes(-(len(body) + 4) % address_size)
    return struct.pack("<I", len(body)) + body


def fde(cie_at, start, size, program=b""):
    body = struct.pack("<IQQ", cie_at, start, size) + program
    body += bytes(-(len(body) + 4) % 8)
    return struct.pack("<I", len(body)) + body


def go_table(functions, values, names, text_end, files=b"\0main.go\0"):
    """Go's table of functions in the layout of Go 1.16. Functions are addresses, names and offsets of their tables."""
    head = struct.pack("<IHBB", 0xfffffffa, 0, 1, 8)
    names_at = 8 + 7 * 8
    units_at = names_at + len(names)
    files_at = units_at + 4
    values_at = files_at + len(files)
    funcs_at = values_at + len(values)
    funcs_at += -funcs_at % 8
    index, entries = bytearray(), bytearray()
    first = 16 * len(functions) + 8
    for addr, name, table in functions:
        index += struct.pack("<QQ", addr, first + len(entries))
        entries += struct.pack("<QIIIIIIIIBBBB4x", addr, name, 0, 0, table, table, table, 0, 0, 0, 0, 0, 0)
    index += struct.pack("<Q", text_end)
    data = head + struct.pack("<7Q", len(functions), 1, names_at, units_at, files_at, values_at, funcs_at)
    data += names + struct.pack("<I", 1) + files + values
    return data + bytes(funcs_at - len(data)) + index + entries
