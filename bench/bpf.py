#!/usr/bin/env python3
"""Compare the stacks of programs recorded by BPF with those of copied stacks.

usage: bench/bpf.py PDCONV [WORD]...

Builds and records each program twice with 999 samples a second, by --call-graph bpf and dwarf,8192. Prints the
number of samples, the percentage of them whose stack reaches the root, and bytes for each sample. With words,
only programs whose name has one of them. Programs whose compiler is missing are left out.
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ZOO = os.path.join(HERE, "../tests/languages/zoo")
CASES = os.path.join(HERE, "../tests/unwind/cases")

SHORT = "for i in $(seq 400); do /bin/true; (:); done"
DEEP = r"""
#include <stdlib.h>
static volatile unsigned long sink;
__attribute__((noinline)) static int deep(int n)
{
    volatile char frame[100];
    frame[0] = n;
    for (int i = 0; !n && i < 20000; i++)
        sink += i * sink;
    return n ? deep(n - 1) + frame[0] : 0;
}
int main(int argc, char **argv)
{
    for (int i = 0; i < 30000; i++)
        deep(atoi(argv[1]));
    return argc;
}
"""
LIBRARY = r"""
static volatile unsigned long sink;
__attribute__((noinline)) static void in_library(unsigned long n) { for (int i = 0; i < 50000; i++) sink += n * i; }
void visit(unsigned long n) { in_library(n); sink++; }
"""
OPENS = r"""
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    for (int i = 0; i < 40; i++) {
        void *library = dlopen("./library.so", RTLD_NOW);
        void (*visit)(unsigned long) = (void (*)(unsigned long))dlsym(library, "visit");
        for (unsigned long k = 0; k < 500; k++)
            visit(k);
        dlclose(library);
    }
    return argc > 9 && argv;
}
"""
MANY = r"""
#include <sys/wait.h>
#include <unistd.h>
static volatile unsigned long sink;
__attribute__((noinline)) static void work(void) { for (int i = 0; i < 3000000; i++) sink += i * sink; }
int main(void)
{
    int ends[2];
    char go;
    if (pipe(ends))
        return 1;
    for (int i = 0; i < 3000; i++) {
        if (fork() == 0) {
            close(ends[1]);
            (void)!read(ends[0], &go, 1);
            work();
            _exit(0);
        }
    }
    close(ends[0]);
    close(ends[1]);
    while (wait(0) > 0)
        ;
    return 0;
}
"""

# Name, commands that build it, command that is recorded, and options of the recording.
PROGRAMS = (
    ("C++, frame pointers", f"g++ -O2 -fno-omit-frame-pointer -o p {ZOO}/zoo.cpp", "./p", ""),
    ("C++", f"g++ -O2 -fomit-frame-pointer -o p {ZOO}/zoo.cpp", "./p", ""),
    ("Go", f"go build -o p {ZOO}/zoo.go", "./p", ""),
    ("Go, stripped, a goroutine", f"go build -ldflags=-s -o p {ZOO}/zoo.go", "./p thread", ""),
    ("Rust", f"rustc -O -o p {ZOO}/zoo.rs", "./p", ""),
    ("node, perf map", f"cp {ZOO}/zoo.js .", "node --perf-basic-prof --interpreted-frames-native-stack zoo.js", ""),
    ("python3", f"cp {ZOO}/zoo.py .", "python3 zoo.py", ""),
    ("JVM, frame pointers", f"cp {ZOO}/Zoo.java . && javac Zoo.java", "java -XX:+PreserveFramePointer Zoo", ""),
    ("static", f"gcc -O2 -static -fomit-frame-pointer -o p {ZOO}/zoo.c", "./p", ""),
    ("static PIE", f"gcc -O2 -static-pie -fPIE -fomit-frame-pointer -o p {ZOO}/zoo.c", "./p", ""),
    ("dlopen while running", "cc -O1 -fomit-frame-pointer -fno-optimize-sibling-calls -shared -fPIC -o library.so library.c"
     " && cc -O1 -fomit-frame-pointer -o p opens.c -ldl", "./p", ""),
    ("gcc -c", f"cp {ZOO}/zoo.c .", "gcc -O2 -c zoo.c", ""),
    ("g++ -c", f"cp {CASES}/boost.cpp {CASES}/corpus.h .", "g++ -O2 -c boost.cpp", ""),
    ("short processes", "true", f"bash -c '{SHORT}'", "-a"),
    ("3,000 processes", "cc -O1 -o p many.c", "./p", "-a"),
    ("recursion, 100 frames", "cc -O1 -fomit-frame-pointer -fno-optimize-sibling-calls -o p deep.c", "./p 100", ""),
    ("recursion, 200 frames", "true", "./p 200", ""),
    ("signals on a stack of their own", f"gcc -O2 -DALTERNATE -o p {ZOO}/signals.c", "./p", ""),
    ("threads", f"gcc -O2 -pthread -o p {ZOO}/threads.c", "./p", ""),
)


def record(pdconv, kind, program, options):
    """Record the program. Return what the recorder and the report print, and the size of the recording."""
    args = [pdconv, "record", "-v", "-e", "cpu-clock", "-F", "999", "--call-graph", kind, *options.split(), "-o", "data",
            "--", "sh", "-c", "exec " + program]
    result = subprocess.run(args, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    report = subprocess.run([pdconv, "report", "data"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return result.stderr, report.stdout, os.path.getsize("data")


def measure(pdconv, kind, program, options):
    """Return the number of samples, the percentage of those whose stack reaches the root, and bytes for each."""
    said, report, size = record(pdconv, kind, program, options)
    samples = int(re.search(r"(\d+) samples?,", said)[1])
    if kind == "bpf":
        unwound = re.search(r"unwound (\d+) stacks?, (\S+) % of them to the root(?:, and (\S+) % by)?.*; (\d+) were of", said)
        n, unknown = int(unwound[1]), int(unwound[4])
        rooted = n * (float(unwound[2]) + float(unwound[3] or 0)) / 100
        return samples, 100 * rooted / max(n + unknown, 1), size / max(samples, 1)
    found = re.search(r"stacks\s+(?:all|(\S+) %) of \d+ reach the root", report)
    return samples, float(found[1] or 100) if found else float("nan"), size / max(samples, 1)


def main():
    pdconv, words = os.path.abspath(sys.argv[1]), sys.argv[2:]
    print("| program | samples | BPF: to the root, bytes a sample | `dwarf,8192`: to the root, bytes a sample |")
    print("|-|-|-|-|")
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        for name, text in (("deep.c", DEEP), ("library.c", LIBRARY), ("opens.c", OPENS), ("many.c", MANY)):
            with open(name, "w") as out:
                out.write(text)
        for name, build, program, options in PROGRAMS:
            if words and not any(word in name for word in words):
                continue
            if subprocess.run(build, shell=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
                print(f"| {name} | not built | | |")
                continue
            # The second recording has the tables of the first one.
            rows = [measure(pdconv, kind, program, options) for kind in ("bpf", "bpf", "dwarf,8192")][1:]
            cells = " | ".join(f"{rooted:.1f} %, {size:.0f}" for _, rooted, size in rows)
            print(f"| {name} | {rows[0][0]:,} | {cells} |", flush=True)


main()
