#!/usr/bin/env python3
"""Compare the names that `pdconv symbolize` gives to other profiles with those of other tools.

usage: foreign.py llvm|pprof|go PDCONV TESTDATA

llvm: addresses of programs as text, against llvm-symbolizer: functions, inlined calls, files and lines.
pprof: a profile without names, against `go tool pprof -symbolize=local:force`.
go: a profile of a program of Go whose symbols were stripped, against the names that Go's runtime wrote.
"""
import os
import random
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOREIGN = [sys.executable, os.path.join(ROOT, "tests", "cli", "foreign.py")]
ADDRESSES = 20000
GO_PROGRAM = """package main

import (
	"os"
	"runtime/pprof"
	"sort"
	"time"
)

func fill(n int) []int {
	var out []int
	x := uint32(n)
	for i := 0; i < n; i++ {
		x = x*1664525 + 1013904223
		out = append(out, int(x>>8))
	}
	return out
}

func main() {
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	pprof.StartCPUProfile(f)
	for end := time.Now().Add(time.Second); time.Now().Before(end); {
		list := fill(50000)
		sort.Slice(list, func(i, k int) bool { return list[i] < list[k] })
	}
	pprof.StopCPUProfile()
	f.Close()
}
"""


def run(command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, **options)
    if done.returncode:
        sys.exit(f"{command}: {done.stderr}")
    return done.stdout


def symbols_of(path):
    """Return the address of each symbol: several names of an address are the same function."""
    return {words[2]: words[0] for words in map(str.split, run(["nm", path]).splitlines()) if len(words) == 3}


def code_of(path):
    for line in run(["readelf", "-SW", path]).splitlines():
        words = line.partition("]")[2].split()
        if words and words[0] == ".text":
            return int(words[2], 16), int(words[4], 16)
    sys.exit(f"{path}: no .text")


def of_llvm(path, addresses):
    """Yield the functions at each address, each with file and line, innermost first."""
    lines = "".join(f"0x{address:x}\n" for address in addresses)
    text = run(["llvm-symbolizer", "--no-demangle", "--functions=linkage", "--inlines", "-e", path], input=lines)
    for block in text.strip("\n").split("\n\n"):
        words = block.split("\n")
        yield [(name, *place.rsplit(":", 2)[:2]) for name, place in zip(words[::2], words[1::2])]


def of_pdconv(pdconv, path, addresses):
    text = "".join(f"{path}+0x{address:x}\n" for address in addresses)
    out = run([pdconv, "symbolize", "-", "-q", "--demangle", "none", "--no-cache"], input=text)
    for line in out.splitlines():
        calls = (re.fullmatch(r"(.*?)(?: at (.*?)(?::(\d+))?)?", call) for call in line.split(" (inlined by) "))
        yield [(call[1], call[2] or "", call[3] or "0") for call in calls]


def is_same(ours, theirs, symbols):
    """Names of the outermost function may be aliases."""
    def places(calls):
        return [(os.path.normpath(file), line) for _, file, line in calls]

    names, others = [[call[0] for call in calls] for calls in (ours, theirs)]
    is_alias = names[-1] in symbols and symbols[names[-1]] == symbols.get(others[-1])
    return places(ours) == places(theirs) and names[:-1] == others[:-1] and (names[-1] == others[-1] or is_alias)


def compare_llvm(pdconv, path):
    """Return the number of addresses that differ. Those without debug information are not compared."""
    start, size = code_of(path)
    addresses = sorted(random.Random(1).sample(range(start, start + size), min(size, ADDRESSES)))
    symbols = symbols_of(path)
    n = wrong = 0
    for address, ours, theirs in zip(addresses, of_pdconv(pdconv, path, addresses), of_llvm(path, addresses),
                                     strict=True):
        if theirs[-1][2] == "0" or theirs[0][0] == "??":
            continue
        n += 1
        if not is_same(ours, theirs, symbols):
            wrong += 1
            if wrong < 10:
                print(f"{path} {address:#x}: {ours}, llvm-symbolizer: {theirs}")
    print(f"{os.path.basename(path)}: {n} addresses, {wrong} differ")
    return wrong + (n < 100)


