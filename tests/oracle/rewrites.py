#!/usr/bin/env python3
"""Rewrite recordings in every container and byte order, and compare with the originals field by field.

usage: rewrites.py [--perf] REWRITE PDCONV RECORDING...

Each recording is written in its own byte order and container, in the other order and back, and in the other
container and back. `pdconv dump --json` must show the same of the result as of the original, with the
exceptions below. Payloads after a record are compared as bytes. Byteswapping twice must give the same bytes
as a plain copy. With --perf, `perf script` and `perf report` must show the same of both where the order is
little-endian, and where it is big-endian as far as perf reads that (see gap). Prints a line for each
difference, and the number of comparisons of each kind.
"""
import collections
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import perfs

# Features that do not hold for the copy: compressed records are unpacked, and a directory becomes one file.
OUTDATED = {"COMPRESSED", "DIR_FORMAT"}
# Records whose sizes need not be multiples of 8, for which perf 7.2 has the same exceptions.
UNPADDED = {"TRACING_DATA", "FEATURE", "COMPRESSED"}
# Largest feature in a stream, where it is a record.
MAX_IN_STREAM = 65535 - 16


def run(*command, check=True):
    return subprocess.run([str(c) for c in command], capture_output=True, timeout=300, check=check)


def padded_size(record):
    return record["size"] + (0 if record["type"] in UNPADDED else -record["size"] % 8)


class Recording:
    """The dump of a recording. Sections of a file and the corresponding records of a stream have one form."""

    def __init__(self, pdconv, path):
        self.path = path
        dump = run(pdconv, "dump", "--json", path)
        parts = [json.loads(line) for line in dump.stdout.decode(errors="replace").splitlines()]
        self.header = parts.pop(0)["body"] if parts and parts[0]["type"] == "HEADER" else {}
        self.is_pipe = self.header.get("size") == 16
        self.data = pathlib.Path(path).read_bytes() if not os.path.isdir(path) else b""
        self.attrs, self.build_ids, self.event_types, self.records = [], [], [], []
        self.features, self.tracing, self.index, self.containers = {}, None, [], set()
        self.bits, self.n_unpadded = [], 0
        for part in parts:
            self.add(part)

    def payload(self, part):
        at, n = part["offset"] + part["size"], part.get("outside_size", 0)
        return self.data[at:at + n]

    def add(self, part):
        kind, body = part["type"], part["body"]
        self.n_unpadded += "misc" in part and part["size"] != padded_size(part)
        if kind in ("COMPRESSED", "COMPRESSED2"):
            self.containers.add(kind)  # its contents follow it
        elif kind == "ATTR" and (self.is_pipe or "misc" not in part):
            self.attrs.append(body)
        elif kind == "FEATURE" and (self.is_pipe or "misc" not in part):
            self.add_feature(part)
        elif kind == "TRACING_DATA" and self.is_pipe:
            self.tracing = self.payload(part)
        elif kind == "BUILD_ID" and self.is_pipe:
            self.build_ids.append({**body, "misc": part["misc"]})
        elif kind == "EVENT_TYPE" and self.is_pipe:
            self.event_types.append(body)
        else:
            self.records.append(part)

    def add_feature(self, part):
        name = part.get("feature") or part["body"].get("feat_id")
        data = part["body"].get("data")
        self.bits += [] if self.is_pipe else [part["body"]["feat_id"]]
        if name == "TRACING_DATA":
            self.tracing = self.data[part["offset"]:part["offset"] + part["size"]]
        elif name == "BUILD_ID":
            self.build_ids += data.get("entries", [])
        elif name == "AUXTRACE":
            self.index = [(e["file_offset"], e["size"]) for e in data["index"]["entries"]]
        elif self.is_pipe and part["size"] == 16:
            pass  # an empty feature ends them
        elif name not in OUTDATED:
            self.features.setdefault(name, (data, part["size"] - 16 * self.is_pipe))

    def event_names(self):
        data = self.features.get("EVENT_DESC", (None, 0))[0] or {}
        return [event["name"] for event in data.get("events", [])]

    def header_bits(self):
        words = self.header.get("adds_features", [])
        return [64 * i + bit for i, word in enumerate(words) for bit in range(64) if word >> bit & 1]

    def event_type_section(self):
        at, n = self.header.get("event_types_offset", 0), self.header.get("event_types_size", 0)
        swap = "big" if self.data[:8] == b"2ELIFREP" else "little"
        return [{"event_id": int.from_bytes(self.data[i:i + 8], swap),
                 "name": self.data[i + 8:i + 72].split(b"\0")[0].decode()}
                for i in range(at, at + n, 72)] if not self.is_pipe else self.event_types


def plain(part, recording):
    """Return a record without its offset, and with its payload."""
    out = {k: v for k, v in part.items() if k not in ("offset", "compressed", "file")}
    if "outside_size" in part:
        out["payload"] = hashlib.sha256(recording.payload(part)).hexdigest()
    return out


