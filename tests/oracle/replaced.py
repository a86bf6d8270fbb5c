"""Check names of programs whose path had two files while perf recorded: its header has one build id per path.

usage: replaced.py PDCONV

The functions of each program show which one it is. Both run at the same path: the second file replaces the
first one that still runs, or one of them has another root directory. No sample may have a function of the other file.
"""
import collections
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = """
#include <time.h>
static volatile unsigned long x;
PADDING
__attribute__((noinline)) void NAME_leaf(void) { for (int i = 0; i < 20000; i++) x += i ^ NUMBER; }
__attribute__((noinline)) void NAME_outer(void) { NAME_leaf(); x++; }
int main(int n, char **arguments)
{
    clock_t end = clock() + CLOCKS_PER_SEC / 2;
    PADDED
    while (clock() < end)
        NAME_outer();
    return n > 9 && arguments;
}
"""


def build(folder, name, n_padding):
    """Compile a program with functions of its own name, behind code of n_padding * 1024 bytes."""
    padding = "__attribute__((noinline)) void pad(void) { __asm__ volatile(\".skip %d, 0x90\"); }" % (n_padding * 1024)
    text = SOURCE.replace("PADDING", padding if n_padding else "").replace("PADDED", "pad();" if n_padding else "")
    source = folder / f"{name}.c"
    # Build ids depend on the code, not on its names.
    source.write_text(text.replace("NAME", name).replace("NUMBER", str(1000 + len(name) * 8 + name.count("o"))))
    program = folder / name
    subprocess.run(["gcc", "-O1", "-static", "-Wl,--build-id", "-o", program, source], check=True)
    return program


def record(data, script, *arguments):
    subprocess.run(
        ["perf", "record", "-q", "-e", "cpu-clock:u", "-F", "499", "--call-graph", "dwarf,4096", "-o", data, "--",
         "sh", "-c", script, "sh", *arguments], check=True)


def functions(pdconv, data, *options, elsewhere=False):
    """Count samples by process: {pid: {name of a leaf or None: samples}}."""
    command = [pdconv, data, "--script", "--no-cache", "-F", "comm,pid,ip,sym", *options]
    if elsewhere:
        command = ["unshare", "--uts", "sh", "-c", 'hostname elsewhere; exec "$@"', "sh", *command]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    counts = collections.defaultdict(collections.Counter)
    for block in text.split("\n\n"):
        lines = block.strip("\n").split("\n")
        if not lines[0].startswith("prog"):
            continue
        names = [line.split()[1] for line in lines[1:]]
        leaf = next((n for n in names if n.endswith(("_leaf", "_outer"))), None)
        counts[int(lines[0].split()[1])][leaf and leaf.split("_")[0]] += 1
        if leaf and "main" not in names:
            sys.exit(f"{data.name}: {leaf} has no main: {names}")
    return counts


def check(title, counts, wanted):
    """Compare with the names that the processes have, in the order of their ids: one, or None if unknown."""
    # Before exec and in the loader there are a few samples without any of these functions.
    had = [{name for name, n in counter.items() if n > 20} for _, counter in sorted(counts.items())
           if sum(counter.values()) > 20]
    if had != [{name} for name in wanted]:
        sys.exit(f"{title}: {dict(counts)}, wanted {wanted}")
    print(f"{title}: {', '.join(str(name) for name in wanted)}")


def check_replaced(pdconv, folder, kind, new, other_machine):
    """Two processes: the second one runs the file that replaced the first one's."""
    at, data = folder / f"at-{kind}", folder / f"{kind}.data"
    at.mkdir()
    program = at / "prog"
    program.write_bytes((folder / "old").read_bytes())
    program.chmod(0o755)
    (at / "new").write_bytes(new.read_bytes())
    (at / "new").chmod(0o755)
    record(data, '"$1" & sleep 0.1; mv "$2" "$1"; "$1"; wait', program, at / "new")
    check(f"replaced, {kind}, here", functions(pdconv, data), [None, "new"])
    check(f"replaced, {kind}, elsewhere", functions(pdconv, data, elsewhere=True), other_machine)
    given = folder / f"given-{kind}"
    given.mkdir()
    (given / "prog").write_bytes((folder / "old").read_bytes())
    check(f"replaced, {kind}, given", functions(pdconv, data, "--symbol-dir", given), ["old", "new"])


def check_other_root(pdconv, folder):
    """A program in another root directory, where this machine has another one at the same path."""
    root, data = folder / "root", folder / "root.data"
    inside = root / folder.relative_to("/") / "prog"
    inside.parent.mkdir(parents=True)
    inside.write_bytes((folder / "old").read_bytes())
    inside.chmod(0o755)
    outside = folder / "prog"
    outside.write_bytes((folder / "new").read_bytes())
    outside.chmod(0o755)
    record(data, 'chroot "$1" "$2"', root, outside)
    check("other root, here", functions(pdconv, data), [None])
    check("other root, given", functions(pdconv, data, "--symfs", root), ["old"])
    # The same build at both paths: perf's recording cannot say that, the user can.
    inside.write_bytes(outside.read_bytes())
    record(data, 'chroot "$1" "$2"', root, outside)
    check("same build in another root, here", functions(pdconv, data), [None])
    check("same build in another root, given", functions(pdconv, data, "--symfs", root), ["new"])


def main():
    pdconv = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        os.environ["HOME"] = name
        build(folder, "old", 0)
        twin, larger = build(folder, "new", 0), folder / "larger"
        subprocess.run(["cp", twin, folder / "twin"], check=True)
        check_replaced(pdconv, folder, "twin", folder / "twin", [None, None])
        check_other_root(pdconv, folder)
        larger = build(folder, "new", 64)
        check_replaced(pdconv, folder, "larger", larger, [None, "new"])


main()
