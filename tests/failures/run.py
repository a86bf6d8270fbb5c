#!/usr/bin/env python3
"""Run commands while memory or system calls fail, one failure at a time.

usage: run.py BUILD TESTDATA [--points N|stacks|all] [--case NAME] [KIND ...]

allocations: one allocation fails, or it and all that follow. N of them are tried, or the first and the last with the
same callers, or all. calls: a system call fails. transfers: each read and write
transfers fewer bytes than asked for, or is interrupted first.

After a failure a command either prints one message and ends with an error, without an output file, or its output
is what it is without the failure. It never crashes, hangs, leaves a file, or ends well with another output, and it
releases memory, mappings and descriptors. What a recorder had recorded stays, and can be read. With transfers, the
output is always what it is without.
"""
import argparse
import collections
import concurrent.futures
import gzip
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

LIMIT_SECONDS = 60

# Arguments of a command. OUT is its output file, a name in testdata the recording there, DIR(name) its directory.
# UNNAMED(form) is a profile of another program.
# LIBRARY: the program is library.c.
CASES = {
    "report": ["cxx", "-f", "report", "-o", "OUT"],
    "pprof": ["cxx", "-f", "pprof", "-o", "OUT"],
    "folded": ["nested", "-f", "folded"],
    "script": ["tracepoints", "-f", "script"],
    "html": ["shop/before.data", "-f", "html", "-o", "OUT"],
    "firefox": ["threads", "-f", "firefox", "-o", "OUT"],
    "perfetto": ["clock", "-f", "perfetto", "-o", "OUT"],
    "sqlite": ["clock", "-f", "sqlite", "-o", "OUT"],
    "parquet": ["clock", "-f", "parquet", "-o", "OUT"],
    "sql": ["sql", "clock", "SELECT event, count(*) FROM samples GROUP BY event"],
    "query": ["query", "shop/before.data", "functions"],
    "bolt": ["branches", "-f", "bolt", "-o", "OUT"],
    "autofdo": ["branches", "-f", "autofdo", "-o", "OUT"],
    "pgo": ["branches", "--pgo"],
    "otlp": ["jit", "-f", "otlp", "--tag", "a=b", "-o", "OUT"],
    "otlp-json": ["forkexec", "-f", "otlp-json", "-o", "OUT"],
    "speedscope": ["forkexec", "-f", "speedscope", "-o", "OUT"],
    "callgrind": ["cxx", "-f", "callgrind", "-o", "OUT"],
    "perfdata": ["cxx", "-f", "perfdata", "-o", "OUT"],
    "stats": ["cxx", "-f", "pprof", "-o", "OUT", "--stats"],
    "filters": ["shop/before.data", "-f", "folded", "--focus", "price", "--comms", "pricer", "--time", "10%,50%"],
    "sorted": ["shop/before.data", "--sort", "comm,sym"],
    "callers": ["shop/before.data", "--callers=malloc"],
    "compressed": ["compressed", "-f", "folded"],
    "piped": ["piped", "-f", "folded"],
    "parallel": ["parallel", "-f", "folded"],
    "jit": ["jit", "-f", "folded"],
    "bpf": ["bpf", "-f", "folded"],
    "two": ["nested", "threads", "-f", "folded"],
    "json": ["cxx", "--json"],
    "annotate": ["annotate", "cxx"],
    "diff": ["diff", "shop/before.data", "shop/after.data"],
    "info": ["info", "cxx"],
    "info-json": ["info", "tracepoints", "--json"],
    "dump": ["dump", "nested"],
    "dump-json": ["dump", "tracepoints", "--json"],
    "cached": ["cxx", "-f", "folded", "CACHED"],
    "threaded": ["-j", "3", "forkexec", "-f", "folded"],
    "stdin": ["-", "-f", "folded", "STDIN(piped)"],
    "stdin-perfdata": ["-", "-f", "perfdata", "-o", "OUT", "STDIN(nested)"],
    "spilled": ["MANY", "-f", "script", "-o", "OUT", "--max-memory", "16M"],
    "markdown": ["report", "cxx", "--markdown"],
    "advice": ["report", "bpf"],
    "ledger": ["report", "clock", "--ledger"],
    "critical-path": ["report", "paths", "--critical-path"],
    "latency": ["report", "paths", "--latency"],
    "annotate-json": ["annotate", "cxx", "--json"],
    "diff-limit": ["diff", "shop/before.data", "shop/after.data", "--fail-over", "0"],
    "diff-json": ["diff", "shop/before.data", "shop/after.data", "--json"],
    "view": ["view", "cxx"],
    "archive": ["archive", "nested", "-o", "OUT"],
    "symbolize-pprof": ["symbolize", "UNNAMED(pprof)", "-o", "OUT"],
    "symbolize-otlp": ["symbolize", "UNNAMED(otlp)", "-o", "OUT"],
    "symbolize-text": ["symbolize", "UNNAMED(text)", "-o", "OUT"],
    "symbolize-heap": ["symbolize", "UNNAMED(heap)"],
    "perf_to_profile": ["perf_to_profile", "-i", "nested", "-o", "OUT", "-f"],
    "record": ["record", "-c", "20000", "-o", "OUT", "--", "true"],
    "record-stream": ["record", "-c", "20000", "-o", "-", "--", "true"],
    "record-folded": ["record", "-c", "20000", "-f", "folded", "-o", "OUT", "--", "true"],
    "help": ["help"],
    "library-strings": ["LIBRARY", "strings"],
    "library-reports": ["LIBRARY", "reports"],
    "library-unwind": ["LIBRARY", "unwind", "nested", "DIR(nested)"],
    "library-convert": ["LIBRARY", "convert", "cxx", "DIR(cxx)", "folded"],
}
# Tried in a quick run: most commands, and ways of reading and writing.
QUICK_CASES = ("report", "perfdata", "piped", "annotate", "diff", "dump-json", "cached", "record-folded")
# Cases that try these points at least. They are about what happens after a failure.
LEAST_POINTS = {"library-strings": "all", "library-reports": "all", "library-unwind": "stacks"}

