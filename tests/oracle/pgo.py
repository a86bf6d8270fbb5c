#!/usr/bin/env python3
"""Compare profiles for optimizers with those that the tools of the optimizers make of the same recording.

usage: pgo.py bolt|llvm PDCONV TESTDATA
       pgo.py live|gcc PDCONV TESTDATA BRANCH_STEPPER
       pgo.py counts PDCONV TESTDATA RECORDING...

bolt    `perf2bolt -pa` of our file and `perf2bolt -p` of the recording make the same profile, and a program that llvm-bolt
        optimizes by it still works, with each version of BOLT that is installed
llvm    our profile and that of llvm-profgen overlap; clang takes ours after llvm-profdata, and the program still works
live    the same of a program in C++ that is recorded now, at a random address and with libraries, and clang makes the same
        code by both profiles; and create_llvm_prof
gcc     our profile has the counts of create_gcov, gcc uses them, and the program still works
counts  every branch of the recordings is in the table of each format once: with what comes after it, or as left out

Where the other tool is wrong, the difference is named here:
- create_llvm_prof 0.19 reads no DWARF 5 and no compressed records, and writes the names of inlined functions after it has
  freed them. They are not compared.
- create_gcov 0.19 leaves out what ran once, and writes the names of version 1 in files of version 2, at which gcc crashes.
- llvm-profgen before 16, create_llvm_prof and create_gcov let a line run less often than it called something: the code after the last
  branch of a stack is not known. Such lines may be higher here, up to the number of calls.
- Totals are executed bytes. Those of the last branch of a run are counted up to the next location here.
"""
import csv
import glob
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

PROGRAM = r"""
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>
struct Shape { virtual ~Shape() {} virtual double area() const = 0; };
struct Circle : Shape {
    double r;
    explicit Circle(double r) : r(r) {}
    double area() const override { return 3.14 * r * r; }
};
struct Square : Shape {
    double a;
    explicit Square(double a) : a(a) {}
    double area() const override;
};
double Square::area() const
{
    double s = 0;
    for (int i = 0; i < 3; i++)
        s += a * a / 3;
    return s;
}
template <typename T> static T sum(const std::vector<T> &v)
{
    T s{};
    for (const T &x : v)
        s += x;
    return s;
}
int main()
{
    std::vector<int> v(256);
    unsigned x = 17;
    for (auto &e : v)
        e = (x = x * 1103515245 + 12345) >> 20;
    std::sort(v.begin(), v.end(), [](int a, int b) { return a % 100 < b % 100; });
    std::map<int, int> m;
    for (int i = 0; i < 80; i++)
        m[v[i] % 13] += i;
    std::vector<std::unique_ptr<Shape>> shapes;
    for (int i = 0; i < 80; i++)
        if (i % 3) shapes.emplace_back(new Circle(i)); else shapes.emplace_back(new Square(i));
    double a = m[3];
    for (auto &p : shapes)
        a += p->area();
    return printf("%d %.0f\n", sum(v), a) < 0;
}
"""
LEAST_OVERLAP = 99.9


class Failure(Exception):
    pass


class Skipped(Exception):
    pass


def expect(condition, *what):
    if not condition:
        raise Failure(" ".join(str(word) for word in what))


def run(*command, **options):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", **options)
    expect(result.returncode == 0, command, result.stdout, result.stderr)
    return result.stdout + result.stderr


def tools(name):
    """Return the programs of this name in all versions of LLVM, the newest last."""
    paths = glob.glob(f"/usr/lib/llvm-*/bin/{name}")
    return sorted(paths, key=version_of)


def version_of(path):
    return int(path.split("llvm-")[1].split("/")[0])


def convert(pdconv, recording, programs, form, work):
    """Convert a recording; return the file of the binary `name` by its name."""
    out = os.path.join(work, form)
    shutil.rmtree(out, ignore_errors=True)
    run(pdconv, recording, "-q", "--symbol-dir", programs, "-f", form, "-o", out)
    return lambda name: glob.glob(os.path.join(out, f"{name}.*"))[0]


def read_lines(path):
    with open(path, encoding="utf-8") as lines:
        return sorted(lines)


