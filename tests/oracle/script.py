#!/usr/bin/env python3
"""Compare `pdconv --script` with `perf script`, line by line.

usage: script.py PDCONV TESTDATA WORK [RECORDING...]

Both show recordings of TESTDATA, and new ones made in WORK, with the same options. A line may differ only for
a reason in KNOWN. The RECORDINGs are compared without options.
"""
import collections
import concurrent.futures
import functools
import os
import re
import shutil
import subprocess
import sys

# Reasons why lines differ.
KNOWN = {
    "tracepoint": "perf prints the fields of a tracepoint as the kernel would, pdconv as name=value",
    "version": "perf leaves the version in the name of a symbol",
    "alias": "of symbols with the same address perf chooses another one",
    "return address": "perf looks up the return address, which may be in the next function, or after the last one",
    "deeper": "perf's unwinding ends earlier, for example in programs without position-independent code",
    "mark": "pdconv marks frames found by frame pointers [fp], and cut stacks [truncated]",
    "no file": "pdconv shows process addresses for memory without a file",
    "replaced": "perf looks up samples within execve() in the new program",
    "inlined": "perf 6.1 shows inlined functions only in unwound stacks, pdconv in all",
    "taken for inlined": "perf shows a function as inlined if its symbol and its DWARF name differ",
    "zeroed": "perf takes the .bss of a program, which is anonymous memory, for memory without a name",
    "nameless": "perf names PLT entries without a symbol @plt, or not at all",
    "exited": "a thread that exits has the number -1 or 0: pdconv shows the name of its process",
    "no size": "perf extends a symbol without a size, _init, to the next one",
    "other segment": "perf takes data that a chain leads into to be at the distance of the code from its file offset",
    "generated": "with --kallsyms perf does not name the code of BPF programs",
    "source": "addr2line gives the file of the unit for code from a header, and :0 for some code without lines",
    "cut by perf": "perf shows at most 127 frames",
}

FRAME = re.compile(r"^\t *([0-9a-f]+)(?: (.*?)(?:\+0x([0-9a-f]+))?)?(?: \(([^()]*(?:\([^()]*\))?[^()]*)\))?"
                   r"(?P<mark> \[fp\])?$")

# A page fault: what precedes the name of the data, the name, the file, and the rest.
DATA = re.compile(r"^(.* [0-9a-f]+ )(\S+ \((/[^/].*?|//anon)\))( .*)$")

# Names by perf for code without a symbol.
UNSIZED = {"_init": "no size", "@plt": "nameless"}

SOURCE_LINE = re.compile(r"^  [^ ]+?(:\d+|\[[0-9a-f]+\])( \(inlined\))?$")

Frame = collections.namedtuple("Frame", "addr name offset dso mark")


def is_source(line):
    return bool(SOURCE_LINE.match(line))


def parse_frame(line):
    match = FRAME.match(line)
    if not match:
        return None
    addr, name, offset, dso = match.group(1, 2, 3, 4)
    return Frame(addr, name, None if offset is None else int(offset, 16), dso, match.group("mark"))


def blocks(text):
    """Split text into samples and records: a line, and the lines of its frames and their sources."""
    result = []
    for line in text.splitlines():
        if result and (line.startswith("\t") or is_source(line)):
            result[-1].append(line)
        elif line or not result or not result[-1][0]:
            result.append([line])
    return result


def without_version(name):
    return re.sub(r"@@?[A-Za-z_]+[A-Za-z0-9_.]*", "", name)


