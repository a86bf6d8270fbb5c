#!/usr/bin/env python3
"""Compare the attrs that the words of -e become with those that perf opens, and test probes.

usage: events.py EVENT_ATTRS PROBE_COUNT SCRATCH

EVENT_ATTRS prints names and attrs of words, PROBE_COUNT counts how often a program hits a probe. Prints each
difference, and "N words, N probes". With $QUICK set, compares every fifth word.
"""
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import perfs

SOFTWARE = """cpu-clock task-clock page-faults faults context-switches cs cpu-migrations migrations
    minor-faults major-faults alignment-faults emulation-faults dummy bpf-output cgroup-switches""".split()

MODIFIERS = """: :u :k :h :uk :ku :kh :ukh :H :G :HG :uH :uG :Gu :kG :HGu :I :D :e :W :S :uI :p :pp :ppp :up :pu
    :pH :pG :Gp :P :uP :kIDe""".split()

WORDS = SOFTWARE + ["cpu-clock" + modifier for modifier in MODIFIERS] + """
    {cpu-clock,page-faults} {cpu-clock,page-faults}:S {cpu-clock:u,page-faults:k} {cpu-clock,faults}:u
    {cpu-clock:k,faults}:u {cpu-clock:k,faults}:I {cs:G,faults}:k {cs,faults}:G {cs,faults}:D {cs,faults}:e
    {cpu-clock:k,faults}:pp g{cs,faults} {cs},faults cs,{faults,dummy}:u,task-clock {cs:p}:p {cs:uG}:u
    cpu-clock,page-faults cpu-clock:u,cs:k
    cpu-clock/period=1000/ cpu-clock/period=0x10/u cpu-clock/freq=1000,name=mine/ cpu-clock//u cpu-clock//
    cpu-clock/period=10,freq=7/ cpu-clock/freq=7,period=10/ cpu-clock/config=1/ cpu-clock/config1=5/
    software/config=1/ software/config=2,name=other/k
    1:0 1:3:u 1:0x2 1:3/period=5/
    sched:sched_switch sched:sched_switch:u sched:sched_switch:upp sched:sched_switch:kIS sched:sched_switch:
    sched:sched_sw* sched:*exec* sched:sched_process_e?ec sched:sched_[sw]a* sched:sched_w*:k
    sched:sched_switch,sched:sched_wakeup,cs {sched:sched_switch,cpu-clock} {cs,sched:sched_wakeup}:u
    syscalls:sys_enter_openat syscalls:sys_enter_open*:u raw_syscalls:*
    mem:0x1000 mem:0x1000/1 mem:0x1000/2 mem:0x1000/4:w mem:0x1000/8:rw mem:0x1000:x mem:0x1000:x:u mem:0x1000:rw:u
    mem:0x1000:u mem:0x1000:rwu mem:0x1000/8:w:k mem:4096 mem:0x1000: mem:0x1000,cs
    """.split() + ["cpu-clock, faults:u", " cs"]

# Words whose events need not open here: compare with the attr that perf tries to open.
HARDWARE = """cycles cpu-cycles instructions cache-references cache-misses branches branch-instructions
    branch-misses bus-cycles stalled-cycles-frontend idle-cycles-frontend stalled-cycles-backend
    idle-cycles-backend ref-cycles cycles:u cycles:P cycles:pP cycles:uP cycles:ppp cycles:ukhHGpPSDIWe
    cycles/period=7/u cycles/config=3/ cycles//k cycles/freq=5,name=x/ r1a8 r1A8:u r1a8/period=5/ r1a8/config=3/ rffff:kpp
    0:3:u 3:0x10002 4:0x1a8/period=3/
    msr/tsc/ msr/tsc,name=clock/u msr/tsc=1/ msr/config=2/ msr/event=1/ msr/event/ msr/r1/
    msr/config=0x1,config1=5,config2=6/ msr/tsc,period=1000/k tsc tsc:u uprobe/retprobe/ uprobe/ref_ctr_offset=5/
    breakpoint/config1=4096/ LLC-loads/period=5/u LLC-loads/config=7/ LLC-store-misses:k
    """.split() + [cache + rest for cache in """L1-dcache l1-d l1d L1-data L1-icache l1-i l1i L1-instruction LLC L2
    dTLB d-tlb Data-TLB iTLB i-tlb Instruction-TLB branch bpu btb bpc node""".split() for rest in ("", "-load-misses")] + \
    [cache + "-" + rest for cache in ("L1-dcache", "iTLB", "LLC") for rest in """load loads read store stores
    write prefetch prefetches refs Reference ops access misses miss load-refs
    misses-load store-misses prefetch-miss write-access read-ops""".split()]