def pprof_raw(path, *options):
    """Return the calls at each location, and the lines of samples, as pprof prints them."""
    text = run(["go", "tool", "pprof", *options, "-raw", path])
    locations, samples, part = {}, [], None
    for line in text.splitlines():
        if line in ("Locations", "Mappings"):
            part = line
        elif part == "Locations":
            match = re.match(r"\s+(\d+): (0x[0-9a-f]+) M=\d+ ?(.*)", line)
            if match:
                calls = locations[match[2]] = [match[3]] if match[3] else []
            else:
                calls.append(line.strip())
        elif part is None and re.match(r"\s+\d+", line):
            samples.append(line)
    return locations, samples


def compare_forced(pdconv, testdata, name, work):
    """Compare a profile without names with what pprof makes of it. Returns the number of locations that differ."""
    program = os.path.join(testdata, name, name)
    whole, bare, named = (os.path.join(work, name + suffix) for suffix in (".whole", ".bare", ".named"))
    run([pdconv, os.path.join(testdata, name, "perf.data"), "-q", "-f", "pprof", "-o", whole, "--symfs", work,
         "--symbol-dir", os.path.dirname(program)])
    run([*FOREIGN, "strip", whole, bare, "path=" + program])
    run([pdconv, "symbolize", bare, "-q", "-o", named, "--demangle", "none", "--no-cache"])
    ours, our_samples = pprof_raw(named, "-symbolize=none")
    theirs, their_samples = pprof_raw(bare, "-symbolize=local:force:demangle=none")

    def plain(call):
        """Without the line of the function and the name in its declaration, which addr2line does not know."""
        return re.sub(r":0 s=\d+(\(.*\))?$", "", call)

    wrong, n = our_samples != their_samples, 0
    for address, calls in theirs.items():
        mine, other = [plain(call) for call in ours[address]], [plain(call) for call in calls]
        # `go tool pprof` knows neither inlined calls nor functions without DWARF, and leaves some names out.
        if not other or any(call.startswith((" ", "/")) for call in other):
            continue
        n += 1
        if mine != other:
            wrong += 1
            print(f"{name} {address}: {mine}, pprof: {other}")
    print(f"{name}: {n} of {len(theirs)} locations have names by pprof, {int(wrong)} differ")
    return wrong + (not n)


def compare_go(pdconv, work):
    """Compare Go's own names, which its runtime wrote, with those that are found in the stripped program."""
    source, program, whole, bare, named = (os.path.join(work, name) for name in (
        "main.go", "program", "whole", "bare", "named"))
    with open(source, "w", encoding="ascii") as file:
        file.write(GO_PROGRAM)
    run(["go", "build", "-ldflags=-s -w", "-o", program, source], cwd=work)
    run([program, whole])
    run([*FOREIGN, "strip", whole, bare])
    run([pdconv, "symbolize", bare, "-q", "-o", named, "--no-cache"])
    ours, our_samples = pprof_raw(named, "-symbolize=none")
    theirs, their_samples = pprof_raw(whole, "-symbolize=none")
    wrong = our_samples != their_samples
    for address, calls in theirs.items():
        mine, other = [[re.sub(r":0 s=\d+.*$", "", call) for call in list_] for list_ in (ours[address], calls)]
        if mine != other:
            wrong += 1
            print(f"go {address}: {mine}, runtime: {other}")
    print(f"go: {len(theirs)} locations, {int(wrong)} differ")
    return wrong + (not theirs)


def main():
    kind, pdconv, testdata = sys.argv[1], *map(os.path.abspath, sys.argv[2:])
    with tempfile.TemporaryDirectory() as work:
        if kind == "llvm":
            wrong = sum(compare_llvm(pdconv, path) for path in (os.path.join(testdata, "cxx", "cxx"), pdconv))
        elif kind == "pprof":
            wrong = compare_forced(pdconv, testdata, "nested", work)
        else:
            wrong = compare_go(pdconv, work)
    sys.exit(wrong > 0)


main()
