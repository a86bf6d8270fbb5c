#!/usr/bin/env python3
"""Repeat the records of a recording: usage: repeat.py INPUT OUTPUT N

OUTPUT has the records of INPUT N times, each time later, and its header features. So it has N times as many samples of
the same program, and a conversion of it should take N times as long in the same memory. INPUT is a file of perf record
whose events have the same sample_type.
"""
import struct
import sys

SAMPLE, FIRST_OF_TOOLS = 9, 64
HEADER_BYTES, ATTR_BYTES_AT, ATTRS_AT, DATA_AT, FEATURES_AT = 104, 16, 24, 40, 72
# Bits of sample_type that precede the time in a sample, and that follow it in the trailer of other records.
BEFORE_TIME = [1 << 16, 1 << 0, 1 << 1]
AFTER_TIME = [1 << 6, 1 << 9, 1 << 7, 1 << 16]
HAS_TIME = 1 << 2


def find_sample_type(head, content):
    attr_bytes, = struct.unpack_from("<Q", head, ATTR_BYTES_AT)
    at, size = struct.unpack_from("<QQ", head, ATTRS_AT)
    types = {struct.unpack_from("<Q", content, offset + 24)[0] for offset in range(at, at + size, attr_bytes)}
    if len(types) != 1 or not min(types) & HAS_TIME:
        sys.exit("the events have other fields")
    return types.pop()


def find_times(data, sample_type):
    """Return the offsets of all times that are not 0."""
    in_sample = 8 + 8 * sum(bool(sample_type & bit) for bit in BEFORE_TIME)
    from_end = 8 + 8 * sum(bool(sample_type & bit) for bit in AFTER_TIME)
    at, times = 0, []
    while at < len(data):
        kind, _, size = struct.unpack_from("<IHH", data, at)
        if kind < FIRST_OF_TOOLS:
            time_at = at + in_sample if kind == SAMPLE else at + size - from_end
            if struct.unpack_from("<Q", data, time_at)[0]:
                times.append(time_at)
        at += size
    return times


def main():
    source, target, n = sys.argv[1:]
    n = int(n)
    with open(source, "rb") as file:
        content = bytearray(file.read())
    head = content[:HEADER_BYTES]
    start, size = struct.unpack_from("<QQ", head, DATA_AT)
    data, tail = content[start:start + size], content[start + size:]
    times = find_times(data, find_sample_type(head, content))
    first = [struct.unpack_from("<Q", data, at)[0] for at in times]
    span = max(first) - min(first) + 1
    more = size * (n - 1)
    struct.pack_into("<Q", head, DATA_AT + 8, size * n)
    # The table of features follows the data, and refers to what follows the table.
    bits = struct.unpack_from("<4Q", head, FEATURES_AT)
    for i in range(sum(bin(word).count("1") for word in bits)):
        struct.pack_into("<Q", tail, 16 * i, struct.unpack_from("<Q", tail, 16 * i)[0] + more)
    with open(target, "wb") as file:
        file.write(head + content[HEADER_BYTES:start])
        for i in range(n):
            for at, time in zip(times, first):
                struct.pack_into("<Q", data, at, time + i * span)
            file.write(data)
        file.write(tail)


main()
