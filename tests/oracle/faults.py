#!/usr/bin/env python3
"""Recordings in which something goes wrong: with the program, the machine, the output, the user or the recorder.

usage: faults.py PDCONV WORK

After each there must be one clear message and the right exit status. If there is a recording, pdconv and perf
must read it without complaint. No process, probe or temporary file may be left. Prints a line for each case.
Only root can run most of them; without root all are skipped.
"""
import collections
import contextlib
import glob
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import record
from processes import cpu_seconds, stat_fields, wait_for_events, wait_until
from record import FREQUENCY, NOISE, expect

FORKS = r"""
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    for (int i = 0; i < 1000; i++) {
        if (fork() == 0) {
            for (int k = 0; k < 10; k++)
                getppid();
            _exit(0);
        }
        if (i % 50 == 49)
            while (wait(0) > 0)
                ;
    }
    return 0;
}
"""
# Prints how often it has called getppid() when it gets SIGTERM.
CALLS = r"""
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile sig_atomic_t has_ended;

static void end(int signal) { (void)signal; has_ended = 1; }

int main(void)
{
    long n;

    signal(SIGTERM, end);
    for (n = 0; !has_ended; n++)
        getppid();
    printf("%ld\n", n);
    return 0;
}
"""
PROBES = "/sys/kernel/tracing/uprobe_events"
PARANOID = "/proc/sys/kernel/perf_event_paranoid"
MAX_RATE = "/proc/sys/kernel/perf_event_max_sample_rate"
NOBODY = {"user": 65534, "group": 65534, "extra_groups": []}
SUMMARY = r"pdconv: \d+ samples?, [\d.]+ MB in \S+; lost \d+, throttled \d+ times"
ONLY_USER = "pdconv: recorded only user space: no permission for the kernel, see kernel.perf_event_paranoid and CAP_PERFMON"


def read(path):
    with open(path, encoding="utf-8") as text:
        return text.read()


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)


def probes():
    return read(PROBES) if os.path.exists(PROBES) else ""


def stale_probes():
    """Return the probes of recorders that do not run any more."""
    owned = re.finditer(r"^[pr]\d*:pdconv_(\d+)/.*", probes(), re.M)
    return {probe[0] for probe in owned if not os.path.exists(f"/proc/{probe[1]}")}


@contextlib.contextmanager
def setting(path, text):
    before = read(path)
    write(path, text)
    try:
        yield
    finally:
        write(path, before)


