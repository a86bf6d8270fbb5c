#!/usr/bin/env python3
"""Damage recordings in many ways, and compare the samples that pdconv reads with those of the intact recording.

usage: damage.py PDCONV TESTDATA

A sample is intact if the damage changed none of its bytes, and did not move it beyond the end that the header of the file
states. The table has, for each kind of damage and each recording, the
share of intact samples that are read, in percent. The test fails if a share is less than in FLOORS, or if a sample appears
that the recording does not have. $QUICK damages each recording in fewer places.
"""
import collections
import concurrent.futures
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

RECORDINGS = ("nested", "cxx", "threads", "forkexec", "signal", "fp", "group", "piped")
COMPRESSED = "compressed"
PLACES = 5 if os.environ.get("QUICK") else 20
SIZE_AT, DATA_AT, STREAM_HEADER_BYTES, BLOCK = 6, 40, 16, 4096
# What identifies a sample in a line of pdconv dump. Some recordings have no periods.
SAMPLE = re.compile(r"(0x[0-9a-f]+)z? SAMPLE size=(\d+).*? ip=(\S+) pid=(\d+) tid=(\d+) time=(\d+)(?:.*? period=(\d+))?")
RECORD = re.compile(r"(0x[0-9a-f]+) (\w+) size=(\d+)")
NO_RECORDS = ("HEADER", "PIPE_HEADER", "ATTR_SECTION", "ATTR_IDS", "ATTR", "FEATURE_SECTION")


class Damage:
    """The bytes of a damaged recording: LOST of them at AT are replaced by GAINED."""

    def __init__(self, data, at, lost, gained):
        self.data = data[:at] + gained + data[at + lost:]
        self.at, self.lost, self.gained = at, lost, gained

    def hits(self, at, size):
        """Whether a byte of the SIZE bytes at AT is changed, or something is inserted between two of them."""
        return at < self.at + max(self.lost, 1) and self.at < at + size and not (self.lost == 0 and self.at == at)

    def moved(self, at):
        """Return where the byte at AT is now."""
        return at + len(self.gained) - self.lost if at >= self.at + self.lost else at


def flip(first, last):
    """Return a kind of damage that changes one of the bytes FIRST to LAST of a record."""
    def make(data, record, rand):
        at = record + rand.randrange(first, last + 1)
        return Damage(data, at, 1, bytes([data[at] ^ rand.randrange(1, 256)]))
    return make


def size_zero(data, record, rand):
    return Damage(data, record + SIZE_AT, 2, bytes(2))


def replaced(n, make_bytes):
    """Return a kind of damage that replaces N bytes, which begin in a record but not at its start."""
    def make(data, record, rand):
        at = min(record + rand.randrange(1, 64), len(data) - 1)
        n_here = min(n, len(data) - at)
        return Damage(data, at, n_here, make_bytes(rand, n_here))
    return make


def zeros(rand, n):
    return bytes(n)


def noise(rand, n):
    return rand.randbytes(n)


def nothing(rand, n):
    return b""


def inserted(data, record, rand):
    return Damage(data, record + rand.randrange(1, 64), 0, rand.randbytes(rand.randrange(1, 1000)))


KINDS = {
    "type changed": flip(0, 3),
    "misc changed": flip(4, 5),
    "size changed": flip(6, 7),
    "size 0": size_zero,
    "512 bytes zeroed": replaced(512, zeros),
    "4 KiB zeroed": replaced(BLOCK, zeros),
    "4 KiB of noise": replaced(BLOCK, noise),
    "100 bytes removed": replaced(100, nothing),
    "4 KiB removed": replaced(BLOCK, nothing),
    "bytes inserted": inserted,
}
# Least share of the intact samples of a recording that must be read, in percent. A changed byte must cost no other sample.
FLOORS = {kind: 100 if "changed" in kind or kind == "size 0" else 99.6 for kind in KINDS}
# Compressed records are one zstd frame, of which nothing can be read after damage. This floor is for all kinds together.
COMPRESSED_FLOOR = 25


