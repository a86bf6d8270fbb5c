#!/usr/bin/env python3
"""Compare the samples of instructions that `pdconv annotate` shows with `perf annotate`, and on other machines with objdump.

usage: annotate.py PDCONV TESTDATA [--perf] [--machines] [--kinds] [--schema]

--perf: the hottest functions of recordings in TESTDATA, and of programs that perf records now, have the same numbers of
samples at the same instructions. --machines: a program is compiled for each machine and a recording is made with
samples at known instructions of objdump's listing. Each of them must have exactly its samples. --kinds: the same for code
of a jitdump, a vmlinux and a kcore; and without LLVM. --schema: the JSON of all recordings in TESTDATA is as
doc/schema/annotate.json describes it.
"""
import collections
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import aliases
from made_recording import Recording

PROGRAMS = ["nested", "fp", "cxx", "threads", "signal", "deep"]
N_FUNCTIONS = 5
# Compiler, options, machine as `uname -m` names it, and byte order.
MACHINES = [("gcc", [], "x86_64", "<"), ("i686-linux-gnu-gcc", [], "i686", "<"),
            ("aarch64-linux-gnu-gcc", [], "aarch64", "<"), ("arm-linux-gnueabihf-gcc", ["-mthumb"], "armv7l", "<"),
            ("arm-linux-gnueabihf-gcc", ["-marm"], "armv7l", "<"), ("riscv64-linux-gnu-gcc", [], "riscv64", "<"),
            ("s390x-linux-gnu-gcc", [], "s390x", ">"), ("powerpc64-linux-gnu-gcc", [], "ppc64", ">"),
            ("powerpc64le-linux-gnu-gcc", [], "ppc64le", "<")]
PERF_ROW = re.compile(r"^ +(\d+) : +([0-9a-f]+): ")
OBJDUMP_ROW = re.compile(r"^ *([0-9a-f]+):\t[0-9a-f ]+\t")


class Failure(Exception):
    pass


def run(*command):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                            check=False)
    if result.returncode:
        raise Failure("%s: %s" % (" ".join(command), result.stderr))
    return result.stdout


def annotate(pdconv, recording, function, *options):
    """Return the samples by address, and the annotation."""
    shown = json.loads(run(pdconv, "annotate", "--json", "--whole", "-i", recording, "-s", function, *options))
    rows = shown["instructions"]["rows"]
    return {int(row["address"], 16): row["samples_0"] for row in rows if row["samples_0"]}, shown


def perf_annotate(recording, function, dso, *options):
    # Without the bytes of instructions, perf 6.12 crashes at some functions.
    text = run("perf", "annotate", "--stdio", "--stdio-color", "never", "--show-nr-samples", "--asm-raw", "-i", recording,
               "-d", dso, "-s", function, *options)
    rows = [PERF_ROW.match(line) for line in text.splitlines()]
    return {int(row[2], 16): int(row[1]) for row in rows if row and int(row[1])}


def hottest(pdconv, recording, *options):
    """Return the functions with most samples of files, and the paths of these."""
    counts = collections.Counter()
    text = run(pdconv, recording, "-q", "--script", "-F", "ip,sym,dso", "--no-inline", "-G", *options)
    for line in text.splitlines():
        found = re.match(r"\s*[0-9a-f]+ (\S+) \((/\S+)\)$", line)
        # perf does not know functions without symbols.
        if found and found[1] != "[unknown]" and not re.search(r"\+0x[0-9a-f]+$", found[1]):
            counts[found[1], found[2]] += 1
    return [pair for pair, _ in counts.most_common(N_FUNCTIONS)]


def perf_names(recording, *options):
    """Return the names of functions of files that perf has: {path: set of names}."""
    text = run("perf", "script", "-i", recording, "-F", "ip,sym,dso", "-G", *options)
    found = collections.defaultdict(set)
    for name, dso in re.findall(r"^\s*[0-9a-f]+ (\S+) \((/\S+)\)$", text, re.M):
        found[dso].add(name)
    return found


def perf_name(names, function, dso, root):
    """Return perf's name of a function: the same, one with a version ("f@@GLIBC_2.2.5"), or another of its address."""
    if function in names[dso]:
        return function
    return next((name for name in sorted(names[dso]) if aliases.are_same(root + dso, name, function)), function)