class Bench(record.Bench):
    """Keeps all temporary files in one directory, and finds its processes by their working directory."""

    def __init__(self, pdconv, offline, work):
        super().__init__(shutil.copy(pdconv, os.path.join(work, "pdconv")), None, None, work)
        self.offline = offline
        self.temporary = self.path("temporary")
        os.mkdir(self.temporary)
        os.chmod(self.temporary, 0o777)
        os.environ["TMPDIR"] = self.temporary

    def processes(self):
        found = {}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                if os.readlink(f"/proc/{pid}/cwd") == self.work and int(pid) != os.getpid():
                    found[pid] = read(f"/proc/{pid}/cmdline").replace("\0", " ")
        return found

    def wait_for_program(self, recorder, seconds):
        """Wait until the program that a recorder started has used so much CPU time, and return how much it has."""
        def used():
            return max((cpu_seconds(pid) for pid, command in self.processes().items()
                        if int(pid) != recorder.pid and command.startswith(self.program)), default=0)

        wait_until(lambda: used() >= seconds, "the program does not run")
        return used()

    def start(self, *options, **more):
        return subprocess.Popen([self.pdconv, "record", *options], cwd=self.work, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, **more)

    def fails(self, *options, status=1, says, **more):
        """Expect an exit status and one line of message, or two for a wrong command line."""
        result = self.run(self.pdconv, "record", *options, **more)
        self.check_told(result.returncode, result.stderr, status, says)

    def check_told(self, returncode, stderr, status, says):
        lines = stderr.splitlines()
        if status == 2:
            expect(lines[-1] == "pdconv: see pdconv --help", stderr)
            lines.pop()
        expect(len(lines) == 1 and re.fullmatch("pdconv: " + says, lines[0]), lines, "instead of", says)
        expect(returncode == status, "status", returncode, "not", status)

    def check_readable(self, name, least=0, by_perf=True, is_finished=True):
        """Expect that pdconv and perf read it without messages. Return the number of samples."""
        path = self.path(name)
        result = self.run(self.pdconv, "info", path)
        expect(result.returncode == 0 and not result.stderr, name, result.stderr)
        samples = self.info(name)["samples"]
        expect(samples >= least, name, "has", samples, "samples only")
        if not by_perf:
            return samples
        shown = self.run("perf", "report", "--stdio", "--no-inline", "-i", path)
        # perf reports a recording without samples as an error.
        stderr = shown.stderr.replace(f"Error:\nThe {path} data has no samples!\n", "" if not samples else "wrong")
        if not is_finished:
            # perf 7 says so of its own recordings as well: features are written at the end.
            stderr = re.sub(r"WARNING: .* is missing HEADER_NRCPUS, using .*", "", stderr)
        expect(not re.search("(?i)error|incompatible|failed|warn", stderr), name, stderr)
        return samples

    def records(self, *options, status=0, lines=(), least=0, name="out", **more):
        """Expect a good recording. Return the number of samples."""
        result = self.run(self.pdconv, "record", "-o", self.path(name), *options, **more)
        expect(result.returncode == status, "status", result.returncode, result.stderr)
        self.check_summary(result.stderr, lines)
        return self.check_readable(name, least)

    @staticmethod
    def check_summary(stderr, lines=()):
        # Whether stacks are shortened depends on the load of the machine.
        found = [line for line in stderr.splitlines() if "hold less of the stack" not in line]
        expect(found and re.fullmatch(SUMMARY, found[0]) and found[1:] == list(lines), stderr)

    @contextlib.contextmanager
    def running(self, *command):
        with subprocess.Popen(command, cwd=self.work, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
            try:
                yield process
            finally:
                process.kill()


CLOCK = ("-e", "cpu-clock", "-F", str(FREQUENCY))


# The program.

def program_ends_at_once(bench):
    bench.records(*CLOCK, "--", "true")
    with bench.running("sleep", "60") as process:
        recorder = bench.start(*CLOCK, "-o", bench.path("out"), "-p", str(process.pid))
        wait_for_events(recorder)
        process.kill()
        start = time.monotonic()
        said = recorder.communicate(timeout=60)[1]
        expect(time.monotonic() - start < 3, "it went on without its process")
    expect(recorder.returncode == 0, "status", recorder.returncode, said)
    bench.check_summary(said)
    bench.check_readable("out", 0)


def program_leaves_a_child(bench):
    """A recorded process ends, and its child goes on: so does the recording, as with perf."""
    for recorder in ([bench.pdconv, "record", *CLOCK], ["perf", "record", *CLOCK]):
        with bench.running("sh", "-c", f"read line; {bench.program} 0.5 & exit 0") as process:
            with subprocess.Popen([*recorder, "-o", bench.path("out"), "-p", str(process.pid)],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as recording:
                wait_for_events(recording)
                process.stdin.close()
                said = recording.communicate()[1]
            expect(recording.returncode == 0, said)
        samples = bench.check_readable("out")
        expect(abs(samples - 0.5 * FREQUENCY) < 2 * NOISE * 0.5 * FREQUENCY, recorder[0], "has", samples, "samples")


def program_is_not_there(bench):
    bench.fails("-o", bench.path("none"), "--", "/no/such/program", status=127,
                says="/no/such/program: cannot run: No such file or directory")
    expect(not os.path.exists(bench.path("none")), "a recording of nothing is there")
    os.mkfifo(bench.path("pipe"))
    with bench.running("cat", bench.path("pipe")):
        bench.fails("-o", bench.path("pipe"), "--", "/no/such/program", status=127,
                    says="/no/such/program: cannot run: No such file or directory")
    expect(os.path.exists(bench.path("pipe")), "a pipe is gone")
    with bench.running("true") as process:
        process.wait()
        for option, what in (("-p", "process"), ("-t", "thread")):
            bench.fails("-o", bench.path("none"), option, str(process.pid), says=f"there is no {what} {process.pid}")
    expect(not os.path.exists(bench.path("none")), "a recording of nothing is there")


def program_fails(bench):
    bench.records(*CLOCK, "--", bench.program, "0.1", "7", status=7)
    bench.records(*CLOCK, "--", "sh", "-c", "kill -9 $$", status=128 + 9)


def program_runs_another(bench):
    samples = bench.records(*CLOCK, "-g", "--", "sh", "-c", f"exec {bench.program} 0.3", least=0.3 * FREQUENCY * 0.8)
    shown = bench.run("perf", "script", "-F", "comm", "-i", bench.path("out")).stdout.split()
    expect(shown.count("burn") > 0.9 * samples, collections.Counter(shown))
    bench.check_top("out")


def program_makes_a_thousand(bench):
    """Each child calls getppid ten times. All calls must be there, in perf's own recording, too."""
    program = bench.path("forks")
    write(program + ".c", FORKS)
    subprocess.run(["cc", "-O1", "-o", program, program + ".c"], check=True)
    calls = "syscalls:sys_enter_getppid"
    bench.records("-e", calls, "-c", "1", "--call-graph", "none", "--", program)
    bench.run("perf", "record", "-q", "-e", calls, "-c", "1", "-o", bench.path("perf.forks"), program)
    for name in ("out", "perf.forks"):
        shown = bench.run("perf", "script", "-F", "comm,pid", "-i", bench.path(name)).stdout
        counts = collections.Counter(shown.splitlines())
        expect(len(counts) == 1000 and set(counts.values()) == {10}, name, "has", len(counts), "children,",
               sum(counts.values()), "calls")
        expect(all(line.split()[0] == "forks" for line in counts), name, "has other names", *list(counts)[:3])
    expect(bench.info("out")["lost"] == 0, "samples were lost")


def stacks_become_shorter_in_a_thousand(bench):
    """While events change over to shorter stacks, children are created: none is sampled twice, or not at all."""
    program = bench.path("forks")
    write(program + ".c", FORKS)
    subprocess.run(["cc", "-O1", "-o", program, program + ".c"], check=True)
    n_shortened = 0
    for _ in range(5):
        result = bench.run(bench.pdconv, "record", "-o", bench.path("out"), "-e", "syscalls:sys_enter_getppid", "-c", "1",
                           "--call-graph", "dwarf", "-m", "64", "--", program)
        expect(result.returncode == 0, result.stderr)
        n_shortened += "hold less of the stack" in result.stderr
        shown = bench.run("perf", "script", "-F", "pid", "-i", bench.path("out")).stdout
        counts = collections.Counter(shown.split())
        expect(max(counts.values()) <= 10, "samples of a child:", max(counts.values()))
        lost = int(re.search(r"; lost (\d+),", result.stderr)[1])
        expect(sum(counts.values()) + lost >= 10000, sum(counts.values()), "samples, lost", lost)
    expect(n_shortened, "no recording has shorter stacks")


def program_is_stopped(bench):
    with bench.running(bench.program, "30") as process:
        recorder = bench.start(*CLOCK, "-o", "out", "-d", "1.5", "-p", str(process.pid))
        wait_for_events(recorder)
        before = cpu_seconds(process.pid)
        time.sleep(0.5)
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.5)
        process.send_signal(signal.SIGCONT)
        bench.check_summary(recorder.communicate()[1])
        expect(recorder.returncode == 0, "status", recorder.returncode)
        samples = bench.check_readable("out")
        # It ran on while the recorder started and ended.
        ran = cpu_seconds(process.pid) - before
        expect((1 - NOISE) * (ran - 0.5) * FREQUENCY < samples < (1 + NOISE) * ran * FREQUENCY, samples, "samples in", ran, "s")
        times = bench.run("perf", "script", "-F", "time", "-i", bench.path("out")).stdout
        times = [float(word.rstrip(":")) for word in times.split()]
        gap = max(after - before for before, after in zip(times, times[1:]))
        expect(0.4 < gap < 0.8, "it was stopped for", gap, "s")
        process.send_signal(signal.SIGSTOP)
        expect(bench.records(*CLOCK, "-d", "0.3", "-p", str(process.pid)) == 0, "there are samples of nothing")


# The machine.

def output_is_full(bench):
    disk = bench.path("disk")
    os.mkdir(disk)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "none", disk], check=True)
    try:
        full = re.escape(f"{disk}/out: cannot write: No space left on device")
        # Compressed stacks would take long to fill 3 MB.
        for options, size in (((), "3m"), (("-z",), "1m")):
            subprocess.run(["mount", "-o", f"remount,size={size}", disk], check=True)
            bench.fails("-e", "cpu-clock", "-F", "1999", "--call-graph", "dwarf,16384", "-m", "128", *options, "-o",
                        f"{disk}/out", "--", bench.program, "60", says=full)
            # perf does not decompress a recording without the feature COMPRESSED, which is written at the end.
            bench.check_readable("disk/out", 50, by_perf=not options)
            os.unlink(f"{disk}/out")
        with contextlib.suppress(OSError), open(f"{disk}/filler", "wb") as filler:
            while True:
                filler.write(bytes(4096))
        bench.fails(*CLOCK, "-o", f"{disk}/out", "--", bench.program, "60", says=full)
        expect(not os.path.exists(f"{disk}/out"), "a recording of nothing is there")
    finally:
        subprocess.run(["umount", disk], check=True)


