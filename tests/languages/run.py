#!/usr/bin/env python3
"""Measure the stacks of programs in many languages, whose chains of callers are known.

usage: run.py [--build DIR] [--only WORD]... [--all] [--install] [--no-perf] [--keep DIR] [--markdown FILE] [-v]

Each row of languages.py is built, recorded by perf record, and converted by pdconv and by perf script. In the time
span and in the threads in which the innermost function of the chain was seen, each sample should show the chain. Prints
for each row and each tool:

  samples   samples in that span
  exact     percentage of them whose frames are the expected ones from main to the loop
  rooted    percentage of stacks that end in the expected outermost function, of those that were captured completely
  named     percentage of all user frames with a name
  unknown   user frames without a name
  marked    samples in which a frame is not the expected one and says so: [fp], or it has no name
  wrong     samples in which a frame is not the expected one, without a mark

A stack that ends early, but is right so far, is in none of the last two columns.

A row fails if pdconv is below its floors, or if it has wrong frames without an excuse.
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import fnmatch
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import languages

HERE = os.path.dirname(os.path.abspath(__file__))
SECONDS = 120
# Exit status of a test that cannot run here (tests/run.sh).
SKIPPED = 77
MAX_SHOWN = 3
TRIES = 4
FIELDS = "comm,pid,tid,time,ip,sym,dso"
# Where threads and programs begin, in addition to what a row expects.
ROOTS = re.compile(r"_start|_dl_start_user|(__)?clone3?|runtime\.(clone|mstart|mcall|systemstack|morestack|rt0_go)(\.abi0)?")
# Addresses from here on are the kernel's.
KERNEL = 1 << 63


class Failure(Exception):
    pass


# Reading what pdconv and perf print

@dataclasses.dataclass(frozen=True)
class Frame:
    name: str
    dso: str
    # Found without exact information, and marked so.
    is_guess: bool

    def is_named(self):
        return self.name != "[unknown]"

    def is_unmapped(self):
        return not self.is_named() and self.dso == "[unknown]"

    def __str__(self):
        return (self.name if self.is_named() else f"[unknown] ({self.dso})") + (" [fp]" if self.is_guess else "")


@dataclasses.dataclass
class Sample:
    comm: str
    tid: str
    time: float
    # From the root to the leaf, user frames only.
    frames: list
    # The captured stack was too short, and the output says so.
    is_cut: bool = False


HEAD = re.compile(r"^(\S.*?)\s+(\d+)/(\d+)\s+(\d+\.\d+):")
LINE = re.compile(r"^\s+([0-9a-f]+) (.*) \(([^()]*(?:\([^()]*\))?)\)( \[fp\])?$")


def clean_name(name):
    """Remove the version of a symbol, which only perf prints."""
    return name.split("@@")[0] if not name.startswith("@") else name


def read_script(text):
    samples, sample = [], None
    for line in text.splitlines():
        head = HEAD.match(line)
        if head:
            sample = Sample(head[1], head[3], float(head[4]), [])
            samples.append(sample)
            continue
        frame = LINE.match(line)
        if not frame or sample is None:
            continue
        addr = int(frame[1], 16)
        if frame[2] == "[truncated]" or addr == 2 ** 64 - 1:
            sample.is_cut = True
        elif addr < KERNEL:
            sample.frames.insert(0, Frame(clean_name(frame[2]), frame[3], bool(frame[4])))
    return [sample for sample in samples if sample.frames]


# Comparing with the expected chain

@dataclasses.dataclass(frozen=True)
class Step:
    """One word of a chain: a frame; after "?:" at most one, after "*:" any number."""
    pattern: re.Pattern
    at_least: int
    at_most: int

    def matches(self, frame):
        return bool(self.pattern.fullmatch(frame.name))


def parse_chain(words):
    steps = []
    for word in words.split():
        prefix, text = (word[0], word[2:]) if word[:2] in ("?:", "*:") else ("", word)
        steps.append(Step(re.compile(text), 0 if prefix else 1, 10 ** 6 if prefix == "*" else 1))
    return steps


def match_chain(steps, frames):
    """Match frames from the root on. Return for each frame that matches how many steps it reaches at most."""
    def skip_optional(states):
        found = set(states)
        for step, times in sorted(states):
            while step < len(steps) and times >= steps[step].at_least:
                step, times = step + 1, 0
                found.add((step, times))
        return found

    # Each state is a step and how often it matched.
    states, reached = skip_optional({(0, 0)}), []
    for frame in frames:
        following = {(step, times + 1) for step, times in states if step < len(steps)
                     and times < steps[step].at_most and steps[step].matches(frame)}
        if not following:
            break
        reached.append(max(step + 1 for step, _ in following))
        states = skip_optional(following)
    return reached


class Expectation:
    def __init__(self, row):
        self.root = parse_chain(row.root)
        self.chain = parse_chain(row.chain)
        self.steps = self.root + self.chain
        self.named = [step for step in self.chain if step.at_least]

    def is_zoo(self, frame):
        return any(step.matches(frame) for step in self.named)

    def has_inner(self, sample):
        return not self.chain or any(self.named[-1].matches(frame) for frame in sample.frames)

    def is_rooted(self, frames):
        """Return true if the outermost frame is a known one. That of a stripped program has no name."""
        first = frames[0]
        return (bool(ROOTS.fullmatch(first.name)) or self.root[0].matches(first)
                and (first.is_named() or len(frames) > 1 and self.root[1].matches(frames[1])))

    def judge_native(self, frames):
        """Judge a stack whose functions are not known: it should lead from the root over frames in files."""
        if any(re.fullmatch("_start|_dl_start_user", frame.name) for frame in frames[1:]):
            return "wrong"
        if not self.is_rooted(frames):
            return "cut"
        return "marked" if any(frame.is_unmapped() for frame in frames) else "exact"

    def judge(self, frames):
        """Return exact, cut, marked or wrong for the user frames of a sample, root first."""
        if not self.chain:
            return self.judge_native(frames)
        # A frame in no mapping is wrong, and says so; what it was found from may be right.
        while frames and frames[0].is_unmapped():
            frames = frames[1:]
        last_zoo = max((i for i, frame in enumerate(frames) if self.is_zoo(frame)), default=-1)
        if last_zoo < 0:
            return "cut"
        # A stack may begin anywhere in the chain, if its outermost frames were not found.
        for first in range(len(self.steps)):
            reached = match_chain(self.steps[first:], frames)
            # What the last function of the chain calls may be anything.
            if len(reached) > last_zoo and first + reached[last_zoo] > len(self.root):
                return "exact" if first <= len(self.root) else "cut"
        return self.blame(frames)

    def blame(self, frames):
        """Return the kind of a stack that is not as expected: marked if the caller that is wrong may be a guess."""
        previous, step = -1, -1
        for i, frame in enumerate(frames):
            steps = [n for n, expected in enumerate(self.named) if expected.matches(frame)]
            if not steps:
                continue
            if step + 1 not in steps and previous >= 0 or previous < 0 < i and 0 not in steps:
                return blame(frames[max(previous, 0):i])
            previous, step = i, min(steps) if previous < 0 else step + 1
        return blame(frames[:previous])


def blame(callers):
    """Return the kind of a stack in which one of these frames is wrong."""
    return "marked" if any(frame.is_guess or not frame.is_named() for frame in callers) else "wrong"


class Tally:
    """What one tool made of one recording."""

    def __init__(self, row, samples, truncated):
        """Judge samples; truncated has the (thread, time) of those whose captured stack was too short."""
        expected = Expectation(row)
        self.kinds = collections.Counter()
        self.examples = collections.defaultdict(list)
        self.excused = 0
        spans = {}
        for sample in samples:
            if expected.has_inner(sample):
                begin, _ = spans.get(sample.tid, (sample.time, 0))
                spans[sample.tid] = begin, sample.time
        frames = [frame for sample in samples for frame in sample.frames]
        self.n_frames = len(frames)
        self.unknown = sum(not frame.is_named() for frame in frames)
        self.unmapped = sum(frame.is_unmapped() for frame in frames)
        whole = [sample for sample in samples if (sample.tid, sample.time) not in truncated]
        self.n_whole = len(whole)
        self.n_all = len(samples)
        self.n_rooted = 0
        for sample in whole:
            if expected.is_rooted(sample.frames):
                self.n_rooted += 1
            else:
                self.examples["unrooted"].append(" > ".join(map(str, sample.frames)))
        for sample in samples:
            begin, end = spans.get(sample.tid, (0, -1))
            if begin <= sample.time <= end:
                text = " > ".join(map(str, sample.frames))
                if row.aside and re.search(row.aside, text):
                    continue
                kind = expected.judge(sample.frames)
                if kind == "cut" and (sample.tid, sample.time) in truncated:
                    kind = "truncated"
                if row.impossible and re.search(row.impossible, text):
                    kind = "wrong"
                if kind == "wrong" and any(re.search(pattern, text) for pattern in row.excused):
                    kind = "excused"
                self.kinds[kind] += 1
                self.examples[kind].append(text)
        self.n = sum(self.kinds.values())

    def exact(self):
        return 100 * self.kinds["exact"] / self.n if self.n else 0

    def rooted(self):
        return 100 * self.n_rooted / self.n_whole if self.n_whole else 0

    def named(self):
        return 100 * (self.n_frames - self.unknown) / self.n_frames if self.n_frames else 0

    def text(self):
        return (f"{self.n:6} {self.exact():7.2f} {self.rooted():7.2f} {self.named():7.2f} {self.unknown:7} "
                f"{self.kinds['marked']:7} {self.kinds['wrong']:6}")


# Building, recording and converting

def shell(command, folder, seconds=SECONDS):
    try:
        done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, timeout=seconds, check=False,
                              text=True, errors="replace", stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired as expired:
        raise Failure(f"took more than {seconds} s: {command}") from expired
    if done.returncode:
        raise Failure(f"{command}: {(done.stderr + done.stdout).strip()[-600:] or done.returncode}")
    return done.stdout


def build(row, folder):
    os.makedirs(folder, exist_ok=True)
    for command in row.build:
        shell(command.replace("{src}", os.path.join(HERE, "zoo")), folder, 600)


def record(row, folder):
    run = row.run.replace("{src}", os.path.join(HERE, "zoo"))
    begun = time.time()
    # Two perfs that write to the same cache of build ids crash.
    command = (f"PERF_BUILDID_DIR= perf record -q -e cpu-clock -F 2000 --call-graph dwarf,16384 {row.record} -o perf.data "
               f"-- {run} >output 2>errors </dev/null")
    for attempt in range(TRIES):
        try:
            shell(command, folder)
            break
        except Failure:
            with open(os.path.join(folder, "errors"), errors="replace", encoding="utf-8") as errors:
                if attempt + 1 == TRIES or "assertion failed at util/build-id.c" not in errors.read():
                    raise
            # While another recorder asks for build ids, perf 6.1 takes inodes for them.
            time.sleep(5)
    for path in glob.glob("/tmp/perf-*.map"):
        if os.path.getmtime(path) >= begun - 1:
            shutil.copy(path, folder)


def convert(pdconv, folder):
    return shell(f"{pdconv} -q --script --perf-map-path . -F {FIELDS} perf.data | tee pdconv.txt", folder)


def convert_by_perf(row, folder):
    data = "perf.data"
    # perf looks for maps here only.
    for path in glob.glob(os.path.join(folder, "perf-*.map")):
        shutil.copy(path, "/tmp")
    if "mono" in row.record:
        shell("perf inject --jit -i perf.data -o perf.jit.data 2>&1", folder)
        data = "perf.jit.data"
    return shell(f"perf script --no-inline -F {FIELDS} -i {data} 2>/dev/null | tee perf.txt", folder)


class Result:
    def __init__(self, row):
        self.row = row
        self.ours = self.perfs = None
        self.error = self.missing = self.version = ""

    def faults(self):
        if self.error:
            return [self.error]
        row, ours = self.row, self.ours
        found = []
        if not ours.n:
            found.append("the innermost function was not seen")
        if row.chain and ours.exact() < row.floor:
            found.append(f"{ours.exact():.2f} % exact, expected {row.floor}")
        if ours.rooted() < row.rooted:
            found.append(f"{ours.rooted():.2f} % rooted, expected {row.rooted}")
        if ours.kinds["wrong"]:
            found.append(f"{ours.kinds['wrong']} samples with wrong frames")
        return found


def missing_tool(row):
    """Return the first program that the row needs and that is not installed, or ""."""
    for command in (*row.build, row.version, row.run):
        for part in re.split(r"&&|\|\|", command):
            words = [word for word in part.split() if re.fullmatch(r"[\w+-][\w+.-]*", word)]
            if words and part.split()[0] == words[0] and not shutil.which(words[0]):
                return words[0]
    return ""


INSTALLING = threading.Lock()


def install(command, packages):
    """Install packages. If that fails, the row reports what it lacks."""
    with INSTALLING:
        subprocess.run(f"DEBIAN_FRONTEND=noninteractive {command} {packages}", shell=True, capture_output=True,
                       timeout=1800, check=False)


def measure(row, args, scratch):
    result = Result(row)
    folder = os.path.join(scratch, row.name)
    try:
        if args.install and row.packages:
            install(args.install, row.packages)
        result.missing = missing_tool(row)
        if result.missing:
            return result
        if not args.convert_only:
            build(row, folder)
            record(row, folder)
        if row.version:
            lines = shell(f"({row.version}) 2>&1 || true", folder).strip().splitlines()
            result.version = lines[0].strip() if lines else ""
        samples = read_script(convert(args.pdconv, folder))
        truncated = {(sample.tid, sample.time) for sample in samples if sample.is_cut}
        result.ours = Tally(row, samples, truncated)
        if args.perf:
            try:
                result.perfs = Tally(row, read_script(convert_by_perf(row, folder)), truncated)
            except Failure:
                pass
    except Failure as failure:
        result.error = str(failure)
    return result


# Printing

def print_result(result, args):
    row = result.row
    if result.missing:
        print(f"{row.name:18} {result.missing} is not installed")
        return
    if result.error:
        print(f"{row.name:18} {result.error}")
        return
    print(f"{row.name:18} pdconv {result.ours.text()}  {shorter_version(result.version)}")
    if args.perf:
        print(f"{'':18} perf   {result.perfs.text() if result.perfs else 'did not end in time'}")
    for fault in result.faults():
        print(f"    FAULT: {fault}")
    if args.verbose or result.faults():
        for tool, tally in (("pdconv", result.ours), ("perf", result.perfs)):
            if tally and (tool == "pdconv" or args.verbose):
                print_examples(tool, tally, args.verbose)


def print_examples(tool, tally, verbose):
    for kind, texts in sorted(tally.examples.items()):
        if kind == "exact" and not verbose:
            continue
        for text, count in collections.Counter(texts).most_common(1 if kind == "exact" else MAX_SHOWN):
            print(f"    {tool}: {count} {kind}: {shortened(text)}")


def shortened(text):
    return text if len(text) < 400 else f"{text[:120]} ... {text[-260:]}"


START_UP = "single stacks of the dynamic linker or of start-up code end early"
MARKDOWN_HEAD = """# Stacks of programs in many languages

    main ──► zoo_outer ──► zoo_middle ──► zoo_inner        a busy loop, and at the end a return through all of them
      ▲                                       │
      root? ◄──────── frames ◄────────── each sample