# Cases without failed allocations: libarchive ends the process, or crashes, when it gets no memory for a name.
WITHOUT_ALLOCATIONS = {"archive"}

# SQLite 3.40 keeps so many allocations at most when memory runs out in CREATE VIRTUAL TABLE. An open database has
# hundreds of them.
MOST_KEPT_BY_SQLITE = 2

# Functions whose allocations always fail, in addition to a sample: what happened then was wrong once.
PINNED = {
    "html": ["write_escaped"],
    "view": ["write_escaped"],
    "advice": ["cmd_advice"],
    "filters": ["read_and_write"],
    "bpf": ["sym_kernel_refuse"],
    "jit": ["sym_mapped_file_open"],
    "diff-limit": ["note"],
    "record": ["open_file"],
    "record-folded": ["open_temporary"],
}
# System calls that were handled wrongly once, by case. Each of them fails.
PINNED_CALLS = {"parallel": ["getdents64"], "perfdata": ["lseek"], "stdin-perfdata": ["lseek"], "record": ["lseek"],
                "symbolize-pprof": ["newfstatat"]}
# Allocations of such a function that fail, at most.
MOST_PINNED = 4

# Input of a case with many samples, whose lists do not fit the smallest budget.
MANY_SAMPLES = 150000
# Outputs that are written without warnings about what was not found, because they contain the same.
SELF_REPORTING = {"html", "view", "info", "info-json", "annotate", "annotate-json", "report", "stats", "sorted",
                  "callers", "json", "markdown", "advice", "ledger", "critical-path", "latency", "query"}
# Recordings that are made now differ each time.
RECORDED = {"record", "record-stream", "record-folded"}

Outcome = collections.namedtuple("Outcome", "status stdout stderr files log")


def clean(text, work):
    """Replace what differs between two runs in TEXT: the directory WORK, names of temporary files, and times."""
    text = re.sub(rb"(?<= in )[0-9.]+ s\b", b"T s", text.replace(work.encode(), b"WORK"))
    return re.sub(rb"pdconv-\w{6}\b", b"pdconv-XXXXXX", text)


def unpacked(data):
    """Decompress gzip: ISA-L does not always find the same matches in the same bytes."""
    try:
        return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
    except (EOFError, OSError, zlib.error):
        return data


