"""Check that functions of a stripped program have the same names in all formats: those of the program and the first byte.

usage: nameless.py PDCONV
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = """
#include <time.h>
static volatile unsigned long s;
__attribute__((noinline)) void leaf_a(void) { for (int i = 0; i < 40000; i++) s += i; }
__attribute__((noinline)) void leaf_b(void) { for (int i = 0; i < 40000; i++) s ^= i; }
__attribute__((noinline)) void middle(int n) { if (n % 2) leaf_a(); else leaf_b(); s++; }
int main(void)
{
    clock_t end = clock() + CLOCKS_PER_SEC / 2;
    for (int i = 0; clock() < end; i++)
        middle(i);
    return 0;
}
"""


# musl's trampoline has no symbol, and setjmp before it has one without a size.
HANDLER = """
#include <signal.h>
#include <time.h>
static volatile unsigned long s;
__attribute__((noinline)) static void burn(void) { for (int i = 0; i < 1000000; i++) s += i; }
static void handler(int signal) { burn(); s++; }
int main(void)
{
    clock_t end = clock() + CLOCKS_PER_SEC / 2;
    signal(SIGUSR1, handler);
    while (clock() < end)
        raise(SIGUSR1);
    return 0;
}
"""


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def record(folder, text=SOURCE):
    """Record a stripped program. Returns the recording, and {function: made name}."""
    program, data = folder / "prog", folder / "p.data"
    (folder / "p.c").write_text(text)
    run("gcc", "-O1", "-o", program, folder / "p.c")
    names = {}
    for line in run("nm", program).splitlines():
        address, _, name = line.rpartition(" ")
        if name in ("leaf_a", "leaf_b", "middle", "main"):
            names[name] = f"prog+{int(address.split()[0], 16):#x}"
    run("strip", program)
    run("perf", "record", "-q", "-e", "cpu-clock:u", "-F", "499", "--call-graph", "dwarf,4096", "-o", data, program)
    return data, names


def check(title, ok, text):
    if not ok:
        sys.exit(f"{title}:\n{text}")
    print(f"{title}: right")


def check_text(pdconv, data, names):
    chain = f"{names['main']};{names['middle']};"
    folded = run(pdconv, data, "--folded")
    check("folded", chain + names["leaf_a"] + " " in folded and chain + names["leaf_b"] + " " in folded, folded)
    check("folded, no other name", "[prog]" not in re.sub(r"\[prog\] \d+$", "", folded, flags=re.M), folded)
    script = run(pdconv, data, "--script", "-F", "ip,sym")
    check("script", len(re.findall(rf"\t +[0-9a-f]+ {re.escape(names['leaf_a'])}$", script, re.M)) > 20, script)
    report = run(pdconv, data)
    check("report", re.search(rf"%  {re.escape(names['leaf_b'])}  \(prog\)", report), report)
    check("report, quality", "1 binary is without symbols" in report, report)
    callers = run(pdconv, data, f"--callers={names['leaf_a']}")
    check("callers", names["middle"] in callers and names["leaf_b"] not in callers, callers)
    focus = run(pdconv, data, "--folded", "--focus", names["leaf_a"])
    check("focus", names["leaf_a"] in focus and names["leaf_b"] not in focus, focus)
    annotation = run(pdconv, "annotate", names["leaf_a"], data)
    check("annotate", re.search(r"\bret", annotation) and re.search(r"\bj[a-z]+ ", annotation), annotation)


def check_builds(pdconv, folder, data, names):
    """In another build, the name means another function: they are not compared."""
    other = folder / "other"
    other.mkdir()
    again, _ = record(other, SOURCE.replace("40000", "50000"))
    diff = run(pdconv, "diff", data, again, "--limit", "100")
    made = names["leaf_a"]
    check("diff", re.search(rf"vanished +{re.escape(made)}  \(|{re.escape(made)}  \(", diff) and
          re.search(rf"{re.escape(made)} \[[0-9a-f]{{8}}\]", diff), diff)


def check_pprof(pdconv, data, names):
    """Functions are in the profile, and the mapping says that others may name them."""
    out = data.with_suffix(".pb.gz")
    run(pdconv, data, "-f", "pprof", "-o", out)
    raw = run("go", "tool", "pprof", "-raw", out)
    check("pprof", names["leaf_a"] in raw and names["leaf_b"] in raw, raw)
    mappings = raw[raw.rindex("Mappings"):]
    check("pprof, mapping", not re.search(r"/prog .*\[FN\]", mappings) and re.search(r"/libc\S+ .*\[FN\]", mappings), mappings)


def check_trampoline(pdconv, folder):
    program, data = folder / "handler", folder / "h.data"
    if not shutil.which("musl-gcc"):
        print("trampoline: not tried without musl-gcc")
        return
    (folder / "h.c").write_text(HANDLER)
    run("musl-gcc", "-O1", "-g", "-o", program, folder / "h.c")
    run("perf", "record", "-q", "-e", "cpu-clock:u", "-F", "499", "--call-graph", "dwarf,4096", "-o", data, program)
    folded = run(pdconv, data, "--folded")
    check("trampoline", ";__restore_rt;handler;burn " in folded and "setjmp" not in folded, folded)


def main():
    pdconv = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        os.environ["HOME"] = name
        data, names = record(pathlib.Path(name))
        check_text(pdconv, data, names)
        check_pprof(pdconv, data, names)
        check_builds(pdconv, pathlib.Path(name), data, names)
        check_trampoline(pdconv, pathlib.Path(name))


main()