Each row is a program whose chain of callers is known (`tests/languages/`). It is recorded by
`perf record -e cpu-clock -F 2000 --call-graph dwarf,16384`, and converted by pdconv and by `perf script --no-inline`,
after `perf inject --jit` where a jitdump is used. perf {perf} does not unwind i386 programs on x86-64.

- *exact*: percentage of samples in which the frames are those of the chain, from main to the loop, nothing left out
  and nothing added. "–": the functions of the program have no frames of their own, or no names.
- *rooted*: percentage of stacks that end in the outermost function of the thread, of those that are not cut.
- *cut*: percentage of stacks that are larger than the captured 16 KiB, and marked so by pdconv.
- *named*: percentage of user frames with a name. Debian strips programs: most frames without a name are local functions
  in their files.

Chains were compared in {compared} samples. In {wrong} of them a frame of pdconv is wrong without a
mark{wrong_rows}. The rows without a chain show only whether stacks reach the root.

{facts}
"""


def command_output(command):
    return subprocess.run(command, shell=True, capture_output=True, text=True, check=False).stdout.strip()


def facts():
    """Describe this machine, and the versions that were compared."""
    model = command_output("sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1")
    system = command_output(". /etc/os-release && echo $PRETTY_NAME")
    date = time.strftime("%Y-%m-%d", time.gmtime())
    return (f"Measured on {date} on {model}, {os.cpu_count()} CPUs, {system}, Linux {os.uname().release}, "
            f"{command_output('perf --version')}. The row of each language names its version.")


def percent(share, count):
    return f"{share:.2f}" if count else "0"


def markdown_row(result):
    cells = [result.row.name, result.row.language, shorter_version(result.version),
             percent(100 * (1 - result.ours.n_whole / max(result.ours.n_all, 1)), result.ours.n_all)]
    for tally in (result.ours, result.perfs):
        if tally is None:
            cells += ["", "", ""]
            continue
        exact = percent(tally.exact(), tally.n) if result.row.chain else "–"
        cells += [exact, percent(tally.rooted(), tally.n_whole), percent(tally.named(), tally.n_frames)]
    return "| " + " | ".join(cells) + " |"


def shorter_version(version):
    """Keep the name and the number of a version."""
    version = re.sub(r"\s*\([^)]*\)|\"", "", version)
    found = re.match(r".*?\d+(\.[\w+~-]+)+", version)
    return (found[0] if found else version)[:40].replace("\t", " ")


def write_markdown(results, path):
    done = [result for result in results if result.ours]
    compared = [result for result in done if result.row.chain]
    wrong = {result.row.name: result.ours.kinds["wrong"] + result.ours.kinds["excused"] for result in compared}
    wrong_rows = ", ".join(name for name in wrong if wrong[name])
    head = MARKDOWN_HEAD.format(facts=facts(), perf=command_output("perf --version").split()[-1],
                                compared=sum(result.ours.n for result in compared),
                                wrong=sum(wrong.values()), wrong_rows=f" ({wrong_rows})" if wrong_rows else "")
    lines = [head,
             "| program | language | version | cut | pdconv exact | rooted | named | perf exact | rooted | named |",
             "|-|-|-|-|-|-|-|-|-|-|", *map(markdown_row, done), "", "## Why figures are below 100", ""]
    for result in done:
        is_whole = not result.row.chain or result.ours.exact() > 99.995
        if not (is_whole and result.ours.rooted() > 99.995):
            lines.append(f"- *{result.row.name}*: {result.row.reason or START_UP}.")
    with open(path, "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")


def parse_arguments():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--build", default="build")
    options.add_argument("--only", action="append", metavar="WORD")
    options.add_argument("--all", action="store_true", help="all rows, not only those whose tools every test needs")
    options.add_argument("--install", nargs="?", const="apt-get install -y --no-install-recommends", metavar="COMMAND")
    options.add_argument("--no-perf", dest="perf", action="store_false")
    options.add_argument("--keep", metavar="DIR")
    options.add_argument("--convert-only", action="store_true", help="the recordings are in the directory of --keep")
    options.add_argument("--markdown", metavar="FILE")
    options.add_argument("--verdicts", metavar="FILE")
    options.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    options.add_argument("-v", dest="verbose", action="store_true")
    args = options.parse_args()
    args.pdconv = os.path.abspath(os.path.join(args.build, "pdconv"))
    return args


def is_wanted(row, args):
    if args.only:
        return any(fnmatch.fnmatch(row.name, word) for word in args.only)
    return args.all or row.is_quick


def main():
    args = parse_arguments()
    scratch = os.path.abspath(args.keep) if args.keep else tempfile.mkdtemp()
    rows = [row for row in languages.ROWS if is_wanted(row, args)]
    print(f"{'':25} {'samples':>6} {'exact':>6} {'rooted':>7} {'named':>7} {'unknown':>7} {'marked':>7} {'wrong':>6}  version")
    results = []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for future in [pool.submit(measure, row, args, scratch) for row in rows]:
            results.append(future.result())
            print_result(results[-1], args)
            sys.stdout.flush()
            if not args.keep:
                shutil.rmtree(os.path.join(scratch, results[-1].row.name), ignore_errors=True)
    if not args.keep:
        shutil.rmtree(scratch)
    if args.markdown:
        write_markdown(results, args.markdown)
    ran = [result for result in results if not result.missing]
    failed = [result for result in ran if result.faults()]
    if args.verdicts:
        with open(args.verdicts, "w", encoding="utf-8") as out:
            for result in ran:
                out.write(f"languages/{result.row.name} {int(result in failed)}\n")
            for result in results:
                if result.missing:
                    out.write(f"languages/{result.row.name} {SKIPPED} {result.missing} is not installed\n")
    print("with " + ", ".join(sorted({shorter_version(result.version) for result in ran if result.version})))
    print(f"{len(ran) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
