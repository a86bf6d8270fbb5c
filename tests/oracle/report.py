#!/usr/bin/env python3
"""Compare tables of `pdconv --sort` with those of `perf report --sort`, row by row.

usage: report.py PDCONV TESTDATA WORK [PERFDATA]

Both count recordings of TESTDATA, of PERFDATA if it exists, and new ones made in WORK. A row is equal if
its shares, samples and periods are. Rows may differ only for a reason in KNOWN. Prints a line for each recording,
and the rows that differ without a reason.
"""
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys

import aliases
import perfs
import script

# Reasons why rows differ.
KNOWN = {
    "address": "perf has a row for each address without a name, pdconv one for each binary",
    "namesake": "perf has a row for each function of a name, pdconv one for each name in a binary",
    "no symbol": "pdconv names PLT entries; perf extends a symbol without a size, _init, to the next one",
    "alias": script.KNOWN["alias"],
    "slot": "perf names PLT entries by their order, pdconv by the slot through which they jump",
    "return address": "perf looks up the return address, which may be in the next function",
    "replaced": "perf looks up samples within execve() in the new program",
    "discarded": "perf discards a call chain that holds an address in the range of the marks of contexts",
    "exited": "a thread that exits has the number -1 or 0: pdconv shows the name of its process",
    "source": script.KNOWN["source"],
}

HEX = re.compile(r"^(0x)?[0-9a-f]{6,}$")

# What a row counts: shares as printed, number of samples, and period.
Row = collections.namedtuple("Row", "self total samples period")

# A table to compare: keys, and the options that only perf needs, or both.
Table = collections.namedtuple("Table", "keys perf both")

BY_SYMBOL = ["comm", "dso", "sym"]
SELF = Table(BY_SYMBOL, [], ["--no-children"])
CHILDREN = Table(BY_SYMBOL, ["--children", "-g", "graph,100"], [])
BRANCHES = Table(["comm", "dso_from", "symbol_from", "dso_to", "symbol_to", "mispredict", "in_tx", "abort", "cycles"],
                 ["-b"], [])
ACCESSES = Table(["mem", "tlb", "snoop", "locked", "blocked"], ["--mem-mode"], [])
WEIGHTS = Table(["comm", "local_weight", "weight", "ins_lat", "local_p_stage_cyc"], ["--no-children"], [])
ADDRESSES = Table(["comm", "phys_daddr"], ["--mem-mode"], [])
CPUS = Table(["cpu", "socket", "comm"], [], ["--no-children"])
TIMES = Table(["time", "dso"], [], ["--no-children"])
LINES = Table(["dso", "srcfile"], [], ["--no-children"])
PARENTS = Table(["parent", "comm"], ["--no-children", "-p", "^main$"], ["--no-children", "--parent", "^main$"])


def plain_symbol(text):
    text = re.sub(r"^\[.\] ", "", text)
    # Symbols have versions. A PLT entry is not the function it jumps to; those without a symbol have only the suffix.
    name, _, suffix = text.partition("@")
    name = aliases.unsuffixed(name)
    if not name or HEX.match(name) or re.match(r"^\[.*\]$", name):
        return "[unnamed]"
    return name + "@plt" if suffix.endswith("plt") else name


def plain_dso(text):
    """perf shows modules in brackets, pdconv their file."""
    return "[" + text.removesuffix(".ko").replace("-", "_") + "]" if text.endswith(".ko") else text


def plain_cycles(text):
    """perf prints the 16 bits with a sign."""
    return text if text == "-" else str(int(text) % 65536)


PLAIN = {
    "sym": plain_symbol, "symbol_from": plain_symbol, "symbol_to": plain_symbol,
    "dso": plain_dso, "dso_from": plain_dso, "dso_to": plain_dso,
    "cycles": plain_cycles,
    "cpu": lambda text: text.lstrip("0") or "0",
    "socket": lambda text: text.lstrip("0") or "0",
    # perf shows the mode of the address, too.
    "phys_daddr": lambda text: text.split()[-1].removeprefix("0x").lstrip("0") or "0",
    # perf joins the folder of the unit and the path, however that begins.
    "srcfile": lambda text: os.path.basename(text) or "[unknown]",
    # A program that replaced another one.
    "comm": lambda text: text.removesuffix("(exec)"),
}


