#!/usr/bin/env python3
"""Compare the data of our pages with folded stacks of the same recording.

usage: html_page.py PDCONV TESTDATA [RECORDING...]

RECORDINGs are names in TESTDATA, as DIRECTORY/FILE, or made now with perf. For each event and thread, and for slices of the time, the stacks
in a page and their weights must be those of --folded. The hashes of the page's program and style must be those that
it allows.
"""
import base64
import collections
import gzip
import hashlib
import html.parser
import itertools
import json
import os
import re
import shutil
import struct
import sys
import tempfile
import zlib

from viewers import LIVE, PROGRAMS, Failure, Recording, expect, record, run

RECORDINGS = ["shop/before", "shop/after", "clock/perf", "bpf/perf", "compressed/perf", "cxx/perf", "deep/perf", "forkexec/perf",
              "fp/perf", "group/perf", "jit/perf", "nested/perf", "parallel/perf", "piped/perf", "signal/perf",
              "threads/perf", "tracepoints/perf", "trampoline/perf", "system-wide", "lost"]
# Compared in a quick run.
QUICK_RECORDINGS = ["shop/before", "cxx/perf", "nested/perf", "threads/perf", "lost"]
# Those with switches or waits.
WITH_LEDGER = {"shop/before", "shop/after", "clock/perf", "system-wide"}
N_SLICES = 5


class Page(html.parser.HTMLParser):
    """A page as a browser parses it: the texts of its elements, and its profiles."""

    def __init__(self, text):
        super().__init__()
        self.inside = ""
        self.texts = collections.defaultdict(str)
        self.profiles = []
        self.policy = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        expect(not any(name.startswith("on") or name in ("style", "src", "href") for name in attrs), tag, attrs)
        self.inside = attrs.get("id", tag)
        if attrs.get("http-equiv") == "Content-Security-Policy":
            self.policy = attrs["content"]
        if attrs.get("class") == "profile":
            self.inside = None
            self.profiles.append([attrs["data-name"], ""])

    def handle_endtag(self, tag):
        self.inside = ""

    def handle_data(self, data):
        if self.inside is None:
            self.profiles[-1][1] += data
        else:
            self.texts[self.inside] += data

    def check_hashes(self):
        program = gzip.decompress(base64.b64decode(self.texts["packed"]))
        for element, text, directive in (("program", program, "script-src"),
                                         ("loader", self.texts["loader"].encode(), "script-src"),
                                         ("style", self.texts["style"].encode(), "style-src")):
            digest = base64.b64encode(hashlib.sha256(text).digest()).decode()
            expect(re.search(rf"{directive}[^;]* 'sha256-{re.escape(digest)}'", self.policy), element, "is not allowed")


def varints(data):
    values, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            values.append(value)
            value = shift = 0
    expect(shift == 0, "a number is cut")
    return values


def decode(text):
    """Return the JSON of a profile, and its columns by name."""
    data = zlib.decompress(base64.b64decode(text, validate=True))
    magic, length = struct.unpack_from("<4sI", data)
    expect(magic == b"PDW1", "magic", magic)
    about = json.loads(data[8:8 + length])
    at, columns = 8 + length, {}
    for column in about["columns"]:
        values = data[at:at + column["size"]]
        at += column["size"]
        if column["kind"] != "bytes":
            values = varints(values)
        if column["kind"] == "delta":
            total = 0
            for i, value in enumerate(values):
                total += value >> 1 ^ -(value & 1)
                values[i] = total
        expect(len(values) == column["n"], column["name"], "has", len(values), "values, not", column["n"])
        columns[column["name"]] = values
    expect(at == len(data), "bytes follow the columns")
    return about, columns