class Case:
    """A command with its own directory."""

    def __init__(self, args, name):
        self.name = name
        self.build = args.build
        self.dir = tempfile.mkdtemp(prefix=name + ".", dir=args.scratch)
        self.log = os.path.join(self.dir, "log")
        words = list(CASES[name])
        is_cached = "CACHED" in words
        self.stdin = b""
        for word in words:
            if word.startswith("STDIN("):
                with open(os.path.join(args.testdata, word[len("STDIN("):-1], "perf.data"), "rb") as recording:
                    self.stdin = recording.read()
        words = [self.path(args, word) for word in words if word != "CACHED" and not word.startswith("STDIN(")]
        self.program = "library" if words[0] == "LIBRARY" else "pdconv"
        if self.program == "library":
            self.command = [os.path.join(args.build, "tests/failures/library"), *words[1:]]
            return
        self.command = [os.path.join(args.build, "pdconv"), *words]
        if name not in RECORDED and words[0] not in ("help", "perf_to_profile"):
            programs = [os.path.join(args.testdata, word.partition("/")[0]) for word in CASES[name]]
            programs = [path for path in programs if os.path.isdir(path)] + [os.path.join(args.testdata, "nested")]
            self.command += ["-j", "1"] if words[0] not in ("info", "dump", "annotate", "-j") else []
            if words[0] not in ("info", "dump"):
                self.command += ["--symfs", os.path.join(args.scratch, "nowhere"), "--debug-paths", ":".join(programs)]
                self.command += [] if is_cached or words[0] == "archive" else ["--no-cache"]

    @staticmethod
    def path(args, word):
        path = os.path.join(args.testdata, word)
        if word == "MANY":
            return os.path.join(args.scratch, "many.data")
        if word.startswith("UNNAMED("):
            return os.path.join(args.scratch, "unnamed." + word[len("UNNAMED("):-1])
        if word.startswith("DIR("):
            return os.path.join(args.testdata, word[len("DIR("):-1])
        if os.path.isdir(path) and word not in ("annotate", "diff"):
            return os.path.join(path, "perf.data")
        return path if os.path.exists(path) and "/" in word else word

    def run(self, prefix=(), **environment):
        """Run the command in an empty directory. Returns an Outcome."""
        with tempfile.TemporaryDirectory(dir=self.dir) as work:
            command = [os.path.join(work, "out") if word == "OUT" else word for word in self.command]
            env = {"PATH": os.environ["PATH"], "HOME": work, "LC_ALL": "C", "TZ": "UTC", "BROWSER": "true",
                   "XDG_CACHE_HOME": work + "/cache", "TMPDIR": work + "/tmp", **environment}
            os.mkdir(work + "/cache")
            os.mkdir(work + "/tmp")
            if os.path.exists(self.log):
                os.unlink(self.log)
            try:
                done = subprocess.run([*prefix, *command], cwd=work, env=env, input=self.stdin,
                                      capture_output=True, timeout=LIMIT_SECONDS, check=False)
            except subprocess.TimeoutExpired:
                return Outcome("hangs", b"", b"", {}, set())
            return Outcome(done.returncode, clean(done.stdout, work), clean(done.stderr, work),
                           self.files(work), self.read_log(work))

    def files(self, work):
        """Return the contents of files that the command left in WORK, except in the cache. A directory has None."""
        files = {}
        for where, directories, names in os.walk(work):
            if where == work:
                directories[:] = [name for name in directories if name != "cache"]
            else:
                files[clean(os.path.relpath(where, work).encode(), work).decode()] = None
            for path in (os.path.join(where, name) for name in names):
                if os.path.isfile(path):
                    with open(path, "rb") as content:
                        files[clean(os.path.relpath(path, work).encode(), work).decode()] = unpacked(content.read())
        files.pop("tmp", None)
        return files

    def read_log(self, work):
        """Return the lines of the log of what was not released. There is none if the process did not reach exit()."""
        if not os.path.exists(self.log):
            return collections.Counter()
        with open(self.log, "rb") as log:
            return collections.Counter(clean(line, work).decode().strip() for line in log)


def messages(sound, outcome):
    """Return the lines of messages that the sound OUTCOME does not have."""
    known = sound.stderr.decode(errors="replace").splitlines()
    lines = outcome.stderr.decode(errors="replace").splitlines()
    return [line for line in lines if line not in known and line != "pdconv: see pdconv --help"]


def judge_recording(case, outcome):
    """Return what is wrong with a recording that may have failed. What was recorded until then is kept."""
    output = outcome.files.get("out", b"") if case.name != "record-stream" else outcome.stdout
    # Binaries go to the cache of perf.
    left = [name for name in outcome.files if name != "out" and not name.startswith(".debug")]
    if left:
        return "leaves " + ", ".join(left)
    if outcome.status and not [line for line in outcome.stderr.splitlines() if line.startswith(b"pdconv: ")]:
        return "prints no message"
    if case.name == "record-folded":
        return None if outcome.status == 0 or "out" not in outcome.files else "leaves the output"
    if case.name == "record-stream" and outcome.status:
        return None
    if not output:
        return None if outcome.status else "ends well without a recording"
    with tempfile.NamedTemporaryFile(dir=case.dir) as copy:
        copy.write(output)
        copy.flush()
        done = subprocess.run([case.command[0], "info", copy.name], capture_output=True, check=False)
    return None if done.returncode == 0 else "leaves a recording that cannot be read"