def is_simpleperf(recording):
    return "SIMPLEPERF_META_INFO" in recording.features


def plain_build_id(entry):
    # perf leaves out the type in the section. Names are padded to 64 bytes there and to 8 in records. Bytes after the
    # end of a name are dumped only for records.
    return {k: v for k, v in entry.items() if k not in ("type", "size", "rest")}


def grown(attrs):
    """Extend attrs of several sizes to the longest one, with zeros."""
    size = max((a["attr"].get("size", 0) for a in attrs), default=0)
    longest = next((a["attr"] for a in attrs if a["attr"].get("size") == size), {})
    if len({a["attr"].get("size") for a in attrs}) <= 1:
        return attrs
    return [{**a, "attr": {**{k: 0 for k in longest}, **a["attr"], "size": size}} for a in attrs]


def joined(attrs):
    """Join ATTR records of one event, which share an id, as in the table of a file."""
    out = []
    for attr in attrs:
        same = [a for a in out if a["ids"] and attr["ids"] and attr["ids"][0] in a["ids"]]
        if same:
            same[0]["ids"] += [i for i in attr["ids"] if i not in same[0]["ids"]]
        else:
            out.append({**attr, "ids": list(attr["ids"])})
    return out


def has_payload(part):
    return part["type"] != "AUXTRACE" or part.get("outside_size", 0) == part["body"]["data_size"]


def expected_features(original, to_pipe):
    """Return the features that the copy must have."""
    out = {}
    for name, (data, size) in original.features.items():
        if to_pipe and (not size or size > MAX_IN_STREAM):
            continue
        out[name] = (data, size)
    return out


def differences(what, ours, theirs):
    if ours == theirs:
        return
    if isinstance(ours, list) and isinstance(theirs, list):
        if len(ours) != len(theirs):
            yield f"{what}: {len(ours)} instead of {len(theirs)}"
        for i, (a, b) in enumerate(zip(ours, theirs)):
            if a != b:
                yield from differences(f"{what}[{i}]", a, b)
                return
    elif isinstance(ours, dict) and isinstance(theirs, dict):
        for key in list(theirs) + [k for k in ours if k not in theirs]:
            if ours.get(key) != theirs.get(key):
                yield from differences(f"{what}.{key}", ours.get(key), theirs.get(key))
                return
    else:
        yield f"{what}: {str(ours)[:80]} instead of {str(theirs)[:80]}"


def compare_records(copy, original, is_directory):
    ours = [plain(p, copy) for p in copy.records]
    theirs = [{**plain(p, original), "size": p["size"] if is_simpleperf(original) else padded_size(p)}
              for p in original.records if has_payload(p)]
    if not theirs and not copy.is_pipe:
        theirs = [ours[0]] if ours and ours[0]["type"] == "FINISHED_ROUND" else []
    if is_directory:
        # The files of a directory are merged by time.
        times = [p["body"]["time"] for p in ours if p["type"] == "SAMPLE" and "time" in p["body"]]
        if times != sorted(times):
            yield "samples are not in time order"
        ours, theirs = (sorted(x, key=json.dumps) for x in (ours, theirs))
    yield from differences("records", ours, theirs)


def compare(copy, original, is_directory=False):
    """Yield the differences in the copy."""
    attrs = original.attrs if copy.is_pipe == original.is_pipe else joined(original.attrs)
    yield from differences("attrs", copy.attrs, attrs if copy.is_pipe else grown(attrs))
    yield from compare_records(copy, original, is_directory)
    crosses = copy.is_pipe != original.is_pipe
    yield from differences("features", copy.features,
                           expected_features(original, crosses and copy.is_pipe))
    yield from differences("build ids", [plain_build_id(e) for e in copy.build_ids],
                           [plain_build_id(e) for e in original.build_ids])
    yield from differences("event types", copy.event_type_section(), original.event_type_section())
    # Tracing data in a stream are padded to 8 bytes.
    if (copy.tracing or b"").rstrip(b"\0") != (original.tracing or b"").rstrip(b"\0"):
        yield "tracing data differ"
    if copy.n_unpadded and not is_simpleperf(copy) and not copy.containers:
        yield f"{copy.n_unpadded} records are not padded to 8 bytes"
    # The rest of the header holds offsets, which the dump depends on.
    yield from differences("bits in the header", copy.header_bits(), sorted(copy.bits))
    traces = [(p["offset"], p["size"]) for p in copy.records if p["type"] == "AUXTRACE"]
    if not copy.is_pipe and traces != copy.index:
        yield f"the AUXTRACE index is {copy.index}, not {traces}"


def check_bytes(a, b, what):
    if pathlib.Path(a).read_bytes() != pathlib.Path(b).read_bytes():
        yield f"{what}: the bytes differ from those of a plain copy"