def plain_mean(text):
    """perf 6.12 prints means of weights, which are those of each sample in a row."""
    if not text.endswith(".0"):
        raise RuntimeError(f"perf has a weight of {text}")
    return text.removesuffix(".0")


def plain_level(text):
    """perf 6.1 prints a level by its bits and by its number, which are the same here."""
    return re.sub(r"^(.+) or \1( hit| miss)?$", lambda match: match[1] + (match[2] or ""), text)


# What only perf prints otherwise, by the installed version.
PERF_PLAIN = {"weight": plain_mean, "ins_lat": plain_mean} if perfs.version() >= (6, 12) else {"mem": plain_level}


def plain(key, text):
    """Return the text of a key as both have it."""
    return PLAIN.get(key, str)(text.strip())


def plain_of_perf(key, text):
    return plain(key, PERF_PLAIN.get(key, str)(text.strip()))


def perf_rows(table, path, options):
    """Return the rows of perf: {(event, texts): [Row]}, and the keys of those that are PLT entries."""
    has_total = "--children" in table.perf
    columns = (["overhead_children"] if has_total else []) + ["overhead", "sample", "period"]
    keys = ["symbol" if key == "sym" else key for key in table.keys]
    both = [word for word in table.both if word == "--no-children"]
    command = ["perf", "report", "-f", "-i", path, "--stdio", "--no-group", "--full-source-path", "-t", ";",
               "-F", ",".join(columns + keys), *table.perf, *both, *options]
    result = subprocess.run(command, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
    rows = collections.defaultdict(list)
    plts = set()
    event = None
    for line in result.stdout.splitlines():
        begin = re.match(r"# Samples: .* of events? '(.*)'", line)
        if begin:
            event = begin.group(1)
        cells = line.split(";")
        if line.startswith("#") or len(cells) != len(columns) + len(keys):
            continue
        numbers = dict(zip(columns, (cell.strip() for cell in cells)))
        texts = tuple(plain_of_perf(key, text) for key, text in zip(table.keys, cells[len(columns):]))
        rows[event, texts].append(Row(numbers["overhead"], numbers.get("overhead_children"),
                                      int(numbers["sample"]), int(numbers["period"])))
        if cells[-1].strip().endswith("@plt"):
            plts.add((event, texts))
    return rows, plts


def share(row, name, whole):
    """Return the share of a sum in the whole as perf prints it. JSON rounds shares, and text rounds them again."""
    if name not in row:
        return None
    exact = 100 * row[name] / whole if whole else 0
    if abs(exact - row[name + "_percent"]) > 1e-3:
        raise RuntimeError(f"{row}: the share of {name} is {exact} %")
    return f"{exact:.2f}%"


def our_rows(pdconv, keys, path, options):
    """Return the rows of pdconv, like perf_rows()."""
    command = [pdconv, "report", path, "-q", "--json", "--limit", "1000000", "--max-stack", "127", "--sample-counts",
               "--sort", ",".join(["event"] + keys.keys), *keys.both, *options]
    result = subprocess.run(command, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
    if result.returncode:
        raise RuntimeError(f"{' '.join(command)}: {result.stderr}")
    rows = collections.defaultdict(list)
    for section in json.loads(result.stdout).get("by_event", []):
        table = section["table"]["rows"]
        # Each sample is counted once in the column self.
        wholes = collections.Counter()
        for row in table:
            wholes[row["event"]] += row["self"]
        for row in table:
            texts = tuple(plain(key, row[key]) for key in keys.keys)
            shares = [share(row, name, wholes[row["event"]]) for name in ("self", "total")]
            rows[row["event"], texts].append(Row(shares[0], shares[1] if "--children" in keys.perf else None,
                                                 row["samples"], row["self"]))
    return rows


def added_up(rows):
    """Return samples and periods of rows."""
    return sum(row.samples for row in rows), sum(row.period for row in rows)


def is_equal(theirs, ours):
    return sorted(theirs, key=str) == sorted(ours, key=str)


def is_unnamed(key):
    return "[unnamed]" in key[1]


def explain_same(theirs, ours, key):
    """Return why both have rows of a key that differ. Totals of several rows cannot be added up."""
    if added_up(theirs[key]) != added_up(ours[key]):
        return None
    if is_unnamed(key):
        return "address"
    return "namesake" if len(theirs[key]) > 1 else None


def explain_moved(theirs, ours, plts, key, other):
    """Return why perf has the rows of a key, which has none in pdconv, as those of another."""
    if added_up(theirs[key]) != added_up(ours[other]):
        return None
    if key[1][-1] in ("_init", "[unnamed]"):
        return "no symbol"
    if key in plts and is_unnamed(other):
        return "slot"
    if key[1][-1].endswith(".c") and other[1][-1].endswith(".h"):
        return "source"
    return "return address" if theirs[key][0] == ours[other][0] and not theirs[key][0].samples else None


def explain_group(theirs, ours, plts, keys):
    """Explain the keys of a thread name and binary whose rows differ: {key: reason}."""
    reasons = {key: explain_same(theirs, ours, key) for key in keys if theirs.get(key) and ours.get(key)}
    left = [key for key in keys if not reasons.get(key)]
    for key in [key for key in left if key not in ours]:
        for other in [other for other in left if other not in theirs and not reasons.get(other)]:
            reason = explain_moved(theirs, ours, plts, key, other)
            if reason:
                reasons[key] = reasons[other] = reason
                break
        if not reasons.get(key) and "execve" in key[1][-1] and not added_up(theirs[key])[0]:
            reasons[key] = "replaced"
    left = [key for key in left if not reasons.get(key)]
    # Only code that perf has no name for, or only _init, has got names.
    if all(key[1][-1] in ("_init", "[unnamed]") for key in left if key in theirs) and \
            added_up(sum((theirs.get(key, []) for key in left), [])) == \
            added_up(sum((ours.get(key, []) for key in left), [])):
        reasons.update(dict.fromkeys(left, "no symbol"))
    # Callers without a name have no samples of their own.
    for key in left:
        if not reasons.get(key) and is_unnamed(key) and not added_up(theirs.get(key, []) + ours.get(key, []))[0]:
            reasons[key] = "address"
    return reasons


def explain(theirs, ours, plts, keys):
    """Return why the rows of keys differ: {key: reason}."""
    groups = collections.defaultdict(list)
    reasons = {}
    for key in keys:
        groups[key[0], key[1][:-1]].append(key)
    for group in groups.values():
        reasons.update(explain_group(theirs, ours, plts, group))
    return reasons


def explain_exited(theirs, ours, table, keys):
    """Return the keys that differ because perf took samples for those of another thread."""
    if "comm" not in table.keys:
        return []
    at = table.keys.index("comm")
    sums = collections.defaultdict(lambda: [(0, 0), (0, 0)])
    names = collections.defaultdict(set)

    def rest(key):
        return key[0], key[1][:at] + key[1][at + 1:]

    for side, rows in enumerate((theirs, ours)):
        for key, of_key in rows.items():
            n, period = added_up(of_key)
            sums[rest(key)][side] = sums[rest(key)][side][0] + n, sums[rest(key)][side][1] + period
    for key in keys:
        names[rest(key)].add(key[1][at])
    # The number -1 has no name, and 0 that of the idle thread.
    return [key for key in keys
            if names[rest(key)] & {":-1", "swapper"} and sums[rest(key)][0] == sums[rest(key)][1]]


def discarded_shares(path):
    """Return the share of each event's period, in percent, that lies in samples whose call chain perf discards."""
    result = subprocess.run(["perf", "script", "-f", "-i", path, "-F", "event,ip,period"], capture_output=True,
                            text=True, errors="replace", stdin=subprocess.DEVNULL)
    sums, discarded = collections.Counter(), collections.Counter()
    for block in filter(None, map(str.strip, result.stdout.split("\n\n"))):
        head, *frames = block.splitlines()
        period, event = re.match(r"(\d+)\s+(.*):$", head.strip()).groups()
        sums[event] += int(period)
        discarded[event] += 0 if any(frames) else int(period)
    return {event: 100 * period / sums[event] for event, period in discarded.items() if sums[event]}


def explain_discarded(theirs, ours, path, keys):
    """Return the keys that differ because perf has no callers for samples whose own function it shows."""
    def is_caller(key):
        return added_up(theirs.get(key, [])) == added_up(ours.get(key, [])) and ours.get(key) and \
            len(ours[key]) == 1 and len(theirs.get(key, [])) <= 1 and ours[key][0].total

    def lacking(key):
        total = theirs[key][0].total if theirs.get(key) else "0%"
        return float(ours[key][0].total.rstrip("%")) - float(total.rstrip("%"))

    callers = [key for key in keys if is_caller(key)]
    discarded = discarded_shares(path) if callers else {}
    return [key for key in callers if 0 < lacking(key) <= discarded.get(key[0], 0) + 0.01]


def rename_aliases(theirs, ours, table, recording):
    """
    Give the rows of perf the name by which pdconv has the same address. Return how many keys were renamed. perf 6.12 shows
    parameters, so that functions of one name are in different rows.
    """
    if table.keys[-1] != "sym" or "dso" not in table.keys:
        return 0
    by_rest = collections.defaultdict(list)
    for event, texts in ours:
        by_rest[event, texts[:-1]].append(texts[-1])
    n = 0
    for key in [key for key in theirs if key not in ours]:
        event, texts = key
        dso = texts[table.keys.index("dso")]
        files = [name for name in recording.mappings if os.path.basename(name) == dso]
        for name in by_rest[event, texts[:-1]]:
            other = event, (*texts[:-1], name)
            if (other not in theirs or "(" in texts[-1]) and any(recording.are_aliases(file, texts[-1], name) for file in files):
                theirs[other] = theirs.get(other, []) + theirs.pop(key)
                n += 1
                break
    return n


def compare(pdconv, title, table, path, options):
    theirs, plts = perf_rows(table, path, options)
    ours = our_rows(pdconv, table, path, options)
    n_aliases = rename_aliases(theirs, ours, table, script.Recording(path, options))
    keys = sorted(theirs.keys() | ours.keys(), key=str)
    different = [key for key in keys if not is_equal(theirs.get(key, []), ours.get(key, []))]
    reasons = explain(theirs, ours, plts, different)
    left = [key for key in different if not reasons.get(key)]
    reasons.update(dict.fromkeys(explain_exited(theirs, ours, table, left), "exited"))
    left = [key for key in different if not reasons.get(key)]
    reasons.update(dict.fromkeys(explain_discarded(theirs, ours, path, left), "discarded"))
    left = [key for key in different if not reasons.get(key)]
    counts = collections.Counter(reason for reason in reasons.values() if reason)
    counts += collections.Counter(alias=n_aliases)
    why = ", ".join(f"{n} {reason}" for reason, n in sorted(counts.items()))
    way = "total" if "--children" in table.perf else "self"
    print(f"{title:<16.16} {','.join(table.keys):<24.24} {way:<5} {len(keys):5} rows, "
          f"{len(keys) - len(different):5} equal, {len(left)} not{': ' if why else ''}{why}", flush=True)
    for key in left[:20]:
        print(f"  {key}\n    perf   {theirs.get(key)}\n    pdconv {ours.get(key)}")
    return not left and len(keys) > 0


# Recordings made here: options of perf record, and tables to compare.
RECORDINGS = {
    "flat": (["-e", "cpu-clock", "-F", "1999", script.PROGRAM], [SELF, LINES]),
    # PLT entries of the program, and one of the C library that perf has no name for: that of malloc().
    "plt": (["-e", "cpu-clock:u", "-F", "19999", script.PROGRAM, "copies"], [SELF]),
    "mixed": (["--sample-cpu", "-e", "cpu-clock", "-F", "1999", "-g", "sh", "-c",
               "ls -R /usr/include | sort | gzip"],
              [SELF, CHILDREN, CPUS, PARENTS]),
    "fp": (["-e", "cpu-clock:u", "-F", "1999", "-g", script.PROGRAM], [SELF, CHILDREN, PARENTS]),
    "dwarf": (["-e", "cpu-clock:u", "-F", "999", "--call-graph", "dwarf,16384", script.PROGRAM], [SELF, CHILDREN, TIMES]),
    "events": (["-e", "cpu-clock,page-faults", "-d", "-W", "--phys-data", script.PROGRAM],
               [SELF, ACCESSES, ADDRESSES, WEIGHTS]),
    "group": (["-g", "-e", "{cpu-clock,page-faults,context-switches}:S", "ls", "-R", "/usr/include"], [SELF, CHILDREN]),
    "traces": (["--sample-cpu", "-g", "-e", "sched:sched_switch,sched:sched_process_fork,raw_syscalls:sys_enter",
                "sh", "-c", "ls -R /usr/include | sort | gzip"], [SELF, CHILDREN, CPUS]),
}

# Compared in a quick run.
QUICK_RECORDINGS = ("flat", "mixed", "dwarf")

# perf 6.1 does not unwind programs that are not position-independent, so that their totals differ.
TESTDATA = {"nested": [SELF], "threads": [SELF], "fp": [SELF, CHILDREN], "cxx": [SELF], "forkexec": [SELF],
            "group": [SELF], "deep": [SELF], "signal": [SELF]}

# Recordings by other tools, whose programs are not here.
OTHERS = {
    "quipper/perf.data.branch-4.14": [BRANCHES],
    "quipper/perf.data.weight_struct": [SELF, ACCESSES, WEIGHTS],
    "quipper/perf.data.callgraph-3.8": [SELF, CHILDREN],
    "quipper/perf.data.group_desc-4.14": [SELF],
    "quipper/perf.data.forkexit-3.8": [SELF],
    "quipper/perf.data.throttle-3.8": [SELF],
    "quipper/perf.data.numatopology-3.2": [SELF],
    "quipper/perf.data.armv7.perf_3.14-3.8": [SELF],
    "perf_to_profile/single-event-multi-process.perf.data": [SELF],
}


def comparisons(testdata, work, perfdata):
    """Record, and yield title, table, recording and options of each comparison."""
    script.build_program(work)
    quick = os.environ.get("QUICK")
    for name, (arguments, tables) in RECORDINGS.items():
        if quick and name not in QUICK_RECORDINGS:
            continue
        path = script.record(work, "report-" + name, arguments)
        for table in tables if path else []:
            # The line of an address is that of its innermost inlined function.
            yield name, table, path, [] if table is LINES else ["--no-inline"]
    for name, path, options in script.testdata_comparisons(testdata, work):
        for table in TESTDATA.get(name, []):
            yield name, table, path, options
    empty = os.path.join(work, "report-empty")
    os.makedirs(empty, exist_ok=True)
    for name, tables in OTHERS.items() if perfdata and os.path.isdir(perfdata) and not quick else []:
        for table in tables:
            yield os.path.basename(name).removeprefix("perf.data."), table, os.path.join(perfdata, name), \
                ["--no-inline", "--symfs", empty]


def main():
    pdconv, testdata, work, *perfdata = sys.argv[1:]
    os.environ["PERF_BUILDID_DIR"] = ""
    words = list(comparisons(testdata, work, perfdata[0] if perfdata else None))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return 0 if all(list(pool.map(lambda of: compare(pdconv, *of), words))) else 1


if __name__ == "__main__":
    sys.exit(main())