def output_may_not_be_written(bench):
    marker = bench.path("temporary/ran")
    command = ("--", "touch", marker)
    for form in ((), ("-f", "pprof"), ("-f", "report"), ("-f", "perfdata")):
        bench.fails(*form, "-o", bench.path("missing/out"), *command,
                    says=".*missing/out: cannot create: No such file or directory")
        bench.fails(*form, "-o", bench.temporary, *command, says=f"{bench.temporary}: cannot open: Is a directory")
    bench.fails("-o", "/out", *command, says="/out: cannot open: Permission denied", **NOBODY)
    bench.fails("-f", "pprof", "-o", "/out", *command, says="/out: cannot create: Permission denied", **NOBODY)
    expect(not os.path.exists(marker), "the program has run")


def older_stays(bench):
    """A recording that never begins leaves the older ones where they are; one that begins keeps the last."""
    out = f"{bench.temporary}/stays"
    event = ("-e", "cpu-clock:u", "-F", str(FREQUENCY))
    for _ in range(2):
        bench.records(*event, "--", bench.program, "0.1", name=out, **NOBODY)
    before = {path: read_bytes(path) for path in (out, f"{out}.old")}
    bench.fails(*event, "-o", out, "--", "./nothing", status=127, says="./nothing: cannot run: .*", **NOBODY)
    bench.fails(*event, "-o", out, "-p", "1", says="cannot open event .*: Permission denied: .*", **NOBODY)
    expect(all(read_bytes(path) == content for path, content in before.items()), "an older recording was replaced")
    expect(sorted(glob.glob(f"{out}*")) == sorted(before), "something is left over")
    bench.records(*event, "--", bench.program, "0.1", name=out, **NOBODY)
    expect(read_bytes(f"{out}.old") == before[out], "the older recording is not FILE.old")
    for path in before:
        os.unlink(path)