def judge_log(sound, outcome):
    """Return what is left at the end in addition to that of a run without a failure, or None."""
    if sound.log and not outcome.log and outcome.status in (0, 1, 2, 3):
        return "ends without exit()"
    left = {line: n for line, n in outcome.log.items() if line not in sound.log and not line.startswith("allocations ")}
    if 0 < sum(left.values()) <= MOST_KEPT_BY_SQLITE and all("libsqlite3.so" in line for line in left):
        return None
    return "does not release " + ", ".join(sorted(left)) if left else None


def judge(case, sound, outcome, may_lack_names=False, may_fail=True, releases=True):
    """Return what is wrong with the outcome of a run with a failure, or None."""
    if outcome.status == "hangs":
        return "hangs"
    if outcome.status < 0 or outcome.status > 3:
        return f"ends with status {outcome.status}"
    if releases and judge_log(sound, outcome):
        return judge_log(sound, outcome)
    if case.name in RECORDED:
        return judge_recording(case, outcome)
    is_same = (outcome.stdout, outcome.files) == (sound.stdout, sound.files)
    if outcome.status == sound.status:
        # A binary, kallsyms or jitdump that cannot be read is like one that is absent: names are missing, which is said.
        if may_lack_names:
            return None if is_same or case.name in SELF_REPORTING or messages(sound, outcome) else "lacks names silently"
        if not is_same:
            return "ends well with another output"
        # Without memory for a warning, it is replaced by a message that says so.
        is_told = any("out of memory" in line for line in messages(sound, outcome))
        return None if outcome.stderr == sound.stderr or is_told else "ends well with other messages"
    if outcome.status == 0:
        return "ends well"
    if not may_fail:
        return f"ends with status {outcome.status}"
    # A page whose path was printed stays, even if no browser can be started.
    if outcome.files and (case.name != "view" or not is_same):
        return "leaves " + ", ".join(outcome.files)
    own = messages(sound, outcome)
    # That a binary cannot be read is said first; without its names there may be nothing to show.
    if may_lack_names and len(own) == 2:
        own = own[1:]
    if len(own) != 1 or not own[0].startswith(case.program + ": "):
        return f"prints {len(own)} messages"
    return None


def sample(items, points, name):
    """Return POINTS of the ITEMS, or all if POINTS is a word. They depend on NAME, so that cases try different ones."""
    if isinstance(points, str) or len(items) <= points:
        return items
    return random.Random(name).sample(items, points)


def logged(case):
    """Return the environment in which what is not released is logged."""
    return {"LD_PRELOAD": os.path.join(case.build, "tests/failures/allocations.so"), "FAIL_LOG": case.log}


def allocations_to_fail(case, points):
    """Return the numbers of the allocations that fail. With a number of POINTS, they have different callers."""
    points = "all" if points == "all" else LEAST_POINTS.get(case.name, points)
    log = os.path.join(case.dir, "stacks")
    case.run(**logged(case), FAIL_STACKS=log)
    by_stack = collections.defaultdict(list)
    with open(log, "rb") as file:
        stacks = list(struct.iter_unpack("4I", file.read()))
    for at, (callers, *_) in enumerate(stacks, 1):
        by_stack[callers].append(at)
    if points == "all":
        return range(1, len(stacks) + 1)
    if points == "stacks":
        return sorted({at for group in by_stack.values() for at in (group[0], group[-1])})
    chosen = sample(list(by_stack.values()), points, case.name)
    chosen = {random.Random(case.name).choice(group) for group in chosen}
    return sorted(chosen | pinned(case, [offsets for _, *offsets in stacks]))