def dump(pdconv, path, *options):
    result = subprocess.run([pdconv, "dump", "--quiet", *options, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, errors="replace", check=False)
    if result.returncode not in (0, 1):
        sys.exit(f"{path}: status {result.returncode}: {result.stderr}")
    return result.stdout


def samples(pdconv, path):
    """Return offset, size and identity of each sample."""
    return [(int(at, 16), int(size), tuple(what)) for at, size, *what in SAMPLE.findall(dump(pdconv, path, "--type", "SAMPLE"))]


class Recording:
    def __init__(self, pdconv, testdata, name):
        self.name = name
        path = os.path.join(testdata, name, "perf.data")
        with open(path, "rb") as file:
            self.data = file.read()
        self.samples = samples(pdconv, path)
        offset, size = struct.unpack_from("<QQ", self.data, DATA_AT)
        is_stream = struct.unpack_from("<Q", self.data, 8)[0] == STREAM_HEADER_BYTES
        self.end = len(self.data) * 2 if is_stream else offset + size
        places = [(int(at, 16), kind) for at, kind, _ in RECORD.findall(dump(pdconv, path))]
        first = self.samples[0][0]
        # The recording cannot be read without its header and its events.
        self.places = [at for at, kind in places if kind not in NO_RECORDS and (at >= first or kind in ("MMAP2", "COMM"))]
        self.is_compressed = name == COMPRESSED

    def is_intact(self, at, size, damage):
        """Whether the sample of SIZE bytes at AT can be read after the damage."""
        return self.is_compressed or (not damage.hits(at, size) and damage.moved(at) + size <= self.end)

    def damages(self, kind):
        rand = random.Random(f"{self.name} {kind}")
        return [KINDS[kind](self.data, rand.choice(self.places), rand) for _ in range(PLACES)]


def try_one(pdconv, work, recording, kind, i, damage):
    """Return how many samples are intact, how many of them are read, and what is wrong."""
    path = os.path.join(work, f"{recording.name}-{i}-{kind.replace(' ', '-')}")
    with open(path, "wb") as out:
        out.write(damage.data)
    found = samples(pdconv, path)
    hit = {damage.moved(at) for at, size, _ in recording.samples if damage.hits(at, size)}
    intact = [s for s in recording.samples if recording.is_intact(s[0], s[1], damage)]
    have = collections.Counter(what for _, _, what in intact)
    read = collections.Counter(what for _, _, what in found)
    n_read = sum((have & read).values())
    # The body of a damaged sample may be wrong, which nothing shows. No other sample may be new, and none may be double.
    original = collections.Counter(what for _, _, what in recording.samples)
    new = [s for s in found if s[2] not in original and (recording.is_compressed or s[0] not in hit)]
    double = [what for what, n in read.items() if n > original[what] > 0]
    os.unlink(path)
    return len(intact), n_read, [f"{recording.name}: {kind} at {damage.at:#x}: {s}" for s in new + double]


def try_kind(pdconv, work, pool, recording, kind):
    """Return the share of the intact samples that are read, and what is wrong."""
    tries = [pool.submit(try_one, pdconv, work, recording, kind, i, damage)
             for i, damage in enumerate(recording.damages(kind))]
    results = [future.result() for future in tries]
    share = 100 * sum(n_read for _, n_read, _ in results) / sum(n_intact for n_intact, _, _ in results)
    wrong = [line for _, _, lines in results for line in lines]
    if share < FLOORS[kind] and not recording.is_compressed:
        wrong.append(f"{recording.name}: {kind}: {share:.2f} % of the intact samples are read, not {FLOORS[kind]} %")
    return share, wrong


def main():
    pdconv, testdata = sys.argv[1:]
    wrong, compressed = [], []
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(2) as pool:
        recordings = [Recording(pdconv, testdata, name) for name in (*RECORDINGS, COMPRESSED)]
        print(f"| damage | {' | '.join(r.name for r in recordings)} |")
        print("|-|" + "-|" * len(recordings))
        for kind in KINDS:
            shares = []
            for recording in recordings:
                share, lines = try_kind(pdconv, work, pool, recording, kind)
                shares.append(share)
                wrong += lines
            compressed.append(shares[-1])
            print(f"| {kind} | {' | '.join(f'{share:.1f}' for share in shares)} |")
    share = sum(compressed) / len(compressed)
    if share < COMPRESSED_FLOOR:
        wrong.append(f"{COMPRESSED}: {share:.1f} % of the samples are read, not {COMPRESSED_FLOOR} %")
    for line in wrong:
        print("wrong:", line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
