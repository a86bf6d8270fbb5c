#!/usr/bin/env python3
"""Compare how perf shows recordings whose captured stacks became call chains, and the originals.

usage: perfdata.py PDCONV REWRITE

Records a program with a secret on its stack. For the output of `pdconv -f perfdata`, `perf report` must print
the same to the last digit and `perf script` the same chains, and the secret must be gone. This is repeated
with every option, for a stream, a compressed recording, and a directory of `perf record --threads`. Prints
sizes, and each difference.

One difference is expected: where a signal handler returns to, perf 6.1 looks up the byte before the address,
and prints [unknown]. For call chains it looks up the address in the chain.
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

SECRET = b"hunter2-correct-horse"

# Recursion of several depths, with an argument under a signal handler. Libraries run only for moments: perf loses the
# outer frames of some samples in qsort, and pdconv cannot unwind the vDSO of a stream, which is not identified there.
PROGRAM = r"""
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>

static volatile uint64_t sink;

static __attribute__((noinline)) void spin(int n)
{
	for (int i = 0; i < n; i++)
		sink += (sink << 3) ^ (uint64_t)i;
}

static void on_alarm(int signal)
{
	(void)signal;
	spin(2000000);
}

static __attribute__((noinline)) int compare(const int *a, const int *b)
{
	spin(3);
	return *a - *b;
}

static __attribute__((noinline)) void sort(int (*is_less)(const int *a, const int *b))
{
	int list[100];

	for (int i = 0; i < 100; i++) {
		int value = i * 7919 % 1009, at = i;

		for (; at && is_less(&value, &list[at - 1]) < 0; at--)
			list[at] = list[at - 1];
		list[at] = value;
	}
	sink += (uint64_t)list[7];
}

static __attribute__((noinline)) void dive(int depth, const char *password)
{
	char secret[64];

	strcpy(secret, password);
	if (depth)
		dive(depth - 1, secret);
	else
		sort(compare);
	spin(100);
	sink += (uint64_t)secret[depth % 8];
}

