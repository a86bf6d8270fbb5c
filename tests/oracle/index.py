#!/usr/bin/env python3
"""Answers from the index: the same bytes as without it, and none once something has changed.

usage: index.py CASE PDCONV [RECORDING]...

CASE is one of
  answers   every question about each recording, without the cache, with an empty one, and again
  changes   a file is touched, replaced, removed or added, or the environment differs
  damage    the files of the index are cut and overwritten, and several programs write one
  files     every file that a conversion looks for is among those that its answer depends on (needs perf and strace)
"""
import collections
import concurrent.futures
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

QUESTIONS = [
    [],
    ["--tree"],
    ["--callers"],
    ["--callees=main", "--percent-limit", "1"],
    ["--sort", "comm,dso,sym"],
    ["--sort", "cpu,time", "--time-quantum", "10"],
    ["--limit", "3", "--stats"],
    ["--strict", "--fail-under-rooted", "100"],
    ["--focus", "^m", "--ignore", "start"],
    ["--hide", "_"],
    ["--root", "main", "--folded"],
    ["--symbols", "main"],
    ["--folded"],
    ["--folded", "--all", "--inline", "--weight", "samples"],
    ["--folded", "--no-inline", "--demangle", "none"],
    ["--folded", "--time", "10%-50%", "--no-kernel"],
    ["--pprof"],
    ["-f", "sqlite"],
    ["--pprof", "--labels", "cpu,time"],
    ["--script"],
    ["--script", "-F", "+srcline,+addr", "--show-mmap-events"],
    ["--script", "--header"],
    ["--event", "cycles"],
    ["report", "--json"],
    ["annotate", "--lines", "-i"],
    ["-q", "--no-lines", "--stitch"],
]
# Lines that differ between any two runs.
TIMES = re.compile(rb"^Read and unwound in .*\n", re.M)
# Files older than this, in seconds, do not count as just changed; see symbolize/file/deps.c.
OLD = 0.08

Result = collections.namedtuple("Result", "status out err")


def environment(cache, **more):
    return dict(os.environ, XDG_CACHE_HOME=cache, PDCONV_INDEX_SECONDS="0", LC_ALL="C", **more)


def run(pdconv, arguments, cache=None, cwd=None, **env):
    command = [pdconv, *arguments] + ([] if cache else ["--no-cache"])
    done = subprocess.run(command, env=environment(cache or "/nonexistent", **env), stdin=subprocess.DEVNULL,
                          capture_output=True, cwd=cwd, check=False)
    return Result(done.returncode, done.stdout, TIMES.sub(b"", done.stderr))


def entries(cache):
    """The files of the index: their inode, and the time of their last use."""
    try:
        names = os.listdir(f"{cache}/pdconv")
    except FileNotFoundError:
        return {}
    stats = {name: os.stat(f"{cache}/pdconv/{name}") for name in names if name.endswith(".index")}
    return {name: (st.st_ino, st.st_mtime_ns) for name, st in stats.items()}


def is_used(before, after):
    """Whether the last run read an entry and wrote none: the entry is the same file, used again."""
    return any(before[name][0] == ino and before[name][1] < used for name, (ino, used) in after.items() if name in before) \
        and all(name in before and before[name][0] == ino for name, (ino, _) in after.items())


def describe(result):
    return f"status {result.status}, {len(result.out)} bytes, {result.err.decode(errors='replace')!r}"


def expect_same(what, want, got):
    if want != got:
        raise AssertionError(f"{what}: without the index {describe(want)}, with it {describe(got)}")


def ask_all(pdconv, recording):
    """Ask each question. Returns how many answers came from the index, and how many there were."""
    n_used = n_kept = 0
    with tempfile.TemporaryDirectory() as cache:
        for question in QUESTIONS:
            arguments = [*question, recording, "--symbol-dir", os.path.dirname(recording)]
            want = run(pdconv, arguments)
            expect_same(f"{arguments}, first", want, run(pdconv, arguments, cache))
            before = entries(cache)
            expect_same(f"{arguments}, again", want, run(pdconv, arguments, cache))
            n_used += is_used(before, entries(cache))
            n_kept += want.status != 1
    return n_used, n_kept


def check_answers(pdconv, recordings):
    time.sleep(OLD)
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        results = list(pool.map(lambda path: (path, *ask_all(pdconv, path)), recordings))
    n_used, n_kept = sum(r[1] for r in results), sum(r[2] for r in results)
    print(f"{len(recordings)} recordings: {n_used} of {n_kept} answers came from the index")
    # The header has the time of the file in local time, so it is never kept.
    if n_used < 0.8 * n_kept:
        raise AssertionError(f"few answers came from the index: {results}")


