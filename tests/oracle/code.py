#!/usr/bin/env python3
"""Compare what pdconv makes of the instructions of libraries with objdump and with their call frame information.

usage: code.py LENGTHS CODE_ROWS FILE...

LENGTHS (lengths.c) compares the length of each x86 instruction with objdump's. CODE_ROWS (code_rows.c) compares rows that
are found by following instructions with those of the call frame information, at each instruction and each call.
"""
import os
import re
import shutil
import subprocess
import sys

INSTRUCTION = re.compile(r"^ *([0-9a-f]+):\t(?:[0-9a-f]{2,8} )+ *\t(\S*)(.*)")
CALLS = re.compile(r"^(bnd|notrack|call.*|bl|blr|blraa.*|brasl|basr)$")
LOADS_LINK = re.compile(r"^(ldp\tx29, x30|ldr\tx30), \[sp")
TARGET = re.compile(r"\b([0-9a-f]+) <")
# Alignment between instructions is not executed, and call frame information does not describe it.
PADDING = re.compile(r"^(nop.*|xchg|int3|data16|cs|udf|nopr)$")
# Objdump for each machine of ELF, and the word size if it is x86.
OBJDUMPS = {62: ("objdump", "64"), 3: ("objdump", "32"), 183: ("aarch64-linux-gnu-objdump", ""),
            22: ("s390x-linux-gnu-objdump", "")}


def machine_of(path):
    with open(path, "rb") as file:
        head = file.read(20)
    return int.from_bytes(head[18:20], "little" if head[5] == 1 else "big")


def addresses(listing):
    """Return the addresses of instructions, and those of the last bytes of calls with " c".

    " l" follows the address of an instruction if the link register was loaded before it, and nothing jumps there."""
    lines, after_call, is_loaded = [], False, False
    targets = set(TARGET.findall(listing))
    for line in listing.splitlines():
        found = INSTRUCTION.match(line)
        if not found or not found[2]:
            continue
        if after_call:
            lines.append("%x c" % (int(found[1], 16) - 1))
        after_call = bool(CALLS.match(found[2])) and "jmp" not in found[3]
        is_loaded = is_loaded and found[1] not in targets
        if not PADDING.match(found[2]):
            lines.append(found[1] + (" l" if is_loaded else ""))
        is_loaded = (is_loaded or bool(LOADS_LINK.match(found[2] + found[3]))) and found[2] not in ("ret", "br", "b")
    return "\n".join(lines) + "\n"


def main():
    lengths, code_rows, *files = sys.argv[1:]
    failed = 0
    for path in filter(os.path.exists, files):
        objdump, bits = OBJDUMPS[machine_of(path)]
        if not shutil.which(objdump):
            continue
        listing = subprocess.run([objdump, "-dw", "-z", "--insn-width=16", path], stdout=subprocess.PIPE, text=True,
                                 check=True).stdout
        print(path, flush=True)
        if bits:
            failed |= subprocess.run([lengths, bits], input=listing, text=True, check=False).returncode
        # Much of glibc for i386 is written by hand, and its call frame information is wrong there.
        if bits == "32":
            continue
        failed |= subprocess.run([code_rows, path], input=addresses(listing), text=True, check=False).returncode
    return failed


sys.exit(main())