class Check:
    def __init__(self, rewrite, pdconv, with_perf, scratch):
        self.rewrite, self.pdconv, self.with_perf = rewrite, pdconv, with_perf
        self.scratch = pathlib.Path(scratch)
        self.counts = collections.Counter()

    def write(self, source, name, *options):
        target = self.scratch / name
        result = run(self.rewrite, source, target, *options, check=False)
        if result.returncode:
            raise RuntimeError(f"{name}: {result.stderr.decode(errors='replace').strip()}")
        return target

    def check(self, path):
        original = Recording(self.pdconv, path)
        is_directory = os.path.isdir(path)
        is_big = original.data[:8] == b"2ELIFREP"
        own, other = ("--big", "--little") if is_big else ("--little", "--big")
        same = self.write(path, "same", own)
        swapped = self.write(path, "swapped", other)
        back = self.write(swapped, "back", own)
        yield from self.against("same", same, original, is_directory)
        yield from self.against("swapped", swapped, original, is_directory)
        yield from check_bytes(back, same, "swapped and back")
        yield from check_bytes(self.write(same, "again"), same, "again")
        if original.containers and not is_directory:
            kept = self.write(path, "kept", "--keep-compressed")
            yield from self.against("kept", kept, original, is_directory)
        twin = pathlib.Path(path).parent.parent / "quipper" / pathlib.Path(path).name.removesuffix(".be")
        if pathlib.Path(path).parent.name == "derived-be" and twin.exists():
            # Another tool byteswapped the twin to make this one.
            yield from self.against("twin", self.write(twin, "twin", "--big"), original, False)
        if not is_simpleperf(original):
            yield from self.check_containers(path, original, is_directory)
        if self.with_perf:
            yield from self.check_perf(path, original, swapped if is_big else same,
                                       same if is_big else swapped)

    def against(self, name, path, original, is_directory):
        for problem in compare(Recording(self.pdconv, path), original, is_directory):
            yield f"{name}: {problem}"
        self.counts[name] += 1

    def check_containers(self, path, original, is_directory):
        there, home = ("--file", "--pipe") if original.is_pipe else ("--pipe", "--file")
        crossed = self.write(path, "crossed", there)
        yield from self.against("crossed", crossed, original, is_directory)
        middle = Recording(self.pdconv, crossed)
        yield from self.against("crossed and back", self.write(crossed, "home", home), middle, False)
        swapped = self.write(path, "crossed-swapped", there, "--big")
        yield from check_bytes(self.write(swapped, "crossed-back", "--little"),
                               self.write(crossed, "crossed-once", "--little"), "crossed, swapped and back")


    def check_perf(self, path, original, little, big):
        if original.data[:8] != b"2ELIFREP":
            yield from self.perf_same("perf: copy", Shown(path, original), Shown(little, original))
        shown = Shown(little, original)
        if "SIMPLEPERF_META_INFO" not in original.features:
            there, name = ("--file", "file") if original.is_pipe else ("--pipe", "stream")
            crossed = self.write(path, "perf-crossed", "--little", there)
            yield from self.perf_same(f"perf: as a {name}", shown, Shown(crossed, original))
        yield from self.perf_same("perf: big-endian", shown, Shown(big, original))

    def perf_same(self, what, theirs, ours):
        fields = theirs.fields()
        if ours.is_big and ours.is_pipe:
            # Without FEATURE perf does not know the architecture, and does not unwind.
            fields = fields.replace(",ip,sym", "")
        for name in ("script", "report"):
            expected = getattr(theirs, name)(fields)
            why_not = gap(theirs, ours, name)
            if not why_not and not expected:
                why_not = "perf does not read the original"
            if why_not:
                self.counts[f"{what}, {name}: not compared: {why_not}"] += 1
                continue
            lines = getattr(ours, name)(fields)
            if perfs.version() >= (7, 0) and ours.is_pipe != theirs.is_pipe:
                lines, expected = bare_names(lines), bare_names(expected)
            if theirs.is_directory:
                lines, expected = sorted(lines), sorted(expected)
            for problem in differences("line", lines, expected):
                yield f"{what}, {name}: {problem}"
            self.counts[f"{what}, {name}: the same"] += 1


# Fields that not all recordings have, then those that all have.
SCRIPT_FIELDS = ["comm,pid,tid,time,event,period,ip,sym",
                 "comm,pid,tid,time,event,period", "comm,pid,tid,time,event", "comm,pid,tid,event"]


