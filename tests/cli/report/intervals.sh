# How long it took from one event to another.
. "$root/tests/cli/common.sh"
needs_linux
step=step=probe_intervals:step,probe_intervals:step__return,tid
convert intervals --intervals --interval $step --limit 4 | sed '/^Quality/,$d'
convert intervals --interval $step --markdown --limit 1 | sed -n '/Intervals: step/,/step |/p'
# The program measured the same.
convert intervals --intervals --interval $step --limit 1000 --json >intervals.json
python3 - intervals.json "$root/testdata/intervals/times.txt" <<'END'
import collections, json, sys
kinds = {kind["kind"]: kind for kind in json.load(open(sys.argv[1]))["intervals"]}
measured = collections.defaultdict(list)
for line in open(sys.argv[2]):
    name, ns = line.split()
    measured[name].append(int(ns))
rows = {"step": kinds["step"]["names"]["rows"][0]}
rows |= {row["name"]: row for row in kinds["syscalls"]["names"]["rows"] if row["name"] in ("read", "openat")}
for name, row in sorted(rows.items()):
    times = sorted(measured[name])
    near = all(abs(a - b) < 1e5 for a, b in [(times[-1], row["max"]), (times[(len(times) - 1) // 2], row["p50"])])
    print(name, len(times), row["times"], row["errors"], near, abs(sum(times) - row["total"]) < 1e5 * len(times))
# Threads and names are the same intervals.
for kind in kinds.values():
    assert sum(row["times"] for row in kind["names"]["rows"]) == kind["times"], kind
    if "threads" in kind:
        for key in ("total", "times"):
            assert sum(row[key] for row in kind["threads"]["rows"]) == sum(row[key] for row in kind["names"]["rows"])
END
# A thread, and a part of the time: intervals of which an end is left out are none.
convert intervals --intervals --time 50%-100% --limit 1 | sed -n '/^Intervals/,/more/p'
# Two recordings: the intervals of both. From the index: the same.
cp intervals.data copy.data
"$PDCONV" intervals.data copy.data --symfs "$nowhere" --intervals --json -q >two.json
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
for i in 1 2; do
    PDCONV_INDEX_SECONDS=0 convert intervals --interval $step --json -q >again.$i
done
cmp again.1 again.2 && ls cache/pdconv | sed 's/.*\././' | sort -u
python3 - intervals.json two.json <<'END'
import json, sys
one, two = ({kind["kind"]: kind for kind in json.load(open(path))["intervals"]} for path in sys.argv[1:])
print([(name, two[name]["times"] / one[name]["times"], two[name]["unended"] - 2 * one[name]["unended"]) for name in two])
END
# Nothing to show, and what is not there.
convert threads --intervals -q | sed -n '/intervals/p'
for wrong in step step=a step=a, =a,b step=,b step=a,b, step=a,b,1,2,3,4,5,6,7 step=probe_intervals:step,nowhere:to \
    step=probe_intervals:step,probe_intervals:step__return,no; do
    convert intervals --interval "$wrong" 2>&1 | head -n 1
done
