#!/usr/bin/env python3
"""Compare the output of pdconv info with known facts of recordings.

usage: infos.py PDCONV DIR

Each recording X in DIR comes with X.golden.json, which holds facts by their source: layout (the header as
bytes), raw_walk (the record headers), perf_dump and perf_script (perf 6.1), header and buildids (the
metadata). Prints a line for each fact that differs. Facts in DEVIATIONS must differ, for the reason given
there.
"""
import json
import pathlib
import subprocess
import sys

# (recording, fact): the reason why pdconv differs and is right.
DEVIATIONS = {
    # CPUDESC is empty, which makes perf stop reading features.
    ("quipper/perf.data.armv7.perf_3.14-3.8", "cpudesc"),
    ("quipper/perf.data.armv7.perf_3.14-3.8", "cmdline"),
    # Features and events of simpleperf, unknown to perf.
    ("simpleperf/perf_with_arm_regs.data", "features"),
    ("simpleperf/perf_with_arm_regs.data", "events of perf script"),
}

# Maximum number of names in the facts.
MAX_COMMS = 80


def info(pdconv, path):
    result = subprocess.run([pdconv, "info", "--json", str(path)],
                            capture_output=True, timeout=120, check=False)
    return result, json.loads(result.stdout) if result.returncode == 0 else None


def header_facts(lines):
    """Return the output of `perf report --header-only` by key."""
    facts = {}
    for line in lines:
        key, separator, value = line.partition(" : ")
        if separator:
            facts.setdefault(key.strip(), value)
    return facts


def compare_layout(have, layout):
    yield "endian", have["endian"], layout["endian"]
    yield "mode", have["mode"], layout["mode"]
    yield "header_size", have["header_size"], layout["header_size"]
    if "attr_size" in layout:
        yield "attr_size", have["attr_size"], layout["attr_size"]
    if "features" in layout:
        yield "features", have["features"], layout["features"]
    yield "header_version", have["header_version"], 1 if layout["magic"] == "PERFFILE" else 2
    attrs = layout.get("attrs", [])
    yield "number of events", len(have["events"]), len(attrs)
    for i, (event, attr) in enumerate(zip(have["events"], attrs)):
        yield f"events[{i}].type", event["type"], attr["type"]
        yield f"events[{i}].config", event["config"], attr["config"]
        yield f"events[{i}].sample_type", sorted(event["sample_type"]), sorted(attr["sample_type"])
        yield f"events[{i}].read_format", sorted(event["read_format"]), sorted(attr["read_format"])
        yield (f"events[{i}].period", event.get("sample_freq", event.get("sample_period")),
               attr["period_or_freq"])
        if "n_ids" in attr:
            yield f"events[{i}].ids", len(event["ids"]), attr["n_ids"]


def compare_dump(have, dump):
    """Return the record counts of perf, which has those of COMPRESSED only for the original."""
    counts = dict(have["records"])
    for container in ("COMPRESSED", "COMPRESSED2"):
        if container not in dump["counts"]:
            counts.pop(container, None)
    yield "records", counts, dict(dump["counts"])
    for fact in ("samples", "period_sum", "distinct_pids", "distinct_tids", "samples_by_cpumode",
                 "first_sample_time_ns", "last_sample_time_ns"):
        if fact in dump:
            yield fact, have[fact], dump[fact]
    yield "callchain_entries", have["callchain_entries"], dump.get("callchain_entries", 0)
    yield "branch_entries", have["branch_entries"], dump.get("branch_entries", 0)
    yield "lost", have["lost"], dump.get("lost_events", 0) or 0
    yield "number of comms", len(have["comms"]), dump["n_comms"]
    yield "comms", sorted(have["comms"])[:MAX_COMMS], dump["comms"]


def compare_header(have, facts):
    names = {"hostname": "hostname", "os release": "os_release", "arch": "arch",
             "perf version": "perf_version", "cpudesc": "cpudesc", "cpuid": "cpuid"}
    for theirs, ours in names.items():
        if theirs in facts:
            yield ours, have[ours], facts[theirs]
    if "cmdline" in facts:
        yield "cmdline", " ".join(have["cmdline"]) + " ", facts["cmdline"]


def compare_script(have, script):
    want = {name: (e["samples"], e["period_sum"])
            for name, e in script.get("events", {}).items() if e["samples"]}
    events = {e["name"]: (e["samples"], e["period_sum"]) for e in have["events"] if e["samples"]}
    yield "events of perf script", events, want


def compare_build_ids(have, lines):
    # perf shows the padding of ids of 16 bytes in old recordings.
    listed = sorted(f"{b['build_id']:0<40} {b['filename']}" for b in have["build_ids"]
                    if b["source"] == "header")
    yield "build_ids", listed, sorted(line for line in lines if line.strip())


def compare(have, golden):
    yield from compare_layout(have, golden["layout"])
    dump = golden.get("perf_dump", {})
    if dump.get("rc") == 0:
        yield from compare_dump(have, dump)
    yield from compare_header(have, header_facts(golden.get("header", [])))
    if golden.get("perf_script", {}).get("rc") == 0:
        yield from compare_script(have, golden["perf_script"])
    yield from compare_build_ids(have, golden.get("buildids", []))


def main():
    pdconv, top = sys.argv[1], pathlib.Path(sys.argv[2])
    n_facts = n_wrong = n_hostile = 0
    for file in sorted(top.glob("*/*.golden.json")):
        golden = json.loads(file.read_text())
        path = file.with_name(file.name[:-len(".golden.json")])
        name = str(path.relative_to(top))
        result, have = info(pdconv, path)
        if file.parent.name == "quipper-fuzz":
            n_hostile += 1
            if result.returncode not in (0, 1) or not result.stderr:
                print(f"{name}: exit status {result.returncode}, no message about damage")
                n_wrong += 1
            continue
        if not have:
            print(f"{name}: {result.stderr.decode(errors='replace')}")
            n_wrong += 1
            continue
        for fact, ours, theirs in compare(have, golden):
            n_facts += 1
            if (ours == theirs) == ((name, fact) not in DEVIATIONS):
                continue
            print(f"{name}: {fact}: {ours!r}, not {theirs!r}")
            n_wrong += 1
    print(f"{n_facts} facts compared, {len(DEVIATIONS)} known to differ, {n_hostile} hostile files,"
          f" {n_wrong} wrong")
    return 1 if n_wrong or not n_facts else 0


sys.exit(main())
