"""Recordings read through windows of any size give what they give when they are mapped.

Usage: windows.py PDCONV ROOT WINDOWED...

Output, messages and exit status of each program WINDOWED must be those of PDCONV: for all recordings of perf, some of them in
every format, for damaged and compressed ones, and for sparse ones of more than 4 GiB. With $QUICK, for fewer recordings.
"""
import glob
import gzip
import lzma
import os
import random
import struct
import subprocess
import sys

PDCONV, ROOT, *WINDOWED = sys.argv[1:]
sys.path.append(os.path.join(ROOT, "bench"))
import growth_shapes as shapes

# All formats get the same records. The first three read them in different ways: once, in order, and twice.
FORMATS = "report script perfdata pprof otlp folded html firefox perfetto speedscope callgrind sqlite".split()
IN_EVERY_FORMAT = ("cxx", "tracepoints", "wakers")
# Commands that show all bytes, and what the header says.
SHOWN = (["dump"], ["info", "--json"], ["-f", "script"])
QUICK = os.environ.get("QUICK")
AUXTRACE, HEADER_BYTES, GIB = 71, 104, 1 << 30
n_compared = 0
failures = []


def run(program, args, stdin):
    with open(stdin or os.devnull, "rb") as source:
        done = subprocess.run([program, *args], stdin=source, capture_output=True, timeout=250, check=False)
    return done.returncode, done.stdout, done.stderr


def difference(name, expected, actual):
    for what, a, b in zip(("status", "output", "messages"), expected, actual):
        if a != b:
            if what == "status":
                return f"{name}: status {b}, not {a}"
            lines = zip(a.split(b"\n") + [b"(end)"], b.split(b"\n") + [b"(end)"])
            at, (x, y) = next((i, pair) for i, pair in enumerate(lines) if pair[0] != pair[1])
            return f"{name}: {what} differ in line {at + 1}:\n  {x[:300]}\n  {y[:300]}"
    return None


def compare(label, args, stdin=None, windowed=WINDOWED):
    """Run the commands, and return the output."""
    global n_compared
    expected = run(PDCONV, args, stdin)
    for program in windowed:
        wrong = difference(f"{label}: {os.path.basename(os.path.dirname(program))} {' '.join(args)}", expected,
                           run(program, args, stdin))
        n_compared += 1
        if wrong:
            failures.append(wrong)
    return expected


def recordings():
    return sorted(glob.glob(os.path.join(ROOT, "testdata/*/*.data")))


def write(name, data):
    with open(name, "wb") as out:
        out.write(data)


def formats():
    for path in recordings():
        places = ["--symfs", "empty", "--debug-paths", os.path.dirname(path)]
        is_every = os.path.basename(os.path.dirname(path)) in IN_EVERY_FORMAT
        if QUICK and not is_every:
            continue
        for form in FORMATS if is_every and not QUICK else FORMATS[:3]:
            compare("format", ["-f", form, path, "-o", "-", *places])
        for command in SHOWN[:2]:
            compare("command", [*command, path])


def end_of_record(data, begin, after):
    """Offset of the first record after an offset."""
    at = begin
    while at <= after:
        at += struct.unpack_from("<H", data, at + 6)[0]
    return at


def damaged(data, rng):
    """Names and bytes of recordings with one kind of damage each."""
    begin, size = struct.unpack_from("<QQ", data, 40)
    middle = begin + size // 2
    between = end_of_record(data, begin, middle)
    yield "cut in the middle", data[:middle + 3]
    yield "cut in the header", data[:rng.randrange(24, HEADER_BYTES)]
    yield "cut in the features", data[:begin + size + rng.randrange(1, 300)]
    yield "unfinished", data[:48] + bytes(8) + data[56:begin + size]
    for filler in (bytes, rng.randbytes):
        for length in (40, 5000, 700000, 1500000):
            gap = filler(length)
            grown = struct.pack("<Q", size + length)
            # A table of features follows the records, and says where they are.
            yield f"{length} bytes in a record", data[:48] + grown + data[56:middle] + gap + data[middle:]
            yield f"{length} bytes between records", data[:48] + grown + data[56:between] + gap + data[between:]
            yield f"ends with {length} bytes", data[:48] + grown + data[56:begin + size] + gap
    for _ in range(12):
        changed = bytearray(data)
        for _ in range(rng.choice((1, 1, 20, 200))):
            at = rng.randrange(begin, begin + size)
            changed[at:at + 2] = rng.randbytes(2)
        yield "records changed", bytes(changed)
    for _ in range(12):
        changed = bytearray(data)
        for _ in range(3):
            changed[rng.choice((rng.randrange(16, begin), rng.randrange(begin + size, len(data))))] = rng.randrange(256)
        yield "header and features changed", bytes(changed)