def compare_bolt(pdconv, recording, program, work):
    """Compare fdata, and run the program that BOLT makes."""
    ours = convert(pdconv, recording, os.path.dirname(program), "bolt", work)(os.path.basename(program))
    versions = tools("perf2bolt")
    if not versions:
        raise Skipped("perf2bolt is not installed")
    for perf2bolt in versions:
        by_us, by_perf, optimized = (os.path.join(work, name) for name in ("ours", "perf", "optimized"))
        run(perf2bolt, program, "-pa", "-p", ours, "-o", by_us)
        run(perf2bolt, program, "-p", recording, "-o", by_perf)
        lines = read_lines(by_us)
        expect(len(lines) > 20, perf2bolt, "made", len(lines), "lines")
        expect(lines == read_lines(by_perf), perf2bolt, set(lines) ^ set(read_lines(by_perf)))
        run(os.path.join(os.path.dirname(perf2bolt), "llvm-bolt"), program, "-o", optimized, f"-data={by_us}",
            "-reorder-blocks=ext-tsp", "-reorder-functions=hfsort", "-split-functions")
        expect(run(optimized) == run(program), "the program changed")
        print(f"BOLT {version_of(perf2bolt)}: {len(lines)} lines are the same")


def overlap(profdata, one, other):
    text = run(profdata, "overlap", "--sample", one, other)
    return float(re.search(r"Whole program sample overlap: +([\d.]+)%", text).group(1))


def read_totals(path):
    """Totals of functions in a text profile."""
    with open(path, "rb") as text:
        return {name: int(total) for name, total in re.findall(rb"^(\S.*):(\d+):\d+$", text.read(), re.M)}


def compare_profgen(recording, program, ours, work):
    versions = [path for path in tools("llvm-profgen") if version_of(path) >= 16]
    if not versions:
        raise Skipped("llvm-profgen 16 or later is not installed")
    theirs = os.path.join(work, "theirs")
    run(versions[-1], "--format=text", f"--binary={program}", f"--perfdata={recording}", f"--output={theirs}")
    profdata = os.path.join(os.path.dirname(versions[-1]), "llvm-profdata")
    for one, other in (ours, theirs), (theirs, ours):
        found = overlap(profdata, one, other)
        expect(found >= LEAST_OVERLAP, "overlap of", found)
    totals = read_totals(ours)
    for name, total in read_totals(theirs).items():
        expect(abs(totals.get(name, 0) - total) <= 20 + 0.1 * total, name, total, totals.get(name))
    print(f"llvm-profgen {version_of(versions[-1])}: {found} % overlap")
    return theirs


def compare_code(source, profiles, work):
    """What clang makes of a source by each profile is the same, so it is as fast."""
    code = []
    for profile in profiles:
        merged, compiled = (os.path.join(work, name) for name in ("merged", "compiled.o"))
        run("llvm-profdata", "merge", "--sample", "--extbinary", profile, "-o", merged)
        run("clang++", "-O2", "-fdebug-info-for-profiling", f"-fprofile-sample-use={merged}", "-c", source, "-o", compiled)
        code.append(run("objdump", "-d", "--no-show-raw-insn", compiled).split("Disassembly", 1)[1])
    expect(len(code[0]) > 10000 and len(set(code)) == 1, "the code differs", *map(len, code))
    print(f"clang makes the same code by both profiles: {code[0].count(chr(10))} lines")


def compile_by(profile, source, flags, work):
    """Compile with the profile. Return the program and its code for LLVM."""
    merged, program, code = (os.path.join(work, name) for name in ("merged", "built", "built.ll"))
    run("llvm-profdata", "merge", "--sample", "--extbinary", profile, "-o", merged)
    flags = [*flags, "-g", "-fdebug-info-for-profiling", f"-fprofile-sample-use={merged}", source]
    said = run("clang", *flags, "-o", program) + run("clang", *flags, "-S", "-emit-llvm", "-o", code)
    expect("warning" not in said, said)
    with open(code, encoding="utf-8") as text:
        return program, text.read()


def check_llvm(pdconv, testdata, work):
    folder = os.path.join(testdata, "branches")
    recording, program = os.path.join(folder, "perf.data"), os.path.join(folder, "branches")
    ours = convert(pdconv, recording, folder, "autofdo", work)("branches")
    built, code = compile_by(ours, os.path.join(folder, "branches.c"),
                             ["-O2", "-fno-stack-protector", "-nostdlib", "-static"], work)
    expect(run(built) == run(program), "the program changed")
    # The loop of sift() runs 416 times in 40 calls. clang adds 1 to the number of entries.
    expect('"function_entry_count", i64 41' in code and "branch_weights" in code, "clang did not use the profile")
    print("clang uses the profile")
    compare_profgen(recording, program, ours, work)


# A line of a text profile: indentation, place, and a count with calls or an inlined call.
LINE = re.compile(rb"( *)(\d+)(?:\.(\d+))?: (?:(\d+)((?: \S+:\d+)*)|.*:\d+)$")


