#!/usr/bin/env python3
"""Compare the texts of all tracepoints of this kernel with those of perf script.

usage: trace_prints.py PDCONV WORK

Writes recordings with some samples of each tracepoint, whose raw data are made up from a fixed seed, and reads
them by both. perf 6.1 has mistakes: it takes names that it does not know for 0, cuts the numbers of %zu and of
tables to 32 bits, computes a - b + 1 as a - (b + 1), reads arrays beyond their end, and crashes on some
formats. Where that can be seen from the texts, it is taken into account; a few of the others are left and may
differ. Prints one difference of each event, and what was compared.
"""
import collections
import glob
import os
import random
import re
import socket
import struct
import subprocess
import sys

EVENTS = "/sys/kernel/tracing/events"
SAMPLES = 8
SAMPLE_TYPE = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 10 | 1 << 16  # IP TID TIME RAW IDENTIFIER
SAMPLE_ID_ALL = 1 << 18
TRACING_DATA, BUILD_ID, HOSTNAME, OSRELEASE, ARCH = 1, 2, 3, 4, 6
FIELD = re.compile(r"\s*field:(.*);\s*offset:(\d+);\s*size:(\d+);\s*signed:(\d);")


class Format:
    """A tracepoint: its name, id, fields and text."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        self.system, self.name = path.split("/")[-3:-1]
        self.id = int(re.search(r"^ID: (\d+)", self.text, re.M)[1])
        self.print = self.text[self.text.index("print fmt:"):]
        self.fields = [(name, int(offset), int(size), signed == "1")
                       for name, offset, size, signed in FIELD.findall(self.text)]

    def raw(self, chance, symbols):
        """Make up raw data: numbers that are in tables or far from them, texts, addresses of functions."""
        size = max((offset + size for _, offset, size, _ in self.fields), default=8)
        raw, tail = bytearray(size), bytearray()
        numbers = [int(n, 0) for n in re.findall(r"\{\s*(0x[0-9a-f]+|\d+)", self.print)] or [0]
        for name, offset, length, _ in self.fields:
            if "__data_loc" in name or "__rel_loc" in name:
                is_text = "char" in name
                content = text(chance, 12) if is_text else chance.randbytes(8 * chance.randrange(1, 4))
                where = size + len(tail) - (offset + 4 if "__rel_loc" in name else 0)
                raw[offset:offset + 4] = struct.pack("<I", len(content) << 16 | where)
                tail += content
            elif "[" in name:
                content = text(chance, length - 1) if "char" in name else chance.randbytes(length)
                raw[offset:offset + length] = content.ljust(length, b"\0")[:length]
            elif length in (1, 2, 4, 8):
                is_pointer = length == 8 and ("*" in name or "unsigned long" in name)
                number = chance.choice(symbols) + chance.randrange(4) if is_pointer else chance.choice(
                    (0, 1, 2, 3, 5, -1, chance.choice(numbers), chance.choice(numbers), chance.getrandbits(8 * length)))
                raw[offset:offset + length] = (number & (1 << 8 * length) - 1).to_bytes(length, "little")
            else:
                raw[offset:offset + length] = chance.randbytes(length)
        raw[0:2] = struct.pack("<H", self.id)
        return bytes(raw + tail)


def text(chance, most):
    n = chance.randrange(1, max(most, 2))
    return bytes(chance.choice(b"abcdefghijklmnopqrstuvwxyz/_-") for _ in range(n)) + b"\0"


def string_feature(value):
    data = value.encode() + b"\0"
    data = data.ljust((len(data) + 63) // 64 * 64, b"\0")
    return struct.pack("<I", len(data)) + data


def tracing_data(formats):
    def sized(data, size="<Q"):
        return struct.pack(size, len(data)) + data

    systems = collections.defaultdict(list)
    for form in formats:
        systems[form.system].append(form.text.encode())
    data = b"\x17\x08\x44tracing0.6\0" + struct.pack("<BBI", 0, 8, os.sysconf("SC_PAGESIZE"))
    for name in ("header_page", "header_event"):
        with open(f"{EVENTS}/{name}", "rb") as file:
            data += name.encode() + b"\0" + sized(file.read())
    data += struct.pack("<II", 0, len(systems))
    for name, texts in systems.items():
        data += name.encode() + b"\0" + struct.pack("<I", len(texts)) + b"".join(map(sized, texts))
    with open("/sys/kernel/tracing/printk_formats", "rb") as file:
        strings = file.read()
    return data + sized(b"", "<I") + sized(strings, "<I") + sized(b"")


def kernel_build_id():
    with open("/sys/kernel/notes", "rb") as file:
        notes = file.read()
    at = notes.index(struct.pack("<II", 20, 3) + b"GNU\0")
    return notes[at + 12:at + 32]


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def kernel_mapping(kallsyms):
    start, end = kallsyms["_text"], kallsyms["_etext"]
    name = b"[kernel.kallsyms]_text\0\0"
    return record(1, 1, struct.pack("<iIQQQ", -1, 0, start, end - start, start) + name + struct.pack("<IIQQ", 0, 0, 0, 1))


def write(path, formats, kallsyms):
    chance = random.Random(7)
    symbols = [addr for name, addr in sorted(kallsyms.items()) if kallsyms["_text"] < addr < kallsyms["_etext"]]
    data = bytearray(kernel_mapping(kallsyms))
    for i, form in enumerate(formats):
        for k in range(SAMPLES):
            raw = form.raw(chance, symbols)
            raw = raw.ljust(len(raw) + (4 - len(raw)) % 8, b"\0")
            body = struct.pack("<QQIIQ", i + 1, symbols[0], 1, 1, 1000 + i * SAMPLES + k)
            data += record(9, 1, body + struct.pack("<I", len(raw)) + raw)
    attrs_at = 104 + 8 * len(formats)
    data_at = attrs_at + 144 * len(formats)
    with open(path, "wb") as out:
        out.write(b"PERFILE2" + struct.pack("<QQQQQQQQ", 104, 144, attrs_at, 144 * len(formats), data_at, len(data), 0, 0))
        flags = sum(1 << bit for bit in (TRACING_DATA, BUILD_ID, HOSTNAME, OSRELEASE, ARCH))
        out.write(struct.pack("<QQQQ", flags, 0, 0, 0))
        for i in range(len(formats)):
            out.write(struct.pack("<Q", i + 1))
        for i, form in enumerate(formats):
            attr = struct.pack("<IIQQQQQ", 2, 128, form.id, 1, SAMPLE_TYPE, 0, SAMPLE_ID_ALL).ljust(128, b"\0")
            out.write(attr + struct.pack("<QQ", 104 + 8 * i, 8))
        out.write(data)
        name = b"[kernel.kallsyms]".ljust(32, b"\0")
        build_id = struct.pack("<IHHi", 67, 1, 8 + 28 + len(name), -1) + kernel_build_id().ljust(24, b"\0") + name
        features = (tracing_data(formats), build_id, string_feature(socket.gethostname()),
                    string_feature(os.uname().release), string_feature(os.uname().machine))
        at = data_at + len(data) + 16 * len(features)
        for feature in features:
            out.write(struct.pack("<QQ", at, len(feature)))
            at += len(feature)
        for feature in features:
            out.write(feature)


def read_kallsyms():
    with open("/proc/kallsyms", encoding="utf-8") as file:
        lines = (line.split() for line in file)
        return {words[2]: int(words[0], 16) for words in lines if len(words) == 3 and words[1] in "tT"}


def shown(*command):
    result = subprocess.run(command, capture_output=True, check=False, timeout=600)
    return [re.sub(" +", " ", line).strip() for line in result.stdout.decode(errors="replace").splitlines()]


TOKENS = re.compile(r"0x[0-9a-f]+|-?\d+|\w+|\S")
SUFFIX = re.compile(r"(\.(cold|part|isra|constprop)(\.\d+)?)+")
FAILED = "[FAILED TO PARSE]"


def number(token):
    try:
        return int(token, 16 if token.startswith("0x") else 10)
    except ValueError:
        return None


def same(theirs, ours):
    """Whether texts are equal but for the numbers that perf cuts to 32 bits, and for what pdconv does not know."""
    theirs, ours = (TOKENS.findall(SUFFIX.sub("", line)) for line in (theirs, ours))
    if len(theirs) != len(ours):
        return False
    for a, b in zip(theirs, ours):
        if a == b or b == "?":
            continue
        a, b = number(a), number(b)
        if a is None or b is None or (a ^ b) & 0xffffffff:
            return False
    return True


def compare(pdconv, path, formats, kallsyms):
    """Yield pairs of lines of perf and pdconv. perf crashes on some formats; those are found by halves."""
    write(path, formats, kallsyms)
    theirs = shown("perf", "script", "-i", path, "-F", "event,trace")
    ours = shown(pdconv, path, "-f", "script", "-F", "event,trace")
    if len(theirs) == len(ours) == len(formats) * SAMPLES:
        yield from zip(theirs, ours)
    elif len(formats) > 1:
        half = len(formats) // 2
        yield from compare(pdconv, path, formats[:half], kallsyms)
        yield from compare(pdconv, path, formats[half:], kallsyms)
    else:
        yield None, ours[0] if len(ours) == SAMPLES else f"{formats[0].name}: {len(ours)} lines"


def main():
    pdconv, work = sys.argv[1:]
    formats = [Format(path) for path in sorted(glob.glob(f"{EVENTS}/*/*/format")) if "/ftrace/" not in path]
    if os.environ.get("QUICK"):
        formats = formats[::8]
    counts, differ, kallsyms = collections.Counter(), collections.Counter(), read_kallsyms()
    for i in range(0, len(formats), 64):
        for theirs, ours in compare(pdconv, os.path.join(work, "prints.data"), formats[i:i + 64], kallsyms):
            kind = ("perf crashes" if theirs is None else "equal" if theirs == ours else "perf fails" if FAILED in theirs
                    else "equal but for known mistakes" if same(theirs, ours) else "different")
            counts[kind] += 1
            if kind != "different":
                continue
            name = ours.split(": ")[0]
            differ[name] += 1
            if differ[name] == 1:
                print(f"{name}\n    perf   {theirs}\n    pdconv {ours}")
    print(len(formats), "formats,", sum(counts.values()), "samples:", dict(counts), "in", len(differ), "formats")
    return counts["equal"] < 0.9 * sum(counts.values()) or counts["different"] > 0.03 * sum(counts.values())


sys.exit(main())
