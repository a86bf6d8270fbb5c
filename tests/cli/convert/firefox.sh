# Threads with life times, weights and CPU times of two events, the counters of a group, and the fields of tracepoints as
# markers.
. "$root/tests/cli/common.sh"
needs_linux
convert group -q -f firefox | gunzip | grep -o '"threads":.*' | cut -c 1-1500
convert group -q -f firefox | gunzip | grep -o '"counters":.*"shared"' | sed 's/"time":\[[^]]*\]/"time":[]/g'
convert tracepoints -q -f firefox | gunzip | sed 's/"pdconv [0-9.]*"/"pdconv"/' | head -c 12000
echo
# Intervals are markers, with a row for each kind.
convert intervals -q -f firefox | gunzip >intervals.json
python3 - intervals.json <<'END'
import json, sys
profile = json.load(open(sys.argv[1]))
strings = profile["shared"]["stringArray"]
print([schema["name"] for schema in profile["meta"]["markerSchema"] if schema.get("chartLabel")])
for thread in profile["threads"]:
    table = thread["markers"]
    for i, data in enumerate(table["data"]):
        if data["type"] == "syscalls" and (data["name"] == "read" or data.get("failed")):
            print(strings[table["name"][i]], data, round(table["endTime"][i] - table["startTime"][i], 3), table["phase"][i])
END
# Wakeups are connected with the times off the CPU that they end.
"$PDCONV" "$root/testdata/wakers/perf.data" -q --symfs "$nowhere" -f firefox | gunzip >wakers.json
python3 - wakers.json <<'END'
import collections, json, sys
profile = json.load(open(sys.argv[1]))
strings, flows = profile["shared"]["stringArray"], collections.defaultdict(dict)
for thread in profile["threads"]:
    table = thread["markers"]
    for i, data in enumerate(table["data"]):
        if "flow" in data:
            flows[strings[data["flow"]]][data["type"]] = (table["endTime"][i], f"{thread['name']} {thread['tid']}", data["other"])
print(len(flows), "wakeups")
for flow, ends in flows.items():
    wakeup, off = ends["Wakeup"], ends["Off-CPU"]
    if wakeup[0] != off[0] or wakeup[1] != off[2] or wakeup[2] != off[1]:
        print(flow, ends)
print(*sorted({(ends["Off-CPU"][1].split()[0], ends["Wakeup"][1].split()[0]) for ends in flows.values()}))
END
