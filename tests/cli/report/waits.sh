# Recordings of waits: where and what for the threads of a program wait, next to their time on the CPU.
. "$root/tests/cli/common.sh"
kallsyms=$(echo "$root"/testdata/shop/.build-id/*/*/kallsyms)
ln -s "$root/testdata/shop/before.data" before.data
waits() { "$PDCONV" report before.data --symfs "$nowhere" --debug-paths "$root/testdata/shop" --kallsyms "$kallsyms" "$@"; }
waits --limit 12 | sed -n '/  Threads$/,/  Binaries$/p'
# All waits are in the tables: sums by thread, by function and of the event are the same.
waits --limit 10000 --json >report.json
python3 - report.json <<'END'
import json, sys
report = json.load(open(sys.argv[1]))
waits = report["waits"]
event = [e for e in report["events"] if e["name"] == waits["event"]][0]
print(event["period"] == sum(row["waiting"] for row in waits["threads"]["rows"])
      == sum(row["waiting"] for row in waits["functions"]["rows"]))
print(event["samples"] == sum(row["waits"] for row in waits["functions"]["rows"]))
END
# A chosen event has the tables of other events.
waits --event offcpu-time --limit 1 | grep -c '  Threads$'
waits --event offcpu-time --limit 1 | grep -A 1 'Top functions by self$'
waits --tree --limit 1 | grep -c '  Threads$'