class Machine:
    """A recording with its program in a directory, and a cache."""

    def __init__(self, pdconv, testdata, work):
        self.pdconv, self.work, self.cache = pdconv, work, f"{work}/cache"
        self.recording, self.symbols = f"{work}/perf.data", f"{work}/symbols"
        os.makedirs(self.symbols)
        shutil.copy(f"{testdata}/cxx/perf.data", self.recording)
        shutil.copy(f"{testdata}/cxx/cxx", f"{self.symbols}/cxx")
        self.arguments = ["--folded", self.recording, "--symbol-dir", self.symbols, "--perf-map-path", self.symbols]
        self.env, self.cwd = {"HOME": work}, work

    def ask(self, what, is_kept, attempts=3):
        """Ask again, and check that the answer came from the index or did not. What other programs do at the same time
        can keep it from being kept, for example a new process with the id of the recorded one, so it may come later."""
        time.sleep(OLD)
        before = entries(self.cache)
        got = run(self.pdconv, self.arguments, self.cache, cwd=self.cwd, **self.env)
        expect_same(what, run(self.pdconv, self.arguments, cwd=self.cwd, **self.env), got)
        was_used = is_used(before, entries(self.cache))
        if is_kept and not was_used and attempts > 1:
            return self.ask(what, is_kept, attempts - 1)
        if was_used != is_kept:
            raise AssertionError(f"{what}: the answer {'did not come' if is_kept else 'came'} from the index")
        return got

    def change(self, what, command):
        """Run a shell command after which the answer must be made again, and is kept again."""
        before = self.ask("before: " + what, True)
        subprocess.run(command, shell=True, check=True, cwd=self.work)
        after = self.ask(what, False)
        self.ask(what + ", again", True)
        return before.out != after.out


def check_changes(pdconv, recordings):
    testdata = os.path.dirname(os.path.dirname(recordings[0]))
    with tempfile.TemporaryDirectory() as work:
        m = Machine(pdconv, testdata, work)
        m.ask("the first question", False)
        m.ask("the second question", True)
        m.change("the program is touched", "touch symbols/cxx")
        assert m.change("the program is stripped", "objcopy -S symbols/cxx new && mv new symbols/cxx")
        assert m.change("a debug file is added",
                        f"objcopy --only-keep-debug {os.path.abspath(testdata)}/cxx/cxx symbols/cxx.debug && "
                        "objcopy --add-gnu-debuglink=symbols/cxx.debug symbols/cxx")
        assert m.change("the debug file is removed", "rm symbols/cxx.debug")
        assert m.change("a debug file is added to the build-id directory",
                        f"id=$(readelf -n symbols/cxx | sed -n 's/.*Build ID: //p') && mkdir -p symbols/.build-id/${{id%${{id#??}}}} && "
                        f"cp {os.path.abspath(testdata)}/cxx/cxx symbols/.build-id/${{id%${{id#??}}}}/${{id#??}}.debug")
        # The file by build id is used in the place of the program, which it equals.
        assert not m.change("the program is removed", "rm symbols/cxx")
        assert m.change("the program is of another build, and has no debug file",
                        f"rm -r symbols/.build-id && cp {os.path.abspath(testdata)}/nested/nested symbols/cxx")
        m.change("there is no program", "rm -r symbols && mkdir symbols")
        assert m.change("there is a program", f"cp {os.path.abspath(testdata)}/cxx/cxx symbols/cxx")
        if os.geteuid():
            assert m.change("the program cannot be read", "chmod 0 symbols/cxx")
            assert m.change("the program can be read", "chmod 600 symbols/cxx")
        m.change("the program has other times and contents of the same size",
                 "touch -r symbols/cxx t && cp symbols/cxx old && printf x | dd of=symbols/cxx bs=1 seek=9 conv=notrunc 2>/dev/null && "
                 "touch -r t symbols/cxx")
        m.change("the recording is touched", "touch perf.data")
        m.change("the recording is replaced", "cp perf.data new && mv new perf.data")
        m.change("an archive appears next to the recording", "tar cjf perf.data.tar.bz2 symbols/cxx")
        m.ask("nothing has changed", True)
        subprocess.run(["touch", f"{m.symbols}/unrelated"], check=True)
        m.ask("a file that nobody looks for has changed", True)
        m.env["DEBUGINFOD_CACHE_PATH"] = work
        m.ask("the environment differs", False)
        m.ask("the environment differs, again", True)
        m.cwd = "/"
        m.ask("the working directory differs", False)
        m.arguments += ["--no-inline"]
        m.ask("the question differs", False)
        m.arguments += ["--focus", "main"]
        m.ask("the question differs by a filter of names only", True)
        m.arguments[0] = "--tree"
        m.ask("the question differs by the format only", True)
        m.arguments += ["-j", "1"]
        m.ask("the number of threads differs", True)
        check_perf_map(pdconv, work)


