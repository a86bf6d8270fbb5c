#!/usr/bin/env python3
"""Compare recordings by pdconv with those by perf of the same program.

usage: record.py PDCONV FOLDED_PY RECORD_ALL WORK

Compiles a program in WORK that prints its CPU time, and records it: with and without stacks, started and
attached to, into a file, a stream and compressed, on all CPUs. Prints a line for each case. Cases about time are
in record_time.py, errors in faults.py.
"""
import contextlib
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import traceback

import record_time
from processes import children_of, cpu_seconds, wait_for_events, wait_until

PROGRAM = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile uint64_t sink;

__attribute__((noinline)) static void leaf(int n) { for (int i = 0; i < n; i++) sink += i * sink; }
__attribute__((noinline)) static void heavy(int n) { leaf(3 * n); sink++; }
__attribute__((noinline)) static void light(int n) { leaf(n); sink++; }

int main(int argc, char **argv)
{
    clock_t end = clock() + CLOCKS_PER_SEC * (argc > 1 ? atof(argv[1]) : 0.5);

    while (clock() < end) {
        heavy(10000);
        light(10000);
    }
    printf("%f\n", (double)clock() / CLOCKS_PER_SEC);
    return argc > 2 ? atoi(argv[2]) : 0;
}
"""
# Deep stacks, which differ in their depth.
DEEP = r"""
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile uint64_t sink;

__attribute__((noinline)) static int leaf(int n) { for (int i = 0; i < n; i++) sink += i * sink; return n; }
__attribute__((noinline)) static int deep(int n)
{
    volatile char frame[300];

    frame[0] = n;
    return n ? deep(n - 1) + frame[0] : leaf(1000);
}

int main(int argc, char **argv)
{
    clock_t end = clock() + CLOCKS_PER_SEC * (argc > 1 ? atof(argv[1]) : 1);

    fork();
    while (clock() < end)
        deep(sink % 40);
    return 0;
}
"""
# A quarter of its time each in itself, two libraries and the kernel.
CALLER = r"""
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile double sink;
static char buffer[1 << 18];

static int compare(const void *a, const void *b) { return *(const char *)a - *(const char *)b; }

static void calculate(void) { for (int i = 0; i < 1000; i++) sink += i / (sink + 1); }
static void call_libm(void) { for (int i = 0; i < 1000; i++) sink += lgamma(i + sink); }
static void call_libc(void) { qsort(buffer, 4096, 1, compare); }
static void call_kernel(void)
{
    int fd = open("/dev/zero", O_RDONLY);

    if (read(fd, buffer, sizeof(buffer)) > 0)
        close(fd);
}

int main(void)
{
    void (*const parts[])(void) = { calculate, call_libm, call_libc, call_kernel };

    for (int i = 0; i < 4; i++) {
        clock_t end = clock() + CLOCKS_PER_SEC / 4;

        while (clock() < end)
            parts[i]();
    }
    return 0;
}
"""
FREQUENCY = 1999
# Tolerance for the number of samples by CPU time, because a busy machine delays timers.
NOISE = 0.15


# Exit status of a test that cannot run here.
SKIPPED = 77


class Failure(Exception):
    pass


class Skipped(Exception):
    """The test cannot run here, and why."""


def expect(condition, *what):
    if not condition:
        raise Failure(" ".join(str(word) for word in what))


class Bench:
    def __init__(self, pdconv, folded, record_all, work):
        self.pdconv, self.folded, self.record_all, self.work = pdconv, folded, record_all, work
        source, self.program = os.path.join(work, "burn.c"), os.path.join(work, "burn")
        with open(source, "w", encoding="utf-8") as out:
            out.write(PROGRAM)
        subprocess.run(["cc", "-O1", "-g", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-o",
                        self.program, source], check=True)

    def wait_for_sample(self, name, cpu=0):
        """Wait until the recording that is being written to a file has a sample of a CPU."""
        wait_until(lambda: f" cpu={cpu} " in self.run(self.pdconv, "dump", "-q", "--type", "SAMPLE", self.path(name)).stdout,
                   name, "has no sample of CPU", cpu)

    def path(self, name):
        return os.path.join(self.work, name)

    def run(self, *command, **options):
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                              cwd=self.work, **options)

    def record(self, name, *options, program=None):
        """Record, and return the CPU seconds that the program printed."""
        result = self.run(self.pdconv, "record", "-F", str(FREQUENCY), "-o", self.path(name), *options, "--",
                          *(program or [self.program]))
        expect(result.returncode == 0, name, result.stderr)
        return float(result.stdout)

    def info(self, name):
        result = self.run(self.pdconv, "info", "--json", self.path(name))
        expect(result.returncode == 0, name, result.stderr)
        return json.loads(result.stdout)

    def check_count(self, name, seconds):
        samples = self.info(name)["samples"]
        expected = seconds * FREQUENCY
        expect(abs(samples - expected) < NOISE * expected, name, "has", samples, "samples, not", round(expected))
        shown = self.run("perf", "script", "-i", self.path(name), "-F", "event,ip")
        expect(shown.returncode == 0 and not re.search("[Ee]rror|incompatible", shown.stderr), name, shown.stderr)
        found = len(re.findall(r"cpu-clock", shown.stdout))
        expect(found == samples, name, "perf finds", found, "samples of", samples)

    def top(self, name):
        """Return the self shares of functions in our report."""
        result = self.run(self.pdconv, self.path(name), "--json")
        expect(result.returncode == 0, name, result.stderr)
        rows = json.loads(result.stdout)["by_event"][0]["functions_by_self"]["rows"]
        return {row["function"]["name"]: row["self_percent"] for row in rows}

    def check_top(self, name):
        top = self.top(name)
        expect(top.get("leaf", 0) > 80, name, "has", top)

    def check_folded(self, *names):
        result = self.run(sys.executable, self.folded, self.pdconv, *(self.path(name) for name in names))
        expect(result.returncode == 0, result.stdout, result.stderr)


def kinds_of_stacks(bench):
    for name, options in (("flat", ()), ("fp", ("-g",)), ("dwarf", ("--call-graph", "dwarf,16384"))):
        bench.check_count(name, bench.record(name, *options))
        bench.check_top(name)
    bench.check_folded("fp", "dwarf")
    text = bench.run(bench.pdconv, bench.path("dwarf"), "--folded").stdout
    expect("main;heavy;leaf" in text and "main;light;leaf" in text, text)


def against_perf(bench):
    """Compare the shares with those in perf's own recording."""
    bench.run("perf", "record", "-q", "-e", "cpu-clock", "-F", str(FREQUENCY), "-g", "-o", bench.path("perf.fp"),
              bench.program)
    ours, theirs = bench.info("fp")["samples"], bench.info("perf.fp")["samples"]
    expect(abs(ours - theirs) < 2 * NOISE * theirs, ours, "samples, perf has", theirs)
    first = [max(top, key=top.get) for top in (bench.top("fp"), bench.top("perf.fp"))]
    expect(first[0] == first[1], "most is in", first)


def compressed(bench):
    bench.check_count("z", bench.record("z", "-z", "--call-graph", "dwarf"))
    expect(os.path.getsize(bench.path("z")) < os.path.getsize(bench.path("dwarf")) / 4, "hardly compressed")
    expect(os.stat(bench.path("dwarf")).st_mode & 0o777 == 0o600, "others may read stacks")


def converted(bench):
    result = bench.run(bench.pdconv, "record", "-q", "--folded", "-F", str(FREQUENCY), "--call-graph", "dwarf", "-o",
                       bench.path("out.folded"), "--", bench.program)
    expect(result.returncode == 0, result.stderr)
    with open(bench.path("out.folded"), encoding="utf-8") as lines:
        expect(re.search(r"^burn;.*;main;heavy;leaf \d+$", lines.read(), re.M), "nothing in heavy")


