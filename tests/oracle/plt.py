#!/usr/bin/env python3
"""Compare names of entries of procedure linkage tables with those by objdump.

usage: plt.py ADDRESSES

ADDRESSES prints names of addresses (addresses.c). A program and a library are linked for each machine with a
compiler here and in each way that makes other entries, and then stripped, so that only the entries give the
names. objdump counts or decodes entries, depending on the machine. On aarch64 it counts, with a size that is
wrong for the entries with bti that ld 2.44 makes, so llvm-objdump is asked, which decodes them. On PowerPC,
where entries are stubs between functions, the expected names are those by the linker.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LIBRARY = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void *address(void) { return (void *)strlen; }
/* ld refuses calls without a GOT pointer on i386, and takes the alias for a common function on big-endian PowerPC. */
#if defined __i386__ || _CALL_ELF == 1
#define internal(n) (n)
#else
static int one(int n) { return n + 1; }
static int (*volatile choice)(int) = one;
static void *choose(void) { return choice; }
int indirect(int n) __attribute__((ifunc("choose")));
/* An alias that gcc does not see through. */
__asm__(".globl internal\n.hidden internal\n.set internal, indirect\n");
int internal(int n) __attribute__((visibility("hidden")));
#endif
int work(const char *s, int n)
{
    if (n > 100)
        abort();
    puts(s);
    printf("%d\n", (int)strlen(s));
    char *copy = strdup(s);
    free(copy);
    return atoi(s) + internal(n);
}
"""
PROGRAM = r"""
#include <stdio.h>
int work(const char *s, int n);
int main(int argc, char **argv) { return work(argv[0], argc) + getchar(); }
"""

# A compiler for another machine looks for its linker under this name.
LLD = "-B. -fuse-ld=lld"
# Machine, prefix of the compiler, more options to compile and link with.
MACHINES = [
    ("x86-64", "", ["-fcf-protection=none", "-fcf-protection -Wl,-z,ibtplt", "-Wl,-z,now", LLD]),
    ("i386", "i686-linux-gnu-", ["-no-pie -fno-pie", "-fcf-protection -Wl,-z,ibtplt", LLD]),
    ("aarch64", "aarch64-linux-gnu-", ["-mbranch-protection=standard -Wl,-z,force-bti", LLD]),
    # objdump does not name the entries of lld.
    ("arm", "arm-linux-gnueabihf-", ["-marm", "-Wl,--long-plt"]),
    ("riscv64", "riscv64-linux-gnu-", ["-no-pie -fno-pie"]),
    ("s390x", "s390x-linux-gnu-", ["-no-pie -fno-pie"]),
    ("ppc64", "powerpc64-linux-gnu-", ["-no-pie -fno-pie"]),
    ("ppc64le", "powerpc64le-linux-gnu-", ["-no-pie -fno-pie"]),
]


def run(command, cwd):
    result = subprocess.run(command, shell=True, cwd=cwd, capture_output=True, text=True, timeout=60, check=False)
    if result.returncode:
        raise RuntimeError(f"{command}: {result.stderr.strip()[-300:]}")
    return result.stdout


def entries(prefix, path, work):
    """Return {address: name of the function} of the unstripped file."""
    if "powerpc" in prefix:
        found = re.findall(r"^([0-9a-f]+) \S (?:\S+\.plt_call\.)(\S+)$", run(f"nm {path}", work), re.MULTILINE)
    else:
        objdump = "llvm-objdump" if "aarch64" in prefix else f"{prefix}objdump"
        found = re.findall(r"^([0-9a-f]+) <(\S+)@plt>:$", run(f"{objdump} -d {path}", work), re.MULTILINE)
    # The relocation for an indirect function has no symbol.
    return {int(addr, 16): "indirect" if name.startswith(("*ABS*", "internal")) else name.split("@")[0]
            for addr, name in found}


def our_names(program, path, addrs, work):
    result = subprocess.run([program, path], input="".join(f"{addr:x}\n" for addr in addrs), cwd=work,
                            capture_output=True, text=True, timeout=60, check=True)
    lines = result.stdout.splitlines()
    return {int(lines[i], 16): lines[i + 1] for i in range(0, len(lines), 3)}


def compare(program, prefix, path, work):
    """Return the number of entries, and the differences."""
    truth = entries(prefix, path, work)
    run(f"{prefix}strip -o stripped {path}", work)
    # All instructions of an entry have its name.
    ours = our_names(program, "stripped", sorted({addr + inside for addr in truth for inside in (0, 4)}), work)
    wrong = [f"{addr + inside:#x}: {ours[addr + inside]} is {name}@plt" for addr, name in truth.items()
             for inside in (0, 4) if ours[addr + inside] != f"{name}@plt"]
    return len(truth), wrong


def check(program, machine, prefix, flags):
    with tempfile.TemporaryDirectory() as work:
        (pathlib.Path(work) / "library.c").write_text(LIBRARY)
        (pathlib.Path(work) / "program.c").write_text(PROGRAM)
        if flags == LLD:
            (pathlib.Path(work) / "ld.lld").symlink_to(shutil.which("ld.lld"))
        compiler = f"{prefix}gcc -O2 -fno-builtin {flags}"
        run(f"{compiler} -shared -fPIC -o library.so library.c && {compiler} -rdynamic -o program library.c program.c", work)
        for path in ("library.so", "program"):
            n, wrong = compare(program, prefix, path, work)
            # The program calls seven functions at least.
            if n < 7:
                wrong = [f"{n} entries only"]
            print(f"{machine} {flags or 'plain'} {path}: {n} entries, {len(wrong)} wrong")
            for line in wrong[:5]:
                print(f"  {line}")
            yield not wrong


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    passed = []
    for machine, prefix, ways in MACHINES:
        tools = [f"{prefix}gcc"] + (["llvm-objdump"] if machine == "aarch64" else [])
        absent = [tool for tool in tools if not shutil.which(tool)]
        if absent:
            print(f"{machine}: needs {' '.join(absent)}")
            continue
        for flags in ["", *ways]:
            if flags == LLD and not shutil.which("ld.lld"):
                continue
            try:
                passed.extend(check(program, machine, prefix, flags))
            except RuntimeError as error:
                print(f"{machine} {flags}: {error}")
                passed.append(False)
    return 0 if passed and all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