def check_perf_map(pdconv, work):
    """Names of generated code, which come from a map that appears, changes and goes."""
    shutil.rmtree(work)
    os.makedirs(work)
    source = ("#include <string.h>\n#include <sys/mman.h>\nint main(void)\n{\n"
              "    static const unsigned char code[] = {0xb9, 0, 0, 0, 0x10, 0xff, 0xc9, 0x75, 0xfc, 0xc3};\n"
              "    void *at = mmap((void *)0x10000000, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);\n"
              "    memcpy(at, code, sizeof(code));\n    ((void (*)(void))at)();\n    return 0;\n}\n")
    with open(f"{work}/jit.c", "w", encoding="utf-8") as out:
        out.write(source)
    if os.uname().machine != "x86_64" or not shutil.which("perf") or \
            subprocess.run("cc -o jit jit.c && PERF_BUILDID_DIR='' perf record -q -e cpu-clock:u -o perf.data ./jit",
                           shell=True, cwd=work, check=False, capture_output=True).returncode:
        print("no perf: maps of generated code are not compared")
        return
    m = Machine.__new__(Machine)
    m.pdconv, m.work, m.cache, m.cwd, m.env = pdconv, work, f"{work}/cache", work, {"HOME": work}
    os.makedirs(f"{work}/maps")
    m.arguments = ["--folded", f"{work}/perf.data", "--perf-map-path", f"{work}/maps"]
    pid = re.search(rb"tid=(\d+)", run(pdconv, ["dump", f"{work}/perf.data", "--type", "SAMPLE", "--limit", "1"], work).out)
    path = f"maps/perf-{pid[1].decode()}.map"
    m.ask("no map", False)
    assert m.change("a map appears", f"echo 10000000 100 first >{path}")
    assert m.change("the map changes", f"echo 10000000 100 other >{path}")
    assert m.change("the map is a link", f"echo 10000000 100 third >elsewhere && ln -sf ../elsewhere {path}")
    assert m.change("where the link leads changes", "echo 10000000 100 fourth >elsewhere")
    assert m.change("the map goes", f"rm {path}")