def pinned(case, stacks):
    """Return the numbers of the allocations in the functions of PINNED. STACKS: offsets of callers in the program."""
    functions = PINNED.get(case.name, ())
    if not functions:
        return set()
    addresses = "".join(f"{offset - 1:#x}\n" for offset in sorted({at for stack in stacks for at in stack}) if offset)
    done = subprocess.run(["addr2line", "-a", "-f", "-i", "-e", case.command[0]], input=addresses, text=True,
                          capture_output=True, check=True)
    names = {}
    for part in re.split(r"^(?=0x)", done.stdout, flags=re.M)[1:]:
        lines = part.split("\n")
        names[int(lines[0], 16) + 1] = lines[1:-1:2]
    numbers = set()
    for function in functions:
        # What the function allocates itself, or else what those allocate that it calls.
        by_depth = [[at for at, stack in enumerate(stacks, 1) if function in names.get(stack[depth], ())]
                    for depth in range(len(stacks[0]))]
        found = next(filter(None, by_depth), None)
        if not found:
            raise LookupError(f"{case.name}: no allocation in {function}()")
        numbers |= set(found[:MOST_PINNED])
    return numbers


def allocations(case, points):
    """Yield the sound outcome, then (description, prefix, environment) for each failure."""
    yield case.run(**logged(case))
    for at in allocations_to_fail(case, points):
        for on in ({}, {"FAIL_ON": "1"}):
            words = f"FAIL_AT={at}" + "".join(" FAIL_ON=1" for _ in on)
            yield words, (), {**logged(case), "FAIL_AT": str(at), **on}


def transfers(case, _):
    """Like allocations(), with reads and writes of fewer bytes, and ones that are interrupted."""
    yield case.run(**logged(case))
    short = os.path.join(case.build, "tests/failures/short_calls")
    yield "half of each transfer", (short,), logged(case)
    yield "EINTR before each transfer", (short, "-i"), logged(case)


# Errors of system calls. Each kind of call is a name of strace's: it counts them one by one.
CALLS = {
    **dict.fromkeys(("read", "readv", "pread64", "preadv", "lseek", "ftruncate", "fallocate", "close", "fsync",
                     "fstat", "newfstatat", "statx", "fstatfs", "readlink", "readlinkat", "getdents64", "access",
                     "faccessat2", "unlink", "unlinkat", "dup", "dup2", "fcntl", "poll", "ioctl"), ["EIO"]),
    **dict.fromkeys(("write", "writev", "pwrite64", "pwritev", "rename", "renameat", "renameat2", "mkdir",
                     "mkdirat", "copy_file_range"), ["ENOSPC", "EIO"]),
    **dict.fromkeys(("open", "openat", "openat2"), ["EMFILE", "EACCES", "EIO"]),
    **dict.fromkeys(("mmap", "mprotect", "madvise", "mremap"), ["ENOMEM"]),
    **dict.fromkeys(("pipe", "pipe2", "eventfd2", "signalfd4", "memfd_create", "epoll_create1"), ["EMFILE"]),
    **dict.fromkeys(("fork", "vfork", "clone", "clone3"), ["EAGAIN"]),
}


def count_calls(log):
    """Return the number of calls of each name in the LOG of strace."""
    with open(log, encoding="utf-8", errors="replace") as text:
        return collections.Counter(found[1] for found in (re.match(r"\d+ +(\w+)\(", line) for line in text) if found)


def injected(case):
    """Return the lines of strace with the calls that it let fail."""
    with open(os.path.join(case.dir, "strace"), encoding="utf-8", errors="replace") as text:
        return [line for line in text if "(INJECTED)" in line]


def is_essential(case):
    """Return whether the call that strace let fail was about the recording or the output."""
    failed = injected(case)
    # The working directory is not what a call is about. Nobody can be told that a message could not be written.
    failed = [re.sub(r"AT_FDCWD<[^>]*>", "AT_FDCWD", line) for line in failed]
    own = re.escape(case.dir) + r"/[^/]*/(?!\.debug|\.cache|cache)"
    return any(re.search(r'\.data[">]|\(1<pipe:|' + own, line) for line in failed)


def has_hit_log(case):
    """Return whether the call that strace let fail was about the log of what is not released."""
    return any(case.log in line for line in injected(case))


def is_stuck_pipe(case):
    """Return whether strace did not let the command close a pipe. Then the reader waits for its end."""
    return any("close(" in line and "<pipe:" in line for line in injected(case))