int main(int argc, char **argv)
{
	const struct itimerval every = { { 0, 50000 }, { 0, 50000 } };
	char secret[64] = "hunter2-";

	strcat(secret, "correct-horse");
	signal(SIGALRM, on_alarm);
	(void)argv;
	if (argc > 1)
		setitimer(ITIMER_REAL, &every, NULL);
	for (int i = 0; i < 60000; i++)
		dive(i % 40, secret);
	return 0;
}
"""

REPORTS = (
    ("--children",),
    ("--no-children",),
    ("--no-children", "-g", "caller,0,callee,function,percent"),
    ("--no-children", "--sort", "comm,dso,sym,srcline", "-g", "none"),
)


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, timeout=250, **options)


def perf(*command):
    """Return the output of perf without its comment lines."""
    done = run("perf", *command, capture_output=True)
    return [line for line in done.stdout.decode(errors="replace").splitlines() if not line.startswith("#")]


def reports(recording):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda options: perf("report", "--stdio", "--no-inline", *options, "-i", recording), REPORTS))


def chains(recording):
    return perf("script", "--no-inline", "-F", "comm,tid,time,event,ip,sym,dso", "-i", recording)


def first_difference(ours, theirs):
    for i, (a, b) in enumerate(zip(ours, theirs)):
        if a != b:
            return f"line {i}: {a!r}, the original has {b!r}"
    return f"{len(ours)} lines, the original has {len(theirs)}"


class Check:
    def __init__(self, pdconv, rewrite, work):
        self.pdconv = pdconv
        self.rewrite = rewrite
        self.work = work
        self.wrong = 0

    def report(self, name, what):
        print(f"{name}: {what}")
        self.wrong += 1

    def convert(self, name, recording, *options, **streams):
        output = self.work / f"{name}.resolved.data"
        run(self.pdconv, recording, "-f", "perfdata", "-o", output, *options, stderr=subprocess.DEVNULL, **streams)
        return output

    def as_file(self, recording):
        """Return the recording as an uncompressed file."""
        plain = self.work / "plain.data"
        run(self.rewrite, recording, plain, "--file", stdout=subprocess.DEVNULL)
        return plain

    def bare(self, name, recording, output):
        """Print the sizes, and expect that the secret is gone."""
        before, after = size(recording), size(output)
        print(f"{name}: {before} bytes became {after}, {after / before:.3f} of it")
        if SECRET in output.read_bytes() or SECRET in self.as_file(output).read_bytes():
            self.report(name, "the secret is still there")

    def same(self, name, output, wanted_reports, wanted_chains):
        found = chains(output)
        if not found or found != wanted_chains:
            self.report(name, f"perf script: {first_difference(found, wanted_chains)}")
        for options, ours, theirs in zip(REPORTS, reports(output), wanted_reports):
            if not ours or ours != theirs:
                self.report(name, f"perf report {' '.join(options)}: {first_difference(ours, theirs)}")

    def again(self, name, output):
        """Expect that a second conversion changes nothing."""
        twice = self.convert(name + "-twice", output)
        if twice.read_bytes() != output.read_bytes():
            self.report(name, "changes when it is converted again")


def size(path):
    return sum(file.stat().st_size for file in path.rglob("*")) if path.is_dir() else path.stat().st_size


def record(work, program):
    """Record the program in every container."""
    options = ("-q", "-e", "cpu-clock:u", "-F", "999", "--call-graph", "dwarf,16384")
    recordings = {}
    for name, more in (("file", ()), ("compressed", ("-z",)), ("threads", ("--threads",))):
        recordings[name] = work / f"{name}.data"
        run("perf", "record", *options, *more, "-o", recordings[name], program,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    recordings["stream"] = work / "stream.data"
    with open(recordings["stream"], "wb") as stream:
        run("perf", "record", *options, "-o", "-", program, stdout=stream, stderr=subprocess.DEVNULL)
    return recordings


def check_signals(check, work, program):
    """Compare stacks under a signal handler. perf 6.1 looks up one byte too early what the handler returns to, 7.2 does not."""
    recording = work / "signals.data"
    run("perf", "record", "-q", "-e", "cpu-clock:u", "-F", "999", "--call-graph", "dwarf,16384",
        "-o", recording, program, "signals", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    output = check.convert("signals", recording)
    check.bare("signals", recording, output)
    returns = 0
    for ours, theirs in zip(chains(output), chains(recording), strict=True):
        if ours == theirs:
            returns += "__restore_rt" in ours
            continue
        (place, name), (before, unknown) = ours.split()[:2], theirs.split()[:2]
        returns += 1
        if int(place, 16) != int(before, 16) + 1 or (name, unknown) != ("__restore_rt", "[unknown]"):
            check.report("signals", f"perf script: {ours!r}, the original has {theirs!r}")
    if not returns:
        check.report("signals", "no handler was interrupted")


def check_options(check, recording, wanted):
    for name, options in (("packed", ("-z",)), ("packed-19", ("--compress=19",)),
                          ("stripped", ("--strip-hostname", "--strip-cmdline"))):
        output = check.convert(name, recording, *options)
        check.bare(name, recording, output)
        check.same(name, output, *wanted)
    header = "\n".join(run("perf", "report", "--header-only", "-i", output, capture_output=True, text=True).stdout.splitlines())
    if "hostname" in header or "cmdline" in header:
        check.report(name, "hostname or cmdline are still there")
    kept = check.convert("kept", recording, "--keep-stacks")
    if SECRET not in kept.read_bytes():
        check.report("kept", "stacks are not there")


def check_pipes(check, recording, wanted, wanted_of_stream):
    """Convert from standard input, and to a pipe, which gets a stream."""
    with open(recording, "rb") as stream:
        cat = subprocess.Popen(["cat"], stdin=stream, stdout=subprocess.PIPE)
        output = check.convert("stdin", "-", stdin=cat.stdout)
        cat.wait()
    check.bare("stdin", recording, output)
    check.same("stdin", output, *wanted)
    for name, options in (("stdout", ()), ("stdout-packed", ("-z",))):
        piped = check.work / f"{name}.stream.data"
        done = run(check.pdconv, recording, "-f", "perfdata", "-q", *options, capture_output=True)
        piped.write_bytes(done.stdout)
        check.bare(name, recording, piped)
        check.same(name, piped, *wanted_of_stream)


def main():
    os.environ["PERF_BUILDID_DIR"] = os.environ["DEBUGINFOD_URLS"] = ""
    with tempfile.TemporaryDirectory() as directory:
        work = pathlib.Path(directory)
        source, program = work / "program.c", work / "program"
        source.write_text(PROGRAM)
        run("cc", "-g", "-O1", "-fno-optimize-sibling-calls", "-o", program, source)
        check = Check(*(pathlib.Path(arg).resolve() for arg in sys.argv[1:3]), work)
        check_signals(check, work, program)
        for name, recording in record(work, program).items():
            if os.environ.get("QUICK") and name != "stream":
                continue
            # perf shows streams and files differently.
            original = check.as_file(recording) if name == "stream" else recording
            wanted = reports(original), chains(original)
            if SECRET not in check.as_file(recording).read_bytes():
                check.report(name, "the secret was never there")
            output = check.convert(name, recording)
            check.bare(name, recording, output)
            check.same(name, output, *wanted)
            check.again(name, output)
            if name == "file":
                check_options(check, recording, wanted)
            if name == "stream":
                check_pipes(check, recording, wanted, (reports(recording), chains(recording)))
    return 1 if check.wrong else 0


sys.exit(main())
