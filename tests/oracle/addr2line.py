#!/usr/bin/env python3
"""Compare names of addresses with those by llvm-symbolizer.

usage: addr2line.py [--quick] [-v] ADDRESSES [CASE...]

ADDRESSES prints names like `addr2line -a -i -f` (addresses.c). Each case builds a program with one form of
debug information, for one machine, and names each of its instructions with all inlined functions, files and
lines. Where a tool changes the debug information after the compiler, the expected names are those of the
program before the change. Prints a line for each case. Fails if a name differs for a reason that is not in
REASONS.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "tests/oracle/program.cpp"
RUST = ROOT / "tests/unwind/cases/rust.rs"
GO = ROOT / "tests/unwind/cases/goroutine.go"
# C sources that need only the C library.
LIBRARY = [path for path in sorted((ROOT / "parse").glob("*.c"))
           if path.stem not in ("events", "file", "inflate", "trace_format")]
C_FLAGS = f"-std=gnu11 -D_GNU_SOURCE -I{ROOT}/include -I{ROOT} -w -fPIC -shared"

MACHINES = {
    "i386": "i686-linux-gnu", "aarch64": "aarch64-linux-gnu", "arm": "arm-linux-gnueabihf",
    "riscv64": "riscv64-linux-gnu", "s390x": "s390x-linux-gnu", "ppc64": "powerpc64-linux-gnu",
    "ppc64le": "powerpc64le-linux-gnu",
}

# Reasons for a different frame where ours is right.
REASONS = {
    "alias": "of several symbols with the same address another one is chosen",
    "label": "theirs is a label, or a mark for disassemblers, not a function",
    "version": "theirs includes the symbol's version",
    "beyond": "theirs is a symbol that ends before the address",
    "source": "theirs is a source file from the symbol table, without directory and line",
    "instance": "Go's table of functions has no type arguments before Go 1.21",
    "abi": "Go's linker adds .abi0 to symbols of assembly functions, and of generated functions that call assembly",
    "dot": "Go's linker writes a dot for the · in the name of a type that is local to a function",
    "mark": "Go's linker gives its marks around FIPS code a size of 1, and Go's table extends them to the next function",
    "wrapper": "Go's DWARF does not describe what was inlined into generated functions",
    "no-op": "Go's DWARF has another line than Go's table for a no-op that aligns a loop",
    "first": "Go's DWARF has no line for the first instruction of some functions",
    "C": "the code was not compiled by Go, so that a stripped program has no location of it",
}

Case = collections.namedtuple("Case", "name tools quick build")
# The program to name, the program for the expected names, the disassembler, and the reasons of the language.
Built = collections.namedtuple("Built", "subject truth objdump why", defaults=[None])
Symbol = collections.namedtuple("Symbol", "start end kind")


def run(command, cwd):
    """Run a command and return its output. A case whose program cannot be built fails."""
    result = subprocess.run(command, shell=isinstance(command, str), cwd=cwd, capture_output=True, text=True,
                            timeout=300, check=False)
    if result.returncode:
        raise RuntimeError(f"{str(command)[:100]}: {result.stderr.strip()[-300:]}")
    return result.stdout


def cxx(compiler, flags):
    def build(work):
        run(f"{compiler} -O2 {flags} -o program {PROGRAM}", work)
        return Built("program", "program", "objdump")
    return build


def c(compiler, flags, objdump="objdump"):
    def build(work):
        run([*compiler.split(), *f"-O2 {flags} {C_FLAGS}".split(), "-o", "library.so", *map(str, LIBRARY)], work)
        return Built("library.so", "library.so", objdump)
    return build


def rust(work):
    run(f"rustc -g -O -C panic=unwind -o program {RUST}", work)
    return Built("program", "program", "objdump")


def go(work):
    shutil.copy(GO, pathlib.Path(work) / "main.go")
    run("go build -o program main.go", work)
    return Built("program", "program", "objdump")


GO_CGO = """package main

// static int spin(int n) { volatile int s = 0; while (n--) s += n; return s; }
import "C"