def damage():
    rng = random.Random(7)
    for name in ("compressed",) if QUICK else ("cxx", "compressed", "threads"):
        with open(os.path.join(ROOT, "testdata", name, "perf.data"), "rb") as source:
            data = source.read()
        for kind, changed in damaged(data, rng):
            write("damaged.data", changed)
            for command in SHOWN:
                compare(f"{name}: {kind}", [*command, "damaged.data"])


def compressed():
    for name in ("nested", "piped"):
        path = os.path.join(ROOT, "testdata", name, "perf.data")
        with open(path, "rb") as source:
            data = source.read()
        write("whole.gz", gzip.compress(data))
        write("whole.xz", lzma.compress(data))
        write("cut.gz", gzip.compress(data)[:20000])
        for command in SHOWN:
            for file in ("whole.gz", "whole.xz", "cut.gz"):
                compare("compressed", [*command, file])
            compare("standard input", [*command, "-"], path)
            compare("standard input, compressed", [*command, "-"], "whole.gz")
        compare("read twice", ["-f", "perfdata", "whole.gz", "-o", "-"])
    write("empty.data", b"")
    write("short.data", b"PER")
    for name in ("empty.data", "short.data"):
        compare("short", ["info", name])


def sparse(name, data_offset, pieces, features):
    """Write a recording whose records are the pieces, bytes or sizes of holes, from the offset on."""
    event = shapes.attr(0, False)
    size = sum(piece if isinstance(piece, int) else len(piece) for piece in pieces)
    table = data_offset + size
    bits = sum(1 << bit for bit in features)
    with open(name, "wb") as out:
        out.write(b"PERFILE2" + struct.pack("<8Q", HEADER_BYTES, len(event) + 16, HEADER_BYTES, len(event) + 16,
                                            data_offset, size, 0, 0) + bits.to_bytes(32, "little"))
        out.write(event + bytes(16))
        out.seek(data_offset)
        for piece in pieces:
            if isinstance(piece, int):
                out.seek(piece, os.SEEK_CUR)
            else:
                out.write(piece)
        at = table + 16 * len(features)
        for bit in sorted(features):
            content = features[bit]
            out.write(struct.pack("<QQ", at, content if isinstance(content, int) else len(content)))
            at += content if isinstance(content, int) else len(content)
        for bit in sorted(features):
            content = features[bit]
            if isinstance(content, int):
                out.seek(content, os.SEEK_CUR)
            else:
                out.write(content)
        out.truncate()


def samples(first):
    s = shapes.Shape()
    s.time = first
    s.map(0x400000, 0x1000, "/bin/program")
    s.comm(7, "program")
    for i in range(20):
        s.sample(0x400000 + i)
    return bytes(s.data)


def aux(size):
    """An AUXTRACE record, before its data of @p size bytes."""
    return struct.pack("<IHHQQQIII4x", AUXTRACE, 0, 48, size, 0, 0, 0, 7, 0)


def large():
    """Offsets and sizes of more than 32 bits."""
    hostname = struct.pack("<I", 64) + b"machine" + bytes(57)
    # Data is read before it is skipped, so 4.5 GiB of it only where sizes may have 32 bits.
    begin, n = (4096, 48) if sys.maxsize < 1 << 32 else (4 * GIB - (96 << 20), 2)
    cases = (
        ("records at 5 GiB", 5 * GIB, [samples(0)]),
        ("data that is skipped", begin, [samples(0), *[aux(96 << 20), 96 << 20] * n, samples(1000)]),
    )
    for label, offset, pieces in cases[:1] if QUICK else cases:
        sparse("large.data", offset, pieces, {3: hostname})
        if len(pieces) == 1:
            compare(label, ["info", "--json", "large.data"])
        # Windows of 64 bytes would need a quarter of a minute for what is skipped.
        status, output, _ = compare(label, ["dump", "large.data"], windowed=WINDOWED if len(pieces) == 1 else WINDOWED[-1:])
        offsets = [int(line.split()[0], 16) for line in output.split(b"\n") if b" SAMPLE " in line]
        if status or len(offsets) % 20 or offsets[-1] <= 4 * GIB or b"machine" not in output:
            failures.append(f"{label}: status {status}, samples at {offsets}")
        os.remove("large.data")


def too_large():
    """A feature that is larger than may be copied is left out, and this is said."""
    sparse("large.data", 4096, [samples(0)], {3: 600 << 20})
    for program in WINDOWED:
        status, output, messages = run(program, ["info", "large.data"], None)
        if status or not output or b"RECORD_BYTES" not in messages:
            failures.append(f"a feature of 600 MiB: status {status}, {messages}")
    os.remove("large.data")


os.makedirs("empty", exist_ok=True)
for test in (formats, damage, compressed, large, too_large):
    if len(failures) < 20:
        test()
for failure in failures[:20]:
    print(failure)
if n_compared < (300 if QUICK else 1000):
    print(f"only {n_compared} runs were compared")
sys.exit(bool(failures))
