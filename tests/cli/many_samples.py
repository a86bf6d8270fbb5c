#!/usr/bin/env python3
"""Write a recording with many samples in zstd-compressed records.

    many_samples.py OUTPUT COUNT same|distinct

Samples have the same address, or an address each. A recording of equal samples has less than a
thousandth of the size that they have. Times ascend, and no FINISHED_ROUND releases the samples.
"""

import struct
import subprocess
import sys

ATTR_BYTES = 112
HEADER_BYTES = 104
IP_TID_TIME_PERIOD = 1 | 2 | 4 | 1 << 8
DISABLED_SAMPLE_ID_ALL = 1 | 1 << 18
PERIOD = 10000
PID = 100
COMM, SAMPLE, COMPRESSED = 3, 9, 81
USER = 2


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def sample(time, address):
    return record(SAMPLE, USER, struct.pack("<QIIQQ", address, PID, PID, time, PERIOD))


def records(count, is_same):
    yield record(COMM, 0, struct.pack("<II8sIIQ", PID, PID, b"prog", PID, PID, 1))
    for i in range(count):
        yield sample(1000 + i // 64, 0x401000 + (0 if is_same else i))


def main():
    output, count, which = sys.argv[1:]
    attr = struct.pack("<IIQQQQQ", 1, ATTR_BYTES, 0, PERIOD, IP_TID_TIME_PERIOD, 0, DISABLED_SAMPLE_ID_ALL)
    attr = attr.ljust(ATTR_BYTES, b"\0") + struct.pack("<QQ", 0, 0)
    plain = b"".join(records(int(count), which == "same"))
    packed = subprocess.run(["zstd", "-q", "-c"], input=plain, stdout=subprocess.PIPE, check=True).stdout
    pieces = [packed[i : i + 65000] for i in range(0, len(packed), 65000)]
    data = b"".join(record(COMPRESSED, 0, piece) for piece in pieces)
    sections = (HEADER_BYTES, len(attr), HEADER_BYTES + len(attr), len(data), 0, 0)
    with open(output, "wb") as out:
        out.write(b"PERFILE2" + struct.pack("<QQ6Q", HEADER_BYTES, len(attr), *sections) + bytes(32))
        out.write(attr + data)


main()
