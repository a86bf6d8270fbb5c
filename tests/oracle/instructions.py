#!/usr/bin/env python3
"""Compare the disassembly of functions with objdump: where instructions begin, their sizes, and the targets of branches.

usage: instructions.py INSTRUCTIONS BINARY...

INSTRUCTIONS is the program of instructions.c. A binary is a file, or SOURCE:COMPILER[:OPTIONS], which is compiled first.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

# Prefix of the tools for each machine of ELF, its word size, and its byte order.
TOOLS = {(62, 8, "little"): "", (3, 4, "little"): "i686-linux-gnu-", (183, 8, "little"): "aarch64-linux-gnu-",
         (40, 4, "little"): "arm-linux-gnueabihf-", (243, 8, "little"): "riscv64-linux-gnu-",
         (22, 8, "big"): "s390x-linux-gnu-", (21, 8, "big"): "powerpc64-linux-gnu-",
         (21, 8, "little"): "powerpc64le-linux-gnu-"}
INSTRUCTION = re.compile(r"^ *([0-9a-f]+):\t([0-9a-f ]+?) *(?:\t(.*))?$")
COMMENT = re.compile(r"\s#\s|\s;|//")
TARGET = re.compile(r"(?:^|[\s,])(?:0x)?([0-9a-f]+) <")
# Instructions that refer to an address without going there.
NO_BRANCH = re.compile(r"^(adrp?|l[a-z]*rl|exrl|c[a-z]*rl|st[a-z]*rl|pfdrl|auipc|addpcis|ldr.*|vldr.*|add.*|lea.*|mov.*|push.*|test.*|cmp.*)$")
# Known differences for each machine of ELF: our instruction and its target, what objdump shows, and the reason. The C
# libraries are stripped of the mapping symbols that separate data from code.
ARM_DATA = "data of Thumb code"
KNOWN = {
    40: [(r"\.2byte 0xe60a -", r"ble\.n\t.*unpredictable branch in IT block", ARM_DATA + ", which LLVM does not decode"),
         (r"\.2byte 0xffff -", r"vaddl\.u<illegal width 64>\t.*", ARM_DATA + ", which objdump joins with the function"),
         (r"\.4byte 0xfffffdcf -", r"stc2l\t15, cr15, .*", ARM_DATA + ", which LLVM does not decode"),
         (r"\.2byte 0xffff -", r"nothing", ARM_DATA + ", whose instruction would reach into a function")],
}


def machine_of(path):
    with open(path, "rb") as file:
        head = file.read(20)
    order = "little" if head[5] == 1 else "big"
    return int.from_bytes(head[18:20], order), 4 * head[4], order


def ranges(prefix, path, machine):
    """Return the code of all functions with a size, without overlaps."""
    listing = subprocess.run([prefix + "readelf", "-sW", path], stdout=subprocess.PIPE, text=True, check=True).stdout
    found = set()
    for line in listing.splitlines():
        words = line.split()
        # Values of ppc64 symbols are those of descriptors.
        if len(words) > 6 and words[3] == "FUNC" and words[6] != "UND" and int(words[2], 0):
            start = int(words[1], 16) & (~1 if machine == 40 else ~0)
            found.add((start, start + int(words[2], 0)))
    ends = 0
    for start, end in sorted(found):
        if start >= ends:
            yield start, end
            ends = end


def take_known(known, own, expected):
    """Remove the difference from the list of known ones. Return whether it is there: each is only expected once."""
    for entry in known:
        if re.fullmatch(entry[0], own) and re.fullmatch(entry[1], expected):
            known.remove(entry)
            return True
    return False


class Traps:
    """
    Differences after the trap 0x0000 of glibc on s390x: LLVM resumes two bytes after it, and objdump four bytes after it, so
    that it shows no instruction where LLVM's begin, up to the first that both have.
    """

    def __init__(self, machine):
        self.is_s390 = machine == 22
        self.is_after = False

    def explains(self, own, expected):
        if not self.is_s390:
            return False
        is_trap = own == ".2byte 0x0000 -" and re.fullmatch(r"\.long\t0x0000[0-9a-f]{4}", expected)
        self.is_after = bool(is_trap) or self.is_after and expected == "nothing"
        return self.is_after


def compare(program, path):
    machine = machine_of(path)
    prefix = TOOLS[machine]
    if not shutil.which(prefix + "objdump"):
        print(path, "skipped: there is no", prefix + "objdump")
        return 0
    text = "".join("%x %x\n" % pair for pair in ranges(prefix, path, machine[0]))
    ours = subprocess.run([program, path], input=text, stdout=subprocess.PIPE, text=True, check=True).stdout
    listing = subprocess.run([prefix + "objdump", "-dwz", "--insn-width=16", path], stdout=subprocess.PIPE, text=True,
                             check=True).stdout
    theirs = {}
    for line in listing.splitlines():
        found = INSTRUCTION.match(line)
        if found:
            theirs[int(found[1], 16)] = len(found[2].replace(" ", "")) // 2, found[3] or ""
    n = n_targets = n_traps = 0
    traps = Traps(machine[0])
    known = list(KNOWN.get(machine[0], []))
    wrong = []
    for line in ours.splitlines():
        addr, size, target, insn = line.split(" ", 3)
        expected_size, expected = theirs.get(int(addr, 16), (0, "nothing"))
        found = TARGET.search(COMMENT.split(expected)[0])
        expected_target = "%x" % int(found[1], 16) if found and not NO_BRANCH.match(expected.split()[0]) else "-"
        n += 1
        n_targets += target != "-"
        own = "%s %s" % (insn, target)
        if traps.explains(own, expected):
            n_traps += 1
            continue
        if (int(size), target) == (expected_size, expected_target):
            continue
        if not take_known(known, own, expected):
            wrong.append("%s: %s, objdump: %s" % (addr, own, expected))
    n_known = len(KNOWN.get(machine[0], [])) - len(known) + n_traps
    print("%s: %d instructions, %d targets, %d known differences, %d others" % (path, n, n_targets, n_known, len(wrong)))
    for line in wrong[:20]:
        print("   ", line)
    return not n or not n_targets or bool(wrong)


def main():
    program, *binaries = sys.argv[1:]
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for i, binary in enumerate(binaries):
            if ":" in binary:
                source, compiler, *options = binary.split(":")
                if not shutil.which(compiler):
                    continue
                binary = os.path.join(scratch, "%s-%d" % (compiler, i))
                subprocess.run([compiler, "-O2", *options, "-o", binary, source], check=True)
            if os.path.exists(binary):
                failed |= compare(program, binary)
    return failed


sys.exit(main())
