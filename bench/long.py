#!/usr/bin/env python3
"""Make a recording of a day out of a short one: usage: long.py INPUT OUTPUT [HOURS [SAMPLES-PER-SECOND]]

INPUT is a recording of perf record -e cpu-clock -g -a. Its times are stretched, and its samples repeated, until the
recording has the length and the number of samples that were asked for. Stacks, threads and CPUs are those of INPUT.
"""
import struct
import sys

FORK, EXIT, SAMPLE, FINISHED_ROUND = 7, 4, 9, 68
# Types of records of perf itself, which have no time, begin here.
FIRST_OF_TOOLS = 64
# IP, TID, TIME, CALLCHAIN, ID, CPU and PERIOD, and what records other than samples end with.
SAMPLE_TYPE = 1 | 2 | 4 | 32 | 64 | 128 | 256
TIME_IN_SAMPLE = 24
TIME_FROM_END = 24


def records(data):
    """Yield the type of each record, and where it begins and ends."""
    at = 0
    while at < len(data):
        kind, _, size = struct.unpack_from("<IHH", data, at)
        yield kind, at, at + size
        at += size


def main():
    source, target, *rest = sys.argv[1:]
    hours, rate = (float(word) for word in (rest + ["24", "50"][len(rest):]))
    with open(source, "rb") as file:
        content = bytearray(file.read())
    attrs, _, data_at, data_size = struct.unpack_from("<QQQQ", content, 24)
    if struct.unpack_from("<Q", content, attrs + 24)[0] != SAMPLE_TYPE:
        sys.exit("the samples have other fields")
    data = content[data_at:data_at + data_size]
    samples = [(at, end) for kind, at, end in records(data) if kind == SAMPLE]
    times = [struct.unpack_from("<Q", data, at + TIME_IN_SAMPLE)[0] for at, _ in samples]
    first, span = min(times), max(times) - min(times)
    n_wanted = int(hours * 3600 * rate)
    n_passes = -(-n_wanted // len(samples))
    # Times within a pass are stretched to its part of the whole.
    length = hours * 3600e9 * len(samples) / n_wanted
    out, n = bytearray(), 0
    for number in range(n_passes):
        for kind, at, end in records(data):
            if number and kind not in (SAMPLE, FINISHED_ROUND) or n == n_wanted and kind == SAMPLE:
                continue
            copy = data[at:end]
            if kind < FIRST_OF_TOOLS:
                where = TIME_IN_SAMPLE if kind == SAMPLE else len(copy) - TIME_FROM_END
                time = struct.unpack_from("<Q", copy, where)[0]
                if time:
                    shifted = first + int((time - first) / span * length + number * length)
                    struct.pack_into("<Q", copy, where, max(shifted, 1))
            n += kind == SAMPLE
            out += copy
    # The sections of features are behind the data.
    struct.pack_into("<Q", content, 48, len(out))
    tail, moved = bytearray(content[data_at + data_size:]), len(out) - data_size
    n_features = sum(byte.bit_count() for byte in content[72:104])
    for i in range(n_features):
        offset = struct.unpack_from("<Q", tail, 16 * i)[0]
        struct.pack_into("<Q", tail, 16 * i, offset + moved)
    with open(target, "wb") as file:
        file.write(content[:data_at] + out + tail)


if __name__ == "__main__":
    main()