def reader_goes_away(bench):
    process = bench.start(*CLOCK, "-a", "-g", "-o", "-", "--", bench.program, "60")
    os.read(process.stdout.fileno(), 100)
    process.stdout.close()
    stderr = process.stderr.read()
    bench.check_told(process.wait(), stderr, 1, "-: cannot write: Broken pipe")


def cpu_is_offline(bench):
    online = "/sys/devices/system/cpu/cpu1/online"
    if not os.path.exists(online):
        raise record.Skipped("CPU 1 cannot be taken offline")
    missing = ("pdconv: 1 CPU was offline at times: samples are missing",)
    ways = (("-e", "cpu-clock,page-faults"), ("-e", "cpu-clock", "--call-graph", "dwarf,4096"),
            ("-e", "{cpu-clock,page-faults}"))
    with setting(online, "0"):
        for way in ways:
            bench.records("-a", "-d", "0.1", *way, least=20)
            bench.records("-C", "0,1", "-d", "0.1", *way, least=20, lines=missing)
            bench.records("-C", "0,1", *way, "--", bench.program, "0.1", least=20, lines=missing)
        bench.fails("-C", "1", "-o", bench.path("none"), says="--cpu: all of these CPUs are offline")
        bench.fails("-C", "0,4095", "-o", bench.path("none"), says="--cpu: there is no CPU 4095", status=2)
    # A file each: the recording before has samples of that CPU.
    for name, way in zip(("clock", "stacks", "group"), ways):
        with bench.running("taskset", "-c", "1", bench.program, "5"):
            recorder = bench.start("-a", *way, "-o", name)
            bench.wait_for_sample(name, cpu=1)
            with setting(online, "0"):
                time.sleep(0.5)
                recorder.send_signal(signal.SIGINT)
                bench.check_summary(recorder.communicate()[1], missing)
        expect(recorder.returncode == 0, "status", recorder.returncode)
        bench.check_readable(name)
        shown = bench.run("perf", "script", "-F", "cpu,time", "-i", bench.path(name)).stdout
        ends = {cpu: float(at) for cpu, at in re.findall(r"\[(\d+)\] +([\d.]+):", shown)}
        # Taking a CPU offline takes long on a busy machine.
        expect(0.1 < ends["000"] - ends["001"] < 5, "the CPUs end at", ends)


