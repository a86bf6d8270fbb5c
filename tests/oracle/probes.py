"""Check stacks of a program with a uprobe at the first instruction of a function, and with a return probe there.

usage: probes.py PDCONV
"""
import collections
import os
import pathlib
import subprocess
import sys
import tempfile

EVENTS = pathlib.Path("/sys/kernel/tracing/uprobe_events")
SOURCE = """
#include <time.h>
static volatile unsigned long s;
__attribute__((noinline)) int leaf(int n) { return n + 1; }
__attribute__((noinline)) int inner(int n) { for (int i = 0; i < WORK; i++) s += i; return leaf(n) + 1; }
__attribute__((noinline)) int outer(int n) { return inner(n) + 1; }
int main(void)
{
    clock_t end = clock() + CLOCKS_PER_SEC / 2;
    while (clock() < end)
        for (int i = 0; i < 50; i++)
            s += outer(i);
    return 0;
}
"""


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True)


def change_probes(line):
    fd = os.open(EVENTS, os.O_WRONLY | os.O_APPEND)
    try:
        os.write(fd, line.encode())
    finally:
        os.close(fd)


def record(folder, name, kind, function, work):
    """Record a program with a probe of a kind, p or r, at a function. Return the recording."""
    program, data = folder / name, folder / f"{name}.data"
    source = folder / f"{name}.c"
    source.write_text(SOURCE)
    run("gcc", "-O1", "-fno-optimize-sibling-calls", f"-DWORK={work}", "-o", program, source)
    address = next(line.split()[0] for line in run("nm", program).stdout.splitlines() if line.endswith(f" T {function}"))
    change_probes(f"{kind}:pdconv_test/{name} {program}:{int(address, 16):#x}\n")
    try:
        run("perf", "record", "-q", "-e", "cpu-clock", "-F", "999", "--call-graph", "dwarf,4096", "-e",
            f"pdconv_test:{name}", "-o", data, program)
    finally:
        change_probes(f"-:pdconv_test/{name}\n")
    return data


def chains(pdconv, data, leaf):
    """Count the chains of the clock event that begin with a frame of which the text has a name."""
    text = run(pdconv, data, "--event", "cpu-clock", "--no-kernel", "--script", "-F", "ip,sym,dso").stdout
    found = collections.Counter()
    for block in text.split("\n\n"):
        frames = [line.split(None, 1)[1] for line in block.strip("\n").split("\n") if line.startswith("\t")]
        if frames and leaf in frames[0]:
            found[tuple(frame.split()[0] for frame in frames)] += 1
    return found


def expect(title, ok, what):
    if not ok:
        sys.exit(f"{title}: {what}")
    print(f"{title}: right")


def main():
    pdconv = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        os.environ["HOME"] = name
        found = chains(pdconv, record(folder, "entry", "p", "leaf", 1), "[uprobes]")
        right = sum(n for chain, n in found.items() if chain[1:4] == ("inner", "outer", "main"))
        expect("copied instruction", right > 20 and right == sum(found.values()), found)
        data = record(folder, "left", "r", "inner", 40000)
        found = chains(pdconv, data, "inner")
        right = sum(n for chain, n in found.items() if chain == ("inner", "[uretprobe]"))
        # Before the kernel has replaced the address and after the function has it, nothing is hidden.
        expect("return probe", right > 0.9 * sum(found.values()) > 100, found)
        report = run(pdconv, data, "--event", "cpu-clock").stdout
        expect("advice", "end at a return probe" in report, report)


main()
