"""Profiles of pprof and of OpenTelemetry for the tests of pdconv symbolize: shown as text, without their names, or made.

Usage: foreign.py show FILE | strip IN OUT [KEY=VALUE ...] | make OUT JSON | make_otlp OUT JSON |
both_otlp BARE NAMED OUT | show_otlp FILE | cuts PDCONV FILE

strip removes functions and lines, and sets fields of all mappings: id=HEX, path=TEXT. make writes mappings
[start, limit, offset, path, build id], then locations [mapping, address, function or null]; each is a sample.
function_id is that of all functions. make_otlp writes the dictionary of such a profile in two parts, with unknown fields.
Mappings there may have the kind of their build id, too, and functions are written once.
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


def make_otlp(target, text):
    profile = json.loads(text)
    strings, functions, attributes = [""], [None], [b""]

    def index(table, item):
        if item not in table:
            table.append(item)
        return table.index(item)

    mappings, locations = [b""], [b""]
    for i, (start, limit, offset, path, build_id, *kind) in enumerate(profile["mappings"]):
        message = field(1, start) + field(2, limit) + field(3, offset) + field(4, index(strings, path))
        if build_id:
            key = "process.executable.build_id." + (kind[0] if kind else "gnu")
            # The text of the value is a string of the table or not, and indexes are packed or not.
            value = field(8, index(strings, build_id)) if i % 2 else field(1, build_id.encode())
            number = index(attributes, field(1, index(strings, key)) + field(2, value))
            message += field(5, number if i % 2 else varint(number))
        mappings.append(message)
    for mapping, address, function in profile["locations"]:
        line = field(3, field(1, index(functions, function))) if function else b""
        locations.append(field(1, mapping) + field(2, address) + line + field(4, b"") + field(9, b"of a location"))
    stacks = [b""] + [field(1, varint(i)) for i in range(1, len(locations))]
    messages = [b""] + [field(1, index(strings, function)) for function in functions[1:]]
    parts = [(1, mappings), (2, locations), (3, messages)], [(5, [s.encode() for s in strings]), (6, attributes), (7, stacks)]
    dictionaries = [field(2, b"".join(field(number, entry) for number, table in part for entry in table) + field(12, 7))
                    for part in parts]
    samples = b"".join(field(2, field(1, i) + field(4, varint(1))) for i in range(1, len(stacks)))
    scope = field(2, field(1, field(1, b"a scope")) + field(2, samples + varint(3 << 3 | 1) + bytes(8)))
    open(target, "wb").write(field(1, scope) + dictionaries[0] + field(14, b"nobody knows it") + dictionaries[1])


def both_otlp(bare, named, target):
    """Add the locations of a profile without names to the same profile with names."""
    locations = [v for n, part in fields(read(bare)) if n == 2 for k, v in fields(part) if k == 2][1:]
    out = read(named) + field(2, b"".join(field(2, v) for v in locations))
    open(target, "wb").write(out)


def show_otlp(path):
    """Write mappings and locations, with everything by name, other fields, and faults of the tables."""
    tables = {number: [] for number in range(1, 8)}
    for n, value in fields(read(path)):
        if n != 2:
            print("field", n, value.hex())
            continue
        for k, entry in fields(value):
            if k in tables:
                tables[k].append(entry)
            else:
                print("field", k, "of the dictionary:", entry)
    for k, table in tables.items():
        if len(set(table)) != len(table) or (table and table[0]):
            print("table", k, "has entries twice, or no empty one")
    strings = [s.decode() for s in tables[5]]
    functions = [dict(fields(entry)) for entry in tables[3]]
    for entry in tables[2][1:]:
        location = dict(fields(entry))
        mapping = dict(fields(tables[1][location.get(1, 0)]))
        calls = []
        for line in [dict(fields(v)) for k, v in fields(entry) if k == 3]:
            f = functions[line[1]]
            calls.append(f"{strings[f[1]]} {os.path.basename(strings[f.get(3, 0)])}:{line.get(2, 0)} from {f.get(4, 0)} "
                         f"as {strings[f.get(2, 0)]}")
        others = [k for k, v in fields(entry) if k > 3]
        print(os.path.basename(strings[mapping.get(4, 0)]), hex(location.get(2, 0)), " < ".join(calls) or "?", others)


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
