#!/usr/bin/env python3
"""Compare what viewers read in our files with folded stacks of the same recording.

usage: viewers.py PDCONV TESTDATA BUILD [RECORDING...]

RECORDINGs are names in TESTDATA, as DIRECTORY/FILE. For each event and thread, the stacks in the files for speedscope
and for the Firefox Profiler, and their weights, must be those of --folded. The sums of callgrind_annotate and of the
Firefox Profiler (npm's profiler-cli, installed in BUILD) must be those of the functions in folded stacks.
"""
import collections
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

RECORDINGS = ["shop/before", "cxx/perf", "threads/perf", "group/perf", "tracepoints/perf", "nested/perf", "deep/perf"]
PROGRAMS = {"group": "nested", "tracepoints": "forkexec"}
# Used as --symfs, this directory hides the files of this machine from pdconv.
EMPTY = tempfile.TemporaryDirectory()


class Failure(Exception):
    pass


def expect(condition, *what):
    if not condition:
        raise Failure(" ".join(str(word) for word in what))


def run(command, **options):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                            **options)
    expect(result.returncode == 0, command, result.stdout, result.stderr)
    return result.stdout


class Recording:
    def __init__(self, pdconv, testdata, name):
        directory = name.split("/")[0]
        program = f"{testdata}/{PROGRAMS.get(directory, directory)}"
        self.command = [pdconv, f"{testdata}/{name}.data", "-q", "--symfs", EMPTY.name, "--symbol-dir", program]
        events = json.loads(run([pdconv, "info", "--json", f"{testdata}/{name}.data"]))["events"]
        self.events = [event["name"] for event in events if event["samples"]]

    def convert(self, name, path):
        run(self.command + ["-f", name, "-o", path])
        return path

    def folded(self, event):
        """Return the weight of each stack, which is (pid/tid, functions, root first)."""
        stacks = collections.Counter()
        for line in run(self.command + ["--folded", "--folded-tid", "--event", event]).splitlines():
            stack, _, weight = line.rpartition(" ")
            comm, *functions = stack.split(";")
            stacks[comm.rpartition("-")[2], tuple(functions)] += int(weight)
        return stacks


def clean(name):
    """Spell a name as in folded stacks."""
    return re.sub(r"[\x00-\x1f\x7f]", " ", name.replace(";", ":").replace('"', "").replace("'", "")) or "[unknown]"


def read_speedscope(path):
    """Return the stacks of each event, None being the only one."""
    with open(path) as file:
        content = json.load(file)
    expect(content["$schema"].endswith("file-format-schema.json"), "another schema")
    names = [clean(frame["name"]) for frame in content["shared"]["frames"]]
    events = collections.defaultdict(collections.Counter)
    for profile in content["profiles"]:
        thread, event = re.fullmatch(r".* \(([-\d]+/[-\d]+)\)(?:, (.*))?", profile["name"], re.S).groups()
        expect(profile["type"] == "sampled" and len(profile["samples"]) == len(profile["weights"]), profile["name"])
        expect(profile["endValue"] - profile["startValue"] == sum(profile["weights"]), "end of", profile["name"])
        for stack, weight in zip(profile["samples"], profile["weights"]):
            events[event][thread, tuple(names[frame] for frame in stack)] += weight
    return events


def table(content, name):
    entry = content["shared"][name]
    for column, values in entry.items():
        expect(column == "length" or len(values) == entry["length"], name, column, "has another length")
    return entry


def newest_version(build):
    """Return the version of the format that the profiler itself writes, and reads without a conversion."""
    with open(f"{build}/viewers/node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js") as file:
        return int(re.search(r"preprocessedProfileVersion:(\d+)", file.read())[1])


def read_firefox(path, version):
    """Return the stacks of each event in the order of the recording, and the whole content."""
    with gzip.open(path) as file:
        content = json.load(file)
    expect(content["meta"]["preprocessedProfileVersion"] == version, "another version than", version)
    stacks, frames, functions = (table(content, name) for name in ("stackTable", "frameTable", "funcTable"))
    strings = content["shared"]["stringArray"]
    for name in ("resourceTable", "nativeSymbols", "sources", "sourceLocationTable"):
        table(content, name)
    paths = []
    for i, (frame, offset) in enumerate(zip(stacks["frame"], stacks["prefixOffset"])):
        name = clean(strings[functions["name"][frames["func"][frame]]])
        paths.append((paths[i - offset] if offset else ()) + (name,))
    events = collections.defaultdict(collections.Counter)
    for thread in content["threads"]:
        samples = thread["samples"]
        expect(samples["time"] == sorted(samples["time"]), thread["name"], "is not in time order")
        expect(all(0 <= time <= content["meta"]["profilingEndTime"] for time in samples["time"]), "times")
        is_ms = samples["weightType"] == "tracing-ms"
        tid, _, number = str(thread["tid"]).partition(".")
        for stack, weight in zip(samples["stack"], samples["weight"], strict=True):
            path = () if stack is None else paths[stack]
            events[number][f"{thread['pid']}/{tid}", path] += round(weight * 1e6) if is_ms else weight
        markers = thread["markers"]
        for column in ("data", "name", "startTime", "endTime", "phase", "category"):
            expect(len(markers[column]) == markers["length"], "markers:", column)
        expect(all(begin <= end for begin, end in zip(markers["startTime"], markers["endTime"])), "markers end early")
    return [events[number] for number in sorted(events, key=lambda number: int(number or 0))], content


def compare(what, ours, folded):
    for stack in ours.keys() | folded.keys():
        expect(ours[stack] == folded[stack], what, stack, ours[stack], "folded:", folded[stack])