func main() { println(C.spin(3)) }
"""


def text_size(work, path):
    return re.search(r" \.text +PROGBITS +(\w+ \w+ \w+)", run(["readelf", "-SW", path], work))[1]


def is_go_mark(ours, theirs):
    name = ours[0][0]
    return len(ours) == len(theirs) == 1 and name.startswith("go:textfips") and theirs[0][0] in (name, "??")


def why_go_function(ours, theirs):
    """Return the set of reasons for another name of a Go function, empty for the same name, or None."""
    if ours == theirs:
        return set()
    if ours == re.sub(r"\[.*\]", "[...]", theirs):
        return {"instance"}
    if ours + ".abi0" == theirs:
        return {"abi"}
    if ours.replace("·", ".") == theirs:
        return {"dot"}
    return None


def why_go(ours, theirs, is_go, is_nop, is_first):
    """Return the set of reasons for a difference in a stripped Go program, or None.

    is_first: the address is that of a symbol."""
    if not is_go:
        return {"C"}
    if is_go_mark(ours, theirs):
        return {"mark"}
    outermost = why_go_function(ours[-1][0], theirs[-1][0])
    if ours[-1][1] == "<autogenerated>" and len(theirs) == 1 and outermost is not None:
        return outermost | {"wrapper"}
    if len(ours) != len(theirs):
        return None
    reasons = set()
    for our, their in zip(ours, theirs):
        function = why_go_function(our[0], their[0])
        if function is None:
            return None
        reasons |= function
        if our[1:] != their[1:]:
            if is_first and their[1:] == ("??", 0):
                reasons.add("first")
            elif is_nop:
                reasons.add("no-op")
            else:
                return None
    return reasons


def go_stripped(flags="", arch=None, source=None):
    """A Go program without symbols and DWARF, whose names are in Go's table of functions."""
    def build(work):
        (pathlib.Path(work) / "main.go").write_text(source or GO.read_text())
        command = f"{f'GOARCH={arch} ' if arch else ''}go build {flags}"
        run(f"{command} -o truth main.go && {command} -ldflags '-s -w' -o program main.go", work)
        # The code differs in the build id only, which is part of it.
        if text_size(work, "truth") != text_size(work, "program"):
            raise RuntimeError("the stripped program has different code")
        return Built("program", "truth", "llvm-objdump" if arch else "objdump", why_go)
    return build


def same_code(work, one, other):
    texts = []
    for path in (one, other):
        run(f"objcopy -O binary -j .text {path} text", work)
        texts.append((pathlib.Path(work) / "text").read_bytes())
    if texts[0] != texts[1]:
        raise RuntimeError(f"{one} and {other} have different code")


class Unusable(Exception):
    """A tool that is needed does not work here."""


def pack(tool, work):
    # llvm-dwp 18 does not end if it is given DWARF 5 by gcc 13.
    result = subprocess.run(f"timeout -s KILL 60 {tool} -e program -o program.dwp && rm program.dwo", shell=True, cwd=work,
                            capture_output=True, text=True, check=False)
    if result.returncode == 128 + signal.SIGKILL:
        raise Unusable(f"{tool} does not end")
    if result.returncode:
        raise RuntimeError(result.stderr)


def split(compiler, flags, package=None):
    """Split debug information, in .dwo files or a package. Expected: the same program with all in one file."""
    def build(work):
        run(f"{compiler} -O2 {flags} -o truth {PROGRAM}", work)
        run(f"{compiler} -O2 {flags} -gsplit-dwarf -c -o program.o {PROGRAM} && {compiler} -o program program.o", work)
        if package:
            pack(package, work)
        same_code(work, "program", "truth")
        return Built("program", "truth", "objdump")
    return build


def split_and_linked(package=None):
    """Split debug information whose skeletons are in a separate debug file."""
    def build(work):
        built = split("g++", "-gdwarf-5", package)(work)
        run("cp program unstripped && " + LINKED.replace("truth", "unstripped"), work)
        return built
    return build


def changed(command, flags="-g"):
    """A program, and a copy of it that a command changes."""
    def build(work):
        run(f"g++ -O2 {flags} -Wl,--build-id -o truth {PROGRAM} && cp truth program", work)
        run(command, work)
        return Built("program", "truth", "objdump")
    return build


MINI = ("nm -f posix --defined-only truth | awk '$2 ~ /[tTwW]/ { print $1 }' >names && "
        "objcopy -S --remove-section .gdb_index --keep-symbols names truth mini && xz mini && "
        "strip program && objcopy --add-section .gnu_debugdata=mini.xz program")
LINKED = "objcopy --only-keep-debug truth program.debug && strip program && objcopy --add-gnu-debuglink=program.debug program"