class Profile:
    def __init__(self, text):
        self.about, self.columns = decode(text)
        self.strings = self.split_strings()
        self.put_in_time()
        self.columns["node.parent"] = self.find_parents()
        self.paths = self.find_paths()

    def __getitem__(self, name):
        return self.columns[name]

    def split_strings(self):
        at, strings = 0, []
        for length in self["string.length"]:
            strings.append(self["string.text"][at:at + length].decode(errors="replace"))
            at += length
        expect(at == len(self["string.text"]) and strings[0] == "", "strings")
        return strings

    def put_in_time(self):
        """Put the columns of samples, which are by CPU and by thread, in order of time. Leaves become nodes."""
        threads, times = self["sample.thread"], self["sample.time"]
        rows = [0] * len(threads)
        for row, i in enumerate(sorted(range(len(threads)), key=lambda i: threads[i])):
            rows[i] = row
        order = sorted(range(len(times)), key=lambda i: times[i])
        for name in ("leaf", "end"):
            self.columns[f"sample.{name}"] = [self[f"sample.{name}"][rows[i]] for i in order]
        for name in ("time", "thread", "cpu", "event", "weight", "count"):
            self.columns[f"sample.{name}"] = [self[f"sample.{name}"][i] for i in order]
        self.columns["sample.node"] = [leaf and self["leaf.node"][leaf - 1] + 1 for leaf in self["sample.leaf"]]

    def find_parents(self):
        """Return the caller of each node plus 1, which is so many callers up from the node before it."""
        parents = []
        for i, up in enumerate(self["node.up"]):
            above = i
            for _ in range(up):
                expect(above > 0, "node", i, "has no parent")
                above = parents[above - 1]
            parents.append(above)
        return parents

    def find_paths(self):
        """Return the functions of each node, root first."""
        names = [self.strings[name] for name in self["function.name"]]
        paths = []
        for i, (parent, frame) in enumerate(zip(self["node.parent"], self["node.frame"], strict=True)):
            expect(parent <= i, "node", i, "precedes its parent")
            caller = paths[parent - 1] if parent else ()
            paths.append(caller + (names[self["frame.function"][frame]],))
        return paths

    def samples(self):
        """Yield (event, time, pid/tid, stack, weight, count) of each sample."""
        threads = [f"{self.about['processes'][thread['process']]['pid']}/{thread['tid']}"
                   for thread in self.about["threads"]]
        names = ("event", "time", "thread", "node", "weight", "count")
        for event, time, thread, node, weight, count in zip(*(self[f"sample.{name}"] for name in names), strict=True):
            yield event, time, threads[thread], self.paths[node - 1] if node else (), weight, count

    def folded(self, event, begin, end):
        stacks = collections.Counter()
        for at, time, thread, stack, weight, _ in self.samples():
            if at == event and begin <= time < end:
                stacks[thread, stack] += weight
        return stacks


def check_references(profile):
    """Each index is that of a row."""
    about = profile.about
    rows = {"function": len(profile["function.name"]), "frame": len(profile["frame.function"]),
            "node": len(profile["node.frame"]), "binary": len(profile["binary.name"]), "string": len(profile.strings),
            "thread": len(about["threads"]), "event": len(about["events"]), "end": len(about["ends"]),
            "instruction": len(profile["instruction.text"]), "place": len(profile["place.function"])}
    references = {"binary.name": "string", "function.name": "string", "function.file": "string",
                  "function.binary": "binary", "frame.function": "function", "node.frame": "frame",
                  "leaf.node": "node", "sample.node": "node", "sample.thread": "thread", "sample.event": "event", "sample.end": "end",
                  "frame.instruction": "instruction", "instruction.place": "place", "instruction.text": "string",
                  "code.function": "function", "code.start": "string", "code.note": "string",
                  "place.caller": "place", "place.function": "function", "source.path": "string",
                  "source.note": "string", "line.text": "string"}
    from_one = {"function.binary", "sample.node", "sample.end", "frame.instruction", "instruction.place", "place.caller"}
    for name, table in references.items():
        most = max(profile[name], default=-1) - (name in from_one)
        expect(most < max(rows[table], 0 if name in from_one else 1) or not profile[name], name, "refers to", most)
    expect(all(kind <= 4 for kind in profile["binary.kind"]), "kinds of binaries")
    expect(all(flags <= 15 for flags in profile["frame.flags"]), "flags of frames")
    counts = collections.Counter(profile["sample.leaf"])
    del counts[0]
    expect(len(counts) == len(profile["leaf.node"]) == len(set(profile["leaf.node"])), "leaves")


def check_code(profile):
    """Rows of code and of source files are those that there are, and jumps lead into the code."""
    expect(sum(profile["code.rows"]) == len(profile["instruction.text"]), "rows of code")
    expect(sum(profile["source.rows"]) == len(profile["line.number"]) == len(profile["line.text"]), "rows of source")
    at = 0
    for rows in profile["code.rows"]:
        expect(all(jump <= rows for jump in profile["instruction.jump"][at:at + rows]), "a jump leads out of the code")
        at += rows
    return at


def check_sums(profile):
    events = profile.about["events"]
    samples, periods = [0] * len(events), [0] * len(events)
    for event, _, _, _, weight, count in profile.samples():
        samples[event] += count
        periods[event] += weight
    expect(samples == [event["samples"] for event in events], "samples", samples)
    expect(periods == [int(event["period"]) for event in events], "periods", periods)


# Ends of names such as "walk (walk.c)" and "f(int)". A profile shows them if it has another function of that name; a slice of the
# time may have only one of the two.
APART = re.compile(r" ?\([^()]*\)$")


def joined(stacks):
    result = collections.Counter()
    for (thread, stack), weight in stacks.items():
        result[thread, tuple(APART.sub("", name) for name in stack)] += weight
    return result


def compare(what, ours, folded):
    for stack in ours.keys() | folded.keys():
        expect(ours[stack] == folded[stack], what, stack, ours[stack], "folded:", folded[stack])