def converted_with_options(bench):
    """Options of conversions apply to what is converted at once: the names of a stripped program are elsewhere."""
    stripped, names = bench.path("stripped/burn"), bench.path("names")
    os.makedirs(os.path.dirname(stripped))
    os.makedirs(names)
    # A build id that no cache knows.
    whole = bench.path("whole")
    bench.run("cc", "-O1", "-g", f"-Wl,--build-id=0x{os.urandom(20).hex()}", "-o", whole, bench.path("burn.c"))
    bench.run("strip", "-o", stripped, whole)
    bench.run("objcopy", "--only-keep-debug", whole, os.path.join(names, "burn.debug"))
    os.unlink(whole)
    for options, has_names in (((), False), (("--symbol-dir", names), True)):
        for format_options in (("--folded", "--weight", "samples"), ("--report", "--sort", "sym", "--markdown")):
            shown = bench.run(bench.pdconv, "record", "-q", "-e", "cpu-clock", "-F", str(FREQUENCY), "-o", "-",
                              *format_options, *options, "--", "sh", "-c", f"{stripped} 0.2 >/dev/null")
            expect(shown.returncode == 0, shown.stderr)
            expect(("leaf" in shown.stdout) == has_names, options, format_options, shown.stdout)


@contextlib.contextmanager
def running(*command):
    """A program that runs until the block ends, with its children."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True) as process:
        try:
            yield process
        finally:
            os.killpg(process.pid, signal.SIGKILL)


def build_deep(bench):
    """Build a program with deep stacks without frame pointers, in two processes."""
    program = bench.path("deep")
    with open(program + ".c", "w", encoding="utf-8") as out:
        out.write(DEEP)
    subprocess.run(["cc", "-O1", "-g", "-fomit-frame-pointer", "-o", program, program + ".c"], check=True)
    return program


def build_caller(bench):
    """Build a program that spends its time in itself, in the C library, in the mathematical library and in the kernel."""
    program = bench.path("caller")
    with open(program + ".c", "w", encoding="utf-8") as out:
        out.write(CALLER)
    subprocess.run(["cc", "-O1", "-g", "-o", program, program + ".c", "-lm"], check=True)
    return program


def build_preload(bench, name):
    """Build the library preload/NAME.c, and return its path."""
    path = bench.path(name + ".so")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "preload", name + ".c")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", path, source], check=True)
    return path


# The sanitizer wants to be the first library.
REFUSED_PRELOAD = "ASan runtime does not come first"


def converted_live(bench):
    """What is converted while recording is what the same bytes are converted to afterwards."""
    tee, program = build_preload(bench, "tee_pipe"), build_deep(bench)
    for form in ("folded", "pprof", "script", "firefox"):
        live, stream = bench.path("live." + form), bench.path("live.stream")
        tag = ("--tag", "form=pprof") if form == "pprof" else ()
        result = bench.run(bench.pdconv, "record", "-q", "-f", form, "-F", "999", "--call-graph", "dwarf,4096",
                           *tag, "-o", live, "--", program, "0.7",
                           env={**os.environ, "LD_PRELOAD": tee, "TEE_TO": stream})
        if REFUSED_PRELOAD in result.stderr:
            raise Skipped("the program is built with a sanitizer")
        expect(result.returncode == 0, form, result.stderr)
        expected = bench.run(bench.pdconv, "-q", "-f", form, *tag, stream, "-o", bench.path("offline." + form))
        expect(expected.returncode == 0, form, expected.stderr)
        with open(live, "rb") as one, open(bench.path("offline." + form), "rb") as other:
            one, other = one.read(), other.read()
        expect(len(one) > 1000 and one == other, form, "differs:", len(one), "bytes,", len(other), "from the stream")


def peak_of(bench, seconds, program):
    """Record the program and convert it at once. Return what was said, and the peak memory in bytes."""
    code = ("import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], stderr=subprocess.PIPE, text=True); "
            "print(done.stderr, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    result = bench.run(sys.executable, "-c", code, bench.pdconv, "record", "-e", "cpu-clock", "-f", "folded", "-F", "3999",
                       "--call-graph", "dwarf,16384", "-o", bench.path("peak.folded"), "--", program, str(seconds),
                       env={**os.environ, "TMPDIR": bench.path("nowhere")})
    said, _, kilobytes = result.stdout.strip().rpartition(" ")
    expect(result.returncode == 0 and "converted while recording" in said, said, result.stderr)
    return said, 1024 * int(kilobytes)


def bounded_live(bench):
    """Neither memory nor temporary files grow with the length of a recording that is converted at once."""
    program = build_deep(bench)
    short, long = (peak_of(bench, seconds, program) for seconds in (1, 5))
    megabytes = [float(re.search(r"(\S+) MB converted", said)[1]) for said, _ in (short, long)]
    expect(megabytes[1] > 100 and megabytes[1] > 3 * megabytes[0], megabytes, "MB were recorded")
    expect(long[1] < 1.3 * short[1] + (8 << 20) and long[1] < 1e6 * megabytes[1], "peaks are", short[1], "and", long[1])


def chains_live(bench):
    """With --live a recording has chains instead of stacks, which perf reads, and as many reach the root."""
    program = build_deep(bench)
    shares = {}
    for name, options in (("stacks", ()), ("chains", ("--live",))):
        result = bench.run(bench.pdconv, "record", "-e", "cpu-clock", "-F", str(FREQUENCY), "--call-graph", "dwarf,65528",
                           *options, "-o", bench.path(name), "--", program, "0.5")
        expect(result.returncode == 0, name, result.stderr)
        folded = bench.run(bench.pdconv, "-q", "-f", "folded", bench.path(name))
        lines = [line.rsplit(" ", 1) for line in folded.stdout.splitlines()]
        whole = sum(int(count) for _, count in lines)
        shares[name] = sum(int(count) for stack, count in lines if re.search(r";_start;.*;main;(deep;)+leaf", stack)) / whole
        shown = bench.run("perf", "script", "-i", bench.path(name), "-F", "ip,sym").stdout.split("\n\n")
        shown = [chain for chain in shown if "leaf" in chain]
        expect(shown and sum("main" in chain for chain in shown) > 0.9 * len(shown), name, "perf finds no main")
    said = re.search(r"unwound (\d+) stacks, (\S+) % of them to the root", result.stderr)
    expect(said and float(said[2]) > 99 and abs(shares["stacks"] - shares["chains"]) < 0.1, shares, result.stderr)
    dump = bench.run(bench.pdconv, "dump", "--type", "SAMPLE", bench.path("chains")).stdout
    expect("callchain" in dump and "stack_user" not in dump and "regs_user" not in dump, dump[:300])
    expect(20 * os.path.getsize(bench.path("chains")) < os.path.getsize(bench.path("stacks")), "it is not small")
    for options in (("--call-graph", "fp"), ("--call-graph", "dwarf", "-f", "perfdata")):
        result = bench.run(bench.pdconv, "record", "--live", *options, "-o", bench.path("none"), "--", "true")
        expect(result.returncode == 2 and "--live" in result.stderr, result.stderr)


def wait_for_program(recorder):
    """Wait until the program that a recorder with a conversion has started has run for a while. Return both processes, or
    none if the recorder has ended."""
    wait_until(lambda: recorder.poll() is not None or len(children_of(recorder.pid)) == 2,
               "there is no conversion, or no program")
    children = children_of(recorder.pid) if recorder.poll() is None else []
    for program in children[1:]:
        wait_until(lambda pid=program: cpu_seconds(pid) > 0.5, "the program does not run")
    return children


def slow_live(bench):
    """While the conversion is too slow, stacks become shorter, and that is counted. Ctrl-C ends the recording only."""
    program, path = build_deep(bench), bench.path("slow.folded")
    with running(program, "60") as spinner:
        wait_for_work(spinner)
        command = [bench.pdconv, "record", "-e", "cpu-clock", "-f", "folded", "-F", "3999", "--call-graph", "dwarf,16384",
                   "-o", path, "-p", str(spinner.pid)]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True) as recorder:
            wait_for_events(recorder)
            converter = children_of(recorder.pid)[0]
            for _ in range(5):
                os.kill(converter, signal.SIGSTOP)
                time.sleep(1.5)
                os.kill(converter, signal.SIGCONT)
                time.sleep(0.02)
            os.killpg(recorder.pid, signal.SIGINT)
            said = recorder.communicate(timeout=60)[1]
    expect(recorder.returncode == 0 and os.path.getsize(path) > 1000, said)
    shorter, lost = re.search(r"(\d+) samples hold less of the stack", said), re.search(r"; lost (\d+),", said)
    expect(shorter and lost and int(shorter[1]) > int(lost[1]), said)


def killed_live(bench):
    """Nothing remains of a recorder that is killed. An error of the conversion is reported once and ends the recording."""
    for options in ((), ("--event", "nonsense"), ("-o", "/nowhere/file")):
        command = [bench.pdconv, "record", "-e", "cpu-clock", "-f", "folded", "--call-graph", "dwarf", "-o",
                   bench.path("killed"), *options, "--", bench.program, "0.2"]
        result = bench.run(*command)
        expect((result.returncode == 0) == (not options), options, result.stderr)
        expect(not options or len(re.findall("nowhere|nonsense", result.stderr)) == 1, options, result.stderr)
    with subprocess.Popen([bench.pdconv, "record", "-e", "cpu-clock", "-q", "-f", "folded", "--call-graph", "dwarf", "-o",
                           bench.path("never"), "--", bench.program, "20"], stdout=subprocess.DEVNULL) as recorder:
        children = wait_for_program(recorder)
        recorder.kill()
    expect(len(children) == 2, children)
    wait_until(lambda: not os.path.exists(f"/proc/{children[0]}"), "the conversion still runs")
    expect(not os.path.exists(bench.path("never")), children)
    os.kill(children[1], signal.SIGKILL)


def killed_unnoticed(bench):
    """Nothing remains of a recorder that is killed, even if the conversion sees the end of the pipe first."""
    command = [bench.pdconv, "record", "-e", "cpu-clock", "-q", "-f", "folded", "-o", bench.path("unnoticed"), "--",
               bench.program, "20"]
    environment = {**os.environ, "LD_PRELOAD": build_preload(bench, "no_death_signal")}
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          env=environment) as recorder:
        children = wait_for_program(recorder)
        recorder.kill()
        for program in children[1:]:
            os.kill(program, signal.SIGKILL)
        # The conversion has the pipe until it ends.
        said = recorder.communicate(timeout=20)[1]
    if REFUSED_PRELOAD in said:
        raise Skipped("the program is built with a sanitizer")
    expect(len(children) == 2 and not os.path.exists(bench.path("unnoticed")) and "was killed" in said, children, said)


def attached(bench):
    with subprocess.Popen([bench.program, "5"], stdout=subprocess.DEVNULL) as process:
        try:
            begun = cpu_seconds(process.pid)
            result = bench.run(bench.pdconv, "record", "-F", str(FREQUENCY), "-g", "-d", "1", "-o",
                               bench.path("attached"), "-p", str(process.pid))
            expect(result.returncode == 0, result.stderr)
            used = cpu_seconds(process.pid) - begun
        finally:
            process.kill()
    facts = bench.info("attached")
    # On a busy machine the program gets to little. It also runs while the recorder starts and ends.
    expect(facts["samples"] > 0.4 * used * FREQUENCY > 0 and facts["distinct_pids"] == 1, facts["samples"], used)
    bench.check_top("attached")


def attached_while(bench):
    """Record a process and a thread while a command runs, which is not recorded, like perf record -p PID COMMAND."""
    with subprocess.Popen([bench.program, "9"], stdout=subprocess.DEVNULL) as process:
        try:
            for name, option in (("while.p", "-p"), ("while.t", "-t")):
                command = ["-F", str(FREQUENCY), "-e", "cpu-clock", "-o", bench.path(name), option, str(process.pid),
                           "--", "sh", "-c", f"{bench.program} 0.4; exit 5"]
                start = time.monotonic()
                result = bench.run(bench.pdconv, "record", *command)
                expect(result.returncode == 5, name, result.returncode, result.stderr)
                took = time.monotonic() - start
                pids = bench.run("perf", "script", "-F", "pid", "-i", bench.path(name)).stdout.split()
                expect(set(pids) == {str(process.pid)}, name, "samples of", set(pids), "not", process.pid)
                expect(0.1 * FREQUENCY < len(pids) < took * FREQUENCY, name, len(pids), "samples in", took)
        finally:
            process.kill()
    # A command that runs when all recorded processes have exited is terminated.
    with subprocess.Popen([bench.program, "0.5"], stdout=subprocess.DEVNULL) as process:
        start = time.monotonic()
        result = bench.run(bench.pdconv, "record", "-o", bench.path("while.short"), "-p", str(process.pid), "--",
                           "sleep", "60")
        expect(result.returncode == 0 and time.monotonic() - start < 30, result.stderr)


def links_of(cache):
    """Return the build ids in a cache of perf, with where their links lead and which files are there."""
    found = {}
    for link in glob.glob(os.path.join(cache, ".build-id/*/*")):
        # perf also writes an empty list of the probes in each binary.
        found[os.path.relpath(link, cache)] = (os.readlink(link), sorted(set(os.listdir(link)) - {"probes"}))
    return found


def build_id_cache(bench):
    """Compare the binaries that get into perf's cache with those of perf's own recording."""
    ours, theirs, home = (bench.path(name) for name in ("cache.ours", "cache.theirs", "cache.home"))
    program = build_caller(bench)
    result = bench.run(bench.pdconv, "record", "-e", "cpu-clock", "-F", "1999", "-o", bench.path("cached"), "--",
                       program, env={**os.environ, "PERF_BUILDID_DIR": ours})
    expect(result.returncode == 0, result.stderr)
    bench.run("perf", "--buildid-dir", theirs, "record", "-q", "-e", "cpu-clock", "-F", "1999", "-o",
              bench.path("perf.cached"), "--", program)
    # The dynamic linker and the vdso work for a moment only, so one of the recordings may have no samples of them.
    found, wanted = ({link: files for link, files in links_of(cache).items() if not re.search("/ld[-.]|vdso", files[0])}
                     for cache in (ours, theirs))
    expect(found == wanted and len(found) >= 4, found, wanted)
    shown = bench.run("perf", "--buildid-dir", ours, "archive", bench.path("cached"))
    packed = bench.run("tar", "-t", "-f", bench.path("cached.tar.bz2")).stdout
    expect("/kallsyms" in packed and "/elf" in packed, shown.stdout, shown.stderr, packed)
    # The directory of the configuration, and no other one.
    os.makedirs(home)
    with open(os.path.join(home, ".perfconfig"), "w", encoding="utf-8") as out:
        out.write(f"# perf\n[core]\n\tdir = x\n[buildid]\n\tdir = {ours}\n")
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PERF_")}
    for options in ((), ("-g",)):
        bench.run(bench.pdconv, "record", *options, "-o", bench.path("cached"), "--", bench.program, "0.1",
                  env={**environment, "HOME": home})
        known = [link for link, (target, _) in links_of(ours).items() if bench.program in f"/{target}"]
        expect(len(known) == 1, options, "the program is not in the directory of .perfconfig", known)
        expect(os.listdir(home) == [".perfconfig"], os.listdir(home))
    shutil.rmtree(ours)
    bench.run(bench.pdconv, "record", "-N", "-o", bench.path("cached"), "--", bench.program, "0.1",
              env={**environment, "HOME": home})
    expect(not os.path.exists(ours), "there is a cache")


def on_all_cpus(bench):
    with subprocess.Popen([bench.program, "5"], stdout=subprocess.DEVNULL) as process:
        try:
            result = bench.run(bench.pdconv, "record", "-a", "-g", "-d", "1", "-o", bench.path("all"))
            expect(result.returncode == 0, result.stderr)
        finally:
            process.kill()
    text = bench.run(bench.pdconv, bench.path("all"), "--folded", "--comms", "burn", "-q").stdout
    expect("leaf" in text, "the program is not there, or has no names")
    result = bench.run(bench.pdconv, "record", "-a", "-F", str(FREQUENCY), "-o", bench.path("while"), "--", "sh", "-c",
                       f"echo $$; exec taskset -c 0 {bench.program}")
    expect(result.returncode == 0, result.stderr)
    pid, seconds = result.stdout.split()
    text = bench.run("perf", "script", "-i", bench.path("while"), "-F", "pid,cpu,time").stdout
    samples = re.findall(r"(\d+) +\[000\] +([\d.]+):", text)
    times = [float(time) for sample_pid, time in samples if sample_pid == pid]
    # While the program lives its CPU is never idle: a sample is of it, or of what it shares the CPU with.
    found = sum(times[0] <= float(time) <= times[-1] for _, time in samples)
    expected = (times[-1] - times[0]) * FREQUENCY
    expect(abs(found - expected) < NOISE * expected, "on its CPU:", found, "samples, not", round(expected))
    expect(len(times) > float(seconds) * FREQUENCY / 2, "the program has", len(times), "samples in", seconds, "s")


OFF_CPU = r"""
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec * 1e-9; }
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ends[2];
static double slept, locked, waited;