def all_cases():
    for compiler in ("g++", "clang++"):
        for version in (2, 3, 4, 5):
            yield Case(f"{compiler}-dwarf{version}", [compiler], version == 5, cxx(compiler, f"-gdwarf-{version}"))
        for version in (4, 5):
            flags = f"-gdwarf-{version}"
            yield Case(f"{compiler}-split{version}", [compiler], version == 5, split(compiler, flags))
            yield Case(f"{compiler}-llvm-dwp{version}", [compiler, "llvm-dwp"], compiler == "g++",
                       split(compiler, flags, "llvm-dwp"))
        # Types in separate sections, which units share.
        for version in (4, 5):
            yield Case(f"{compiler}-split-types{version}", [compiler], (compiler, version) == ("g++", 5),
                       split(compiler, f"-gdwarf-{version} -fdebug-types-section"))
        yield Case(f"{compiler}-dwarf64", [compiler], False, cxx(compiler, "-gdwarf-5 -gdwarf64"))
        yield Case(f"{compiler}-O0", [compiler], False, cxx(compiler, "-g -O0"))
        yield Case(f"{compiler}-folded", [compiler, "ld.lld"], False,
                   cxx(compiler, "-g -O3 -ffunction-sections -fuse-ld=lld -Wl,--icf=all -Wl,--gc-sections"))
        # dwp of binutils 2.40 packs only version 4.
        yield Case(f"{compiler}-dwp4", [compiler, "dwp"], False, split(compiler, "-gdwarf-4", "dwp"))
    yield Case("split-zlib", ["g++"], False, split("g++", "-gdwarf-5 -gz"))
    yield Case("split-zlib-gnu", ["g++"], False, split("g++", "-gdwarf-4 -gz=zlib-gnu"))
    yield Case("split-debuglink", ["g++"], False, split_and_linked())
    yield Case("dwp-debuglink", ["g++", "llvm-dwp"], False, split_and_linked("llvm-dwp"))
    yield Case("zlib", ["g++"], True, changed("objcopy --compress-debug-sections=zlib program"))
    yield Case("zlib-gnu", ["g++"], False, changed("objcopy --compress-debug-sections=zlib-gnu program", "-gdwarf-4"))
    yield Case("dwz", ["g++", "dwz"], True, changed("dwz program"))
    yield Case("dwz4", ["g++", "dwz"], False, changed("dwz program", "-gdwarf-4"))
    yield Case("dwz-common", ["g++", "dwz"], True,
               changed("g++ -O1 -g -o other %s && dwz -m common program other" % PROGRAM))
    yield Case("debuglink", ["g++"], True, changed(LINKED))
    yield Case("minidebug", ["g++", "xz"], True, changed(MINI, "-g0"))
    yield Case("gcc", ["gcc"], False, c("gcc", "-g"))
    yield Case("gcc-lto", ["gcc"], True, c("gcc", "-g -flto"))
    yield Case("gcc-sections", ["gcc"], False, c("gcc", "-g -O3 -ffunction-sections -Wl,--gc-sections"))
    yield Case("clang", ["clang"], False, c("clang", "-g"))
    yield Case("clang-lto", ["clang", "ld.lld"], False, c("clang", "-g -flto -fuse-ld=lld"))
    yield Case("rust", ["rustc"], False, rust)
    yield Case("go", ["go"], False, go)
    yield Case("go-stripped", ["go"], True, go_stripped())
    yield Case("go-stripped-pie", ["go"], False, go_stripped("-buildmode=pie"))
    yield Case("go-stripped-cgo", ["go", "gcc"], False, go_stripped(source=GO_CGO))
    yield Case("go-stripped-cgo-pie", ["go", "gcc"], False, go_stripped("-buildmode=pie", source=GO_CGO))
    for arch in ("arm64", "386", "s390x", "ppc64le"):
        yield Case(f"go-stripped-{arch}", ["go", "llvm-objdump"], False, go_stripped(arch=arch))
    for name, triple in MACHINES.items():
        yield Case(name, [f"{triple}-gcc"], name in ("arm", "s390x"), c(f"{triple}-gcc", "-g", f"{triple}-objdump"))


def instructions(built, work):
    """Return {address: whether the instruction does nothing}."""
    listing = run([built.objdump, "-d", "-j", ".text", "--no-show-raw-insn", built.truth], work)
    return {int(match[1], 16): bool(re.match("(cs )?nop|xchg +%ax,%ax", match[2]))
            for match in re.finditer(r"^ *([0-9a-f]+):\s+(.*)", listing, re.MULTILINE)}


def frames(text):
    """Parse the output of addr2line into {address: [(function, file, line)]}."""
    ret = {}
    lines = iter(text.splitlines())
    for line in lines:
        if re.fullmatch("0x[0-9a-f]+", line):
            current = ret.setdefault(int(line, 16), [])
        elif line:
            place = re.match(r"(.*?):(\d+|\?)(:\d+)?( \(discriminator \d+\))?$", next(lines))
            # Normalize the path: "a/./b" is "a/b".
            path = place[1] if place[1] == "??" else str(pathlib.PurePosixPath(place[1]))
            current.append((line, path, 0 if place[2] == "?" else int(place[2])))
    return ret


def ask(command, addrs, work):
    text = "".join(f"{addr:#x}\n" for addr in addrs)
    result = subprocess.run(command, input=text, cwd=work, capture_output=True, text=True, timeout=300, check=True)
    return frames(result.stdout)