@functools.lru_cache(maxsize=None)
def segments(path):
    """Return the offset, address and size in memory of each segment of an ELF file that is loaded."""
    listed = subprocess.run(["readelf", "-lW", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    rows = [line.split() for line in listed.stdout.decode(errors="replace").splitlines()]
    return [(int(row[1], 16), int(row[2], 16), int(row[5], 16)) for row in rows if row[:1] == ["LOAD"]]


def is_in_other_segment(theirs, ours):
    """
    Programs without frame pointers have chains that lead into data. Where one executable mapping was made for all
    segments of a file, perf takes the data to be in that mapping.
    """
    in_file = int(ours.addr, 16)
    distance = int(theirs.addr, 16) - in_file
    return theirs.dso and theirs.dso == ours.dso and any(
        offset <= in_file < offset + size and distance == address - offset
        for offset, address, size in segments(theirs.dso))


def explain_frames(theirs, ours, block):
    if theirs.addr != ours.addr:
        if is_in_other_segment(theirs, ours):
            return "other segment"
        is_no_file = theirs.dso == ours.dso and theirs.dso and not os.path.exists(theirs.dso)
        if is_no_file or theirs.dso == "[vdso]":
            return "no file"
        if (ours.dso or ours.name) == "[unknown]" and any("exec" in line for line in block):
            return "replaced"
        return None
    if theirs._replace(mark=None) == ours._replace(mark=None):
        return "mark"
    if ours.dso == "inlined" or theirs.dso == "inlined":
        return "taken for inlined" if theirs.dso == "inlined" else "inlined"
    if theirs.dso != ours.dso:
        return "generated" if theirs.dso == "[unknown]" and ours.dso.startswith("bpf_prog_") else None
    if without_version(theirs.name) == ours.name and theirs.offset == ours.offset:
        return "version"
    if theirs.offset == 0 and ours.offset != 0 and len(block) > 1:
        return "return address"
    if theirs.name == "[unknown]" and ours.offset and theirs != parse_frame(block[1]):
        return "return address"
    if theirs.name == "[unknown]" and ours.name.endswith("@plt"):
        return "nameless"
    if theirs.offset == ours.offset and "[unknown]" not in (theirs.name, ours.name):
        return "alias"
    if theirs.name in UNSIZED:
        return UNSIZED[theirs.name]
    if ours.name == "[unknown]" and theirs.dso == "[vdso]":
        return "no file"
    return None


def explain_words(theirs, ours):
    name, _, offset = theirs.partition("+0x")
    _, _, our_offset = ours.partition("+0x")
    if without_version(theirs) == ours:
        return "version"
    if name in UNSIZED:
        return UNSIZED[name]
    return "alias" if offset == our_offset and name != "[unknown]" else None


def explain_heads(theirs, ours):
    """Return the reason why lines of samples differ: the tracepoint, or the frame at the end."""
    nameless = re.compile(r"^ *(?::-1|swapper)(?= +(?:\d+/)?(?:-1|0) )")
    if nameless.match(theirs) and theirs != ours:
        name = re.match(r" *(.*?)(?= +(?:\d+/)?(?:-1|0) )", ours)
        rest = nameless.sub("", theirs)
        if name and (ours.endswith(rest) or explain_heads("x" + rest, "x" + ours[name.end():])):
            return "exited"
    event = re.match(r"^(.*? (?:sched|syscalls):[a-z_0-9]+: ?)", theirs)
    if event and ours.startswith(event.group(1).rstrip()):
        return "tracepoint"
    anonymous, in_file = DATA.match(theirs), DATA.match(ours)
    if anonymous and in_file and anonymous.group(2) == "[unknown] (//anon)" and in_file.group(3):
        same = anonymous.group(1) == in_file.group(1) and anonymous.group(4) == in_file.group(4)
        return "zeroed" if same else None
    if len(theirs.split()) != len(ours.split()):
        return None
    kinds = [explain_words(*pair) for pair in zip(theirs.split(), ours.split()) if pair[0] != pair[1]]
    return None if None in kinds else kinds[0]


def explain(theirs, ours, block):
    if is_source(theirs) or is_source(ours):
        return "source"
    a, b = parse_frame(theirs), parse_frame(ours)
    if a and b:
        return explain_frames(a, b, block)
    return explain_heads(theirs, ours)


def compare_blocks(theirs, ours):
    """Yield (reason, their line, our line): "" for equal lines, None for no known reason."""
    if ours[-1].lstrip().startswith("0 [truncated]"):
        yield "mark", "", ours.pop()
    a, b = list(theirs), list(ours)
    while a or b:
        if a and b and a[0] == b[0]:
            yield "", a.pop(0), b.pop(0)
        elif b and (not a or len(b) > len(a)) and b[0].endswith("(inlined)"):
            yield "inlined", "", b.pop(0)
        elif not a:
            yield "cut by perf" if len(theirs) == 128 else "deeper", "", b.pop(0)
        elif not b:
            name = "source" if is_source(a[0]) else None
            yield name, a.pop(0), ""
        elif is_source(a[0]) != is_source(b[0]):
            yield "source", *((a.pop(0), "") if is_source(a[0]) else ("", b.pop(0)))
        else:
            name = explain(a[0], b[0], theirs)
            yield name, a.pop(0), b.pop(0)


def run(command):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                            timeout=240)
    return result.returncode, result.stdout.decode(errors="replace"), result.stderr.decode(errors="replace")


def compare(pdconv, title, path, options):
    """Return true if every difference has a reason. Print how many lines are equal."""
    code, theirs, their_errors = run(["perf", "script", "-i", path, *options])
    our_code, ours, our_errors = run([pdconv, path, "--script", "-q", *options])
    if (code == 0) != (our_code == 0):
        print(f"{title}: status {our_code}, perf's {code}\n{our_errors}{their_errors}")
        return False
    theirs, ours = blocks(theirs), blocks(ours)
    if len(theirs) != len(ours):
        print(f"{title}: {len(ours)} samples and records, perf has {len(theirs)}")
        return False
    counts = collections.Counter()
    n = n_equal = 0
    for a, b in zip(theirs, ours):
        for name, their_line, our_line in compare_blocks(a, b):
            n += 1
            n_equal += name == ""
            counts[name] += 1
            if name is None and counts[None] <= 3:
                print(f"{title}: in {a[0]}\n  perf  {their_line!r}\n  ours  {our_line!r}")
    kinds = ", ".join(f"{count} {name}" for name, count in counts.most_common() if name)
    print(f"{title}: {100 * n_equal / max(n, 1):.2f} % of {n} lines are equal{'; ' + kinds if kinds else ''}")
    if counts[None]:
        print(f"{title}: {counts[None]} lines differ without a reason")
    return not counts[None]


# Recordings in testdata, and their programs.
TESTDATA = {
    "nested": "nested", "fp": "fp", "group": "nested", "signal": "signal", "forkexec": "forkexec",
    "threads": "threads", "cxx": "cxx", "deep": "deep", "tracepoints": "forkexec", "piped": "nested",
    "compressed": "nested", "parallel": "threads",
}

# Recordings made here: options of perf record, and sets of options to compare in addition to none.
PROGRAM = "PROGRAM"
EVENTS = ["--show-task-events", "--show-mmap-events", "--show-switch-events", "--show-lost-events"]
RECORDINGS = {
    "flat": (["-e", "cpu-clock", "-F", "499", PROGRAM],
             [["-F", "comm,pid,tid,time,event,ip,sym,dso"], ["-F", "+srcline"], ["-F", "+flags,-comm"], ["--ns"],
              ["--header"], EVENTS]),
    "graph": (["-e", "cpu-clock", "-F", "499", "-g", PROGRAM],
              [["-G"], ["-F", "ip,sym"], ["-F", "+srcline"], ["-F", "-ip"], ["-F", "+pid,-symoff"], EVENTS]),
    "unwound": (["-e", "cpu-clock:u", "-F", "499", "--call-graph", "dwarf,16384", PROGRAM],
                [["-F", "+uregs"], ["-F", "+srcline"], ["--header"]]),
    "two": (["-e", "cpu-clock,page-faults", "-d", PROGRAM], [["-F", "+addr"], ["-F", "addr,ip,event"]]),
    "faults": (["-e", "page-faults:u", "-c", "1", "-d", PROGRAM], [["-F", "+addr"], ["-F", "ip,addr,sym,symoff,dso"]]),
    "registers": (["-e", "cpu-clock:u", "-I", PROGRAM], [["-F", "+iregs"], ["-F", "ip,iregs"]]),
    "all": (["-a", "-e", "cpu-clock", "-g", "--switch-events", PROGRAM],
            [EVENTS, ["-F", "cpu,time,comm"], ["-F", "trace:comm"]]),
    "traces": (["-a", "-e", "sched:*", "ls", "-R", "/usr/include/linux"],
               [["-F", "comm,tid,cpu,time,event"], ["-F", "+ip"], ["-F", "trace:event,ip,sym"]]),
    "traced-graph": (["-a", "-g", "-e", "sched:sched_switch,cpu-clock", "ls", "-R", "/usr/include/linux"],
                     [["-F", "trace:event,ip,sym,symoff"], ["-F", "sw:time"]]),
    "piped": (["-e", "cpu-clock", "-g", PROGRAM], [["--header"]]),
}

SOURCE = r"""
#include <stdlib.h>
#include <string.h>
static volatile long sum;
static volatile long filled[40 * 512] = { 1 };
static volatile long zeroed[40 * 512];
static const volatile long fixed[40 * 512] = { 1 };
static inline __attribute__((always_inline)) long mix(long n)
{
	long ret = 0;

	for (int i = 0; i < 300; i++)
		ret += (n ^ i) * 7;
	return ret;
}
static __attribute__((noinline)) void leaf(long n)
{
	for (long i = 0; i < n; i++)
		sum += mix(i);
}
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static __attribute__((noinline)) void copies(void)
{
	char *volatile copy;

	for (int i = 0; i < 30 * 1000 * 1000; i++) {
		copy = strdup("x");
		free(copy);
	}
}
int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1) {
		copies();
		return 0;
	}
	for (int k = 0; k < 25; k++) {
		filled[k * 512] = zeroed[k * 512]++ + fixed[k * 512];
		int *list = malloc(4 * 20000);

		leaf(2000);
		for (int i = 0; i < 20000; i++)
			list[i] = rand();
		qsort(list, 20000, 4, compare);
		free(list);
	}
	return 0;
}
"""


def record(work, name, arguments):
    """Record, and return the path, or None if an event is not available here."""
    path = os.path.join(work, name + ".script.data")
    program = os.path.join(work, "script-program")
    arguments = [program if word == PROGRAM else word for word in arguments]
    # With events of BPF programs perf 6.1 waits a second at its end.
    without = [] if name == "all" else ["--no-bpf-event"]
    command = ["perf", "record", "-q", *without, "-o", "-" if name == "piped" else path, *arguments]
    with open(path if name == "piped" else os.devnull, "wb") as out:
        result = subprocess.run(command, stdout=out, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    return path if result.returncode == 0 and os.path.getsize(path) else None


def build_program(work):
    with open(os.path.join(work, "script-program.c"), "w") as out:
        out.write(SOURCE)
    subprocess.run(["cc", "-O2", "-g", "-o", os.path.join(work, "script-program"),
                    os.path.join(work, "script-program.c")], check=True)


def testdata_comparisons(testdata, work):
    """Yield title, recording and options of each comparison."""
    root = os.path.join(work, "script-root")
    home = os.path.join(root, "tmp/pdconv-testdata")
    os.makedirs(home, exist_ok=True)
    for name, program in TESTDATA.items():
        shutil.copy(os.path.join(testdata, program, program), home)
        if program == "forkexec":
            shutil.copy(os.path.join(testdata, program, "renamed"), home)
        path = os.path.join(testdata, name, "perf.data")
        yield name, path, ["--no-inline", "--symfs", root]
    kallsyms = os.path.join(testdata, "bpf/kallsyms")
    yield "bpf", os.path.join(testdata, "bpf/perf.data"), ["--no-inline", "--kallsyms", kallsyms]


def new_comparisons(work):
    """Record, and yield title, recording and options of each comparison."""
    build_program(work)
    for name, (arguments, ways) in RECORDINGS.items():
        path = record(work, name, arguments)
        if not path:
            continue
        for options in [[], *ways]:
            title = " ".join(["new", name, *options])
            yield title, path, ["--no-inline", *options]
    yield "new unwound, inlined", os.path.join(work, "unwound.script.data"), []


def main():
    pdconv, testdata, work, *others = sys.argv[1:]
    comparisons = [(path, path, ["--no-inline"]) for path in others]
    comparisons += testdata_comparisons(testdata, work)
    comparisons += new_comparisons(work)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return 0 if all(list(pool.map(lambda words: compare(pdconv, *words), comparisons))) else 1


if __name__ == "__main__":
    sys.exit(main())
