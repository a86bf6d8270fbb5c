"""Cases of record.py about time: the clock of a recording, its beginning and end, and what threads did in between."""
import json
import os
import re
import subprocess
import time

# It computes for a moment and then waits for longer than it is recorded.
IDLE_END = r"""
#include <time.h>
#include <unistd.h>

int main(void)
{
    clock_t end = clock() + CLOCKS_PER_SEC / 50;

    while (clock() < end)
        ;
    sleep(60);
    return 0;
}
"""

# One thread computes and sleeps in turn. Two others wait for what does not happen before SIGUSR1: for a condition, and for
# input. It prints "ready" when they wait, and computes until it is killed.
BLOCKED = r"""
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t goes_on;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static volatile int has_work, n_ready, pipes[2];

__attribute__((noinline)) static int wait_for_work(void)
{
    pthread_mutex_lock(&lock);
    n_ready++;
    while (!has_work)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return has_work;
}

__attribute__((noinline)) static int read_input(void)
{
    char c = 0;

    pthread_mutex_lock(&lock);
    n_ready++;
    pthread_mutex_unlock(&lock);
    return read(pipes[0], &c, 1) + c;
}

static void *work(void *arg) { return (char *)arg + wait_for_work(); }
static void *input(void *arg) { return (char *)arg + read_input(); }

static void go_on(int signal) { goes_on = signal; }

static void compute(void)
{
    clock_t end = clock() + CLOCKS_PER_SEC / 100;

    while (clock() < end)
        ;
    usleep(10000);
}

int main(void)
{
    sigset_t set;
    pthread_t threads[2];

    pipe((int *)pipes);
    signal(SIGUSR1, go_on);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&threads[0], NULL, work, NULL);
    pthread_create(&threads[1], NULL, input, NULL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    while (n_ready < 2)
        usleep(1000);
    usleep(100000);
    puts("ready");
    fflush(stdout);
    while (!goes_on)
        compute();
    pthread_mutex_lock(&lock);
    has_work = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    write(pipes[1], "", 1);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    for (;;)
        compute();
}
"""

# One thread wakes another 100 times, while that waits for it. It prints the numbers of both.
WAKERS = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static sem_t work;

static void *consume(void *arg)
{
    printf("consumer %d\n", gettid());
    for (int i = 0; i < 100; i++)
        sem_wait(&work);
    return arg;
}

static void *produce(void *arg)
{
    printf("producer %d\n", gettid());
    for (int i = 0; i < 100; i++) {
        usleep(5000);
        sem_post(&work);
    }
    return arg;
}