OFFLINE = """session: 1 rings, 1 offline
reader: {reader}
set: {n} readers
monitor: has samples
profiler: has samples
"""


def cpu_of_a_program_is_offline(bench):
    """Through the library, by tests/oracle/offline.c. CPU 0 computes, so that there are samples."""
    online = "/sys/devices/system/cpu/cpu1/online"
    if not os.path.exists(online):
        raise record.Skipped("CPU 1 cannot be taken offline")
    n = len(os.sched_getaffinity(0))
    with bench.running("taskset", "-c", "0", bench.program, "5"), setting(online, "0"):
        result = bench.run(bench.offline, "1")
    reader = "cannot open event 'cpu-clock' on CPU 1: No such device: CPU 1 is offline, or does not exist"
    expect(result.stdout == OFFLINE.format(reader=reader, n=n - 1), result.stdout)
    expect(result.returncode == 0 and result.stderr == "", result.stderr)


def files_are_too_many(bench):
    """With each limit another file cannot be opened."""
    statuses = set()
    for limit in (*range(5, 16), 64):
        result = bench.run("prlimit", f"--nofile={limit}:{limit}", bench.pdconv, "record", "-o", bench.path("few"),
                           "-e", "cpu-clock,page-faults,minor-faults,context-switches", "--call-graph", "dwarf", "--",
                           bench.program, "0.01")
        statuses.add(result.returncode)
        if result.returncode == 0:
            bench.check_summary(result.stderr)
            bench.check_readable("few")
            os.unlink(bench.path("few"))
        else:
            bench.check_told(result.returncode, result.stderr, 1, ".*: Too many open files.*")
            expect(not os.path.exists(bench.path("few")), "a recording of nothing is there")
    bench.fails("-a", "-e", "cpu-clock,page-faults,minor-faults", "--call-graph", "dwarf", "-o", bench.path("few"),
                says="cannot open event '.*' on CPU .*: Too many open files: .*RLIMIT_NOFILE is 12, see 'ulimit -n'",
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (12, 12)))
    expect(0 in statuses and 1 in statuses, "limits that matter were not met")


# The user.