def check_lives(profile, recording):
    """Return how many times of beginnings and ends were compared. The last one counts if an id was used twice."""
    base, unit, about = int(profile.about["base_ns"]), profile.about["time_unit_ns"], profile.about
    ours, theirs = {}, {}
    for thread in about["threads"]:
        pid = about["processes"][thread["process"]]["pid"]
        ours.update({(pid, thread["tid"], name): thread[name] for name in ("start", "end") if name in thread})
    tasks = {(about["processes"][thread["process"]]["pid"], thread["tid"]) for thread in about["threads"]}
    records = []
    for line in run([recording.command[0], "dump", "--json", "--type", "FORK,EXIT", recording.path]).splitlines():
        record = json.loads(line)
        body = record["body"]
        # The time of the record is that of its sample id if it has one. Tasks from before have the time 0.
        time = body.get("sample_id", {}).get("time", body["time"])
        if time and (body["pid"], body["tid"]) in tasks:
            records.append((time, body["pid"], body["tid"], "start" if record["type"] == "FORK" else "end"))
    for time, pid, tid, name in sorted(records):
        theirs[pid, tid, name] = max(0, (time - base) // unit)
    expect(ours == theirs, "lives", ours, "in the recording:", theirs)
    return len(ours)


def check_marks(profile, recording):
    """Return how many records were lost, which are marks of kind 0."""
    ours = sorted(n for n, kind in zip(profile["mark.count"], profile["mark.kind"], strict=True) if kind == 0)
    theirs = []
    for line in run([recording.command[0], "dump", "--json", "--type", "LOST", recording.path]).splitlines():
        body = json.loads(line)["body"]
        if body.get("sample_id", {}).get("time"):
            theirs.append(body["lost"])
    expect(ours == sorted(theirs), "lost:", ours, "in the recording:", theirs)
    expect(len(profile["mark.time"]) == len(profile["mark.thread"]) == len(profile["mark.kind"]), "marks")
    return sum(ours)


def check_quality(profile, recording):
    """The sentences about quality are those of the report."""
    report = run(recording.command + ["-f", "report"])
    for line in profile.about["quality"]:
        label, _, text = line.partition(": ")
        expect(re.search(rf"^  {label} +{re.escape(text)}$", report, re.M), "the report does not say", line)
    for text in profile.about["advice"][:1]:
        expect(re.search(rf"^  advice +{re.escape(text)}$", report, re.M), "the report does not advise", text)
    expect(len(profile.about["quality"]) >= 2, "quality", profile.about["quality"])


def check_lanes(profile, report):
    """The pieces of a thread's lanes add up to its times by state."""
    n_states = len(profile.about["ledger"]["states"])
    pieces, mixes = zip(profile["piece.state"], profile["piece.ns"], strict=True), iter(profile["mix.ns"])
    sums = collections.defaultdict(lambda: [0] * n_states)
    for thread, n in zip(profile["lane.thread"], profile["lane.pieces"], strict=True):
        for state, ns in itertools.islice(pieces, n):
            times = list(itertools.islice(mixes, n_states)) if state == n_states else [0] * n_states
            if state < n_states:
                times[state] = ns
            if thread:
                tid = profile.about["threads"][thread - 1]["tid"]
                sums[tid] = [a + b for a, b in zip(sums[tid], times)]
    expected = collections.defaultdict(lambda: [0] * n_states)
    for row in report["threads"]["rows"]:
        times = [row[state] or 0 for state in profile.about["ledger"]["states"]]
        expected[row["tid"]] = [a + b for a, b in zip(expected[row["tid"]], times)]
    expect(sums == expected, "lanes", sums, "in the report:", expected)


def check_ledger(profile, recording, name):
    """Where time went is what the report says. Return the number of threads and CPUs."""
    ledger = profile.about.get("ledger")
    expect((ledger is not None) == (name in WITH_LEDGER), "the page has the ledger", ledger)
    if not ledger:
        return 0
    report = json.loads(run(recording.command + ["-f", "report", "--ledger", "--json", "--limit", "1000000"]))["ledger"]
    columns = {"threads": ledger["states"] + ["life", "runs", "waits"], "cpus": ledger["uses"] + ["wall", "switches"],
               "wakers": ["blocked", "waits"]}
    for key, names in columns.items():
        rows = [[int(value) for value in row["ns"] + [row["whole"]] + [row[count] for count in names if count in row]]
                for row in ledger[key]]
        theirs = [[row[column] or 0 for column in names] for row in report[key]["rows"]]
        expect(rows == theirs[:500], key, rows, "in the report:", theirs)
        sums = [sum(row[i] for row in theirs) for i in range(len(names))]
        total = ledger.get(f"all_{key}", {"ns": [], "whole": 0})
        expect(list(map(int, total["ns"] + [total["whole"]])) == sums[:len(total["ns"]) + 1], "sums of", key, total, sums)
    expect([row["tid"] for row in ledger["threads"]] == [row["tid"] for row in report["threads"]["rows"]], "threads")
    check_lanes(profile, report)
    expect({"name": "balances", "text": ledger["notes"][-1]["text"]} == ledger["notes"][-1], "notes", ledger["notes"])
    return len(ledger["threads"]) + len(ledger["cpus"])


def seconds(ns):
    return f"{ns // 10**9}.{ns % 10**9:09}"


def slices(profile):
    """Yield the begin and the end of slices of the time, and --time for the samples in them."""
    unit, base = profile.about["time_unit_ns"], int(profile.about["base_ns"])
    times = profile["sample.time"]
    if not unit:
        return
    bounds = [times[len(times) * i // N_SLICES] for i in range(N_SLICES)] + [times[-1] + 1]
    for begin, end in zip(bounds, bounds[1:]):
        # Both ends of a time span belong to it.
        if begin < end:
            yield begin, end, f"{seconds(base + begin * unit)},{seconds(base + end * unit - 1)}"


def check(pdconv, testdata, name):
    with tempfile.TemporaryDirectory() as work:
        if name in LIVE:
            record(name, f"{work}/perf.data")
            recording = Recording(pdconv, f"{work}/perf.data", work)
        else:
            directory = name.split("/")[0]
            recording = Recording(pdconv, f"{testdata}/{name}.data", f"{testdata}/{PROGRAMS.get(directory, directory)}")
        check_recording(recording, name)


def read_page(recording, *options):
    with tempfile.TemporaryDirectory() as work:
        with open(recording.convert("html", f"{work}/page.html", *options), encoding="utf-8") as file:
            page = Page(file.read())
    page.check_hashes()
    (shown, text), = page.profiles
    path = recording.path
    expect(shown == (os.path.basename(path) if os.path.isabs(path) else path), shown)
    return Profile(text)


def check_recording(recording, name):
    n_stacks = n_slices = 0
    profile, with_code = read_page(recording), read_page(recording, "--embed-source")
    for each in (profile, with_code):
        check_references(each)
        check_sums(each)
    expect(check_code(profile) == 0, "a page has code that nobody asked for")
    n_instructions = check_code(with_code)
    expect(n_instructions or name != "nested/perf", "there are no instructions")
    check_quality(profile, recording)
    n_lives = check_lives(profile, recording)
    n_lost = check_marks(profile, recording)
    n_accounts = check_ledger(profile, recording, name)
    expect(n_lost or name != "lost", "nothing was lost")
    for event in recording.events:
        index = [row["name"] for row in profile.about["events"]].index(event)
        folded = recording.folded(event)
        compare(event, profile.folded(index, 0, 2**63), folded)
        compare(f"{event} with code", with_code.folded(index, 0, 2**63), folded)
        n_stacks += len(folded)
        for begin, end, option in slices(profile):
            compare(f"{event} {option}", joined(profile.folded(index, begin, end)),
                    joined(recording.folded(event, "--time", option)))
            n_slices += 1
    expect(n_stacks and n_slices, "nothing was compared")
    print(f"{name}: {n_stacks} stacks, {n_slices} slices of the time, {n_lives} times of lives, {n_lost} lost, "
          f"{n_instructions} instructions, {n_accounts} accounts")


def check_name(pdconv, testdata):
    """The name of a file is text in the page, without the folders of this machine, and cannot become an element."""
    with tempfile.TemporaryDirectory() as work:
        path = f"{work}/<b a=\"x\">&amp;<.data"
        shutil.copy(f"{testdata}/nested/perf.data", path)
        recording = Recording(pdconv, path, f"{testdata}/nested")
        with open(recording.convert("html", f"{work}/page.html"), encoding="utf-8") as file:
            page = Page(file.read())
        name = os.path.basename(path)
        expect([shown for shown, _ in page.profiles] == [name], "shown as", page.profiles[0][0])
        expect(Profile(page.profiles[0][1]).about["input"] == name, "input")


def main():
    pdconv, testdata, *names = sys.argv[1:]
    pdconv = os.path.abspath(pdconv)
    failed = 0
    check_name(pdconv, testdata)
    has_perf = shutil.which("perf") is not None
    quick = QUICK_RECORDINGS if os.environ.get("QUICK") else None
    for name in names or quick or RECORDINGS:
        if name in LIVE and not has_perf:
            print(f"{name}: left out, because perf is not installed")
            continue
        try:
            check(pdconv, testdata, name)
        except Failure as failure:
            print(f"{name}: {str(failure)[:2000]}")
            failed = 1
    sys.exit(failed)


if __name__ == "__main__":
    main()
