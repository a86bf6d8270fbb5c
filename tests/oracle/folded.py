#!/usr/bin/env python3
"""Compare folded stacks with those that stackcollapse-perf.pl makes from the text of perf script.

usage: folded.py PDCONV RECORDING... [-- OPTION...]

Runs `perf script` on each RECORDING and folds its text, with the script that $STACKCOLLAPSE names or else
with the same rules here. Compares line by line with `pdconv --folded`; OPTIONs go to both. Prints how many
lines, and what share of their weight, are equal, and each kind of difference. Fails if a line differs for an
unknown reason.

Known reasons, where the script or perf is wrong or has a choice:

  alias        of names of one address, perf prefers those that are not weak, and long ones: __GI___qsort_r
  version      perf shows the version of some symbols, pdconv of none: malloc@@GLIBC_2.2.5
  return       perf looks up the return address itself: after a call that does not return, that is the first byte of the
               next function, or of the padding before it, which has no name
  parentheses  the script takes everything after a "(" for arguments, and truncates "f<void (int)>" and "a::f(int)@plt"
  brackets     the script adds brackets to names that have some: "[[vdso]]"
  comm         after a command of one letter, the script takes the thread's number for a part of the name
  cut          perf has a frame ffffffffffffffff where the captured stack was too short
  replaced     within execve() perf looks up addresses of the old program in the new one
  unsized      perf names code without a symbol after the symbol before it: _init, for the PLT
  nameless     perf has no name for functions without symbols, pdconv that of the program and the first byte
  shorter      perf stops where pdconv goes on: no .eh_frame_hdr, generated code, frame pointers
"""
import collections
import os
import re
import subprocess
import sys

import aliases
import perfs

EVENT = re.compile(r":\s*(\d+)?\s+(\S+):\s*$")
HEAD = re.compile(r"^\s*(\S.*?)\s+(\d+)(?:/(\d+))?\s+(?=\[|\d+\.\d+)")
FRAME = re.compile(r"^\s*(\w+)\s*(.+) \((.*)\)")


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace",
                          **options).stdout


def name_of(symbol, module, addr, addrs):
    if symbol != "[unknown]":
        symbol = symbol.replace(";", ":")
        if not re.search(r"\.\(.*\)\.", symbol):
            symbol = re.sub(r"\((?!anonymous namespace\)).*", "", symbol)
        return symbol.replace('"', "").replace("'", "")
    module = "unknown" if module == "[unknown]" else module.rpartition("/")[2]
    return f"[{module} <{addr}>]" if addrs else f"[{module}]"


class Folded:
    """Weights by stack, for the first event. For each stack also which frames, except for the innermost, are at the
    first byte of a function, or in none, because the call before it does not return."""

    def __init__(self):
        self.weights = collections.Counter()
        self.at_start = {}
        self.files = set()

    def add(self, comm, frames, weight):
        names = [comm] + [name for name, _ in frames[::-1]]
        starts = [False] + [is_start for _, is_start in frames[::-1]]
        starts[-1] = False
        self.weights[";".join(names)] += weight
        self.at_start[";".join(names)] = starts


def read_frame(frame, options):
    symbol, _, offset = frame[2].partition("+0x") if re.search(r"\+0x[\da-f]+$", frame[2]) else (frame[2], "", "")
    # perf shows what the compiler adds to the names of clones and pieces of functions.
    symbol = re.sub(r"(?<=\w)(\.(isra|part|constprop|cold)(\.\d+)?)+$", "", symbol)
    name = name_of(symbol, frame[3], frame[1], "--addrs" in options)
    is_kernel = re.match(r"\[|.*vmlinux$", frame[3]) and "unknown" not in frame[3]
    is_after_call = offset == "0" or symbol == "[unknown]" and frame[3].startswith("/")
    return name + ("_[k]" if "--kernel" in options and is_kernel else ""), is_after_call


def fold(text, options):
    folded = Folded()
    wanted, comm, weight, frames = None, None, 1, []
    for line in text.splitlines():
        head = HEAD.match(line) if not line.startswith("\t") else None
        frame = FRAME.match(line)
        if not line:
            if comm and frames:
                folded.add(comm, frames, weight)
            comm, frames = None, []
        elif head:
            event = EVENT.search(line)
            wanted = wanted or (event and event[2])
            comm = head[1].replace(" ", "_") if not event or event[2] == wanted else None
            weight = int(event[1]) if event and event[1] else 1
        elif frame and comm:
            frames.append(read_frame(frame, options))
            if frame[3].startswith("/") or frame[3] == "[vdso]":
                folded.files.add(frame[3])
    return folded


def fold_by_script(text, options):
    out = run(["perl", os.environ["STACKCOLLAPSE"], *options], input=text)
    stacks = collections.Counter()
    for line in out.splitlines():
        stack, _, weight = line.rpartition(" ")
        stacks[stack] += int(weight)
    return stacks


def read_ours(pdconv, recording, options):
    stacks = collections.Counter()
    lines = run([pdconv, "--folded", "--no-inline", "--no-truncated", "-q", recording, *options]).splitlines()
    if lines != sorted(lines, key=lambda line: line.rpartition(" ")[0].encode()):
        sys.exit(f"{recording}: lines are not sorted")
    for line in lines:
        stack, _, weight = line.rpartition(" ")
        stacks[stack] += int(weight)
    return stacks


