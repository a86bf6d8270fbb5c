#!/usr/bin/env python3
"""Measure unwinding against true call chains, which are known because programs are stepped.

usage: run.py [--build DIR] [--record DIR] [--only WORD]... [--keep DIR] [--no-perf] [--tables] [-v] [--verdicts FILE]

Builds the cases of cases.py, records them with the stepper, and compares the chains that pdconv and
perf script find with the true ones, address by address. Prints a row for each case:

  samples    samples with a known chain; "-N" after it: N more without one (between the instructions
             that switch stacks)
  same       percentage whose chain is the true one
  cut        percentage whose chain is marked as incomplete, and is true as far as the captured stack
             reaches
  named      percentage that differ for a reason in cases.py, named by the interrupted function or the
             last right one
  short      percentage marked as incomplete although unwinding could continue
  marked     percentage with a wrong address that is marked as found by the frame pointer, or as in no
             mapping
  WRONG      percentage with a wrong address that is not marked
  perf       percentage that perf script has right: the same, or cut where the stack is

On x86_64 and aarch64 the chains that BPF would find by tables (bpf/walk.h) are compared, too: none may
be WRONG. --tables measures these instead. They end where a frame needs more than a table has, so any
number may be short.

--record only builds and records, into DIR/ARCH/CASE. --only takes names of architectures and cases, or
both as ARCH/CASE. A case passes if same + cut + named are at least its floor (default 100), and nothing
is WRONG. Cases whose compiler or qemu is not installed are skipped.
"""
import argparse
import bisect
import collections
import concurrent.futures
import fnmatch
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from cases import ARCHES, CASES, QUICK  # noqa: E402

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases")
# Default of the stepper.
SLICE = 8192
# Frame that perf appends where the captured stack was too short.
CUT_BY_PERF = 2**64 - 1
UNREACHABLE = 2**64
# The environment is on the stack of the programs, and decides with its size which instructions are sampled.
PATH = "/usr/local/bin:/usr/bin:/bin"
# Exit status of a test that cannot run here.
SKIPPED = 77
# Timeout of a program in seconds.
LIMIT = 100
# Limits of the output: functions with differences per case, frames per chain.
MAX_SHOWN, MAX_FRAMES = 6, 14
# End of a sample that was not unwound.
NOT_WALKED = "-"
# Architectures whose stacks BPF walks.
TABLE_ARCHES = ("x86_64", "aarch64")
KINDS = ("same", "cut", "named", "short", "marked", "WRONG")


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                          **options)


class Failure(Exception):
    pass


