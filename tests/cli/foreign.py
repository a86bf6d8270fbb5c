"""Profiles of pprof for the tests of pdconv symbolize: shown as text, without their names, or made.

Usage: foreign.py show FILE | strip IN OUT [KEY=VALUE ...] | make OUT JSON | cuts PDCONV FILE

strip removes functions and lines, and sets fields of all mappings: id=HEX, path=TEXT. make writes mappings
[start, limit, offset, path, build id], then locations [mapping, address, function or null]; each is a sample.
function_id is that of all functions.
cuts runs pdconv on each beginning of a profile, and on the profile with each byte inverted.
"""
import gzip
import json
import os
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from protobuf import fields, packed

STRING, SAMPLE, MAPPING, LOCATION, FUNCTION = 6, 2, 3, 4, 5
FLAGS = {7: "functions", 8: "files", 9: "lines", 10: "inline"}


def read(path):
    data = open(path, "rb").read()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out) + bytes([n])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def numbers(message, number):
    """The numbers of a repeated field, packed or not."""
    for key, value in fields(message):
        if key == number:
            yield from packed(value) if isinstance(value, bytes) else [value]


def show(path):
    """Write mappings and samples, with everything by name, and what else the profile has."""
    all_fields = list(fields(read(path)))
    strings = [v.decode() for n, v in all_fields if n == STRING]
    functions = {f[1]: f for f in (dict(fields(v)) for n, v in all_fields if n == FUNCTION)}
    locations = {}
    for n, value in all_fields:
        if n == MAPPING:
            m = dict(fields(value))
            flags = " ".join(text for flag, text in FLAGS.items() if m.get(flag))
            print("mapping", os.path.basename(strings[m.get(5, 0)]), flags or "-")
        if n == LOCATION:
            lines = [dict(fields(v)) for k, v in fields(value) if k == 4]
            found = []
            for line in lines:
                f = functions[line[1]]
                found.append(f"{strings[f[2]]} {strings[f.get(4, 0)]}:{line.get(2, 0)} from {f.get(5, 0)} "
                             f"as {strings[f[3]]}")
            locations[dict(fields(value))[1]] = " < ".join(found) or "?"
    for n, value in all_fields:
        if n == SAMPLE:
            labels = [strings[dict(fields(v)).get(2, 0)] for k, v in fields(value) if k == 3]
            print(list(numbers(value, 2)), labels, "; ".join(locations[i] for i in numbers(value, 1)))
        elif n == 13:
            print("comments", [strings[i] for i in numbers(field(13, value), 13)])
        elif n not in (MAPPING, LOCATION, FUNCTION, STRING):
            print("field", n, value if isinstance(value, int) else value.hex())


def strip(source, target, *changes):
    """Remove functions and lines, and the claims of mappings to have them."""
    changes = dict(change.split("=", 1) for change in changes)
    data = list(fields(read(source)))
    n_strings = sum(n == STRING for n, _ in data)
    added = {5: changes.get("path"), 6: changes.get("id")}
    out = bytearray()
    for n, value in data:
        if n == FUNCTION:
            continue
        if n == LOCATION:
            value = b"".join(field(k, v) for k, v in fields(value) if k != 4)
        if n == MAPPING:
            value = b"".join(field(k, v) for k, v in fields(value) if k not in FLAGS and added.get(k) is None)
            for i, k in enumerate(k for k in added if added[k] is not None):
                value += field(k, n_strings + i)
        out += field(n, value)
    for k in added:
        if added[k] is not None:
            out += field(STRING, added[k].encode())
    open(target, "wb").write(out)


def make(target, text):
    profile = json.loads(text)
    strings = [""]

    def string(s):
        if s not in strings:
            strings.append(s)
        return strings.index(s)

    out = field(1, field(1, string("samples")) + field(2, string("count")))
    for i, (start, limit, offset, path, build_id) in enumerate(profile["mappings"], 1):
        out += field(MAPPING, field(1, i) + field(2, start) + field(3, limit) + field(4, offset)
                     + field(5, string(path)) + field(6, string(build_id)))
    for i, (mapping, address, function) in enumerate(profile["locations"], 1):
        line = b""
        if function:
            number = profile.get("function_id", i)
            out += field(FUNCTION, field(1, number) + field(2, string(function)) + field(3, string(function)))
            line = field(4, field(1, number))
        out += field(LOCATION, field(1, i) + field(2, mapping) + field(3, address) + line)
        out += field(SAMPLE, field(1, i) + field(2, 1))
    out += b"".join(field(STRING, s.encode()) for s in strings)
    open(target, "wb").write(out)


def cuts(pdconv, path):
    data = read(path)
    statuses = set()
    for i in range(1, len(data)):
        changed = data[:i - 1] + bytes([data[i - 1] ^ 255]) + data[i:]
        for piece in (data[:i], changed):
            open("piece", "wb").write(piece)
            result = subprocess.run([pdconv, "symbolize", "piece", "-o", "named", "--no-own-paths", "--no-cache"],
                                    stderr=subprocess.PIPE, text=True, timeout=60)
            statuses.add(result.returncode)
            if result.returncode and len(result.stderr.splitlines()) != 1:
                print(i, result.returncode, result.stderr)
    print("statuses", *sorted(statuses))


globals()[sys.argv[1]](*sys.argv[2:])