def calls(case, points):
    """Like allocations(), for system calls, which strace lets fail."""
    trace = os.path.join(case.dir, "strace")
    preload = [word for name, value in logged(case).items() for word in ("-E", f"{name}={value}")]
    yield case.run(**logged(case))
    strace = ("strace", "-f", "-y", "--seccomp-bpf", "-o", trace)
    # The first calls are those of the dynamic linker, which ends the process with messages of its own.
    every = ("-e", "trace=" + ",".join("?" + name for name in CALLS))
    subprocess.run([*strace, *every, *preload, case.command[0], "--version"], stdout=subprocess.DEVNULL, check=True)
    n_before = count_calls(trace)
    case.run((*strace, *every, *preload))
    n_calls = count_calls(trace)
    for name, errors in CALLS.items():
        first = 1 if name == "write" else n_before[name] + 1
        wanted = "all" if name in PINNED_CALLS.get(case.name, ()) else points
        for at in sorted(sample(range(first, n_calls[name] + 1), wanted, case.name + name)):
            for error in errors:
                inject = f"inject={name}:error={error}:when={at}"
                yield inject, (*strace, "-e", "trace=" + name, *preload, "-e", inject), {}


KINDS = {"allocations": allocations, "transfers": transfers, "calls": calls}


def test(kind, case, points):
    """Run CASE with each failure of KIND. Returns the number of runs and the wrong ones."""
    runs = KINDS[kind](case, points)
    sound = next(runs)
    # 3: a function grew by more than --fail-over allows.
    if sound.status not in (0, 3):
        return 1, [f"{case.name}: without a failure: status {sound.status}"]
    wrong = []
    n = 0
    for words, prefix, environment in runs:
        n += 1
        outcome = case.run(prefix, **environment)
        # An unlink() that strace lets fail leaves a temporary file.
        if "inject=unlink" in words:
            outcome = outcome._replace(files={name: what for name, what in outcome.files.items() if not name.startswith("tmp/")})
        # A close() that strace lets fail does not close.
        releases = "inject=close:" not in words and not (kind == "calls" and has_hit_log(case))
        fault = judge(case, sound, outcome, may_lack_names=kind == "calls" and not is_essential(case),
                      may_fail=kind != "transfers", releases=releases)
        if fault == "hangs" and kind == "calls" and is_stuck_pipe(case):
            continue
        if fault:
            message = outcome.stderr.decode(errors="replace").strip().replace("\n", " | ")[-160:]
            wrong.append(f"{case.name}: {words}: {fault}: {message}")
    return n, wrong


def make_many_samples(args):
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../cli/many_samples.py")
    subprocess.run([sys.executable, program, os.path.join(args.scratch, "many.data"), str(MANY_SAMPLES), "same"],
                   check=True)


def make_unnamed(args):
    """Profiles of other programs, with addresses in testdata/nested."""
    profile = {"mappings": [[0x400000, 0x500000, 0, "/x/nested", ""], [0x600000, 0x700000, 0, "/x/absent", ""]],
               "locations": [[1, 0x4014f0, None], [1, 0x401670, None], [2, 0x600000, None], [1, 0x4016d0, "known"]]}
    texts = {"text": "comm;/x/nested+0x4014f1;/x/nested+0x401670 3\n(/x/nested+0x4016d0) /x/absent+0x10\n",
             "heap": "heap_v2/524288\n@ 0x4014f1 0x401671 0x10\n  t*: 1: 8 [0: 0]\n\nMAPPED_LIBRARIES:\n"
                     "00401000-00479000 r-xp 00001000 08:02 173521      /x/nested\n"}
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../cli/foreign.py")
    for kind, maker in (("pprof", "make"), ("otlp", "make_otlp")):
        subprocess.run([sys.executable, program, maker, os.path.join(args.scratch, "unnamed." + kind), json.dumps(profile)],
                       check=True)
    for kind, text in texts.items():
        with open(os.path.join(args.scratch, "unnamed." + kind), "w", encoding="ascii") as file:
            file.write(text)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build", type=os.path.abspath)
    parser.add_argument("testdata", type=os.path.abspath)
    parser.add_argument("--points", type=lambda word: word if word in ("all", "stacks") else int(word), default="all")
    parser.add_argument("--case", action="append")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("kinds", nargs="*")
    args = parser.parse_intermixed_args()
    args.scratch = tempfile.mkdtemp(prefix="failures.")
    os.mkdir(os.path.join(args.scratch, "nowhere"))
    n_runs = 0
    wrong = []
    try:
        make_many_samples(args)
        make_unnamed(args)
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            todo = [pool.submit(test, kind, Case(args, name), args.points)
                    for kind in args.kinds or KINDS for name in args.case or (QUICK_CASES if os.environ.get("QUICK") else CASES)
                    if kind != "allocations" or name not in WITHOUT_ALLOCATIONS]
            for done in todo:
                n, found = done.result()
                n_runs += n
                wrong += found
    finally:
        shutil.rmtree(args.scratch)
    for line in wrong:
        print(line)
    print(f"{n_runs} runs, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