__attribute__((noinline)) static void sleeps(void) { double a = now(); usleep(30000); slept += now() - a; }
__attribute__((noinline)) static void locks(void)
{
    double a = now();

    pthread_mutex_lock(&lock);
    locked += now() - a;
    pthread_mutex_unlock(&lock);
}
__attribute__((noinline)) static void reads(void)
{
    char c;
    double a = now();

    if (read(ends[0], &c, 1) == 1)
        waited += now() - a;
}

static void *other(void *arg)
{
    for (int i = 0; i < 10; i++) {
        pthread_mutex_lock(&lock);
        if (i == 0 && write(ends[1], "x", 1) != 1)
            break;
        usleep(20000);
        pthread_mutex_unlock(&lock);
        usleep(1000);
    }
    for (int i = 0; i < 10; i++) {
        usleep(15000);
        if (write(ends[1], "x", 1) != 1)
            break;
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    char c;

    (void)argv;
    if (argc > 1) {
        puts("ready");
        fflush(stdout);
        getchar();
    }
    /* The other thread has the lock when this one goes on. */
    if (pipe(ends) || pthread_create(&thread, 0, other, 0) || read(ends[0], &c, 1) != 1)
        return 1;
    for (int i = 0; i < 10; i++) {
        usleep(1000);
        locks();
    }
    for (int i = 0; i < 10; i++)
        reads();
    for (int i = 0; i < 10; i++)
        sleeps();
    pthread_join(thread, 0);
    printf("sleeps %f\nlocks %f\nreads %f\n", slept, locked, waited);
    return 0;
}
"""


def build_waits(bench):
    """Build the program that waits. With an argument, it prints "ready" and begins when it has read a line."""
    program = bench.path("waits")
    with open(program + ".c", "w", encoding="utf-8") as out:
        out.write(OFF_CPU)
    subprocess.run(["cc", "-O1", "-g", "-o", program, program + ".c", "-lpthread"], check=True)
    return program


def check_waits(bench, name, printed):
    """Compare the off-CPU times of a recording with those that the program printed. Return the user stacks."""
    folded = bench.run(bench.pdconv, bench.path(name), "-e", "offcpu-time", "--folded")
    expect(folded.returncode == 0, folded.stderr)
    lines, chains = folded.stdout.splitlines(), set()
    for function, seconds in re.findall(r"^(\w+) ([\d.]+)$", printed, re.M):
        stacks = [line for line in lines if f";{function};" in line]
        found = sum(int(line.rpartition(" ")[2]) for line in stacks) / 1e9
        expect(abs(found - float(seconds)) < 0.003 + 0.05 * float(seconds), name, function, "waits", found,
               "not", seconds)
        chains |= {line.split(";entry_SYSCALL")[0] for line in stacks}
    return chains


def off_cpu(bench):
    """Compare off-CPU times with those that the program measured: sleeping, waiting for a lock and for data."""
    program = build_waits(bench)
    result = bench.run(bench.pdconv, "record", "-q", "--off-cpu", "--call-graph", "dwarf", "-o", bench.path("waits.data"),
                       "--", program)
    expect(result.returncode == 0, result.stderr)
    expect(len(check_waits(bench, "waits.data", result.stdout)) >= 3, "waits lack stacks")
    shown = bench.run("perf", "script", "-F", "event,period", "-i", bench.path("waits.data"))
    expect("offcpu-time" in shown.stdout, "perf has no offcpu-time", shown.stderr)


def tracepoints(bench):
    """Record tracepoints with a filter, and fields that perf can read."""
    result = bench.run(bench.pdconv, "record", "-q", "-o", bench.path("exec.data"), "-e", "sched:sched_process_exec",
                       "--filter", 'filename ~ "*burn"', "-e", "syscalls:sys_enter_write", "--", "sh", "-c",
                       f"true; {bench.program} 0.01; /bin/true")
    expect(result.returncode == 0, result.stderr)
    lines = bench.run("perf", "script", "-F", "event,trace", "-i", bench.path("exec.data")).stdout
    execs = re.findall(r"sched_process_exec: filename=(\S+)", lines)
    expect(execs == [bench.program], "exec of", execs)
    expect("sys_enter_write" in lines, lines)


def rates(bench):
    """Compare periods and frequencies, from options, defaults and terms, with perf."""
    for options in ((), ("-c", "10"), ("-F", "100")):
        for event in ("sched:sched_switch", "mem:0x401000:x", "cpu-clock/period=77/", "cpu-clock/freq=50/", "cpu-clock"):
            if not options and event == "cpu-clock":
                continue  # our default is not perf's
            found = []
            # With events of BPF programs perf 6.1 waits a second at its end.
            for recorder in ((bench.pdconv, "record"), ("perf", "record", "-BN", "--no-bpf-event")):
                path = bench.path("rate")
                result = bench.run(*recorder, "-q", "-e", event, *options, "-o", path, "--", "true")
                expect(result.returncode == 0, *recorder, event, options, result.stderr)
                shown = bench.run("perf", "evlist", "-v", "-i", path).stdout
                found.append(re.findall(r"sample_freq \}: (\d+)|(freq: 1)", shown))
            expect(found[0] and found[0] == found[1], event, options, "is sampled", found)
    result = bench.run(bench.pdconv, "record", "-F", "99", "-c", "9", "-o", bench.path("none"), "--", "true")
    expect(result.returncode == 2 and "--freq and --count" in result.stderr, result.stderr)


def uprobes(bench):
    """Record every call of a function with its argument, twice. Both recordings must name the event equally."""
    if not os.path.exists("/sys/kernel/tracing/uprobe_events"):
        raise Skipped("the kernel has no uprobe events, or they are not accessible")
    for name in ("probed", "probed.again"):
        result = bench.run(bench.pdconv, "record", "-q", "-o", bench.path(name), "-e",
                           f"probe:light={bench.program}:light n=%di:s32", "--", bench.program, "0.05")
        expect(result.returncode == 0, result.stderr)
        events = bench.run("perf", "evlist", "-i", bench.path(name)).stdout
        expect(events.split("\n")[0] == "probe:light", events)
        expect([event["name"] for event in bench.info(name)["events"]] == ["probe:light"], bench.info(name)["events"])
    both = [bench.path(name) for name in ("probed", "probed.again")]
    compared = bench.run(bench.pdconv, "diff", *both)
    expect(compared.returncode == 0 and re.findall("^Event (.*)", compared.stdout, re.M) == ["probe:light"], compared)
    merged = json.loads(bench.run(bench.pdconv, *both, "--json").stdout)["by_event"]
    expect([row["event"] for row in merged] == ["probe:light"], merged)
    shown = bench.run("perf", "script", "-F", "event,trace", "-i", bench.path("probed")).stdout
    calls = re.findall(r":light: \([0-9a-f]+\) n=(\d+)", shown)
    expect(calls and set(calls) == {"10000"}, shown[:200])
    ours = bench.run(bench.pdconv, bench.path("probed"), "--script").stdout
    expect(ours.count("n=10000") == len(calls), ours[:200])


def control_groups(bench):
    """Record one of two programs, by its control group."""
    mounts = [line.split() for line in open("/proc/mounts", encoding="utf-8")]
    roots = [mount[1] for mount in mounts if mount[2] == "cgroup" and "perf_event" in mount[3].split(",")] + \
            [mount[1] for mount in mounts if mount[2] == "cgroup2"]
    group = os.path.join(roots[0], f"pdconv-test-{os.getpid()}") if roots else None
    if not group or not os.access(roots[0], os.W_OK):
        raise Skipped("no writable control group file system")
    result = bench.run(bench.pdconv, "record", "-q", "-G", os.path.basename(group), "-d", "1", "-o", bench.path("none"))
    expect(result.returncode == 1 and "there is no control group" in result.stderr, result.stderr)
    try:
        os.mkdir(group)
    except OSError as error:
        raise Skipped(f"cannot make a control group: {error}") from error
    try:
        recorder = subprocess.Popen([bench.pdconv, "record", "-q", "-F", str(FREQUENCY), "-e", "cpu-clock", "-G",
                                     os.path.basename(group), "-d", "3", "-o", bench.path("grouped")])
        wait_for_events(recorder)
        outside = subprocess.Popen([bench.program, "0.5"], stdout=subprocess.DEVNULL)
        inside = subprocess.Popen(["sh", "-c", f"echo $$ >{group}/cgroup.procs; exec {bench.program} 0.5"],
                                  stdout=subprocess.PIPE, text=True)
        seconds = float(inside.communicate()[0])
        outside.wait()
        expect(recorder.wait() == 0, "the recorder failed")
        bench.record("grouped.while", "-e", "cpu-clock", "-G", os.path.basename(group))
        expect(not bench.info("grouped.while")["samples"], "a command outside of the group is recorded")
    finally:
        os.rmdir(group)
    bench.check_count("grouped", seconds)
    pids = set(bench.run("perf", "script", "-F", "pid", "-i", bench.path("grouped")).stdout.split())
    expect(pids == {str(inside.pid)}, "samples of", pids, "not", inside.pid)


def streams(bench):
    """Pipe a recording into the converter. perf must read it, too."""
    command = f"{bench.pdconv} record -q -a -g -d 0.5 -o - | tee {bench.path('piped')} | {bench.pdconv} - --script"
    result = bench.run("sh", "-c", command)
    found = len(re.findall(r"cpu-clock", result.stdout))
    expect(found > 100, result.stderr)
    with open(bench.path("piped"), "rb") as stdin:
        shown = bench.run("perf", "script", "-F", "event", "-i", "-", stdin=stdin)
    expect(len(re.findall("cpu-clock", shown.stdout)) == found, "perf finds", shown.stdout.count("cpu-clock"))
    command = f"{bench.pdconv} record -q -z -e syscalls:sys_enter_write -o - -- sh -c 'echo >&2' >{bench.path('piped')}"
    expect(bench.run("sh", "-c", command).returncode == 0, "no stream of a tracepoint")
    with open(bench.path("piped"), "rb") as stdin:
        shown = bench.run("perf", "script", "-F", "event", "-i", "-", stdin=stdin)
    expect("syscalls:sys_enter_write:" in shown.stdout, shown.stdout, shown.stderr)


# The child computes for longer than it is recorded, so that its parent can be read until the end. It ends with its parent.
FORKS = r"""
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile uint64_t sink;

__attribute__((noinline)) static void in_child(clock_t end)
{
    while (clock() < end)
        for (int i = 0; i < 100000; i++)
            sink++;
}

int main(void)
{
    int number;
    sigset_t usr1;

    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    sigprocmask(SIG_BLOCK, &usr1, 0);
    write(1, "ready", 5);
    sigwait(&usr1, &number);
    if (fork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        in_child(clock() + 60 * CLOCKS_PER_SEC);
        return 0;
    }
    wait(0);
    return 0;
}
"""


def postponed(bench):
    """
    Mappings that are read only after the first sample must be written before it, for the parent, too: if it forks
    after the recording has begun.
    """
    program = bench.path("forks")
    with open(program + ".c", "w", encoding="utf-8") as out:
        out.write(FORKS)
    subprocess.run(["cc", "-O1", "-g", "-fno-omit-frame-pointer", "-o", program, program + ".c"], check=True)
    for stacks in ("fp", "dwarf"):
        running = [subprocess.Popen(command, stdout=subprocess.PIPE)
                   for command in (["sleep", "9"], [bench.program, "9"], [program])]
        try:
            # Before it is ready, the signal would kill it.
            expect(running[-1].stdout.read(5) == b"ready", "the program is not ready")
            recorder = subprocess.Popen([bench.record_all, bench.path("late"), "2", "0", stacks],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            bench.wait_for_sample("late")
            running[-1].send_signal(signal.SIGUSR1)
            out, errors = recorder.communicate()
        finally:
            for process in running:
                process.kill()
                process.wait()
        expect(recorder.returncode == 0, errors)
        seen, unseen = (int(word) for word in out.split())
        expect(seen >= 2 and unseen >= 1, seen, "had samples,", unseen, "had none")
        dump = bench.run(bench.pdconv, "dump", "--type", "MMAP2", bench.path("late")).stdout
        with_mappings = [f" pid={process.pid} " in dump for process in running]
        others = bench.run(bench.pdconv, "dump", "--type", "FORK,LOST", bench.path("late")).stdout
        expect(with_mappings == [False, True, True], stacks, "mappings of", with_mappings, "forks of the last:",
               others.count(f" ppid={running[-1].pid} "), "LOST records:", others.count(" LOST "))
        shown = bench.run("perf", "script", "--no-inline", "-F", "comm,ip,sym", "-G", "-i", bench.path("late")).stdout
        ours = bench.run(bench.pdconv, bench.path("late"), "--script", "-F", "comm,ip,sym", "-G").stdout
        for text in (shown, ours):
            for comm, functions in (("burn", "leaf|heavy|light|main"), ("forks", "in_child|main|clock")):
                user = re.findall(rf"^ *{comm} +[0-7]?[0-9a-f]{{1,12}} (\S+)", text, re.M)
                expect(len(user) > 200, comm, "has", len(user), "samples in user space")
                own = sum(1 for name in user if re.match(functions, name))
                expect(own > 0.7 * len(user) and "[unknown]" not in user, comm, set(user))


def tagged(bench):
    """Tags are in the file and become labels. perf ignores them."""
    tags = {"job": "nightly build", "where": "a=b"}
    words = [word for key, value in tags.items() for word in ("--tag", f"{key}={value}")]
    bench.check_count("tagged", bench.record("tagged", "-g", *words))
    bench.record("other", "-g", "--tag", "job=weekly")
    expect(bench.info("tagged")["tags"] == tags, bench.info("tagged")["tags"])
    for command in (("report", "--stdio", "--header"), ("script", "--header"), ("evlist", "-v")):
        result = bench.run("perf", *command, "-i", bench.path("tagged"))
        expect(result.returncode == 0 and not re.search("(?i)error|fail|warn|unknown", result.stderr) and
               "cpu-clock" in result.stdout, "perf", command, result.stderr)
    bench.run(bench.pdconv, bench.path("tagged"), "-f", "perfdata", "-o", bench.path("rewritten"))
    ways = (((bench.pdconv, bench.path("rewritten"), "-f", "pprof"), {"nightly build", "a=b"}),
            ((bench.pdconv, bench.path("tagged"), "-f", "pprof", "--tag", "job=mine"), {"mine", "a=b"}),
            ((bench.pdconv, bench.path("tagged"), bench.path("other"), "-f", "pprof"),
             {"nightly build", "weekly", "a=b"}),
            ((bench.pdconv, "record", "-f", "pprof", *words, "-F", "999"), {"nightly build", "a=b"}))
    for command, wanted in ways:
        program = ("--", bench.program, "0.2") if "record" in command else ()
        result = bench.run(*command, "-q", "-o", bench.path("pprof"), *program)
        expect(result.returncode == 0, command, result.stderr)
        if shutil.which("go"):
            shown = bench.run("go", "tool", "pprof", "-tags", bench.path("pprof")).stdout
            shown = "\n".join(part for part in shown.split("\n\n") if re.match(" *(job|where):", part))
            expect(set(re.findall(r"%\): (.*)", shown)) == wanted, command, shown)
    result = bench.run(bench.pdconv, "record", "-o", "-", "--tag", "a=b", "--", "true")
    expect(result.returncode == 2 and not result.stdout and "--tag: a stream cannot store labels" in result.stderr,
           result.stderr)
    result = bench.run(bench.pdconv, "record", "-o", bench.path("none"), "--tag", "a", "--", "true")
    expect(result.returncode == 2 and "expected KEY=VALUE" in result.stderr, result.stderr)


def shortened(bench):
    """If there are too many bytes, stacks are shortened and samples are kept."""
    seconds = bench.record("large", "-F", "19999", "-m", "256", "--call-graph", "dwarf,65528")
    facts = bench.info("large")
    expect(facts["samples"] > 0.7 * seconds * 19999, facts["samples"], "samples in", seconds, "s")
    expect(facts["lost"] < 0.1 * facts["samples"], "lost", facts["lost"])
    # The message counts the samples that have a quarter or less of what was requested.
    path = bench.path("counted")
    result = bench.run(bench.pdconv, "record", "-e", "cpu-clock", "-F", "19999", "-m", "4K", "--call-graph", "dwarf,8192",
                       "-o", path, "--", bench.program)
    expect(result.returncode == 0, result.stderr)
    sizes = re.findall(r"stack_user={size=(\d+)", bench.run(bench.pdconv, "dump", "--type", "SAMPLE", path).stdout)
    n_less = sum(size in ("2048", "512") for size in sizes)
    said = re.search(r"(\d+) samples hold less of the stack", result.stderr)
    expect(n_less and said and int(said[1]) == n_less, n_less, "shortened samples, reported:", result.stderr)


UNALIGNED = r"""
int main(void)
{
    unsigned long n = 100000000;

    __asm__ volatile("sub $4, %%rsp\n1: dec %0\n jnz 1b\n add $4, %%rsp" : "+r"(n));
    return 0;
}
"""


def captured(bench, path):
    """Return the size of each sample, and that of the stack in it."""
    dump = bench.run(bench.pdconv, "dump", "--json", "--type", "SAMPLE", path)
    expect(not dump.stderr, dump.stderr)
    samples = [json.loads(line) for line in dump.stdout.splitlines()]
    return [(sample["size"], sample["body"]["stack_user"]["size"]) for sample in samples]


def stacks_of_any_size(bench):
    """Without randomisation the stack ends with the address space, up to which the kernel copies it unpadded.

    perf up to 6 reads such samples, perf 7.2 rejects recordings with them, its own as well. pdconv pads them.
    """
    if os.uname().machine != "x86_64" or not shutil.which("setarch"):
        raise Skipped("the program is for x86-64, and needs setarch")
    program = bench.path("unaligned")
    with open(program + ".c", "w", encoding="utf-8") as out:
        out.write(UNALIGNED)
    subprocess.run(["cc", "-O1", "-mno-red-zone", "-o", program, program + ".c"], check=True)
    options = ("-e", "cpu-clock", "-F", str(FREQUENCY), "--call-graph", "dwarf,16384", "-o")
    for name, recorder in (("unpadded", (bench.pdconv, "record")), ("perf.unpadded", ("perf", "record", "-qBN"))):
        path = bench.path(name)
        result = bench.run(*recorder, *options, path, "--", "setarch", "-R", program)
        expect(result.returncode == 0 and "hold less of the stack" not in result.stderr, result.stderr)
        samples = captured(bench, path)
        unpadded = [stack for _, stack in samples if stack % 8 == 4]
        expect(len(unpadded) > 0.5 * len(samples), name, "has stacks", samples[:9])
        shown = bench.run("perf", "script", "-i", path, "-F", "event")
        if recorder[0] == "perf" and "is not 8-byte aligned" in shown.stderr:
            rewritten = bench.path("padded")
            bench.run(bench.pdconv, path, "--keep-stacks", "-f", "perfdata", "-o", rewritten)
            shown = bench.run("perf", "script", "-i", rewritten, "-F", "event")
        elif recorder[0] == "perf":
            expect(any(size % 8 for size, _ in samples), "perf has sizes", samples[:9])
        n_shown = shown.stdout.count("cpu-clock")
        expect(len(samples) == n_shown, name, "has", len(samples), "samples, not", n_shown, shown.stderr)
        expect(recorder[0] == "perf" or not any(size % 8 for size, _ in samples), "unpadded:", samples[:9])


def lost(bench):
    """Samples that do not fit the ring are counted, even if no later one fits."""
    result = bench.run(bench.pdconv, "record", "-e", "cpu-clock", "-F", "2000", "--call-graph", "dwarf,65528", "-m", "1",
                       "-o", bench.path("lost"), "--", bench.program, "0.5")
    expect(result.returncode == 0, result.stderr)
    seconds = float(result.stdout)
    told = int(re.search(r"lost (\d+)", result.stderr).group(1))
    samples = bench.info("lost")["samples"]
    expect(samples + told > (1 - NOISE) * 2000 * seconds, samples, "samples and", told, "lost in", seconds, "s")
    dump = bench.run("perf", "script", "-D", "-i", bench.path("lost")).stdout
    shown = sum(int(n) for n in re.findall(r"PERF_RECORD_LOST(?:_SAMPLES)?: .*?lost(?: samples )?:(\d+)", dump))
    expect(shown == told, "perf finds", shown, "lost, not", told)


def groups(bench):
    """Each sample of a leader has the counters of its group: perf and pdconv read the same from both recordings."""
    found = {}
    for name, recorder in (("ours", (bench.pdconv, "record")), ("perf", ("perf", "record", "-BN"))):
        path = bench.path(name + ".group")
        result = bench.run(*recorder, "-q", "-F", str(FREQUENCY), "-e", "{cpu-clock,page-faults,dummy}:S", "-o", path, "--",
                           bench.program, "0.3")
        expect(result.returncode == 0, result.stderr)
        attrs = bench.run("perf", "evlist", "-v", "-i", path).stdout.splitlines()
        found[name] = [re.findall(r"READ|GROUP|LOST|inherit|disabled|enable_on_exec|freq: 1", line) for line in attrs]
        events = bench.run("perf", "script", "-F", "event", "-i", path).stdout.split()
        ours = bench.run(bench.pdconv, path, "--script", "-F", "event").stdout.split()
        expect(events == ours and len(set(events)) == 2, name, "has", sorted(set(events)), sorted(set(ours)))
    # perf 7.2 lets threads inherit the group, which Linux accepts since 6.13. pdconv records the threads that there are.
    expect(found["ours"] == [[word for word in words if word != "inherit"] for words in found["perf"]], found)


def hotspot(bench):
    """hotspot's parser, if installed, unwinds a recording of all CPUs."""
    parsers = glob.glob("/usr/lib/*/libexec/hotspot-perfparser")
    if not parsers:
        raise Skipped("hotspot is not installed")
    with subprocess.Popen([bench.program, "5"], stdout=subprocess.DEVNULL) as program:
        result = bench.run(bench.pdconv, "record", "-q", "-a", "--call-graph", "dwarf", "-d", "0.5", "-o",
                           bench.path("machine"))
        program.kill()
    expect(result.returncode == 0, result.stderr)
    result = bench.run(parsers[0], "--input", bench.path("machine"), "--output", bench.path("parsed"))
    expect(result.returncode == 0 and f"{program.pid} failed to attach" not in result.stderr, result.stderr[:400])
    with open(bench.path("parsed"), "rb") as parsed:
        content = parsed.read()
    expect(all(name in content for name in (b"heavy", b"light", b"leaf")), "functions are missing")


def wait_for_work(process):
    """Wait until the process has used the CPU for 50 ms, so that it is in its main function, with all libraries."""
    wait_until(lambda: process.poll() is not None or cpu_seconds(process.pid) >= 0.05, "the program does not run")
    expect(process.poll() is None, "the program has ended")


def by_bpf(bench):
    """BPF unwinds a program without frame pointers, from the first sample on, and perf reads the chains."""
    program = bench.path("unframed")
    subprocess.run(["cc", "-O1", "-g", "-fomit-frame-pointer", "-fno-optimize-sibling-calls", "-o", program,
                    bench.path("burn.c")], check=True)
    with running(program, "60") as spinner:
        wait_for_work(spinner)
        result = bench.run(bench.pdconv, "record", "-v", "-e", "cpu-clock", "-F", str(FREQUENCY), "--call-graph", "bpf",
                           "-d", "1", "-o", bench.path("bpf"), "-p", str(spinner.pid))
    if "works without BPF" in result.stderr:
        expect(result.returncode == 1 and not os.path.exists(bench.path("bpf")), result.stderr)
        raise Skipped(result.stderr.strip())
    expect(result.returncode == 0, result.stderr)
    unwound = re.search(r"BPF unwound (\d+) stacks?, (\S+) % of them to the root; (\d+) were of processes not yet known",
                        result.stderr)
    expect(unwound and float(unwound[2]) > 99 and unwound[3] == "0", result.stderr)
    folded = bench.run(bench.pdconv, "-f", "folded", bench.path("bpf"))
    expect(folded.returncode == 0, folded.stderr)
    lines = [line.rsplit(" ", 1)[0] for line in folded.stdout.splitlines()]
    expect(any(line.endswith(("main;heavy;leaf", "main;light;leaf")) for line in lines), folded.stdout[:800])
    expect(all(";_start;" in line and ";main" in line for line in lines), folded.stdout[:800])
    chains = bench.run("perf", "script", "-i", bench.path("bpf"), "-F", "ip,sym").stdout.split("\n\n")
    chains = [chain for chain in chains if chain.strip()]
    expect(len(chains) == int(unwound[1]), "perf finds", len(chains), "chains, not", unwound[1])
    expect(all("main" in chain and "_start" in chain for chain in chains), "perf lacks frames")


# A program that becomes another one, at the same addresses.
BECOMES = r"""
#include <stdint.h>
#include <time.h>
#include <unistd.h>

static volatile uint64_t sink;

__attribute__((noinline)) static void before(int n)
{
    volatile char frame[BYTES];

    frame[0] = n;
    for (int i = 0; i < n; i++)
        sink += i * sink + frame[0];
}

__attribute__((noinline)) static void NAME(int n) { before(n); sink++; }

int main(int argc, char **argv)
{
    clock_t end = clock() + CLOCKS_PER_SEC / 3;

    (void)argc;
    while (clock() < end)
        NAME(10000);
    return argv[1] ? execv(argv[1], argv + 1) : 0;
}
"""


def by_bpf_processes(bench):
    """Processes that are forked have stacks at once, and those that execute another program are never unwound by the
    tables of the one before."""
    source = bench.path("becomes.c")
    with open(source, "w") as out:
        out.write(BECOMES)
    names = ("first", "second", "third")
    for i, name in enumerate(names):
        subprocess.run(["cc", "-O1", "-no-pie", "-fno-pie", "-fomit-frame-pointer", "-fno-optimize-sibling-calls",
                        f"-DNAME={name}", f"-DBYTES={[24, 5000, 400][i]}", "-o", bench.path(name), source], check=True)
    command = " ".join(bench.path(name) for name in names)
    result = bench.run(bench.pdconv, "record", "-v", "-e", "cpu-clock", "-F", "999", "--call-graph", "bpf", "-o",
                       bench.path("becomes"), "--", "sh", "-c", f"({command}); for i in 1 2 3; do (:); done; {command}")
    if "works without BPF" in result.stderr:
        raise Skipped(result.stderr.strip())
    expect(result.returncode == 0, result.stderr)
    folded = bench.run(bench.pdconv, "-f", "folded", bench.path("becomes"))
    expect(folded.returncode == 0, folded.stderr)
    counts = {}
    for line in folded.stdout.splitlines():
        stack, n = line.rsplit(" ", 1)
        if not stack.endswith(";before"):
            continue
        found = [name for name in names if f";{name};before" in stack]
        # A stack may end early while the libraries of a new program are not known, but is not another one's.
        if ";_start;" not in stack or ";main;" not in stack:
            expect("main" not in stack or len(found) == 1, "a stack without its function:", stack)
            found = ["cut"]
        for name in found:
            counts[name] = counts.get(name, 0) + int(n)
    total = sum(counts.values())
    expect(total > 400 and counts.get("cut", 0) <= 0.05 * total, counts, result.stderr)
    expect(all(counts.get(name, 0) > 100 for name in names), counts, result.stderr)


def by_bpf_traces(bench):
    """BPF unwinds at tracepoints and probes, also when samples of other events are taken meanwhile."""
    program = bench.path("traced")
    subprocess.run(["cc", "-O1", "-g", "-fomit-frame-pointer", "-fno-optimize-sibling-calls", "-o", program,
                    bench.path("burn.c")], check=True)
    result = bench.run(bench.pdconv, "record", "-v", "--call-graph", "bpf", "-m", "4M", "-e", f"probe:light={program}:light",
                       "-e", "syscalls:sys_enter_write", "-e", "cpu-clock", "-F", "499", "-o", bench.path("traces"), "--", program,
                       "0.3")
    if "works without BPF" in result.stderr or "tracing" in result.stderr or "uprobe" in result.stderr:
        raise Skipped(result.stderr.strip())
    expect(result.returncode == 0, result.stderr)
    chains = bench.run("perf", "script", "-i", bench.path("traces"), "-F", "event,ip,sym").stdout.split("\n\n")
    for event, wanted in (("probe:light", "light.*main.*_start"), ("sys_enter_write", "write.*main.*_start"),
                          ("cpu-clock", "main.*_start")):
        found = [chain for chain in chains if event in chain.split("\n")[0]]
        right = [chain for chain in found if re.search(wanted, chain, re.S)]
        expect(found and len(right) >= 0.8 * len(found), event, "has", len(right), "of", len(found), result.stderr)


# Reads, and lets children end in between.
FORKING = r"""
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) void reads(int fd) { char byte; for (int i = 0; i < 500; i++) if (read(fd, &byte, 1) < 0) _exit(1); }

int main(void)
{
    int fd = open("/dev/zero", O_RDONLY);

    usleep(300000);
    for (int i = 0; i < 4; i++) {
        reads(fd);
        pid_t child = fork();
        if (!child)
            _exit(0);
        waitpid(child, 0, 0);
    }
    reads(fd);
    return 0;
}
"""


def by_bpf_after_forks(bench):
    """The kernel takes the program from the tracepoint with the first inherited event that ends, unless it has one of
    its own. Losses of stacks are no records of the file."""
    program = bench.path("forking")
    subprocess.run(["cc", "-O1", "-g", "-o", program, "-x", "c", "-"], input=FORKING, text=True, check=True)
    result = bench.run(bench.pdconv, "record", "-m", "4M", "-e", "raw_syscalls:sys_enter", "--call-graph", "bpf", "-o",
                       bench.path("forking.data"), "--", program)
    if "works without BPF" in result.stderr or "tracing" in result.stderr:
        raise Skipped(result.stderr.strip())
    expect(result.returncode == 0, result.stderr)
    text = bench.run(bench.pdconv, bench.path("forking.data"), "--folded", "--no-kernel", check=True).stdout
    counts = [(line.rpartition(" ")[0], int(line.rpartition(" ")[2])) for line in text.splitlines()]
    right = sum(n for stack, n in counts if ";main;reads;" in stack)
    expect(right >= 2450, right, "of 2500 reads have a stack", text)
    bench.run(bench.pdconv, "record", "-m", "1", "-e", "raw_syscalls:sys_enter", "--call-graph", "bpf", "-o",
              bench.path("lossy.data"), "--", program, check=True)
    result = bench.run(bench.pdconv, bench.path("lossy.data"), "--folded", check=True)
    expect("LOST" not in result.stderr, result.stderr)


# A goroutine that calls C, and functions of the runtime that work on the stack of the thread.
SWITCHING = r"""
package main

// #cgo CFLAGS: -O1 -fomit-frame-pointer
// static volatile unsigned sink;
// __attribute__((noinline)) static void spin(unsigned n) { for (unsigned i = 0; i < n; i++) sink += i; }
import "C"
import (
	"runtime"
	"time"
)

//go:noinline
func callsC() { C.spin(1000000) }

//go:noinline
func asksRuntime(stats *runtime.MemStats) { runtime.ReadMemStats(stats) }

//go:noinline
func readsClock() time.Time { return time.Now() }

func main() {
	var stats runtime.MemStats
	for round := 0; round < 150; round++ {
		callsC()
		for i := 0; i < 500; i++ {
			asksRuntime(&stats)
		}
		for i := 0; i < 20000; i++ {
			readsClock()
		}
	}
}
"""


def by_bpf_go(bench):
    """Where Go calls C, its runtime or the vDSO on the stack of the thread, the stack of the goroutine follows."""
    if not shutil.which("go"):
        raise Skipped("go is not installed")
    folder = bench.path("switching")
    os.mkdir(folder)
    with open(os.path.join(folder, "main.go"), "w", encoding="utf-8") as out:
        out.write(SWITCHING)
    subprocess.run(["go", "build", "-o", "switching", "main.go"], cwd=folder, check=True)
    version = re.search(r"go1\.(\d+)", subprocess.run(["go", "version"], capture_output=True, text=True, check=True).stdout)
    # Functions in assembly that call have a frame pointer since then.
    if int(version[1]) < 21:
        raise Skipped("Go before 1.21")
    result = bench.run(bench.pdconv, "record", "-e", "cpu-clock", "-F", "999", "--call-graph", "bpf", "-o",
                       bench.path("switching.data"), "--", "env", "GOMAXPROCS=1", os.path.join(folder, "switching"))
    if "works without BPF" in result.stderr:
        raise Skipped(result.stderr.strip())
    expect(result.returncode == 0, result.stderr)
    text = bench.run(bench.pdconv, bench.path("switching.data"), "--folded", "--no-kernel", check=True).stdout
    counts = [(line.rpartition(" ")[0], int(line.rpartition(" ")[2])) for line in text.splitlines()]
    # Its own goroutines work on the stack of the thread as well, and the thread itself before there is a goroutine.
    base = "^switching;runtime.(goexit|rt0_go|mstart).abi0;"
    for callee, chain in ((";spin", base + "runtime.main;main.main;main.callsC;.*;runtime.asmcgocall.abi0;"),
                          # The runtime asks for the time, too, while it reads its statistics.
                          (";clock_gettime", base + "runtime.main;main.main;main.(readsClock;time.Now|asksRuntime);.*;clock_gettime"),
                          (";main.asksRuntime;.*;runtime.systemstack.abi0;", base),
                          (";runtime.systemstack.abi0;", base + "[^ ]+;runtime.systemstack.abi0;")):
        found = [(stack, n) for stack, n in counts if re.search(callee, stack)]
        total = sum(n for _, n in found)
        right = sum(n for stack, n in found if re.search(chain, stack))
        # The first samples may be taken before the tables are there.
        expect(total > 20_000_000 and right >= 0.9 * total, callee, right, "of", total, text[:4000])
        expect(not any(stack.count(";runtime.systemstack.abi0;") > 1 for stack, _ in found), text[:4000])


def by_bpf_memory(bench):
    """Tables are dropped when others need their memory. What else runs on the machine is not recorded: it needs tables, too."""
    gcc = shutil.which("gcc")
    result = bench.run(bench.pdconv, "record", "-v", "-e", "cpu-clock", "-F", "999", "--call-graph", "bpf", "--bpf-memory",
                       "16M", "-o", bench.path("bounded"), "--", "sh", "-c",
                       f"for i in 1 2 3; do {gcc or 'true'} -O2 -c {bench.path('burn.c')} -o /dev/null; "
                       f"node -e 'for (let i = 0; i < 1e8; i++) Math.sqrt(i)'; python3 -c 'sum(range(10**7))'; done; true")
    if "works without BPF" in result.stderr:
        raise Skipped(result.stderr.strip())
    expect(result.returncode == 0, result.stderr)
    most = re.search(r"BPF: (\d+) tables, (\S+) MB at most, (\d+) dropped", result.stderr)
    expect(most and float(most[2]) <= 16.8, result.stderr)
    unwound = re.search(r"BPF unwound (\d+) stacks?, (\S+) % of them", result.stderr)
    expect(unwound and float(unwound[2]) > 30, result.stderr)


def record_waits(bench, program, kind):
    """Record the program that waits from its main function on. Return what it printed."""
    fifo = bench.path("go")
    if not os.path.exists(fifo):
        os.mkfifo(fifo)
    # Opened for both, so that no end waits for the other.
    line = os.open(fifo, os.O_RDWR)
    with subprocess.Popen([program, "wait"], stdin=line, stdout=subprocess.PIPE, text=True) as running:
        os.close(line)
        running.stdout.readline()
        result = bench.run(bench.pdconv, "record", "--off-cpu", "--call-graph", kind, "-o", bench.path(f"waits.{kind}"),
                           "-p", str(running.pid), "--", "sh", "-c", f"echo >{fifo}; exec sleep 60")
        running.kill()
        printed = running.stdout.read()
    if "works without BPF" in result.stderr:
        raise Skipped(result.stderr.strip())
    expect(result.returncode == 0 and "sleeps" in printed, kind, result.stderr)
    return printed


def by_bpf_waits(bench):
    """Waits unwound by BPF have the times that the program measured, and the stacks of a recording with copied stacks."""
    program = build_waits(bench)
    chains = {}
    for kind in ("bpf", "dwarf"):
        printed = record_waits(bench, program, kind)
        chains[kind] = check_waits(bench, f"waits.{kind}", printed)
        script = bench.run(bench.pdconv, bench.path(f"waits.{kind}"), "-e", "offcpu-time", "--script").stdout
        naps = [sample for sample in script.split("\n\n") if re.search(r"\bsleeps\b", sample)]
        expect(len(naps) == 10, kind, "has", len(naps), "samples of 10 calls that sleep")
    expect(chains["bpf"] == chains["dwarf"], "stacks differ:", chains)
    for function in ("sleeps", "locks", "reads"):
        expect(any(";_start;" in chain and f";main;{function};" in chain for chain in chains["bpf"]), function, chains)


def by_bpf_everywhere(bench):
    """A command and all CPUs have no tables at first; those of the program come while it runs."""
    for name, options in (("command", ()), ("machine", ("-a",))):
        result = bench.run(bench.pdconv, "record", "-e", "cpu-clock", "-F", "499", "--call-graph", "bpf", *options, "-o",
                           bench.path(name), "--", bench.program, "2")
        if "works without BPF" in result.stderr:
            raise Skipped(result.stderr.strip())
        expect(result.returncode == 0, result.stderr)
        folded = bench.run(bench.pdconv, "-f", "folded", "--comm", "burn", bench.path(name)).stdout
        expect(re.search(r"^burn;_start;.*;main;heavy;leaf", folded, re.M), name, result.stderr, folded[:800])


CASES = (by_bpf, by_bpf_processes, by_bpf_waits, by_bpf_everywhere, kinds_of_stacks, against_perf, compressed, converted,
         converted_with_options, converted_live, bounded_live, slow_live, killed_live, killed_unnoticed, attached,
         attached_while, build_id_cache, on_all_cpus, off_cpu, tracepoints, rates, uprobes, control_groups, streams, postponed,
         tagged, stacks_of_any_size, lost, groups, hotspot, shortened, by_bpf_traces, by_bpf_after_forks,
         by_bpf_go, by_bpf_memory, chains_live, *record_time.CASES)


# Left out of a quick run.
SLOW = ("against_perf", "rates", "control_groups", "postponed", "tagged", "bounded_live", "slow_live", "build_id_cache",
        "by_bpf_go", "by_bpf_everywhere", "groups", "streams", "by_bpf_memory", *record_time.SLOW)


def run_case(case, bench):
    """Return its exit status, and what to say about it."""
    try:
        case(bench)
    except Failure as failure:
        return 1, str(failure)
    except Skipped as skipped:
        return SKIPPED, str(skipped)
    except Exception:  # The other cases must run nevertheless.
        return 1, traceback.format_exc()
    return 0, "right"


def run(kind, cases, slow, bench):
    """Run the cases, without the slow ones if $QUICK is set, or the one that $ONLY names.

    Return the number of those that failed. A line "KIND/CASE STATUS REASON" for each goes to the file $VERDICTS.
    """
    statuses = []
    with open(os.environ.get("VERDICTS", os.devnull), "a", encoding="utf-8") as verdicts:
        for case in cases:
            only = os.environ.get("ONLY")
            if case.__name__ != only if only else os.environ.get("QUICK") and case.__name__ in slow:
                continue
            start = time.monotonic()
            status, said = run_case(case, bench)
            statuses.append(status)
            print(f"{case.__name__}: {said} ({time.monotonic() - start:.1f} s)")
            verdicts.write(f"{kind}/{case.__name__} {status} {' '.join(said.split())}\n")
    return statuses.count(1)


if __name__ == "__main__":
    sys.exit(1 if run("record", CASES, SLOW, Bench(*(os.path.abspath(word) for word in sys.argv[1:5]))) else 0)
