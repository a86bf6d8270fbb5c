#!/usr/bin/env python3
"""Compare `pdconv --script` with `perf script`, line by line.

usage: script.py PDCONV TESTDATA WORK [RECORDING...]

Both show recordings of TESTDATA, and new ones made in WORK, with the same options. A line may differ only for
a reason in KNOWN. The RECORDINGs are compared without options.
"""
import collections
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys

import aliases
import perfs

# Reasons why lines differ.
KNOWN = {
    "version": "perf leaves the version in the name of a symbol",
    "alias": "of symbols with the same address perf chooses one that is not weak, and longer",
    "return address": "perf looks up the return address, which may be in the next function, or after the last one",
    "deeper": "perf's unwinding ends earlier, for example in programs without position-independent code",
    "mark": "pdconv marks frames found by frame pointers [fp], and cut stacks [truncated]",
    "no file": "pdconv has no file for the names in [vdso]",
    "replaced": "perf looks up samples within execve() in the new program",
    "inlined": "perf 6.1 shows inlined functions only in unwound stacks, pdconv in all",
    "taken for inlined": "perf shows a function as inlined if its symbol and its DWARF name differ",
    "zeroed": "perf takes the .bss of a program, which is anonymous memory, for memory without a name",
    "nameless": "perf names PLT entries without a symbol @plt, or not at all",
    "numbered": "perf 6.1 numbers PLT entries by their relocations, which are in another order where functions are chosen at run time",
    "made": "perf has no name for functions without symbols, pdconv that of the file and the first byte",
    "unnamed": "perf shows the number of a thread that has no name yet, pdconv the name that it gets",
    "elsewhere": "the process has another root directory, in which perf looks while it exists",
    "exited": "a thread that exits has the number -1 or 0: pdconv shows the name of its process",
    "no size": "perf extends a symbol without a size, _init, to the next one",
    "generated": "with --kallsyms perf does not name the code of BPF programs",
    "source": "addr2line gives the file of the unit for code from a header, and :0 for some code without lines",
    "data": "perf gives a frame at an address of data the name of the variable, pdconv none",
    "cut by perf": "perf shows at most 127 frames",
}

FRAME = re.compile(r"^\t *([0-9a-f]+)(?: (.*?)(?:\+0x([0-9a-f]+))?)?(?: \(([^()]*(?:\([^()]*\))?[^()]*)\))?"
                   r"(?P<mark> \[fp\])?$")

# A page fault: what precedes the name of the data, the name, the file, and the rest.
DATA = re.compile(r"^(.* [0-9a-f]+ )(\S+ \((/[^/].*?|//anon)\))( .*)$")

# Begins of the names of memory without a file.
NO_FILE = ("//anon", "/anon_hugepage", "/dev/zero", "/SYSV")

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


def processes_elsewhere():
    """Return the processes that see another file system, for example in a container."""
    def root(pid):
        try:
            return os.stat(f"/proc/{pid}/ns/mnt").st_ino
        except OSError:
            return None

    own = root("self")
    return {int(pid) for pid in os.listdir("/proc") if pid.isdigit() and root(pid) not in (own, None)}


# Processes with another file system, by recording, while that was made.
ELSEWHERE = {}


class Recording:
    """What explains differences in a recording."""

    def __init__(self, path, options):
        self.path, self.options = path, options
        self.symfs = options[options.index("--symfs") + 1] if "--symfs" in options else ""
        text = run(["perf", "script", "-i", path, "--show-mmap-events", "-F", "comm"])[1]
        found = re.findall(r"PERF_RECORD_MMAP2? .*\[0x([0-9a-f]+)\(0x([0-9a-f]+)\) @ (?:0x)?([0-9a-f]+)[^\]]*\]: \S+ (.*)",
                           text)
        # Start, size and offset of the mappings in which perf 6.1 prints offsets, by their names.
        self.mappings = collections.defaultdict(set)
        for start, size, offset, name in found:
            if name == "[vdso]" or name.startswith("/") and not name.startswith(NO_FILE):
                self.mappings[name].add((int(start, 16), int(size, 16), int(offset, 16)))

    def is_at(self, addr, dso, offset):
        """Return true if an address is at an offset of a file, or of any."""
        names = [dso] if dso and dso != "inlined" else self.mappings
        return any(start <= addr < start + size and offset == addr - start + begin
                   for name in names for start, size, begin in self.mappings.get(name, ()))

    def are_aliases(self, dso, one, other):
        """Return true if both are names of one address in a file, or in any."""
        return any(aliases.are_same(self.symfs + name, one, other) for name in ([dso] if dso else self.mappings))

    def is_entry(self, dso, addr, name):
        """Return true if an address, of the process or in the file, is that of an entry of the PLT that calls the function NAME."""
        places = {addr} | {addr - start + begin for start, size, begin in self.mappings.get(dso, ()) if start <= addr < start + size}
        return any(aliases.is_entry_of(self.symfs + dso, place, name) for place in places)

    def blocks_elsewhere(self):
        """Return for each block whether it is of a process that sees another file system, or that one has forked."""
        found = set(ELSEWHERE.get(self.path, ()))
        if not found:
            return None
        text = run(["perf", "script", "-i", self.path, "--show-task-events", "-F", "comm"])[1]
        for child, parent in re.findall(r"PERF_RECORD_FORK\((\d+):\d+\):\((\d+):\d+\)", text):
            if int(parent) in found:
                found.add(int(child))
        options = [word for i, word in enumerate(self.options) if word != "-F" and self.options[i - 1] != "-F"]
        text = run(["perf", "script", "-i", self.path, *options, "-F", "pid,ip"])[1]
        pids = [re.match(r" *(-?\d+)", block[0]) for block in blocks(text)]
        return [bool(pid) and int(pid[1]) in found for pid in pids]