def without_version(stack):
    def change(name):
        plain = name.removesuffix("_[k]")
        return aliases.unversioned(plain) + name[len(plain):]
    return ";".join(change(name) for name in stack.split(";"))


def without_arguments(stack):
    def change(name):
        if name.startswith("["):
            return name
        name = re.sub(r"\((?!anonymous namespace\)).*", "", name)
        # perf 6.1 shows no arguments in names of PLT entries.
        return name.removesuffix("@plt") if "::" in name and perfs.version() >= (6, 12) else name
    return ";".join(change(name) for name in stack.split(";"))


def without_brackets(stack):
    return re.sub(r"(?<=;)\[\[([^\];]*)\]\]", r"[\1]", stack)


def without_unsized(stack):
    return re.sub(r"(?<=;)(_init|[^;]*@plt|\[[^\];]*\])(?=;|$)", "?", stack)


def without_made(stack):
    return re.sub(r"(?<=;)([^;]+?)\+0x[\da-f]+(?=;|$)", r"[\1]", stack)


def with_odd_comm(stack):
    return re.sub(r"^(.)(?=;)", r"\1_", stack)


def within_execve(stack):
    return stack[stack.index(";entry_SYSCALL"):] if "sys_execve" in stack and ";entry_SYSCALL" in stack else stack


def with_aliases(theirs, ours, files):
    """Return our stack with perf's names, from the leaf on, where both are names of one address in a file."""
    own, other = ours.split(";"), theirs.split(";")
    for i in range(1, min(len(own), len(other))):
        if own[-i] != other[-i] and any(aliases.are_same(path, own[-i], other[-i]) for path in files):
            own[-i] = other[-i]
    return ";".join(own)


def is_shorter(theirs, ours):
    """Return true if perf has only the inner frames."""
    own, other = ours.split(";"), theirs.split(";")
    n = len(other) - 1
    return other[0] == own[0] and len(other) < len(own) and (n == 0 or own[-n:] == other[1:])


def is_before(name, ours, files):
    """Return true if perf's frame may be after the last call of our function."""
    return not name.startswith("[") or any(ours in aliases.addresses(path) for path in files)


def is_return(theirs, ours, at_start, files):
    own, other = ours.split(";"), theirs.split(";")
    return len(own) == len(other) == len(at_start) and all(a == b or start and is_before(b, a, files)
                                                           for a, b, start in zip(own, other, at_start))


def is_cut(theirs, ours):
    return re.match(r"[^;]*;\[unknown\]", theirs) and any(
        inner == ours or is_shorter(inner, ours) for inner in [re.sub(r"^([^;]*);\[unknown\]", r"\1", theirs)])


# Each applies a fault of the script or perf to ours, or removes it from theirs. Several may apply to one stack.
CHANGES = (("version", without_version), ("brackets", without_brackets), ("comm", with_odd_comm),
           ("parentheses", without_arguments), ("nameless", without_made), ("unsized", without_unsized),
           ("replaced", within_execve))


def explain(theirs, others, at_start, files):
    """Return the known reason why a stack of perf is not among ours."""
    for name, change in CHANGES:
        theirs, others = change(theirs), {change(other) for other in others}
        if theirs in others:
            return name
        others = {with_aliases(theirs, other, files) for other in others}
        if theirs in others:
            return "alias"
        for how, test in (("return", lambda other: is_return(theirs, other, at_start, files)),
                          ("cut", lambda other: is_cut(theirs, other))):
            if any(test(other) for other in others):
                return how
    return "shorter" if any(is_shorter(theirs, other) for other in others) else ""


def compare(pdconv, recording, options):
    text = run(["perf", "script", "--no-inline", "--max-stack", "1024", "-F",
                "comm,pid,tid,time,event,period,ip,sym,symoff,dso", "-i", recording])
    folded = fold(text, options)
    theirs = fold_by_script(text, options) if "STACKCOLLAPSE" in os.environ else folded.weights
    ours = read_ours(pdconv, recording, options)
    same = {stack for stack in theirs if ours.get(stack) == theirs[stack]}
    left = {stack for stack in ours if stack not in same}
    reasons, unexplained = collections.Counter(), []
    for stack in theirs:
        if stack in same:
            continue
        reason = explain(stack, left, folded.at_start.get(stack, []), folded.files)
        reasons[reason or "?"] += 1
        if not reason:
            unexplained.append(stack)
    total = sum(theirs.values())
    sums = "equal" if sum(ours.values()) == total else f"{sum(ours.values())}, perf has {total}"
    print(f"{os.path.basename(recording)}: {len(same)} of {len(theirs)} lines equal "
          f"({100 * len(same) / max(len(theirs), 1):.1f} %); sums: {sums}; {dict(reasons) or ''}")
    for stack in unexplained[:5]:
        print(f"    {stack} {theirs[stack]}")
    return not unexplained and sums == "equal"


def main():
    words = sys.argv[1:]
    options = words[words.index("--") + 1:] if "--" in words else []
    recordings = words[1:words.index("--")] if "--" in words else words[1:]
    good = [compare(words[0], recording, options) for recording in recordings]
    return 0 if all(good) else 1


sys.exit(main())