def checked(command, **options):
    result = run(command, **options)
    if result.returncode:
        raise Failure(f"{shlex.join(command)}: {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


# Building and recording

def tools_of(case, arch):
    words = [case.cc or ARCHES[arch].cc] + ARCHES[arch].qemu.split()[:1]
    return words + [command.split()[0] for command in case.before + case.after if "{" not in command.split()[0]]


def missing_tools(case, arch):
    files = [case.needs] if case.needs and not os.path.exists(case.needs) else []
    return files + [tool for tool in tools_of(case, arch) if not shutil.which(tool)]


def build(case, arch, folder):
    how = ARCHES[arch]
    names = {
        "cc": case.cc or how.cc,
        "objcopy": how.cc.replace("gcc", "objcopy"),
        "flags": f"-g -I{SOURCES} {how.flags} {how.dynamic if case.is_dynamic else how.static}",
        "src": SOURCES,
        "dir": folder,
        "prog": os.path.join(folder, "program"),
    }
    usual = f"{{cc}} {{flags}} {case.flags} -o {{prog}} {{src}}/{case.source}"
    main = () if case.source.startswith("-") else (usual,)
    for command in case.before + main + case.after:
        checked(shlex.split(command.format(**names)), cwd=folder)


def record(case, arch, folder, stepper):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    build(case, arch, folder)
    how = ARCHES[arch]
    options = "" if case.is_dynamic else how.options
    qemu = ["--qemu", how.qemu] if how.qemu else []
    program = [os.path.join(folder, "program")]
    # GOMAXPROCS=1: no other thread can take over the goroutine that is stepped.
    environment = {"PATH": PATH, "GODEBUG": "asyncpreemptoff=1", "GOGC": "off", "GOMAXPROCS": "1"}
    return checked([stepper, "--arch", arch, *qemu, *options.split(), *case.options.split(),
                    os.path.join(folder, "perf.data"), os.path.join(folder, "truth"), *program],
                   cwd=folder, env=environment, timeout=LIMIT)


# Recordings

Mapping = collections.namedtuple("Mapping", "start end offset path")


class Truth:
    """Samples of a truth file: time, chain of (address, reach), and mappings at that time."""

    def __init__(self, path):
        self.samples = []
        mappings = []
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                fields = line.split()
                if fields[0] == "M":
                    new = Mapping(*(int(field, 16) for field in fields[2:5]), " ".join(fields[5:]))
                    mappings = [m for m in mappings if m.end <= new.start or new.end <= m.start] + [new]
                elif fields[0] == "S":
                    chain = []
                    self.samples.append((int(fields[1]), chain, mappings))
                else:
                    chain.append((int(fields[0], 16), UNREACHABLE if fields[1] == "-" else int(fields[1])))


def find_mapping(mappings, addr):
    return next((m for m in mappings if m.start <= addr < m.end), None)


def read_ours(program, *arguments):
    """Return our chains by time: (end, [(address, is marked)])."""
    chains = {}
    for line in checked([program, *arguments]).splitlines():
        fields = line.split()
        if fields[0] == "S":
            frames = []
            chains[int(fields[1])] = (fields[2], frames)
        else:
            frames.append((int(fields[0], 16), len(fields) > 1))
    return chains


HEAD = re.compile(r"^\s*-?\d+\s+(\d+)\.(\d+):\s*$")
FRAME = re.compile(r"^\s+([0-9a-f]+) \((.*)\)$")


def read_perf(path):
    out = run(["perf", "script", "--no-inline", "--ns", "--max-stack", "1024", "-F", "tid,time,ip,dso",
               "-i", path]).stdout
    chains, frames = {}, None
    for line in out.splitlines():
        head, frame = HEAD.match(line), FRAME.match(line)
        if head:
            frames = []
            chains[int(head[1]) * 10**9 + int(head[2])] = frames
        elif frame and frames is not None:
            frames.append(int(frame[1], 16))
    return chains


# Comparing

def address_mask(arch):
    """Mask for addresses: on arm the lowest bit is the instruction set."""
    return ~1 if arch == "arm" else ~0


def may_be_cut(truth, n, size):
    """Return true if a chain may end after n frames, because the next one was not captured."""
    return any(reach > size for _, reach in truth[:n + 1])


def count_common(truth, frames, mask):
    """Count the common frames of two chains, from the leaf on."""
    common = 0
    while common < min(len(truth), len(frames)) and truth[common][0] & mask == frames[common][0] & mask:
        common += 1
    return common


def classify(truth, end, frames, size, mask):
    """Return the kind of a chain of ours: see KINDS."""
    theirs = [addr & mask for addr, _ in truth]
    ours = [addr & mask for addr, _ in frames]
    if ours == theirs:
        return "same"
    common = count_common(truth, frames, mask)
    if common == len(ours):
        if end == "ROOT":
            return "WRONG"
        return "cut" if may_be_cut(truth, common, size) else "short"
    if any(is_marked for _, is_marked in frames[:common + 1]):
        return "marked"
    # The last frame is in no mapping, and its end is marked so.
    return "marked" if end == "NO_MAPPING" and common == len(ours) - 1 else "WRONG"


def check_classify():
    """Check that the comparison finds what is wrong."""
    truth = [(0x10, 0), (0x20, 8), (0x30, 100)]
    for expected, end, frames in (
            ("same", "ROOT", [(0x10, False), (0x20, False), (0x30, False)]),
            ("cut", "STACK_SHORT", [(0x10, False), (0x20, False)]),
            ("short", "NO_CFI", [(0x10, False)]),
            ("WRONG", "ROOT", [(0x10, False), (0x20, False)]),
            ("WRONG", "ROOT", [(0x10, False), (0x20, False), (0x30, False), (0x40, False)]),
            ("WRONG", "ROOT", [(0x10, False), (0x30, False)]),
            ("WRONG", "BAD_CFI", [(0x10, False), (0x21, False), (0x30, True)]),
            ("WRONG", "NO_MAPPING", [(0x10, False), (0x21, False), (0x30, False)]),
            ("marked", "ROOT", [(0x10, False), (0x21, True), (0x30, False)]),
            ("marked", "NO_MAPPING", [(0x10, False), (0x21, False)])):
        found = classify(truth, end, frames, 64, ~0)
        if found != expected:
            sys.exit(f"the comparison takes {frames}, {end} for {found}, not {expected}")


def is_right_by_perf(truth, mappings, frames, size):
    """Return true if perf is right. It shows file offsets, within the call instruction, and marks cut chains."""
    is_cut = bool(frames) and frames[-1] == CUT_BY_PERF
    frames = frames[:-1] if is_cut else frames
    if len(frames) > len(truth) or (len(frames) < len(truth) and not may_be_cut(truth, len(frames), size)):
        return False
    for (addr, _), shown in zip(truth, frames):
        mapping = find_mapping(mappings, addr)
        expected = addr - mapping.start + mapping.offset if mapping else addr
        if shown not in (expected, expected - 1):
            return False
    return True


# Names of addresses, for messages

class Symbols:
    """Names by address. Of the value of a symbol, mask selects the address."""

    def __init__(self, mask):
        self.files = {}
        self.mask = mask

    def load(self, path):
        symbols, segments = [], []
        for option in ([], ["-D"]):
            for line in run(["nm", "-C", "--defined-only", *option, path]).stdout.splitlines():
                fields = line.split(None, 2)
                if len(fields) == 3 and fields[1] in "tTwWiuV" and not fields[2].startswith("$"):
                    symbols.append((int(fields[0], 16) & self.mask, fields[2]))
        for line in run(["readelf", "-lW", path]).stdout.splitlines():
            fields = line.split()
            if fields and fields[0] == "LOAD":
                segments.append([int(field, 16) for field in (fields[1], fields[2], fields[4])])
        return sorted(symbols), segments

    def name(self, mappings, addr):
        mapping = find_mapping(mappings, addr)
        if not mapping or not mapping.path.startswith("/"):
            return (mapping.path if mapping else "nowhere"), 0
        if mapping.path not in self.files:
            self.files[mapping.path] = self.load(mapping.path)
        symbols, segments = self.files[mapping.path]
        offset = addr - mapping.start + mapping.offset
        vaddr = next((v + offset - o for o, v, size in segments if o <= offset < o + size), offset)
        at = bisect.bisect_right(symbols, (vaddr, "\x7f")) - 1
        if at < 0:
            return os.path.basename(mapping.path), vaddr
        return symbols[at][1], vaddr - symbols[at][0]


class Result:
    def __init__(self, case, arch, folder, by_tables=False):
        self.case, self.arch, self.folder, self.by_tables = case, arch, folder, by_tables
        self.counts = collections.Counter()
        self.n = 0
        self.perf = None
        self.unknown = 0
        self.named = collections.Counter()
        self.ends = collections.Counter()
        self.differences = collections.defaultdict(list)
        self.error = ""
        self.seconds = 0

    def find_explained(self, *functions):
        """Return the key in explained for the first function that has one, or ""."""
        keys = [key for name in functions for key in (name, f"{self.arch}/{name}") if key in self.case.explained]
        return keys[0] if keys else ""

    def share(self, *kinds):
        return 100 * sum(self.counts[kind] for kind in kinds) / self.n if self.n else 0

    def is_good(self):
        if self.by_tables:
            return not self.error and self.n > 0 and not self.counts["WRONG"]
        return (not self.error and self.n > 0 and not self.counts["WRONG"]
                and self.share("same", "cut", "named") >= self.case.floor)


def slice_of(case):
    words = case.options.split()
    return int(words[words.index("--slice") + 1]) if "--slice" in words else SLICE


# Mark before frames that come from another sample.
SEAM = (0, True)
# Ends of stacks that may be completed from another sample.
CUT_ENDS = ("STACK_SHORT", "OTHER_STACK")


def check_stitched(result, truth, stitched, mask):
    """Compare the stacks that were completed from other samples: all must be true as far as they reach."""
    cut, completed = 0, 0
    for time, chain, _ in truth.samples:
        end, frames = stitched.get(time, (NOT_WALKED, []))
        if end not in CUT_ENDS:
            continue
        frames = [frame for frame in frames if frame != SEAM]
        if count_common(chain, frames, mask) < len(frames):
            result.counts["WRONG"] += 1
            result.differences["WRONG", "seam", end].append((0, chain, frames, []))
        cut += 1
        completed += len(frames) == len(chain)
    if 100 * completed < result.case.stitched * cut:
        result.error = f"stitching completes {completed} of {cut} stacks, not {result.case.stitched} %"


def compare(result, folder, chains, with_perf):
    data = os.path.join(folder, "perf.data")
    truth = Truth(os.path.join(folder, "truth"))
    ours = read_ours(chains, data)
    perfs = read_perf(data) if with_perf else {}
    mask = address_mask(result.arch)
    symbols, size = Symbols(mask), slice_of(result.case)
    right, rooted = 0, 0
    for time, chain, mappings in truth.samples:
        end, frames = ours.get(time, (NOT_WALKED, []))
        if result.case.root and len(frames) > 1 and symbols.name(mappings, frames[-1][0])[0] == result.case.root:
            frames.pop()
        kind = classify(chain, end, frames, size, mask)
        rooted += end == "ROOT"
        if result.case.rooted and kind == "marked" and end == "ROOT":
            kind = "WRONG"
        if kind not in ("same", "cut"):
            name, offset = symbols.name(mappings, chain[0][0])
            last_right = chain[max(count_common(chain, frames, mask) - 1, 0)][0]
            explained = result.find_explained(name, symbols.name(mappings, last_right)[0])
            if explained and end != NOT_WALKED:
                kind = "named"
                result.named[explained] += 1
            else:
                result.differences[kind, name, end].append((offset, chain, frames, mappings))
        result.counts[kind] += 1
        result.ends[end] += 1
        right += with_perf and is_right_by_perf(chain, mappings, perfs.get(time, []), size)
    if result.case.stitched and not result.by_tables:
        check_stitched(result, truth, read_ours(chains, "--stitch", data), mask)
    result.n = len(truth.samples)
    if 100 * rooted < result.case.rooted * result.n and not result.by_tables:
        result.error = f"{rooted} of {result.n} stacks count as rooted, not {result.case.rooted} %"
    if with_perf and result.n:
        result.perf = 100 * right / result.n


def print_differences(result, verbose):
    symbols = Symbols(address_mask(result.arch))

    def show(mappings, addr):
        return "%s+%#x" % symbols.name(mappings, addr)

    for (kind, name, end), found in sorted(result.differences.items(), key=lambda item: -len(item[1]))[:MAX_SHOWN]:
        offsets = sorted({offset for offset, *_ in found})
        places = " ".join(f"+{offset:#x}" for offset in offsets[:8]) + (" ..." if len(offsets) > 8 else "")
        print(f"    {len(found):5} {kind} at {name} {places}, end {end}")
        if not verbose:
            continue
        _, chain, frames, mappings = found[0]
        for i in range(max(len(chain), len(frames))):
            theirs = show(mappings, chain[i][0]) if i < len(chain) else ""
            mine = show(mappings, frames[i][0]) + (" fp" if frames[i][1] else "") if i < len(frames) else ""
            print(f"            {theirs:50} | {mine}")
            if i == MAX_FRAMES:
                break


def print_result(result, verbose):
    name = f"{result.arch}/{result.case.name}"
    if result.error:
        print(f"{name:32} {result.error}")
        return
    unknown = f"-{result.unknown}" if result.unknown else ""
    row = " ".join(f"{result.share(kind):7.2f}" for kind in KINDS)
    perf = "" if result.perf is None else f"{result.perf:7.2f}"
    print(f"{name:32} {result.n:6}{unknown:5} {row} {perf}")
    for function in sorted(result.named):
        print(f"    {result.named[function]:5} named at {function}: {result.case.explained[function]}")
    if result.case.reason:
        print(f"          floor {result.case.floor:.0f}: {result.case.reason}")
    if verbose:
        print(f"    took {result.seconds:.1f} s")
    print_differences(result, verbose)


def program_of(args, by_tables):
    return os.path.join(args.build, "tests/unwind", "tables" if by_tables else "chains")


def check_tables(result, folder, args):
    """Check that no chain by tables is wrong."""
    by_tables = Result(result.case, result.arch, folder, True)
    compare(by_tables, folder, program_of(args, True), False)
    if by_tables.counts["WRONG"]:
        result.error = f"{by_tables.counts['WRONG']} chains by tables are wrong: see --tables"


def measure(case, arch, folder, args):
    result = Result(case, arch, folder, args.tables)
    start = time.monotonic()
    try:
        said = record(case, arch, folder, os.path.join(args.build, "tests/unwind/stepper"))
        result.unknown = int(said.split(", ")[2].split()[0])
        if not args.record:
            compare(result, folder, program_of(args, args.tables), arch == "x86_64" and args.perf)
            if arch in TABLE_ARCHES and not args.tables:
                check_tables(result, folder, args)
    except (Failure, OSError, subprocess.TimeoutExpired) as error:
        result.error = str(error)
    result.seconds = time.monotonic() - start
    return result


def is_wanted(case, arch, only):
    names = (arch, case.name, f"{arch}/{case.name}")
    return not only or any(fnmatch.fnmatch(name, word) for name in names for word in only)


def parse_arguments():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--build", default="build")
    options.add_argument("--record", metavar="DIR")
    options.add_argument("--keep", metavar="DIR")
    options.add_argument("--only", action="append", metavar="WORD")
    options.add_argument("--quick", action="store_true", help="only the cases that QUICK in cases.py names")
    options.add_argument("--no-perf", dest="perf", action="store_false")
    options.add_argument("--tables", action="store_true")
    options.add_argument("--verdicts", metavar="FILE")
    options.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    options.add_argument("-v", dest="verbose", action="store_true")
    args = options.parse_args()
    args.perf = args.perf and not args.tables and shutil.which("perf") is not None
    if args.quick and not args.only:
        args.only = QUICK
    return args


def print_total(results):
    total = Result(CASES[0], "", "")
    for result in results:
        total.counts.update(result.counts)
        total.n += result.n
    row = " ".join(f"{total.share(kind):7.2f}" for kind in KINDS)
    perfs = [(result.n, result.perf) for result in results if result.perf is not None]
    for result in results:
        total.ends.update(result.ends)
    n = sum(n for n, _ in perfs)
    perf = f"{sum(n * share for n, share in perfs) / n:7.2f}" if n else ""
    print(f"{'all':32} {total.n:6}{'':5} {row} {perf}")
    if results and results[0].by_tables:
        print("ends: " + ", ".join(f"{n} {end}" for end, n in total.ends.most_common()))


def main():
    args = parse_arguments()
    check_classify()
    args.build = os.path.abspath(args.build)
    scratch = args.record or args.keep or tempfile.mkdtemp()
    wanted = [(case, arch) for case in CASES for arch in case.arches
              if is_wanted(case, arch, args.only) and (arch in TABLE_ARCHES or not args.tables)]
    work = [words for words in wanted if not missing_tools(*words)]
    # One line for each tool, not for each case.
    skipped = {(arch, tool) for case, arch in wanted for tool in missing_tools(case, arch)}
    print(f"{'':32} {'samples':>11} " + " ".join(f"{kind:>7}" for kind in KINDS) + "    perf")
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        futures = [pool.submit(measure, case, arch, os.path.abspath(os.path.join(scratch, arch, case.name)), args)
                   for case, arch in work]
        results = []
        for future in futures:
            results.append(future.result())
            print_result(results[-1], args.verbose)
            sys.stdout.flush()
            if not args.record and not args.keep:
                shutil.rmtree(results[-1].folder, ignore_errors=True)
    print_total(results)
    if not args.record and not args.keep:
        shutil.rmtree(scratch)
    failed = [result for result in results if not (result.is_good() or (args.record and not result.error))]
    if args.verdicts:
        with open(args.verdicts, "w", encoding="utf-8") as out:
            for result in results:
                out.write(f"unwind/{result.arch}/{result.case.name} {int(result in failed)}\n")
            for arch, tool in sorted(skipped):
                out.write(f"unwind/{arch} {SKIPPED} {tool} is not installed\n")
    print(f"{len(results) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


sys.exit(main())
