#!/usr/bin/env python3
"""Compare names of kernel addresses in a recording of this machine with those of perf script.

usage: kernel_names.py PDCONV RECORDING

Both have the names of kallsyms, with what the compiler adds to them for clones: NAME.isra.0.
A name may differ where kallsyms has both at one address, and where perf names the code after a call that
never returns. Prints other differences and the number of addresses. Fails if there are such differences, or
no addresses.
"""
import collections
import re
import subprocess
import sys


def names(command):
    """Return the function names of kernel addresses, by address."""
    out = subprocess.run(command, capture_output=True, text=True, check=True, errors="replace").stdout
    found = {}
    for line in out.splitlines():
        frame = re.match(r"\s*([0-9a-f]{16}) (\S+) \(\[kernel\.kallsyms\]\)$", line)
        if frame:
            found.setdefault(int(frame[1], 16), frame[2])
    return found


def symbols():
    """Return the addresses in kallsyms, by name."""
    found = collections.defaultdict(set)
    with open("/proc/kallsyms") as file:
        for line in file:
            addr, _, name = line.split()[:3]
            found[name].add(int(addr, 16))
    return found


def main():
    pdconv, recording = sys.argv[1:]
    ours = names([pdconv, recording, "--script", "--no-inline", "--ignore-vmlinux", "-q", "--demangle", "none",
                  "-F", "ip,sym,dso"])
    theirs = names(["perf", "script", "-i", recording, "--no-inline", "-F", "ip,sym,dso"])
    known = symbols()
    verdicts = collections.Counter()
    for addr, name in theirs.items():
        own = ours.get(addr, "nothing")
        if own == name:
            verdict = "same"
        elif known[own] & known[name]:
            verdict = "an alias"
        elif addr in known[name]:
            verdict = "after a call"
        else:
            verdict = "wrong"
            print(f"{addr:x}: {own} instead of {name}")
        verdicts[verdict] += 1
    print(dict(verdicts))
    return 0 if verdicts["same"] and not verdicts["wrong"] else 1


if __name__ == "__main__":
    sys.exit(main())