def damaged(whole):
    """Copies of a file with all kinds of damage."""
    for size in [*range(0, 300, 7), *range(300, len(whole), max(1, len(whole) // 50)), len(whole) - 1]:
        yield whole[:size]
    yield whole + b"\0"
    for at in [*range(0, 300, 3), *range(300, len(whole), max(1, len(whole) // 200))]:
        yield whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1:]
        yield whole[:at] + b"\xff" * 8 + whole[at + 8:]


def check_damage(pdconv, recordings):
    recording = recordings[0]
    arguments = [recording, "--symbol-dir", os.path.dirname(recording)]
    want = run(pdconv, arguments)
    time.sleep(OLD)
    with tempfile.TemporaryDirectory() as cache:
        expect_same("first", want, run(pdconv, arguments, cache))
        name, = entries(cache)
        path = f"{cache}/pdconv/{name}"
        assert os.stat(path).st_mode & 0o777 == 0o600 and os.stat(f"{cache}/pdconv").st_mode & 0o777 == 0o700
        with open(path, "rb") as stream:
            whole = stream.read()
        n = 0
        for bytes_ in damaged(whole):
            with open(path, "wb") as stream:
                stream.write(bytes_)
            expect_same(f"damage {n}", want, run(pdconv, arguments, cache))
            n += 1
        print(f"{n} damaged files are not used")
        shutil.rmtree(cache)
        with concurrent.futures.ThreadPoolExecutor(max_workers=8) as pool:
            for result in pool.map(lambda _: run(pdconv, arguments, cache), range(40)):
                expect_same("40 at a time", want, result)
        assert [name for name in os.listdir(f"{cache}/pdconv") if name.startswith(".new")] == []
        for what in ("file", "read-only"):
            shutil.rmtree(cache)
            if what == "file":
                with open(cache, "w", encoding="utf-8"):
                    pass
            else:
                os.makedirs(cache, mode=0o500)
            expect_same(f"the directory is a {what}", want, run(pdconv, arguments, cache))
            if what == "file":
                os.unlink(cache)
                os.makedirs(cache)


def dependencies(path):
    """The paths in the second part of a file of the index; see index/index.c and symbolize/file/deps.c."""
    with open(path, "rb") as stream:
        data = stream.read()
    sizes = struct.unpack_from("<4Q", data, 96)
    at, paths = 128 + (sizes[0] + 7) // 8 * 8, set()
    end = at + sizes[1]
    while at < end:
        key_len, = struct.unpack_from("<Q", data, at + 64)
        # The length of the root, as four digits, precedes the path.
        paths.add((data[at + 72], data[at + 77:at + 72 + key_len].decode(errors="surrogateescape")))
        at += 72 + (key_len + 8) // 8 * 8
    return paths


def looked_for(trace, recording):
    """Paths in the system calls after the recording was opened, except for those below an open directory: the cache."""
    with open(trace, encoding="utf-8", errors="surrogateescape") as lines:
        calls = [re.search(r'(\w+)\((?:AT_FDCWD, )?"((?:[^"\\]|\\.)*)"', line) for line in lines]
    paths = [(call[1], call[2]) for call in calls if call]
    first = next(i for i, (_, path) in enumerate(paths) if path == recording)
    return {path for name, path in paths[first:] if name not in ("readlink", "mkdir", "rename", "unlink", "futimens")}


def check_files(pdconv, _):
    if not shutil.which("perf") or not shutil.which("strace"):
        print("perf or strace is not installed")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as work:
        recording, cache = f"{work}/perf.data", f"{work}/cache"
        environ = environment(cache, HOME=work, ASAN_OPTIONS="detect_leaks=0")
        subprocess.run(["perf", "record", "-q", "-e", "cpu-clock", "--call-graph", "dwarf,4096", "-o", recording, "--",
                        "sh", "-c", "ls -lR /usr/include/linux | sort; python3 -c 'import json'; xz -c /bin/sh | wc -c"],
                       check=True, env=dict(os.environ, PERF_BUILDID_DIR=""), stdout=subprocess.DEVNULL)
        time.sleep(OLD)
        # Give memory back to the system whenever possible, so that the trace always has what glibc reads for that.
        environ |= {"MALLOC_TRIM_THRESHOLD_": "4096", "MALLOC_TOP_PAD_": "0"}
        subprocess.run(["strace", "-f", "-s", "4096", "-e", "trace=%file", "-o", f"{work}/trace", pdconv, "--folded", recording,
                        "-o", f"{work}/out"], check=True, env=environ, stderr=subprocess.DEVNULL)
        name, = entries(cache)
        known = dependencies(f"{cache}/pdconv/{name}")
        paths = {path for _, path in known}
        processes = {path.split()[0] for kind, path in known if kind == 3}
        has_roots = any(kind == 4 for kind, _ in known)
        missing = []
        for path in looked_for(f"{work}/trace", recording):
            process = re.fullmatch(r"/proc/(\d+)(/stat|/status|/root)?", path)
            # The roots of all processes are one dependency.
            if has_roots and re.fullmatch(r"/proc(/(\d+|self)/(root|ns/mnt))?", path):
                continue
            # A setting that free() and realloc() of glibc read before they give memory of a thread back.
            if path == "/proc/sys/vm/overcommit_memory":
                continue
            # A file that was found is opened once more through its descriptor. The path of the output is followed from "/".
            is_own = path.startswith((cache, f"{work}/out", recording, f"{work}/.out", "/proc/self/fd/")) or path in ("", "/", work)
            if not is_own and path not in paths and not (process and process[1] in processes):
                missing.append(path)
        print(f"{len(paths)} dependencies, {len(processes)} of them processes")
        if missing or len(paths) < 50:
            raise AssertionError(f"an answer depends on more than is checked: {sorted(missing)}")


def main():
    case, pdconv, recordings = sys.argv[1], os.path.abspath(sys.argv[2]), [os.path.abspath(path) for path in sys.argv[3:]]
    checks = {"answers": check_answers, "changes": check_changes, "damage": check_damage, "files": check_files}
    checks[case](pdconv, recordings)


if __name__ == "__main__":
    main()