# Words that neither accepts,
BAD = """nope cs: nope:nope sched:nope cs:uu cs:z cs:pppp {cs {cs}} cs} ,cs cs, cs,,faults {} {{cs}} cs/ cs/umask=1/
    cs/period=x/ nopmu/config=1/ msr/nope/ mem:zz r r0x1a8 rzz L1-icache-stores iTLB-store-misses CPU-CLOCK
    sched:sched_switch/period=1/ uprobe/retprobe=2/ {cs,faults}:uu cs/foo/""".split()
# except for those that perf 6.1 accepts: an open brace, and nothing after a colon.
BAD = [word for word in BAD if word not in ("{cs", "cs:", "{cs}}")]

# Words of HARDWARE that perf 6.1 accepts and 6.12 does not: "weak" without a group, an event with a value, a field
# without one. pdconv accepts what either does.
NOT_SINCE_6_12 = ["cycles:ukhHGpPSDIWe", "msr/tsc=1/", "msr/event/"]

# Names of the PMUs of type 1 and 2, by which perf 6.12 sorts the events of a group. pdconv and perf 6.1 leave them.
PMUS = {"1": "software", "2": "tracepoint"}

FIELDS = ["type", "config", "bp_type", "config1", "config2", "precise_ip", "exclude_user", "exclude_kernel",
          "exclude_hv", "exclude_idle", "exclude_host", "exclude_guest", "pinned", "exclusive"]


# Attrs are the same without build ids and without BPF programs, for which perf 6.1 waits a second at its end.
RECORD = ("perf", "record", "-B", "-N", "--no-bpf-event")


def run(*args):
    return subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def from_perf(word, path):
    """Return [(name, fields)], or None if perf does not record that."""
    if run(*RECORD, "-q", "-o", path, "-e", word, "true").returncode != 0:
        return None
    ret = []
    for line in run("perf", "evlist", "-v", "-i", path).stdout.splitlines():
        # Since 6.12 at the latest, a name follows numbers: "type: 1 (software), size: 136".
        match = re.match(r"(.*?): (?:type: \d+(?: \([^()]*\))?, )?size: \d+", line)
        if line.startswith("#") or not match:
            continue
        rest = line[len(match.group(1)) + 1:].replace("{ bp_addr, config1 }", "config1") \
            .replace("{ bp_len, config2 }", "config2").replace("{ sample_period, sample_freq }", "period")
        fields = dict(re.findall(r"(\w+): (\w+)", rest))
        ret.append((match.group(1).strip(), {name: int(fields.get(name, "0"), 0) for name in FIELDS + ["period", "freq"]}))
    return ret


def asked_by_perf(word, path):
    """Return the fields of the first attr that perf tries to open, or None if it rejects the word."""
    text = run(*RECORD, "-vv", "-o", path, "-e", word, "true").stderr
    block = re.search(r"^perf_event_attr:\n(.*?)^-----", text, re.S | re.M)
    if not block:
        return None
    fields = {name.split(", ")[-1]: value for name, value in
              re.findall(r"^  (?:\{ )?(\w+(?:, \w+)?)(?: \})? +(\w+)(?: \(.*\))?$", block.group(1), re.M)}
    return {name: int(fields.get(name, "0"), 0) for name in FIELDS}


def as_perf_7(word, fields):
    """
    Return our fields as perf 7 has them: it leaves out guests only if the word says so. pdconv does what perf 6 did; on a
    host without guests there is no difference.
    """
    return fields if re.search(r":[a-zA-Z]*[GH]", word) else {**fields, "exclude_guest": 0}


def compare_asked(tool, scratch, words):
    wrong = 0
    with ThreadPoolExecutor(8) as pool:
        all_theirs = pool.map(lambda i: asked_by_perf(words[i], os.path.join(scratch, f"asked{i}.data")), range(len(words)))
    for word, theirs in zip(words, all_theirs):
        ours, error = from_here(tool, word)
        mine = {name: int(ours[0][1][name]) for name in FIELDS} if ours else None
        if mine and perfs.version() >= (7, 0):
            mine = as_perf_7(word, mine)
        if theirs is None and ours and perfs.version() >= (6, 12) and word in NOT_SINCE_6_12:
            continue
        if mine != theirs:
            print(f"{word}: {mine} {error}, perf {theirs}")
            wrong += 1
    return len(words), wrong