def by_function(stacks, thread=None):
    """Return self and inclusive weights of functions."""
    own, inclusive = collections.Counter(), collections.Counter()
    for (tid, stack), weight in stacks.items():
        if stack and thread in (None, tid):
            own[stack[-1]] += weight
            inclusive.update(dict.fromkeys(stack, weight))
    return own, inclusive


def annotate(path, event, inclusive):
    """Return the weights of an event by function, a list with that of each row of callgrind_annotate."""
    text = run(["callgrind_annotate", "--threshold=100", "--auto=no", "--show-percs=no", f"--sort={event}",
                f"--show={event}", f"--inclusive={'yes' if inclusive else 'no'}", path])
    rows = collections.defaultdict(list)
    for line in text.splitlines():
        match = re.match(r" *([\d,]+|\.)  (?:\?\?\?|[^ :][^:]*):(.*?)(?: \[\[?[^\[]*\])?$", line)
        if match:
            rows[clean(match[2])].append(int(match[1].replace(",", "").replace(".", "0")))
    return rows


def check_callgrind(path, events):
    """Return how many inclusive sums were compared. A name in several files has several rows, which may overlap."""
    with open(path) as file:
        columns = next(line.split()[1:] for line in file if line.startswith("events:"))
    n = 0
    for column, stacks in zip(columns, events, strict=True):
        own, inclusive = by_function(stacks)
        own_rows, inclusive_rows = annotate(path, column, False), annotate(path, column, True)
        for name, weight in own.items():
            expect(sum(own_rows[name]) == weight, name, "costs", weight, "but callgrind_annotate shows", own_rows[name])
        for name, weight in inclusive.items():
            if len(inclusive_rows[name]) > 1:
                continue
            expect(inclusive_rows[name] == [weight], name, "costs", weight, "in all, but", inclusive_rows[name])
            n += 1
    return n


class Profiler:
    """The Firefox Profiler with a file."""

    def __init__(self, build, path):
        self.directory = tempfile.mkdtemp()
        self.program = f"{build}/viewers/node_modules/.bin/profiler-cli"
        self.environment = {**os.environ, "PROFILER_CLI_SESSION_DIR": self.directory}
        subprocess.run([self.program, "load", path, "--session", "s"], env=self.environment, check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def __enter__(self):
        # On a busy machine loading takes longer than the program waits.
        for _ in range(100):
            try:
                self.threads = self.ask("thread", "list", "--limit", "0")["threads"]
                return self
            except Failure as failure:
                error = failure
                time.sleep(0.3)
        raise error

    def __exit__(self, *_):
        subprocess.run([self.program, "stop", "s"], env=self.environment, check=False, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        shutil.rmtree(self.directory, ignore_errors=True)

    def ask(self, *arguments):
        return json.loads(run([self.program, *arguments, "--json", "--session", "s"], env=self.environment))


def check_profiler(build, path, events):
    """Return how many functions were compared: those of the main event in each thread."""
    n = 0
    with Profiler(build, path) as profiler:
        for thread in profiler.threads:
            tid, _, number = str(thread["tid"]).partition(".")
            if number:
                continue
            answer = profiler.ask("thread", "functions", "--thread", thread["threadHandle"], "--include-idle",
                                  "--limit", "0")
            scale = 1e6 if answer["weightType"] == "tracing-ms" else 1
            own, inclusive = collections.Counter(), collections.Counter()
            for function in answer["functions"]:
                own[clean(function["name"])] += function["selfSamples"] * scale
                inclusive[clean(function["name"])] += function["totalSamples"] * scale
            expected_own, expected_inclusive = by_function(events[0], f"{thread['pid']}/{tid}")
            expect(inclusive.keys() == expected_inclusive.keys(), thread["name"], "has other functions")
            for name, weight in expected_own.items():
                expect(abs(own[name] - weight) < 1, thread["name"], name, own[name], weight)
            for name, weight in expected_inclusive.items():
                # Functions of one name are apart in the profiler.
                expect(inclusive[name] > weight - 1, thread["name"], name, inclusive[name], weight)
            n += len(expected_inclusive)
    return n


def install(build):
    target = f"{build}/viewers"
    os.makedirs(target, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(f"{os.path.dirname(os.path.abspath(__file__))}/viewers/{name}", target)
    run(["npm", "ci", "--no-audit", "--no-fund"], cwd=target)


def check(pdconv, testdata, build, name):
    recording = Recording(pdconv, testdata, name)
    events = [recording.folded(event) for event in recording.events]
    with tempfile.TemporaryDirectory() as work:
        speedscope = read_speedscope(recording.convert("speedscope", f"{work}/speedscope.json"))
        for event, stacks in zip(recording.events, events):
            compare("speedscope", speedscope[event if len(events) > 1 else None], stacks)
        path = recording.convert("firefox", f"{work}/firefox.json.gz")
        firefox, content = read_firefox(path, newest_version(build))
        expect(len(firefox) == len(events), len(firefox), "events of", len(events))
        for ours, stacks in zip(firefox, events):
            compare("firefox", ours, stacks)
        n_profiler = check_profiler(build, path, events)
        n_callgrind = check_callgrind(recording.convert("callgrind", f"{work}/callgrind"), events)
    expect(n_profiler and n_callgrind, "nothing was compared")
    markers = sum(thread["markers"]["length"] for thread in content["threads"])
    print(f"{name}: {sum(map(len, events))} stacks, {n_profiler} functions in the profiler, "
          f"{n_callgrind} in callgrind_annotate, {markers} markers")


def main():
    pdconv, testdata, build, *names = sys.argv[1:]
    failed = 0
    install(build)
    for name in names or RECORDINGS:
        try:
            check(os.path.abspath(pdconv), testdata, build, name)
        except Failure as failure:
            print(f"{name}: {str(failure)[:2000]}")
            failed = 1
    sys.exit(failed)


if __name__ == "__main__":
    main()