def read_symbols(path, work):
    """Read the symbol table into {name: [Symbol]}."""
    ret = collections.defaultdict(list)
    for line in run(["readelf", "-sW", path], work).splitlines():
        fields = line.split()
        if len(fields) >= 8 and fields[0].endswith(":") and fields[0][:-1].isdigit() and fields[6] != "UND":
            start, size = int(fields[1], 16), int(fields[2], 0)
            ret[fields[7]].append(Symbol(start, start + size, fields[3]))
    return ret


def why_function(addr, ours, theirs, symbols):
    """Return the reason for another name of the outermost function, or None."""
    their = symbols.get(theirs, [])
    if theirs.split("@")[0] == ours:
        return "version"
    if ours != "??" and {s.start for s in their} & {s.start for s in symbols.get(ours, [])}:
        return "alias"
    if theirs.startswith((".L", "$")) or (their and all(s.kind == "NOTYPE" and s.start == s.end for s in their)):
        return "label"
    if ours == "??" and their and not any(s.start <= addr < s.end for s in their):
        return "beyond"
    return None


def why(addr, ours, theirs, symbols):
    """Return the set of reasons for a difference, or None if a part of it has no reason."""
    if is_go_mark(ours, theirs):
        return {"mark"}
    if len(ours) != len(theirs):
        return None
    reasons = set()
    for i, (our, their) in enumerate(zip(ours, theirs)):
        if our[0] != their[0]:
            is_outermost = i == len(ours) - 1
            reasons.add(why_function(addr, our[0], their[0], symbols) if is_outermost else None)
        if our[1:] != their[1:]:
            is_source = our[1:] == ("??", 0) and "/" not in their[1] and their[2] == 0
            reasons.add("source" if is_source else None)
    return None if None in reasons else reasons


def compare(case, program, work, n_shown):
    """Return (report, number of addresses, whether all differences are explained)."""
    built = case.build(work)
    nops = instructions(built, work)
    addrs = list(nops)
    ours = ask([program, built.subject], addrs, work)
    truth = ask(["llvm-symbolizer", f"--obj={built.truth}", "--output-style=GNU", "--no-demangle", "-a", "-f", "-i"],
                addrs, work)
    symbols = read_symbols(built.truth, work)
    different = [addr for addr in addrs if ours[addr] != truth[addr]]
    if built.why:
        go_text = range(symbols["runtime.text"][0].start, symbols["runtime.etext"][0].start)
        starts = {symbol.start for found in symbols.values() for symbol in found}
        explained = {addr: built.why(ours[addr], truth[addr], addr in go_text, nops[addr], addr in starts)
                     for addr in different}
    else:
        explained = {addr: why(addr, ours[addr], truth[addr], symbols) for addr in different}
    wrong = [addr for addr in different if explained[addr] is None]
    reasons = collections.Counter(reason for found in explained.values() for reason in found or ())
    if len(addrs) < 500:
        raise RuntimeError("too few instructions")
    report = f"{case.name}: {len(addrs)} addresses, {100 - 100 * len(different) / len(addrs):.2f} % identical, " \
             f"{len(wrong)} wrong"
    report += "".join(f", {n} {reason}" for reason, n in reasons.most_common())
    for addr in wrong[:n_shown]:
        report += f"\n  {addr:#x}\n    ours   {ours[addr]}\n    theirs {truth[addr]}"
    return report, len(addrs), not wrong


def run_case(case, program, n_shown):
    if not all(shutil.which(tool) for tool in case.tools):
        return f"{case.name}: needs {' '.join(case.tools)}", 0, True
    with tempfile.TemporaryDirectory() as work:
        try:
            return compare(case, program, work, n_shown)
        except Unusable as reason:
            return f"{case.name}: left out: {reason}", 0, True
        except (RuntimeError, subprocess.SubprocessError) as error:
            return f"{case.name}: {error}", 0, False


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="run one case of each kind")
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("addresses")
    parser.add_argument("cases", nargs="*")
    args = parser.parse_args()
    program = str(pathlib.Path(args.addresses).resolve())
    cases = [case for case in all_cases() if (case.quick or not args.quick) and
             (case.name in args.cases or not args.cases)]
    n_addrs, failed = 0, []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for case, (report, n, ok) in zip(cases, pool.map(
                lambda case: run_case(case, program, 20 if args.verbose else 1), cases)):
            print(report)
            n_addrs += n
            failed += [] if ok else [case.name]
    print(f"{n_addrs} addresses in {len(cases)} cases; failed: {' '.join(failed) or 'none'}")
    if failed:
        return 1
    # Too few addresses: compilers are missing.
    return 0 if args.cases or n_addrs >= 10000 else 1


if __name__ == "__main__":
    sys.exit(main())