def user_may_not(bench):
    out = f"{bench.temporary}/nobody"
    denied = "cannot open event 'cpu-clock.*' on CPU 0: Permission denied: "
    paranoid_is = denied + "kernel.perf_event_paranoid is {}, but {}, or the capability CAP_PERFMON.*"
    for paranoid in ("1", "2", "3"):
        with setting(PARANOID, paranoid):
            if paranoid == "1":
                bench.records(*CLOCK, "--", bench.program, "0.1", name=out, least=50, **NOBODY)
            else:
                result = bench.run(bench.pdconv, "record", "-o", out, "--", bench.program, "0.1", **NOBODY)
                bench.check_summary(result.stderr, result.stderr.splitlines()[1:-1] + [ONLY_USER])
                bench.check_readable(out, 50)
            os.unlink(out)
            bench.fails("-e", "cpu-clock", "-a", "-o", out,
                        says=paranoid_is.format(paranoid, "a system-wide event needs 0 or less"), **NOBODY)
            other = paranoid_is.format(3, ".*distributions need 2 or less") if paranoid == "3" else \
                denied + r"profiling process 1 needs the right to trace it \(ptrace\), or the capability CAP_PERFMON"
            bench.fails("-e", "cpu-clock", "-o", out, "-p", "1", says=other, **NOBODY)
            if paranoid != "1":
                bench.fails("-e", "cpu-clock:k", "-o", out, "--", "true",
                            says=paranoid_is.format(paranoid, "profiling the kernel .* needs 1 or less"), **NOBODY)
                bench.fails("--off-cpu", *CLOCK, "-o", out, "--", "true",
                            says=paranoid_is.format(paranoid, "sampling context switches.* needs 1 or less")
                            .replace("cpu-clock.*", "offcpu-time"), **NOBODY)
    bench.fails("-e", "sched:sched_switch", "-o", out, "--", "true",
                says=".*tracing: permission denied: tracepoints are for root.*", **NOBODY)
    bench.fails("-e", "cpu-clock:u", "-m", "64M", "-o", out, "--", "true",
                says="cannot map a ring buffer of 65540 KiB: .*kernel.perf_event_mlock_kb.*CAP_IPC_LOCK", **NOBODY)
    expect(not os.path.exists(out), "a recording of nothing is there")


# The recorder.

def check_interrupted(bench, *options, again_after):
    """The recording is complete, although the recorder is interrupted twice."""
    recorder = bench.start(*CLOCK, "-g", "-o", "out", *options)
    seconds = bench.wait_for_program(recorder, 0.3)
    recorder.send_signal(signal.SIGINT)
    time.sleep(again_after)
    with contextlib.suppress(ProcessLookupError):
        recorder.send_signal(signal.SIGINT)
    bench.check_summary(recorder.communicate()[1])
    expect(recorder.returncode == 0, "status", recorder.returncode)
    bench.check_readable("out", (1 - NOISE) * seconds * FREQUENCY)


def recorder_is_too_slow(bench):
    """Each event is in the file or counted as lost, once. The kernel reports losses with the next record that it can
    write, and the recorder reads from it what was lost after the last one."""
    program = bench.path("calls")
    write(program + ".c", CALLS)
    subprocess.run(["cc", "-O1", "-o", program, program + ".c"], check=True)
    recorder = bench.start("-e", "syscalls:sys_enter_getppid", "-c", "1", "-m", "16", "-o", "out", "--", program)

    def calls():
        return next((int(pid) for pid, command in bench.processes().items() if command == program + " "), None)

    def run_while_stopped(pid):
        recorder.send_signal(signal.SIGSTOP)
        used = cpu_seconds(pid)
        wait_until(lambda: cpu_seconds(pid) > used + 0.2, "the program does not run")

    wait_until(lambda: calls() and cpu_seconds(calls()) > 0.1, "the program does not run")
    pid = calls()
    run_while_stopped(pid)
    recorder.send_signal(signal.SIGCONT)
    wait_until(lambda: " LOST " in bench.run(bench.pdconv, "dump", "-q", "--type", "LOST", bench.path("out")).stdout,
               "the kernel reports no loss")
    run_while_stopped(pid)
    os.kill(pid, signal.SIGTERM)
    wait_until(lambda: stat_fields(pid)[0] == "Z", "the program does not end")
    recorder.send_signal(signal.SIGCONT)
    out, said = recorder.communicate()
    bench.check_summary(said)
    expect(recorder.returncode == 0, "status", recorder.returncode)
    dump = bench.run(bench.pdconv, "dump", "-q", "--type", "LOST_SAMPLES", bench.path("out")).stdout
    expect(" LOST_SAMPLES " in dump, "nothing was lost after the last record")
    n_lost = int(re.search(r"; lost (\d+),", said)[1])
    # A few records of other types, such as that of the exit, may be lost, too.
    more = bench.info("out")["samples"] + n_lost - int(out)
    expect(0 <= more <= 10, "samples and losses are", more, "more than calls; lost", n_lost, "of", int(out))