int main(void)
{
    pthread_t threads[2];

    sem_init(&work, 0, 0);
    pthread_create(&threads[0], NULL, consume, NULL);
    pthread_create(&threads[1], NULL, produce, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
"""

# Clocks as perf and clock_gettime(2) name them. All events of this kind can use them.
CLOCKS = (("mono", time.CLOCK_MONOTONIC), ("CLOCK_MONOTONIC", time.CLOCK_MONOTONIC),
          ("clock_monotonic_raw", time.CLOCK_MONOTONIC_RAW), ("Boottime", time.CLOCK_BOOTTIME),
          ("CLOCK_TAI", time.CLOCK_TAI), ("real", time.CLOCK_REALTIME))


def build(bench, name, source, *flags):
    """Compile a program, and return its path."""
    program = bench.path(name)
    with open(program + ".c", "w", encoding="utf-8") as out:
        out.write(source)
    subprocess.run(["cc", "-O1", "-g", *flags, "-o", program, program + ".c", "-lpthread"], check=True)
    return program


def record(bench, name, *options):
    result = bench.run(bench.pdconv, "record", "-q", "-o", bench.path(name), *options)
    assert result.returncode == 0, result.stderr
    return result


def report(bench, name, *options):
    """Return the JSON of a report with its ledger."""
    result = bench.run(bench.pdconv, "report", "-q", "--json", "--limit", "1000000", "--ledger", *options, bench.path(name))
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def waited(bench, name):
    """Return the sum of all waits, in nanoseconds."""
    result = bench.run(bench.pdconv, "report", "-q", "--json", bench.path(name))
    assert result.returncode == 0, result.stderr
    return sum(row["waiting"] for row in json.loads(result.stdout)["waits"]["threads"]["rows"])


def clocks(bench):
    """Times are those of the clock that is named."""
    for name, clock in CLOCKS:
        before = time.clock_gettime(clock)
        record(bench, "clock", "-e", "cpu-clock", "-k", name, "--", bench.program, "0.02")
        after = time.clock_gettime(clock)
        shown = bench.run("perf", "script", "-F", "time", "--ns", "-i", bench.path("clock"))
        times = [float(text) for text in re.findall(r"([\d.]+):", shown.stdout)]
        assert times and before <= min(times) and max(times) <= after, (name, before, after, times)


def n_marks(bench, name):
    """Return the number of marks in a recording, about which perf says nothing."""
    plain = bench.run("perf", "script", "-F", "tid,time,event", "-i", bench.path(name))
    shown = bench.run("perf", "report", "--stdio", "-i", bench.path(name))
    whole = bench.run("perf", "script", "-D", "-i", bench.path(name))
    for result in (plain, whole):
        assert result.returncode == 0 and not result.stderr, result.stderr
    assert "lost" not in plain.stdout.lower(), plain.stdout
    assert "lost" not in shown.stderr.lower(), shown.stderr
    assert "Total Lost Samples: 0" in shown.stdout or "has no samples" in shown.stderr, shown.stdout
    return whole.stdout.count("PERF_RECORD_LOST_SAMPLES")


def ends(bench):
    """A recording lasts until its end, although nothing happens there. Without an end mark the report says so."""
    program = build(bench, "idle_end", IDLE_END)
    for options in ((), ("--off-cpu",), ("-z", "--switch-events"), ("-k", "mono"), ("--off-cpu", "--live", "-z")):
        record(bench, "ends", "-e", "cpu-clock", *options, "-d", "1.5", "--", program)
        found = report(bench, "ends")
        # The time until the program begins is not a part of it.
        assert found["seconds"] > 0.5 and found["cpus_busy"] < 0.1, (options, found["seconds"], found["cpus_busy"])
        assert found["ledger"]["end_recorded"] and found["ledger"]["length"] > 0.5e9, (options, found["ledger"])
        assert n_marks(bench, "ends") == 1, options
        if "--off-cpu" in options:
            (row,) = found["ledger"]["threads"]["rows"]
            assert abs(waited(bench, "ends") - row["blocked"]) < 1e6, (waited(bench, "ends"), row)
    bench.run("perf", "record", "-q", "-e", "cpu-clock", "--switch-events", "-o", bench.path("ends"), "timeout", "1", program)
    assert not report(bench, "ends")["ledger"]["end_recorded"], "perf has recorded an end"


def attached_ends(bench):
    """A process that does nothing is recorded from the beginning to the end. One that exits is the end."""
    with subprocess.Popen(["sleep", "60"]) as running:
        record(bench, "attached", "--off-cpu", "-d", "0.5", "-p", str(running.pid))
        running.kill()
    found = report(bench, "attached")
    assert found["seconds"] > 0.2 and found["ledger"]["end_recorded"], found["ledger"]
    assert n_marks(bench, "attached") == 2
    (row,) = found["ledger"]["threads"]["rows"]
    assert row["blocked"] == row["life"] == found["ledger"]["length"], row
    with subprocess.Popen(["sleep", "3"]) as running:
        record(bench, "attached", "--off-cpu", "-p", str(running.pid))
    ledger = report(bench, "attached")["ledger"]
    assert not ledger["end_recorded"] and ledger["threads"]["rows"][0]["span"] in ("to its end", "throughout"), ledger


def kept_switches(bench):
    """Switches are kept with --off-cpu unless they are refused. Waits are the same without them."""
    program = build(bench, "idle_end", IDLE_END)
    for options, n_expected in (((), True), (("--no-switch-events",), False), (("--switch-events", "--no-switch-events"), False)):
        record(bench, "switches", "-e", "cpu-clock", "--off-cpu", *options, "-d", "1.5", "--", program)
        n = bench.run("perf", "script", "-D", "-i", bench.path("switches")).stdout.count(": PERF_RECORD_SWITCH")
        assert (n > 0) == n_expected, (options, n)
        found = report(bench, "switches")
        assert found["ledger"]["switches"] == n_expected, (options, found["ledger"])
        (row,) = found["ledger"]["threads"]["rows"]
        waits = waited(bench, "switches")
        # The wait of a part of a millisecond in which the program was read is counted by both.
        assert abs(row["blocked"] - waits) < 1e6, (options, row, waits)
        if n_expected:
            assert not row["unknown"] and row["running"] > 0.015e9, row


def record_blocked(bench, program, *options, prefix=(), seconds="2", script="exec sleep 60"):
    """Record the program that has two threads blocked while a script runs, and return what the recorder said."""
    with subprocess.Popen([program], stdout=subprocess.PIPE, text=True) as running:
        try:
            running.stdout.readline()
            result = bench.run(*prefix, bench.pdconv, "record", "--off-cpu", "-e", "cpu-clock", *options, "-d", seconds, "-o",
                               bench.path("blocked"), "-p", str(running.pid), "--", "sh", "-c", script, "-", str(running.pid))
        finally:
            running.kill()
    assert result.returncode == 0, result.stderr
    return result.stderr


def stacks_of_waits(bench):
    """Return the functions and periods of all waits."""
    folded = bench.run(bench.pdconv, bench.path("blocked"), "-e", "offcpu-time", "--folded").stdout
    return [(stack.split(";"), int(period)) for stack, period in (line.rsplit(" ", 1) for line in folded.splitlines())]


def blocked(bench):
    """Threads that never run are in the report with all of their time, and where they wait."""
    program = build(bench, "waiter", BLOCKED)
    for options in ((), ("-z", "--live"), ("-k", "mono"), ("-D", "100")):
        said = record_blocked(bench, program, *options)
        assert "no stack" not in said, said
        ledger = report(bench, "blocked")["ledger"]
        assert ledger["length"] > 1e9 and ledger["end_recorded"], (options, ledger)
        assert ledger["thread_total"]["life"] == 3 * ledger["length"], (options, ledger)
        idle = [row for row in ledger["threads"]["rows"] if not row["running"]]
        assert len(idle) == 2 and all(row["blocked"] == ledger["length"] for row in idle), (options, ledger)
        waits = stacks_of_waits(bench)
        for function, callee, base in (("wait_for_work", "pthread_cond_wait", "work"), ("read_input", "read", "input")):
            (found,) = [(stack, ns) for stack, ns in waits if function in stack]
            assert found[1] == ledger["length"], (options, found, ledger["length"])
            at = found[0].index(function)
            assert found[0][at - 1] == base and "start_thread" in found[0], (options, found)
            assert callee in found[0][at + 1], (options, found)
        shown = bench.run("perf", "script", "-F", "tid,event,period", "-i", bench.path("blocked"))
        assert shown.returncode == 0 and shown.stdout.count("offcpu-time") > 2, shown.stderr
    # Files of root say in which functions of the kernel they wait. perf names these as well.
    record_blocked(bench, program, seconds="0.3")
    reading = next(stack for stack, _ in stacks_of_waits(bench) if "read_input" in stack)
    assert any("pipe_read" in function for function in reading) and "vfs_read" in reading, reading


def blocked_by_frame_pointers(bench):
    """
    The callers of functions that need a frame pointer are found if BPF reads the registers. Without it, the functions that
    wait are.
    """
    program = build(bench, "framed", BLOCKED, "-O0", "-fno-omit-frame-pointer")
    has_bpf = "works without BPF" not in bench.run(bench.pdconv, "record", "-o", bench.path("blocked"), "--call-graph", "bpf",
                                                   "--", "true").stderr
    for options in ((), ("--call-graph", "fp")):
        record_blocked(bench, program, *options, seconds="0.3")
        # By frame pointers, the caller of a function that has none is left out.
        stack = next(stack for stack, _ in stacks_of_waits(bench) if "read_input" in stack or "input" in stack)
        assert "start_thread" in stack or not has_bpf, (options, stack)
    record_blocked(bench, program, prefix=("setpriv", "--bounding-set=-bpf,-sys_admin"), seconds="0.3")
    stack = next(stack for stack, _ in stacks_of_waits(bench) if "read_input" in stack)
    assert "vfs_read" not in stack, stack


def blocked_at_first(bench):
    """A thread that wakes while it is recorded has waited since the beginning. A later wait is another one."""
    program = build(bench, "waiter", BLOCKED)
    record_blocked(bench, program, seconds="60", script="sleep 0.3; kill -USR1 $1; sleep 3")
    found = report(bench, "blocked")
    woken = [row for row in found["ledger"]["threads"]["rows"] if row["span"] == "to its end"]
    assert len(woken) == 2, found["ledger"]
    for function in ("wait_for_work", "read_input"):
        ns = max(ns for stack, ns in stacks_of_waits(bench) if function in stack)
        assert 0.3e9 < ns and any(ns <= row["blocked"] + 1e6 for row in woken), (function, ns, woken)


def blocked_unreadable(bench):
    """Without the right to trace, stacks are left out, and the recorder says so."""
    program = build(bench, "waiter", BLOCKED)
    said = record_blocked(bench, program, prefix=("setpriv", "--bounding-set=-sys_ptrace"), seconds="0.3")
    assert "2 threads waited from the beginning and have no stack" in said or \
        "3 threads waited from the beginning and have no stack" in said, said
    ledger = report(bench, "blocked")["ledger"]
    assert ledger["thread_total"]["life"] == 3 * ledger["length"], ledger
    assert not any("wait_for_work" in stack for stack, _ in stacks_of_waits(bench)), "a stack was read"


def delayed_command(bench):
    """What a command did during the delay is not recorded, but its mappings are, and where its processes wait."""
    program = build(bench, "waiter", BLOCKED)
    record(bench, "blocked", "-e", "cpu-clock", "--off-cpu", "-D", "2000", "-d", "3", "--", "sh", "-c",
           f"timeout 6 {program}; true")
    ledger = report(bench, "blocked")["ledger"]
    waits = stacks_of_waits(bench)
    for function in ("wait_for_work", "read_input"):
        (found,) = [(stack, ns) for stack, ns in waits if function in stack]
        assert found[1] == ledger["length"] and "start_thread" in found[0], (found, ledger["length"])
    (shell,) = [(stack, ns) for stack, ns in waits if stack[0] == "sh"]
    assert shell[1] == ledger["length"] and any("wait" in function for function in shell[0]), shell
    result = bench.run(bench.pdconv, bench.path("blocked"), "-e", "cpu-clock", "--folded")
    assert "waiter;_start;" in result.stdout and ";main;compute" in result.stdout, result.stdout


def wakers(bench):
    """The ledger names the thread that wakes another one. The samples have no stacks, whatever the others have."""
    program = build(bench, "wakes", WAKERS)
    for options in (("--off-cpu",), ("--off-cpu", "--live", "-z"), ("--off-cpu", "--call-graph", "fp"), ("--switch-events",)):
        said = record(bench, "wakers", "-e", "cpu-clock", "--wakers", *options, "--", program).stdout
        tid = {name: int(number) for name, number in re.findall(r"(\w+) (\d+)", said)}
        rows = report(bench, "wakers")["ledger"]["wakers"]["rows"]
        ((n, ns),) = [(row["waits"], row["blocked"]) for row in rows
                      if (row["tid"], row["waker_tid"]) == (tid["consumer"], tid["producer"])]
        # A machine that is busy can let the consumer come late, when the work is there already.
        assert 10 <= n <= 110 and ns > 0, (options, n, ns)
        shown = bench.run("perf", "script", "-F", "event,trace,ip", "-i", bench.path("wakers"))
        wakes = re.findall(r"sched_waking: .*\bpid=(\d+)", shown.stdout)
        assert wakes.count(str(tid["consumer"])) >= n, (options, shown.stderr)
    refused = bench.run(bench.pdconv, "record", "--wakers", "-o", bench.path("wakers"), "--", program)
    assert refused.returncode == 2 and "--wakers: needs --off-cpu or --switch-events" in refused.stderr, refused.stderr


CASES = (clocks, ends, attached_ends, kept_switches, blocked, blocked_by_frame_pointers, blocked_at_first,
         blocked_unreadable, delayed_command, wakers)
SLOW = ("ends", "blocked", "attached_ends", "blocked_at_first", "delayed_command", "kept_switches", "wakers")