def with_offset(theirs, ours, recording):
    """Return our line with the offset that perf 6.1 prints, if it prints that of the same place in the file."""
    a, b = parse_frame(theirs), parse_frame(ours)
    if not a or not b or a.addr == b.addr or not recording.is_at(int(b.addr, 16), a.dso, int(a.addr, 16)):
        return ours
    return f"\t{a.addr:>16}{ours[17:]}"


def with_id_width(theirs, ours):
    """Return our line with its process and thread padded as in perf 6.1, where perf's line has them, or else before a time."""
    lines = []
    for match in re.finditer(r"(?<![^ ])(?= *-?\d)(?P<id>[ \d-]{6}\d)(?:/(?P<tid>-?\d[ \d]{6}))? (?P<next>\[\d| *\d+\.)?",
                             ours):
        text = match["id"].strip().rjust(5) + ("/" + match["tid"].strip().ljust(5) if match["tid"] else "") + " "
        begin = ours[:match.start()] + text
        line = begin + ours[match.start() + 8 * (2 if match["tid"] else 1):]
        lines.append((theirs.startswith(begin), bool(match["next"]), line))
    best = max(lines, default=(False, False, ours))
    return best[2] if any(best[:2]) else ours


def without_names_of_numbers(ours):
    """Return our line of an event in the header as perf 6.1 prints it."""
    plain = re.sub(r", (type|config) = (\w+) \([^()]*\)", r", \1 = \2", ours)
    return re.sub(r", (type|config) = 0(?=,|$)", "", plain)


def is_made(ours):
    """Return true if the name is that of the file and an address, which parse_frame() may take for an offset."""
    base = re.escape(os.path.basename(ours.dso).split(" ")[0]) if ours.dso else ".*"
    return ours.offset is not None and re.fullmatch(base + r"(\+0x[0-9a-f]+)?", ours.name)


def explain_frames(theirs, ours, block, recording):
    if theirs.addr != ours.addr:
        return None
    if theirs.name == "[unknown]" and theirs.dso == ours.dso and is_made(ours):
        return "made"
    if theirs._replace(mark=None) == ours._replace(mark=None):
        return "mark"
    if ours.dso == "inlined" or theirs.dso == "inlined":
        return "taken for inlined" if theirs.dso == "inlined" else "inlined"
    if (ours.dso or ours.name) == "[unknown]" and any("exec" in line for line in block):
        return "replaced"
    if theirs.dso != ours.dso:
        return "generated" if theirs.dso == "[unknown]" and ours.dso.startswith("bpf_prog_") else None
    if aliases.unversioned(theirs.name) == ours.name and theirs.offset == ours.offset:
        return "version"
    if theirs.offset == 0 and ours.offset != 0 and len(block) > 1:
        return "return address"
    if theirs.name == "[unknown]" and ours.offset and theirs != parse_frame(block[1]):
        return "return address"
    if theirs.name == "[unknown]" and ours.name.endswith("@plt"):
        return "nameless"
    if theirs.name.endswith("@plt") and ours.name.endswith("@plt") and recording.is_entry(ours.dso, int(ours.addr, 16), ours.name):
        return "numbered"
    if theirs.offset == ours.offset and recording.are_aliases(theirs.dso, theirs.name, ours.name):
        return "alias"
    if theirs.name in UNSIZED:
        return UNSIZED[theirs.name]
    if ours.name == "[unknown]" and theirs.dso == "[vdso]":
        return "no file"
    if ours.name == "[unknown]" and theirs.dso and theirs.name in aliases.data(recording.symfs + theirs.dso):
        return "data"
    return None


