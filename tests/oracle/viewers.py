#!/usr/bin/env python3
"""Compare what viewers read in our files with folded stacks of the same recording.

usage: viewers.py PDCONV TESTDATA BUILD [RECORDING...]

RECORDINGs are names in TESTDATA, as DIRECTORY/FILE, or in LIVE, which perf records now. For each event and thread, the stacks in the files for speedscope
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

RECORDINGS = ["shop/before", "cxx/perf", "threads/perf", "group/perf", "tracepoints/perf", "nested/perf", "deep/perf",
              "jit/perf"]
# Directories of the programs of recordings that are not in the same one.
PROGRAMS = {"group": "nested", "tracepoints": "forkexec", "compressed": "nested", "piped": "nested",
            "parallel": "threads"}
SHELL = ["sh", "-c", "for i in 1 2 3 4 5 6 7 8; do ls -R /usr/include/linux >/dev/null; sleep 0.01; done"]
LOOP = ["sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"]
# Options of perf record by name, and the program.
LIVE = {
    "system-wide": (["-a", "--switch-events", "-e", "cpu-clock", "-F", "999", "-g"], SHELL),
    "counters": (["-e", "{cpu-clock,page-faults,context-switches}:S", "-F", "999", "-g"], SHELL),
    # The rings are smaller than two samples of each CPU.
    "lost": (["-m", "4", "-e", "cpu-clock", "-F", "5000", "--call-graph", "dwarf,8192"], LOOP),
}
# Compared in a quick run.
QUICK_RECORDINGS = ("cxx/perf", "counters")
# The profiler is asked about so many threads of a recording.
MAX_THREADS = 12
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
    def __init__(self, pdconv, path, program):
        self.path = path
        self.command = [pdconv, path, "-q", "--symfs", EMPTY.name, "--symbol-dir", program]
        self.info = json.loads(run([pdconv, "info", "--json", path]))
        self.events = [event["name"] for event in self.info["events"] if event["samples"]]

    def convert(self, name, path, *options):
        run(self.command + ["-f", name, "-o", path, *options])
        return path

    def folded(self, event, *options):
        """Return the weight of each stack, which is (pid/tid, functions, root first)."""
        stacks = collections.Counter()
        for line in run(self.command + ["--folded", "--folded-tid", "--event", event, *options]).splitlines():
            stack, _, weight = line.rpartition(" ")
            comm, *functions = stack.split(";")
            # Names of threads may end with a hyphen: that of a number is the one of -1.
            stacks[re.search(r"-((?:-1|\d+)/(?:-1|\d+))$", comm)[1], tuple(functions)] += int(weight)
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
            # An empty stack is a gap in which the thread was not on a CPU.
            if stack:
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
        self.path = path
        self.load()

    def load(self):
        subprocess.run([self.program, "load", self.path, "--session", "s"], env=self.environment, check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def __enter__(self):
        # On a busy machine loading takes longer than the program waits, and now and then its server does not start.
        for n in range(100):
            if n in (33, 66):
                self.load()
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


def check_profiler(profiler, events):
    """Return how many functions were compared: those of the main event in each thread."""
    n = 0
    for thread in profiler.threads[:MAX_THREADS]:
        tid, _, number = str(thread["tid"]).partition(".")
        if number:
            continue
        answer = profiler.ask("thread", "functions", "--thread", thread["threadHandle"], "--include-idle", "--limit", "0")
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


def record(name, path):
    """Record a program by perf. Samples are only lost if the machine is busy at the right moment: try several times."""
    options, program = LIVE[name]
    for _ in range(10):
        run(["perf", "record", "-q", *options, "-o", path, "--", *program])
        if name != "lost" or "PERF_RECORD_LOST:" in run(["perf", "script", "-D", "-i", path]):
            return
    raise Failure("no samples were lost")


def switches(path):
    """Return when each thread did not run, from the output of perf: [(begin, end, reason)] in ns by thread."""
    text = run(["perf", "script", "--show-switch-events", "--ns", "-F", "comm,pid,tid,time,event", "-i", path])
    off, ret = {}, collections.defaultdict(list)
    for match in re.finditer(r" (\d+/\d+) +(\d+)\.(\d{9}): +PERF_RECORD_SWITCH\S* (IN|OUT)( preempt)?", text):
        thread, now = match[1], int(match[2]) * 10**9 + int(match[3])
        if match[4] == "OUT":
            off[thread] = now, "preempted" if match[5] else "waiting"
        elif thread in off:
            begin, reason = off.pop(thread)
            ret[thread].append((begin, now, reason))
    return ret


def markers_of(content, kind):
    """Return the markers of one type by thread: [(begin, end, data)] in ns."""
    ret = collections.defaultdict(list)
    for thread in content["threads"]:
        markers = thread["markers"]
        for begin, end, data in zip(markers["startTime"], markers["endTime"], markers["data"]):
            if data["type"] == kind:
                ret[f"{thread['pid']}/{thread['tid']}"].append((round(begin * 1e6), round(end * 1e6), data))
    return ret


def check_switches(path, content):
    """Return how many intervals off the CPU were compared. Thread 0 is a thread of each CPU, and shows none.

    A thread has one more at the beginning if it was not running then, and one at the end. A time off the CPU ends when the
    thread before leaves that CPU, or with a sample of the thread, which may both precede the record that perf shows.
    """
    expected, ours = switches(path), markers_of(content, "Off-CPU")
    threads = {f"{thread['pid']}/{thread['tid']}" for thread in content["threads"]} - {"0/0"}
    expected = {thread: expected[thread] for thread in threads if thread in expected}
    expect(set(expected) <= set(ours), "threads with switches:", sorted(ours), "perf:", sorted(expected))
    bases = collections.Counter(spans[0][0] - begin for thread, spans in expected.items() for begin, _, _ in ours[thread][:2])
    base = bases.most_common(1)[0][0]
    for thread, intervals in ours.items():
        spans = [(begin + base, end + base, data["reason"]) for begin, end, data in intervals]
        known = {begin: (end, reason) for begin, end, reason in expected.get(thread, ())}
        more = [span for span in spans if span[0] not in known]
        expect(set(known) <= {begin for begin, _, _ in spans} and set(more) <= {spans[0], spans[-1]},
               "switches of", thread, spans, "perf:", expected.get(thread))
        for begin, end, reason in spans:
            latest, why = known.get(begin, (end, reason))
            expect(begin <= end <= latest and reason == why, "switch of", thread, begin, end, reason, "perf:", latest, why)
    return sum(map(len, expected.values()))


def check_lost(path, content):
    """Return how many records were lost."""
    expected = [int(n) for n in re.findall(r"PERF_RECORD_LOST: .*lost:(\d+)", run(["perf", "script", "-D", "-i", path]))]
    ours = [data["n"] for intervals in markers_of(content, "Lost").values() for _, _, data in sorted(
        intervals, key=lambda interval: interval[0])]
    expect(sorted(ours) == sorted(expected), "lost:", ours, "perf:", expected)
    return sum(ours)


def check_counters(profiler, content, events, names):
    """Return how many counters were compared: their sums are those of the event in the threads of the process."""
    by_handle = {counter["counterIndex"]: counter for counter in profiler.ask("counter", "list")["counters"]}
    expect(len(by_handle) == len(content["counters"]), "counters are missing in the profiler")
    for i, counter in enumerate(content["counters"]):
        stacks = events[names.index(counter["name"])]
        expected = sum(weight for (thread, _), weight in stacks.items() if thread.partition("/")[0] == counter["pid"])
        shown = [stat["value"] for stat in by_handle[i]["stats"] if stat["source"] == "committed-range-total"]
        expect(sum(counter["samples"]["count"]) == expected, counter["name"], "is not", expected)
        expect(shown == [expected], counter["name"], "is", shown, "in the profiler, not", expected)
        expect(counter["samples"]["time"] == sorted(set(counter["samples"]["time"])), counter["name"], "has equal times")
    return len(content["counters"])


def check(pdconv, testdata, build, name):
    with tempfile.TemporaryDirectory() as work:
        if name in LIVE:
            check_live(pdconv, build, name, work)
        else:
            directory = name.split("/")[0]
            recording = Recording(pdconv, f"{testdata}/{name}.data", f"{testdata}/{PROGRAMS.get(directory, directory)}")
            check_recording(recording, build, name)


def check_live(pdconv, build, name, work):
    """Record and check. Names of code that a program generates change if it ends between two conversions: then again."""
    for n in range(3):
        record(name, f"{work}/perf.data")
        try:
            check_recording(Recording(pdconv, f"{work}/perf.data", work), build, name)
            return
        except Failure as failure:
            if n == 2:
                raise
            print(f"{name}: again: {str(failure)[:2000]}")


def check_recording(recording, build, name):
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
        with Profiler(build, path) as profiler:
            n_profiler = check_profiler(profiler, events)
            n_counters = check_counters(profiler, content, events, recording.events)
        facts = [f"{n_counters} counters"] if n_counters else []
        if name == "system-wide":
            facts.append(f"{check_switches(recording.path, content)} times off the CPU")
        n_lost = check_lost(recording.path, content)
        if n_lost:
            facts.append(f"{n_lost} lost")
        expect(not name.startswith(("group", "counters")) or n_counters == 2, "counters are missing")
        n_callgrind = check_callgrind(recording.convert("callgrind", f"{work}/callgrind"), events)
    expect(n_profiler and n_callgrind, "nothing was compared")
    markers = sum(thread["markers"]["length"] for thread in content["threads"])
    print(f"{name}: {sum(map(len, events))} stacks, {n_profiler} functions in the profiler, "
          f"{n_callgrind} in callgrind_annotate, {markers} markers", *facts, sep=", ")


def main():
    pdconv, testdata, build, *names = sys.argv[1:]
    failed = 0
    install(build)
    # Only root may record the whole machine.
    live = [] if os.geteuid() else LIVE
    everything = [*RECORDINGS, *live]
    quick = [name for name in everything if name in QUICK_RECORDINGS] if os.environ.get("QUICK") else None
    for name in names or quick or everything:
        try:
            check(os.path.abspath(pdconv), testdata, build, name)
        except Failure as failure:
            print(f"{name}: {str(failure)[:2000]}")
            failed = 1
    sys.exit(failed)


if __name__ == "__main__":
    main()