def read_profile(path):
    """Return (count, calls) by function and places of inlined calls, without the names of the latter."""
    counts, where, function = {}, [], None
    with open(path, "rb") as text:
        for line in text.read().split(b"\n"):
            match = LINE.match(line)
            if not match:
                function = line.split(b":")[0] if line[:1].strip() else function
                continue
            depth, place = len(match[1]), (int(match[2]), int(match[3] or 0))
            where[depth - 1:] = [place]
            if match[4]:
                calls = sum(int(call.rpartition(b":")[2]) for call in match[5].split())
                key = (function, *where)
                old = counts.get(key, (0, 0))
                counts[key] = (old[0] + int(match[4]), old[1] + calls)
    return counts


def compare_create_llvm_prof(recording, program, ours, work):
    if not shutil.which("create_llvm_prof"):
        raise Skipped("create_llvm_prof is not installed")
    theirs = os.path.join(work, "created")
    run("create_llvm_prof", f"--profile={recording}", f"--binary={program}", f"--out={theirs}", "--format=text")
    created, own = read_profile(theirs), read_profile(ours)
    expect(len(created) > 40, len(created), "lines")
    for key, (count, calls) in created.items():
        expect(own.get(key) == (max(count, calls), calls), key, own.get(key), count, calls)
    print(f"create_llvm_prof: {len(created)} lines are the same")


def build(compiler, source, flags, work, name, own=("-fdebug-info-for-profiling", "-Wl,--emit-relocs")):
    path = os.path.join(work, name)
    run(compiler, "-g", "-Wl,--build-id=sha1", *own, *flags, source, "-o", path)
    return path


def record(stepper, depth, program, work):
    recording = os.path.join(work, os.path.basename(program) + ".data")
    run(stepper, recording, os.path.join(work, "truth"), str(depth), str(depth), program)
    return recording


def check_live(pdconv, testdata, work, stepper):
    source = os.path.join(work, "shapes.cpp")
    with open(source, "w", encoding="utf-8") as text:
        text.write(PROGRAM)
    program = build("clang++", source, ["-O3", "-pie", "-fPIE"], work, "shapes")
    recording = record(stepper, 32, program, work)
    ours = convert(pdconv, recording, work, "autofdo", work)("shapes")
    compare_code(source, (ours, compare_profgen(recording, program, ours, work)), work)
    compare_bolt(pdconv, recording, program, work)
    source = os.path.join(testdata, "branches", "branches.c")
    program = build("clang", source, ["-O2", "-gdwarf-4", "-fno-stack-protector", "-nostdlib", "-static"], work, "old")
    recording = record(stepper, 16, program, work)
    ours = convert(pdconv, recording, work, "autofdo", work)("old")
    compare_create_llvm_prof(recording, program, ours, work)