def compare_perf(pdconv, recording, ours, theirs):
    n = 0
    names = perf_names(recording, *theirs)
    root = theirs[theirs.index("--symfs") + 1] if "--symfs" in theirs else ""
    functions = hottest(pdconv, recording, *ours)
    if not functions:
        raise Failure("%s: no function has samples" % recording)
    for function, dso in functions:
        own, shown = annotate(pdconv, recording, function, *ours)
        # perf joins all functions of one name, and objdump starts in the middle of some.
        if shown["matches"] > 1:
            continue
        expected = perf_annotate(recording, perf_name(names, function, dso, root), dso, *theirs)
        if own != expected:
            raise Failure("%s: %s: %s\nperf: %s" % (recording, function, own, expected))
        n += sum(own.values())
    print("%s: %d functions, %d samples" % (recording, len(functions), n))
    if not n:
        raise Failure("%s: nothing was compared" % recording)


def compare_with_perf(pdconv, testdata, scratch):
    os.environ["PERF_BUILDID_DIR"] = ""
    for name in PROGRAMS:
        root = os.path.join(scratch, name)
        os.makedirs(root + "/tmp/pdconv-testdata")
        shutil.copy(os.path.join(testdata, name, name), root + "/tmp/pdconv-testdata")
        compare_perf(pdconv, os.path.join(testdata, name, "perf.data"), ["--symfs", root], ["--symfs", root])
    commands = [["sh", "-c", "for i in $(seq 60); do %s; done" % " ".join(command)] for command in [
        [pdconv, testdata + "/cxx/perf.data", "--script", "--no-cache", "-o", "/dev/null"],
        [pdconv, "dump", "--json", testdata + "/threads/perf.data"]]]
    for i, command in enumerate(commands):
        recording = "%s/%d.data" % (scratch, i)
        # perf 6.1 waits a second at its end.
        subprocess.run(["perf", "record", "-q", "-e", "cpu-clock:u", "-F", "4999", "-o", recording, *command],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        compare_perf(pdconv, recording, [], [])


def choose(addrs):
    """Return a number of samples for two thirds of the addresses, and the samples in random order."""
    expected = {addr: random.randint(1, 9) for addr in random.sample(addrs, len(addrs) * 2 // 3)}
    samples = [addr for addr, count in expected.items() for _ in range(count)]
    random.shuffle(samples)
    return expected, samples


def instructions(prefix, binary, function):
    """Return the addresses of the instructions of a function, without data between them."""
    symbols = run(prefix + "readelf", "-sW", binary)
    size = int(re.search(r" (\d+) FUNC .* %s$" % function, symbols, re.M)[1])
    listing = run(prefix + "objdump", "-dwz", "--insn-width=16", binary)
    start = int(re.search(r"^([0-9a-f]+) <\.?%s>:$" % function, listing, re.M)[1], 16)
    rows = [(OBJDUMP_ROW.match(line), line) for line in listing.splitlines()]
    found = [(int(row[1], 16), line) for row, line in rows if row]
    return [addr for addr, line in found if start <= addr < start + size and not re.search(r"\t\.(word|long|short|byte)", line)]


def code_segment(prefix, binary, addr):
    for line in run(prefix + "readelf", "-lW", binary).splitlines():
        words = line.split()
        if words[:1] == ["LOAD"]:
            offset, vaddr, size = int(words[1], 16), int(words[2], 16), int(words[5], 16)
            if vaddr <= addr < vaddr + size:
                return offset, vaddr, size
    raise Failure("%s: no segment has %x" % (binary, addr))


def compare_machine(pdconv, scratch, compiler, options, machine, order):
    prefix = compiler[:-len("gcc")]
    binary = os.path.join(scratch, machine + "".join(options))
    run(compiler, "-O2", "-g", *options, "-o", binary, "tests/oracle/programs/branches.c")
    n = 0
    for function in ["sum", "main"]:
        addrs = instructions(prefix, binary, function)
        if len(addrs) < 10:
            raise Failure("%s: objdump shows %d instructions of %s" % (binary, len(addrs), function))
        offset, vaddr, size = code_segment(prefix, binary, addrs[0])
        base = 0x10000
        expected, samples = choose(addrs)
        page = vaddr & ~0xfff
        recording = Recording(order, machine)
        recording.map(binary, page + base, size + vaddr - page, offset & ~0xfff)
        recording.sample(addr + base for addr in samples)
        recording.write(binary + ".data")
        own, shown = annotate(pdconv, binary + ".data", function)
        if own != expected:
            raise Failure("%s: %s: %s\nexpected: %s" % (binary, function, own, expected))
        boundaries = [int(row["address"], 16) for row in shown["instructions"]["rows"] if "byte" not in row["text"]]
        if boundaries != addrs:
            raise Failure("%s: %s has instructions at %s, objdump: %s" % (binary, function, boundaries, addrs))
        if not any(row["line"] for row in shown["instructions"]["rows"]):
            raise Failure("%s: no instruction has a line" % binary)
        n += sum(own.values())
    print("%s %s: %d samples" % (machine, " ".join(options), n))


def compare_jit(pdconv, scratch):
    """Code of a jitdump: each instruction must have its samples, at its offset in the dump."""
    code = bytes.fromhex("554889e5ffd75dc3")
    starts = [0, 1, 4, 6, 7]
    name = b"generated\0"
    load = struct.pack("<IIQIIQQQQ", 0, 56 + len(name) + len(code), 5, 7, 7, 0x5000, 0x5000, len(code), 0) + name + code
    dump = scratch + "/jit-7.dump"
    with open(dump, "wb") as file:
        file.write(struct.pack("<IIIIIIQQ", 0x4a695444, 1, 40, 62, 0, 7, 0, 0) + load)
    offset = 40 + 56 + len(name)
    expected, samples = choose(starts)
    recording = Recording("<", "x86_64")
    recording.map(dump, 0x900000, 0x1000, 0)
    recording.map("//anon", 0x5000, 0x1000, 0)
    recording.sample(addr + 0x5000 for addr in samples)
    recording.write(scratch + "/jit.data")
    own, shown = annotate(pdconv, scratch + "/jit.data", "generated")
    texts = [row["text"] for row in shown["instructions"]["rows"]]
    if own != {addr + offset: count for addr, count in expected.items()} or texts != [
            "pushq %rbp", "movq %rsp, %rbp", "callq *%rdi", "popq %rbp", "retq"]:
        raise Failure("jitdump: %s, expected %s: %s" % (own, expected, texts))
    print("jitdump: %d samples" % sum(own.values()))


def compare_kernel(pdconv, scratch):
    """Code of a vmlinux that was moved at boot; and of a kcore, whose code differs from it as the kernel patches itself."""
    base, slide = 0xffffffff81000000, 0x1c00000
    vmlinux = scratch + "/vmlinux"
    run("gcc", "-O2", "-g", "-fno-pic", "-no-pie", "-mcmodel=kernel", "-ffreestanding", "-U_FORTIFY_SOURCE",
        "-fno-asynchronous-unwind-tables", "-fcf-protection=none", "-nostdlib", "-static", "-Wl,-e,sum,-Ttext=%#x" % base,
        *["-Wl,--defsym=%s=%#x" % (name, base) for name in ["_text", "puts", "printf", "strtol", "__isoc23_strtol"]],
        "-o", vmlinux, "tests/oracle/programs/branches.c")
    addrs = instructions("", vmlinux, "sum")
    expected, samples = choose(addrs)
    recording = Recording("<", "x86_64")
    recording.map("[kernel.kallsyms]_text", base + slide, 0x10000, base + slide, 1, 0xffffffff)
    recording.sample((addr + slide for addr in samples), 1)
    os.mkdir(scratch + "/kernel.data")
    recording.write(scratch + "/kernel.data/data")
    os.mkdir(scratch + "/kernel.data/kcore_dir")
    expected = {addr + slide: count for addr, count in expected.items()}
    own, shown = annotate(pdconv, scratch + "/kernel.data/data", "sum", "--vmlinux", vmlinux)
    if own != expected or not any(row["line"] for row in shown["instructions"]["rows"]):
        raise Failure("vmlinux: %s, expected %s" % (own, expected))
    symbols = run("nm", vmlinux)
    with open(scratch + "/kernel.data/kcore_dir/kallsyms", "w", encoding="ascii") as file:
        for line in symbols.splitlines():
            addr, kind, name = line.split()
            file.write("%x %s %s\n" % (int(addr, 16) + slide, kind, name))
    kcore = scratch + "/kernel.data/kcore_dir/kcore"
    run("objcopy", "--change-addresses", hex(slide), "-O", "elf64-x86-64", vmlinux, kcore)
    with open(kcore, "r+b") as file:
        text = file.read()
        with open(vmlinux, "rb") as original:
            offset, vaddr, _ = code_segment("", vmlinux, addrs[0])
            original.seek(offset + addrs[0] - vaddr)
            code = original.read(64)
        file.seek(text.index(code))
        file.write(b"\xcc")
    for options in [], ["--vmlinux", vmlinux]:
        _, shown = annotate(pdconv, scratch + "/kernel.data", "sum", *options)
        if shown["instructions"]["rows"][0]["text"] != "int3" or shown["code"] != kcore:
            raise Failure("kcore: %s" % shown)
    print("kernel: %d samples" % sum(own.values()))


def compare_without_llvm(pdconv, testdata, scratch):
    """Without LLVM there are no instructions, but lines and the addresses with samples."""
    source = """#include <stddef.h>
    void *dlopen(const char *name, int flags) { (void)name; (void)flags; return NULL; }"""
    with open(scratch + "/hide.c", "w", encoding="ascii") as file:
        file.write(source)
    run("gcc", "-shared", "-fPIC", "-o", scratch + "/hide.so", scratch + "/hide.c")
    options = ["--symbol-dir", testdata + "/nested"]
    expected, with_llvm = annotate(pdconv, testdata + "/nested/perf.data", "side", *options)
    os.environ["LD_PRELOAD"] = scratch + "/hide.so"
    own, shown = annotate(pdconv, testdata + "/nested/perf.data", "side", *options)
    del os.environ["LD_PRELOAD"]
    if own != expected or "LLVM" not in shown["why_no_code"] or shown["lines"] != with_llvm["lines"]:
        raise Failure("without LLVM: %s, expected %s: %s" % (own, expected, shown))
    print("without LLVM: %s" % shown["why_no_code"])


def validate(pdconv, testdata, scratch):
    """Validate the JSON of all recordings, with different options."""
    import jsonschema

    with open("doc/schema/annotate.json", encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    n = 0
    for name in sorted(os.listdir(testdata)):
        path = os.path.join(testdata, name, "perf.data")
        program = {"compressed": "nested", "piped": "nested", "group": "nested", "parallel": "threads"}.get(name, name)
        for options in [], ["--lines"], ["--whole", "--no-inline"], ["--limit", "1", "--no-lines"], ["--lines", "--limit", "1"]:
            result = subprocess.run([pdconv, "annotate", "--json", "-i", path, "--symfs", scratch, "--symbol-dir",
                                     os.path.join(testdata, program), *options], stdout=subprocess.PIPE,
                                    stderr=subprocess.DEVNULL, check=False)
            if result.returncode == 0:
                validator.validate(json.loads(result.stdout))
                n += 1
    print("schema: %d documents" % n)
    if n < 40:
        raise Failure("only %d documents were validated" % n)


def main():
    pdconv, testdata, *options = sys.argv[1:]
    random.seed(1)
    with tempfile.TemporaryDirectory() as scratch:
        if "--perf" in options:
            compare_with_perf(pdconv, testdata, scratch)
        if "--machines" in options:
            for machine in MACHINES:
                if shutil.which(machine[0]):
                    compare_machine(pdconv, scratch, *machine)
        if "--kinds" in options:
            compare_jit(pdconv, scratch)
            compare_kernel(pdconv, scratch)
            compare_without_llvm(pdconv, testdata, scratch)
        if "--schema" in options:
            validate(pdconv, testdata, scratch)
    return 0


try:
    sys.exit(main())
except Failure as failure:
    print(failure)
    sys.exit(1)