def recorder_is_interrupted(bench):
    probe = ("-e", f"probe:{bench.program}:heavy") if os.path.exists(PROBES) else ()
    for again_after in (0, 0.001, 0.005, 0.01, 0.02):
        check_interrupted(bench, *probe, "--", bench.program, "60", again_after=again_after)
        top = bench.top("out")
        expect(top and max(top, key=top.get) == "leaf", "out has", top)


def recorder_is_interrupted_late(bench):
    """The second signal arrives after the recording, when its binaries are copied into the cache."""
    recorder = bench.start(*CLOCK, "-g", "-o", "out", "--", bench.program, "60")
    seconds = bench.wait_for_program(recorder, 0.3)
    recorder.send_signal(signal.SIGINT)
    summary = recorder.stderr.readline()
    recorder.send_signal(signal.SIGINT)
    bench.check_summary(summary + recorder.communicate()[1])
    expect(recorder.returncode == 0, "status", recorder.returncode)
    bench.check_readable("out", (1 - NOISE) * seconds * FREQUENCY)


def recorder_is_killed(bench):
    """The file is complete up to the last round. The program goes on, as with perf."""
    perf = ["perf", "record", "-q", "-e", "cpu-clock", "-o", bench.path("perf.killed")]
    for recorder in ([bench.pdconv, "record", "-q", *CLOCK, "-g", "-o", bench.path("out")], perf):
        process = subprocess.Popen([*recorder, "--", bench.program, "60"], cwd=bench.work, stdout=subprocess.DEVNULL,
                                   start_new_session=True)
        seconds = bench.wait_for_program(process, 1)
        process.kill()
        process.wait()
        wait_until(lambda: len(bench.processes()) == 1, recorder[0], "leaves no program, or others")
        os.killpg(process.pid, signal.SIGKILL)
        if recorder[0] == bench.pdconv:
            # A round is a quarter of a second.
            bench.check_readable("out", (1 - NOISE) * (seconds - 0.5) * FREQUENCY, is_finished=False)
    bench.check_top("out")


def recorder_of_waits_is_killed(bench):
    """A file that ends early still names its events, and says how it is compressed. Records are in order."""
    for options in ((), ("-z",)):
        process = bench.start("-q", "-o", bench.path("out"), "--off-cpu", *CLOCK, *options, "--", "sh", "-c",
                              "while :; do sleep 0.01; done", start_new_session=True)
        wait_until(lambda: bench.run(bench.pdconv, bench.path("out"), "--script").stdout.count("offcpu-time") > 20,
                   options, "no waits are recorded")
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        # The recording before could be taken for this one.
        os.rename(bench.path("out"), bench.path("waits"))
        for form in ("--json", "--script"):
            result = bench.run(bench.pdconv, bench.path("waits"), form)
            expect(result.returncode == 0 and "offcpu-time" in result.stdout, options, result.stderr)
            if form == "--json":
                expect(re.search(r'"late_records": 0,', result.stdout), "records are late")
        shown = bench.run("perf", "script", "-F", "event", "-i", bench.path("waits"))
        expect(shown.returncode == 0 and shown.stdout.count("offcpu-time") > 20, options, shown.stderr)
        expect("context-switches" not in shown.stdout and "out of order" not in shown.stderr, options, shown.stderr)