class GcovReader:
    """A profile of GCC, version 1 or 2: counts and calls by function and places."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data, self.at, self.names, self.counts = file.read(), 0, [], {}
        expect(self.word() == 0x67636461, "not a profile of GCC")
        # Lengths of texts are in words, and later in bytes.
        unit = 4 if self.word() == 1 else 1
        self.word()
        self.tag(0xaa000000)
        for _ in range(self.word()):
            size = self.word() * unit
            self.names.append(self.data[self.at:self.at + size].split(b"\0")[0].decode())
            self.at += size
        size = self.tag(0xac000000)
        begin = self.at
        for _ in range(self.word()):
            self.counter()
            self.node(())
        expect(self.at - begin == size * unit, "the functions have", self.at - begin, "bytes instead of", size * unit)
        self.tag(0xae000000)
        expect(self.word() == 0, "there are modules")

    def word(self):
        self.at += 4
        return struct.unpack_from("<I", self.data, self.at - 4)[0]

    def counter(self):
        self.at += 8
        return struct.unpack_from("<Q", self.data, self.at - 8)[0]

    def tag(self, tag):
        expect(self.word() == tag, "no tag", hex(tag))
        return self.word()

    def place(self):
        return divmod(self.word(), 1 << 16)

    def node(self, where):
        name, n_lines, n_calls = self.names[self.word()], self.word(), self.word()
        where = where or (name,)
        for _ in range(n_lines):
            place, n_targets, count = self.place(), self.word(), self.counter()
            targets = [(self.word(), self.names[self.counter()], self.counter())[1:] for _ in range(n_targets)]
            self.counts[(*where, place)] = (count, dict(targets))
        for _ in range(n_calls):
            self.node((*where, self.place()))


def compare_create_gcov(recording, program, ours, work):
    if not shutil.which("create_gcov"):
        raise Skipped("create_gcov is not installed")
    theirs = os.path.join(work, "created")
    run("create_gcov", f"--profile={recording}", f"--binary={program}", f"--gcov={theirs}", "--gcov_version=1")
    created, own = GcovReader(theirs).counts, GcovReader(ours).counts
    expect(len(created) > 40, len(created), "lines")
    for key, (count, targets) in created.items():
        found, calls = own.get(key, (None, {}))
        expect(found == max(count, sum(targets.values())), key, found, count, targets)
        expect(targets.items() <= calls.items(), key, targets, calls)
    print(f"create_gcov: {len(created)} lines are the same")


def compile_by_gcc(compiler, profile, source, flags, work):
    """Compile with the profile, if this version reads it. Return the program, and how many counts it got."""
    version = int(run(compiler, "-dumpversion").split(".")[0])
    if not 12 <= version <= 15:
        raise Skipped(f"GCC {version} reads another version of profiles")
    program = os.path.join(work, "by_gcc")
    run(compiler, "-O2", "-g", *flags, f"-fauto-profile={profile}", "-fdump-tree-optimized-blocks-details", source, "-o", program,
        cwd=work)
    dumps = ""
    for path in glob.glob(os.path.join(work, "*.optimized")):
        with open(path, encoding="utf-8") as text:
            dumps += text.read()
    return program, dumps.count("(auto FDO), maybe hot")


def check_gcc(pdconv, testdata, work, stepper):
    source = os.path.abspath(os.path.join(testdata, "branches", "branches.c"))
    flags = ["-fno-stack-protector", "-nostdlib", "-static"]
    program = build("gcc", source, ["-O2", "-gdwarf-4", *flags], work, "with_gcc", ())
    recording = record(stepper, 16, program, work)
    ours = convert(pdconv, recording, work, "gcov", work)("with_gcc")
    optimized, n_hot = compile_by_gcc("gcc", ours, source, flags, work)
    expect(run(optimized) == run(program), "the program changed")
    expect(n_hot > 5, "gcc uses", n_hot, "counts")
    print("gcc uses the profile")
    compare_create_gcov(recording, program, ours, work)


def count_branches(pdconv, recording, form, work):
    """Return the number of branches that the table has, by where they lead."""
    out = os.path.join(work, form)
    shutil.rmtree(out, ignore_errors=True)
    run(pdconv, recording, "-q", "--symbol-dir", os.path.dirname(recording), "-f", form, "-o", out)
    with open(os.path.join(out, "binaries.tsv"), encoding="utf-8") as table:
        rows = list(csv.DictReader((line for line in table if line[0] != "#"), delimiter="\t"))
    led = sum(int(row[column]) for row in rows for column in ("runs", "last", "inverted", "overlong", "outside"))
    return led + sum(int(row["branches"]) for row in rows if row["file"] == "-")


def check_counts(pdconv, testdata, work, *recordings):
    n_checked = 0
    for recording in [os.path.join(testdata, "branches", "perf.data"), *recordings]:
        branches = json.loads(subprocess.run([pdconv, "info", "--json", recording], stdout=subprocess.PIPE,
                                             stderr=subprocess.PIPE, check=False).stdout or "{}").get("branch_entries", 0)
        for form in ("bolt", "autofdo", "gcov") if branches else ():
            found = count_branches(pdconv, recording, form, work)
            expect(found == branches, recording, form, found, "of", branches)
            n_checked += branches
    print(n_checked, "branches are accounted for")


def main():
    case, pdconv, testdata, *rest = sys.argv[1:]
    with tempfile.TemporaryDirectory() as work:
        # perf2bolt looks for the program by its recorded file name.
        if case == "bolt":
            folder = os.path.join(testdata, "branches")
            compare_bolt(pdconv, os.path.join(folder, "perf.data"), os.path.join(folder, "branches"), work)
        elif case == "llvm":
            check_llvm(pdconv, testdata, work)
        elif case == "counts":
            check_counts(pdconv, testdata, work, *rest)
        elif case == "gcc":
            check_gcc(pdconv, testdata, work, *rest)
        else:
            check_live(pdconv, testdata, work, *rest)


if __name__ == "__main__":
    try:
        main()
    except Skipped as skipped:
        print(skipped)
        sys.exit(77)
    except Failure as failure:
        print(failure)
        sys.exit(1)