def explain_words(theirs, ours, recording):
    name, _, offset = theirs.partition("+0x")
    our_name, _, our_offset = ours.partition("+0x")
    if aliases.unversioned(theirs) == ours:
        return "version"
    if name in UNSIZED:
        return UNSIZED[name]
    return "alias" if offset == our_offset and recording.are_aliases(None, name, our_name) else None


def explain_heads(theirs, ours, recording):
    """Return the reason why lines of samples differ."""
    unnamed = re.match(r" *:(\d+)(?= )( +(?:\d+/ *)?\1 )?", theirs)
    if unnamed and not ours.lstrip().startswith(":"):
        rest, at = theirs[unnamed.end():], ours.find(unnamed[2] or theirs[unnamed.end():])
        our_rest = ours[at + len(unnamed[2] or ""):]
        if at > 0 and (our_rest == rest or explain_heads("x" + rest, "x" + our_rest, recording)):
            return "unnamed"
    # The number of the thread may not be shown, but in a name like ":-1".
    nameless = re.compile(r"^ *(?::-1(?= )|swapper(?= +(?:\d+/)?(?:-1|0) ))")
    if nameless.match(theirs) and theirs != ours:
        name = re.match(r" *(.*?)(?= +(?:\d+/)?(?:-1|0) )", ours)
        rest = nameless.sub("", theirs)
        if ours.endswith(rest) or name and explain_heads("x" + rest, "x" + ours[name.end():], recording):
            return "exited"
    anonymous, in_file = DATA.match(theirs), DATA.match(ours)
    if anonymous and in_file and anonymous.group(2) == "[unknown] (//anon)" and in_file.group(3):
        same = anonymous.group(1) == in_file.group(1) and (
            anonymous.group(4) == in_file.group(4) or explain_heads(anonymous.group(4), in_file.group(4), recording))
        return "zeroed" if same else None
    if len(theirs.split()) != len(ours.split()):
        return None
    kinds = [explain_words(*pair, recording) for pair in zip(theirs.split(), ours.split()) if pair[0] != pair[1]]
    return None if None in kinds or not kinds else kinds[0]


def explain(theirs, ours, block, recording):
    if is_source(theirs) or is_source(ours):
        return "source"
    a, b = parse_frame(theirs), parse_frame(ours)
    if a and b:
        return explain_frames(a, b, block, recording)
    return explain_heads(theirs, ours, recording)


def compare_blocks(theirs, ours, recording):
    """Yield (reason, their line, our line): "" for equal lines, None for no known reason."""
    if ours[-1].lstrip().startswith("0 [truncated]"):
        yield "mark", "", ours.pop()
    a, b = list(theirs), list(ours)
    while a or b:
        if a and b and perfs.prints_file_offsets():
            b[0] = with_offset(a[0], b[0], recording)
        if a and b and perfs.id_width() == 5 and not parse_frame(b[0]):
            b[0] = with_id_width(a[0], b[0])
        if b and b[0].startswith("# event : ") and not perfs.names_numbers():
            b[0] = without_names_of_numbers(b[0])
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
            name = explain(a[0], b[0], theirs, recording)
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
    recording = Recording(path, options)
    elsewhere = recording.blocks_elsewhere()
    if elsewhere and len(elsewhere) != len(theirs):
        print(f"{title}: {len(elsewhere)} processes of {len(theirs)} samples and records")
        return False
    for i, (a, b) in enumerate(zip(theirs, ours)):
        if elsewhere and elsewhere[i] and a != b:
            counts["elsewhere"] += 1
            continue
        for name, their_line, our_line in compare_blocks(a, b, recording):
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

# Compared in a quick run, each recording with its first set of options.
QUICK_TESTDATA = ("fp", "cxx", "forkexec")
QUICK_RECORDINGS = ("graph", "unwound", "faults", "traces")

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
    more = [] if name == "all" else ["--no-bpf-event"]
    # Processes with another root directory have other files at the same paths.
    more += ["--buildid-mmap"] if "-a" in arguments else []
    command = ["perf", "record", "-q", *more, "-o", "-" if name == "piped" else path, *arguments]
    elsewhere = processes_elsewhere()
    with open(path if name == "piped" else os.devnull, "wb") as out:
        result = subprocess.run(command, stdout=out, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    if "-a" in arguments:
        ELSEWHERE[path] = elsewhere | processes_elsewhere()
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
        if os.environ.get("QUICK") and name not in QUICK_TESTDATA:
            continue
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
        if os.environ.get("QUICK"):
            if name not in QUICK_RECORDINGS:
                continue
            ways = ways[:1]
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