def recorder_leaves_probes(bench):
    """The next recorder removes the probes of one that was killed, but not those of one that runs."""
    if not os.path.exists(PROBES):
        raise record.Skipped("the kernel has no uprobe events, or they are not accessible")
    probe = f"probe:{bench.program}:light"
    killed, other = (bench.start("-q", "-o", name, "-e", probe, "-a") for name in ("killed", "other"))
    try:
        for recorder in killed, other:
            wait_for_events(recorder)
        killed.kill()
        killed.communicate()
        expect(f"pdconv_{killed.pid}/light" in probes() and f"pdconv_{other.pid}/light" in probes(), probes())
        bench.records("-e", probe, "--", bench.program, "0.1", least=10)
        expect(f"pdconv_{killed.pid}/light" not in probes(), "is still there:", probes())
        expect(f"pdconv_{other.pid}/light" in probes(), "is gone:", probes())
    finally:
        other.send_signal(signal.SIGINT)
        other.communicate()


def program_outlives_recording(bench):
    """The program is ended with the recording, even if it is stopped."""
    for program in ([bench.program, "60"], ["sh", "-c", "kill -STOP $$; sleep 60"]):
        bench.records(*CLOCK, "-d", "0.3", "--", *program)


def event_is_not_there(bench):
    probe = ("-e", f"probe:{bench.program}:light") if os.path.exists(PROBES) else ()
    bench.fails("-o", bench.path("none"), *probe, "-e", "no-such-event", "--", bench.program, status=2,
                says=".*no-such-event.*")


def kernel_refuses(bench):
    """The kernel refuses events for several reasons. Each message has the reason with its values."""
    none = bench.path("none")
    limit = int(read(MAX_RATE))
    for options, reason in (
            (("-F", str(10 * limit)),
             f"Invalid argument: the kernel rejected sample_freq={10 * limit} \\(limit: {limit}, see {MAX_RATE}\\)"),
            (("-c", str(1 << 63)), f"Invalid argument: the kernel rejected sample_period={1 << 63} .*"),
            (("--call-graph", "lbr"), "Operation not supported: branch stacks need hardware \\(LBR\\), which the software event "
                                      "'cpu-clock' does not have"),
            (("-k", "42"), "Invalid argument: events have no clockid=42")):
        bench.fails("-e", "cpu-clock", *options, "-o", none, "--", "true",
                    says=f"cannot open event 'cpu-clock' on CPU 0: {reason}")
    bench.fails("-e", "999999:5", "-o", none, "--", "true",
                says="cannot open event '999999:5' on CPU 0: No such file or directory: no PMU has type 999999, .*")
    expect(not os.path.exists(none), "a recording of nothing is there")


CASES = (program_ends_at_once, program_leaves_a_child, program_is_not_there, program_fails, program_runs_another, program_makes_a_thousand,
         stacks_become_shorter_in_a_thousand,
         program_is_stopped, output_is_full, output_may_not_be_written, older_stays, reader_goes_away, cpu_is_offline, cpu_of_a_program_is_offline,
         files_are_too_many, user_may_not, recorder_is_too_slow, recorder_is_interrupted, recorder_is_interrupted_late, recorder_is_killed,
         recorder_of_waits_is_killed, recorder_leaves_probes,
         program_outlives_recording, event_is_not_there, kernel_refuses)


# Left out of a quick run.
SLOW = ("program_leaves_a_child", "program_is_stopped", "output_is_full", "cpu_is_offline", "cpu_of_a_program_is_offline",
        "recorder_is_interrupted", "recorder_of_waits_is_killed")


def with_nothing_left(case):
    def run(bench):
        before = stale_probes()
        case(bench)
        end = time.monotonic() + 2
        while bench.processes() and time.monotonic() < end:
            time.sleep(0.05)
        expect(not bench.processes(), "goes on:", *bench.processes().values())
        expect(stale_probes() <= before, "a probe is left:", stale_probes())
        expect(not os.listdir(bench.temporary), "is left:", *os.listdir(bench.temporary))
    run.__name__ = case.__name__
    return run


def main():
    if os.getuid() != 0:
        print("only root can run these tests")
        return record.SKIPPED
    # Other users must have access.
    work = tempfile.mkdtemp(dir=os.path.abspath(sys.argv[3]))
    os.chmod(work, 0o755)
    bench = Bench(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), work)
    return 1 if record.run("faults", [with_nothing_left(case) for case in CASES], SLOW, bench) else 0


if __name__ == "__main__":
    sys.exit(main())