class Shown:
    """The output of perf for a recording that was made from original."""

    def __init__(self, path, original):
        self.path, self.original = path, original
        self.is_directory = os.path.isdir(path)
        self.data = b"" if self.is_directory else pathlib.Path(path).read_bytes()
        self.is_pipe = len(self.data) >= 16 and 16 in (
            int.from_bytes(self.data[8:16], "little"), int.from_bytes(self.data[8:16], "big"))
        self.is_big = self.data[:8] == b"2ELIFREP"

    def lines(self, *command):
        # Pipe a stream into perf 6.1, which cannot read AUX data of a stream from a file.
        stdin, name = (self.data, "-") if self.is_pipe else (None, self.path)
        result = subprocess.run(["perf", *command, "--symfs", "/nonexistent", "-i", str(name)],
                                input=stdin, capture_output=True, timeout=300, check=False)
        return [] if result.returncode else result.stdout.decode(errors="replace").splitlines()

    def script(self, fields):
        return self.lines("script", "--no-inline", "-F", fields)

    def fields(self):
        return next((fields for fields in SCRIPT_FIELDS if self.script(fields)), SCRIPT_FIELDS[-1])

    def report(self, _):
        # These are defaults of perf only for files, of which it knows the records.
        lines = self.lines("report", "--stdio", "--no-children", "-g", "none", "--no-branch-stack",
                           "-s", "comm,dso,sym", "-F", "sample,period,comm,dso,sym")
        return [line for line in lines if not line.startswith("#")]


@functools.cache
def perf_attr_size():
    """Return the size of an attr of this version of perf: 128 in 6.1, 144 in 7.2."""
    with tempfile.NamedTemporaryFile() as out:
        run("perf", "record", "-q", "-e", "dummy", "-o", out.name, "--", "true")
        return int.from_bytes(out.read()[16:24], "little") - 16  # with the section of its ids


def bare_names(lines):
    """Remove the modifiers of event names. perf 7 has them from the attr in a stream, and pads names to the longest one."""
    return [re.sub(r" +", " ", re.sub(r"(?<=[\w/]):[a-zA-Z]+(?=: )", "", line)) for line in lines]


# Longest name of a tracepoint that perf 7.2 takes from a stream.
MAX_TRACEPOINT_IN_STREAM = 127


PROT_EXEC = 4


def is_generated_code(part):
    """Tell if a record maps memory that perf names [JIT], for which it looks at prot."""
    return part["type"] == "MMAP2" and part["body"].get("prot", 0) & PROT_EXEC and part["body"]["filename"] == "//anon"


def gap(theirs, ours, name):
    """Return why perf cannot show the same of both although they are correct, or None."""
    sizes = {attr["attr"]["size"] for attr in ours.original.attrs}
    if not ours.is_pipe and max(sizes) > perf_attr_size():
        return "attrs longer than perf knows, in a file"
    if "COMPRESSED2" in ours.original.containers and theirs.path == ours.original.path:
        return "the original has COMPRESSED2"
    if "STAT" in ours.original.features and ours.is_pipe and name == "script":
        return "counters are shown of files only"
    if perfs.version() >= (7, 0) and ours.is_pipe != theirs.is_pipe and any(
            len(name) > MAX_TRACEPOINT_IN_STREAM for name in ours.original.event_names()):
        return "perf cuts names of tracepoints in a stream"
    if ours.is_big and any(part["type"] == "KSYMBOL" for part in ours.original.records):
        return "perf does not byteswap KSYMBOL"
    if ours.is_big and name == "report" and any(is_generated_code(part) for part in ours.original.records):
        return "perf does not byteswap prot of MMAP2, and takes generated code for data"
    if not ours.is_big or not ours.is_pipe:
        return None
    if sizes != {perf_attr_size()}:
        return "perf does not byteswap ids after an attr of another size than its own"
    if any(part["type"] == "EVENT_UPDATE" for part in ours.original.records):
        return "perf does not byteswap EVENT_UPDATE"
    return "perf does not byteswap the number in FEATURE" if name == "report" else None


def check_one(words):
    """Return the problems of a recording, and the number of comparisons by kind."""
    path, rewrite, pdconv, with_perf = words
    with tempfile.TemporaryDirectory() as scratch:
        check = Check(rewrite, pdconv, with_perf, scratch)
        try:
            return list(check.check(path)), check.counts
        except RuntimeError as error:
            return [str(error)], check.counts


def main():
    arguments = sys.argv[1:]
    with_perf = arguments[0] == "--perf"
    rewrite, pdconv, *paths = arguments[with_perf:]
    n_wrong, counts = 0, collections.Counter()
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        work = [(path, rewrite, pdconv, with_perf) for path in paths]
        for path, (problems, compared) in zip(paths, pool.map(check_one, work)):
            for problem in problems:
                print(f"{path}: {problem}")
            n_wrong += bool(problems)
            counts += compared
    if n_wrong or not paths:
        print(f"{len(paths)} recordings, {n_wrong} wrong")
    for what, n in sorted(counts.items()):
        print(f"{n:5} {what}")
    return 1 if n_wrong or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
