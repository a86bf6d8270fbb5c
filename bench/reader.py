#!/usr/bin/env python3
"""Time the reader: pdconv info on large recordings, against perf on the same file in the same run.

usage: bench/reader.py [--runs N] [--samples N] [--gigabytes N,...] PDCONV [DIR]

Recordings are made with perf, and enlarged by repeating their rounds with later times. The first has a
million samples with frame pointer chains: pdconv info, perf report --stats, perf script -F time. The others
have some gigabytes of captured stacks: pdconv info on a mapped file and on a pipe, pdconv dump of one type,
and cat, which only reads. Figures are medians; see bench/run.py.
"""
import argparse
import os
import statistics
import struct
import subprocess

from measure import run

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLE, FINISHED_ROUND = 9, 68
IDENTIFIER, IP, TID, TIME, ID, STREAM_ID, CPU = (1 << bit for bit in (16, 0, 1, 2, 6, 9, 7))


class Recording:
    """A little-endian recording in file mode with one event, split for repeating."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        self.data_at, self.data_size = struct.unpack_from("<QQ", self.bytes, 40)
        attrs_at, = struct.unpack_from("<Q", self.bytes, 24)
        self.sample_type, = struct.unpack_from("<Q", self.bytes, attrs_at + 24)
        self.find_rounds()

    def time_at(self, kind, at, size):
        """Return the offset of the time in a record."""
        if kind == SAMPLE:
            return at + 8 + 8 * sum(bool(self.sample_type & b) for b in (IDENTIFIER, IP, TID))
        after = sum(bool(self.sample_type & b) for b in (ID, STREAM_ID, CPU, IDENTIFIER))
        return at + size - 8 * (after + 1)

    def find_rounds(self):
        """Return the part to repeat: from the first record with a time to the last round."""
        at, end = self.data_at, self.data_at + self.data_size
        self.start = self.end = 0
        times = []
        while at < end:
            kind, _, size = struct.unpack_from("<IHH", self.bytes, at)
            if kind < 64:
                place = self.time_at(kind, at, size)
                time, = struct.unpack_from("<Q", self.bytes, place)
                if time:
                    self.start = self.start or at
                    times.append((place, time))
            at += size
            if kind == FINISHED_ROUND and self.start:
                self.end = at
        self.times = [(place - self.start, time) for place, time in times if place < self.end]
        self.span = max(t for _, t in self.times) - min(t for _, t in self.times) + 1000
        self.samples = sum(1 for _ in self.iterate(SAMPLE))

    def iterate(self, wanted):
        at = self.start
        while at < self.end:
            kind, _, size = struct.unpack_from("<IHH", self.bytes, at)
            if kind == wanted:
                yield at
            at += size

    def write_stream(self, path, repeats):
        """The same in pipe mode, with the event and without other features."""
        attrs_at, = struct.unpack_from("<Q", self.bytes, 24)
        attr_size, = struct.unpack_from("<I", self.bytes, attrs_at + 4)
        ids_at, ids_size = struct.unpack_from("<QQ", self.bytes, attrs_at + attr_size)
        attr = self.bytes[attrs_at:attrs_at + attr_size] + self.bytes[ids_at:ids_at + ids_size]
        with open(path, "wb") as out:
            out.write(struct.pack("<8sQ", b"PERFILE2", 16))
            out.write(struct.pack("<IHH", 64, 0, 8 + len(attr)) + attr)
            out.write(self.bytes[self.data_at:self.start])
            self.write_rounds(out, repeats)
            out.write(self.bytes[self.end:self.data_at + self.data_size])

    def write_rounds(self, out, repeats):
        block = bytearray(self.bytes[self.start:self.end])
        for i in range(repeats):
            for place, time in self.times:
                struct.pack_into("<Q", block, place, time + i * self.span)
            out.write(block)

    def write(self, path, repeats):
        """Write the recording with its rounds repeated repeats times, and its features after them."""
        extra = (self.end - self.start) * (repeats - 1)
        data_end = self.data_at + self.data_size
        head = bytearray(self.bytes[:self.start])
        struct.pack_into("<Q", head, 48, self.data_size + extra)
        tail = bytearray(self.bytes[self.end:])
        bitmap = struct.unpack_from("<4Q", self.bytes, 72)
        for i in range(sum(bin(word).count("1") for word in bitmap)):
            at = data_end - self.end + 16 * i
            offset, = struct.unpack_from("<Q", tail, at)
            struct.pack_into("<Q", tail, at, offset + extra)
        with open(path, "wb") as out:
            out.write(head)
            self.write_rounds(out, repeats)
            out.write(tail)


def record(path, *options):
    if not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        subprocess.run(["perf", "record", "-q", "-a", "-e", "cpu-clock", *options, "-o", path,
                        "--", "sh", os.path.join(HERE, "workload.sh"), "5"], check=True)
    return Recording(path)


def table(title, commands, runs):
    figures = {name: [] for name in commands}
    for _ in range(runs):
        for name, (argv, feeder) in commands.items():
            figures[name].append(run(argv, feeder=feeder))
    print(title)
    print(f"  {'':30} {'CPU s':>8} {'wall s':>8} {'anon MiB':>9} {'ratio':>6}")
    base = statistics.median(f[0] for f in next(iter(figures.values())))
    for name, rows in figures.items():
        cpu, wall, anon, _ = (statistics.median(column) for column in zip(*rows))
        print(f"  {name:30} {cpu:8.2f} {wall:8.2f} {anon:9.1f} {cpu / base:6.1f}")


def million(pdconv, scratch, runs, samples):
    small = record(os.path.join(scratch, "fp.data"), "-g", "-F", "4999")
    path = os.path.join(scratch, "fp-large.data")
    small.write(path, max(1, samples // small.samples))
    table(f"{samples // small.samples * small.samples} samples with frame-pointer chains, "
          f"{os.path.getsize(path) / 1e6:.0f} MB",
          {"pdconv info": ([pdconv, "info", path], None),
           "perf report --stats": (["perf", "report", "--stats", "-i", path], None),
           "perf script -F time": (["perf", "script", "-F", "time", "-i", path], None)}, runs)
    os.unlink(path)


def gigabytes(pdconv, scratch, runs, size):
    small = record(os.path.join(scratch, "dwarf.data"), "--call-graph", "dwarf", "-F", "999")
    path = os.path.join(scratch, "large.data")
    stream = os.path.join(scratch, "large.pipe")
    repeats = max(1, int(size * 1e9) // (small.end - small.start))
    small.write(path, repeats)
    small.write_stream(stream, repeats)
    table(f"{os.path.getsize(path) / 1e9:.1f} GB with captured stacks",
          {"pdconv info": ([pdconv, "info", path], None),
           "pdconv info, a stream": ([pdconv, "info", stream], None),
           "pdconv info, a stream, a pipe": ([pdconv, "info", "-"], ["cat", stream]),
           "pdconv dump --type EXIT": ([pdconv, "dump", "--type", "EXIT", path], None),
           "wc -c, a pipe": (["wc", "-c"], ["cat", stream])}, runs)
    os.unlink(path)
    os.unlink(stream)


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--runs", type=int, default=3)
    args.add_argument("--samples", type=int, default=1000000)
    args.add_argument("--gigabytes", default="2,5")
    args.add_argument("pdconv")
    args.add_argument("dir", nargs="?")
    args = args.parse_args()
    scratch = args.dir or os.path.join(os.path.dirname(args.pdconv), "bench")
    million(args.pdconv, scratch, args.runs, args.samples)
    for size in filter(None, args.gigabytes.split(",")):
        gigabytes(args.pdconv, scratch, args.runs, float(size))


main()
