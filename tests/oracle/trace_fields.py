#!/usr/bin/env python3
"""Compare fields of tracepoints with those that perf hands to Python scripts.

usage: trace_fields.py TRACES PERF.DATA...

TRACES prints the fields of each sample. perf reads numbers as unsigned and splits arrays in its own way, so
numbers are compared by their low 32 or 64 bits and arrays are left out. Prints each difference, and how much
was compared.
"""
import collections
import json
import os
import subprocess
import sys
import tempfile

# Script for perf: print a line for each sample, with its name and fields.
PLUGIN = """
import json, os
out = open(os.environ["TRACE_FIELDS"], "w")
def trace_unhandled(name, context, fields):
    own = {k: v for k, v in fields.items() if not k.startswith("common_")}
    print(json.dumps([name, own], default=lambda v: None), file=out)
def trace_end():
    out.close()
"""


def perf_samples(path):
    with tempfile.TemporaryDirectory() as folder:
        plugin, out = os.path.join(folder, "plugin.py"), os.path.join(folder, "out")
        with open(plugin, "w", encoding="utf-8") as file:
            file.write(PLUGIN)
        subprocess.run(["perf", "script", "-s", plugin, "-i", path], capture_output=True, timeout=300,
                       env=dict(os.environ, TRACE_FIELDS=out), check=False)
        with open(out, encoding="utf-8") as file:
            return [json.loads(line) for line in file]


def our_samples(traces, path):
    text = subprocess.run([traces, path], capture_output=True, timeout=300, check=True).stdout
    for line in text.decode(errors="replace").splitlines():
        name, *fields = line.split("\t")
        yield name.replace(":", "__", 1), dict(field.split("=", 1) for field in fields)


def same(ours, theirs):
    if isinstance(theirs, str):
        return ours == theirs
    number = int(ours, 0)
    return any((number ^ theirs) & mask == 0 for mask in (2**32 - 1, 2**64 - 1)) and (
        number < 0 or number == theirs)


def compare(traces, path):
    """Yield the differences, and then the counts."""
    counts = collections.Counter()
    ours, theirs = list(our_samples(traces, path)), perf_samples(path)
    if len(ours) != len(theirs):
        yield f"{len(ours)} samples, perf has {len(theirs)}"
    for (name, fields), (perf_name, perf_fields) in zip(ours, theirs):
        counts["samples"] += 1
        # perf leaves out empty arrays, and of fields with the same name keeps the last.
        if name != perf_name or not set(perf_fields) <= set(fields):
            yield f"{name} {sorted(fields)}, perf has {perf_name} {sorted(perf_fields)}"
            continue
        for field, value in perf_fields.items():
            if not isinstance(value, (int, str)) or fields[field].startswith("ARRAY["):
                counts["arrays"] += 1
            elif same(fields[field], value):
                counts["values"] += 1
            else:
                yield f"{name}.{field} = {fields[field]}, perf has {value}"
    yield counts


def main():
    wrong = 0
    for path in sys.argv[2:]:
        *problems, counts = compare(sys.argv[1], path)
        for problem in problems[:20]:
            print(f"{path}: {problem}")
        print(f"{path}: {dict(counts)}, {len(problems)} differ")
        wrong += bool(problems) or not counts["values"]
    return 1 if wrong else 0


sys.exit(main())