def from_here(tool, word):
    result = run(tool, word)
    if result.returncode != 0:
        return None, result.stderr.strip()
    ret = []
    for line in result.stdout.splitlines():
        name, *texts = line.split("\t")
        fields = dict(text.split("=", 1) for text in texts)
        ret.append((name, fields))
    return ret, ""


def differences(word, theirs, ours):
    # pdconv sorts the events of a pattern by name, perf leaves them in the order of the directory.
    theirs, ours = (sorted(events, key=lambda e: e[0]) for events in (theirs, ours)) if "*" in word or "[" in word \
        else (theirs, ours)
    if word.startswith("{") and word.count("{") == 1 and perfs.version() >= (6, 12):
        ours = sorted(ours, key=lambda event: PMUS.get(event[1]["type"], ""))
    if perfs.version() >= (7, 0):
        ours = [(name, as_perf_7(word, fields)) for name, fields in ours]
    if [name for name, _ in theirs] != [name for name, _ in ours]:
        yield f"names {[name for name, _ in ours]}, perf {[name for name, _ in theirs]}"
        return
    for (name, their), (_, our) in zip(theirs, ours):
        for field in FIELDS:
            if their[field] != int(our[field]):
                yield f"{name}: {field} {our[field]}, perf {their[field]}"
        # Without a period in the word perf uses its default.
        period = int(our["sample_period"])
        if period and (their["period"], their["freq"]) != (period, int(our["freq"])) and ":S" not in word:
            yield f"{name}: period {period}, perf {their['period']}"


def compare(tool, scratch, words):
    wrong = n = 0
    # perf mostly waits for the kernel.
    with ThreadPoolExecutor(8) as pool:
        all_theirs = pool.map(lambda i: from_perf(words[i], os.path.join(scratch, f"events{i}.data")),
                              range(len(words)))
    for word, theirs in zip(words, all_theirs):
        if theirs is None:
            continue
        n += 1
        ours, error = from_here(tool, word)
        found = [error] if ours is None else list(differences(word, theirs, ours))
        for text in found:
            print(f"{word}: {text}")
        wrong += bool(found)
    return n, wrong


def refused(tool, words):
    wrong = 0
    for word in words:
        ours, error = from_here(tool, word)
        if ours is not None or error.count("\n") or word not in error:
            print(f"{word}: is accepted, or the error message does not name it: {error}")
            wrong += 1
    return wrong


PROGRAM = """
__attribute__((noinline)) int target(int n) { __asm__ volatile(""); return n + 1; }
int main(void) { int sum = 0; for (int i = 0; i < 7; i++) sum += target(i); return sum == 0; }
"""


def tracing_dir():
    for path in ("/sys/kernel/tracing", "/sys/kernel/debug/tracing"):
        if os.access(path + "/uprobe_events", os.W_OK):
            return path
    return None


def probes(tool, scratch):
    """Return (number of probes, number of wrong ones)."""
    tracing = tracing_dir()
    if not tracing:
        return 0, 0
    program = os.path.join(scratch, "target")
    with open(program + ".c", "w") as f:
        f.write(PROGRAM)
    subprocess.run([os.environ.get("CC", "cc"), "-O1", "-o", program, program + ".c"], check=True)
    before = open(tracing + "/uprobe_events").read()
    cases = [
        (["%s:target" % program], "7"),
        (["name=%s:target n=%%di:s32" % program] if os.uname().machine == "x86_64" else ["name=%s:target" % program], "7"),
        (["%s:target%%return $retval" % program], "7"),
        (["%s:main" % program], "1"),
        (["--fail", "%s:target" % program], ""),
        (["%s:target bad=%%nosuchregister" % program], ""),
    ]
    wrong = 0
    for args, want in cases:
        result = run(tool, *args, program)
        left = open(tracing + "/uprobe_events").read()
        if result.stdout.strip() != want or bool(result.stderr) != (want == "") or left != before:
            print(f"probe {args}: {result.stdout.strip()!r}, not {want!r}; {result.stderr.strip()}; left: {left!r}")
            wrong += 1
    return len(cases), wrong


def main():
    tool, counter, scratch = sys.argv[1:]
    # perf is slow to start.
    step = 5 if os.environ.get("QUICK") else 1
    n, wrong = compare(tool, scratch, WORDS[::step])
    n_all, wrong_all = compare_asked(tool, scratch, HARDWARE[::step])
    n_probes, wrong_probes = probes(counter, scratch)
    wrong += wrong_all + wrong_probes + refused(tool, BAD)
    print(f"{n + n_all} words, {n_probes} probes")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
