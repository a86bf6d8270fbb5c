# Interrupts that end waits have names: from the events that enclose the wakeup, else from its stack, else from its
# flags. perf's text of the same recording says which one was open.
. "$root/tests/cli/common.sh"
cd "$root/testdata/interrupts"
with() { # RECORDING OPTIONS...
    recording=$1
    shift
    "$PDCONV" report "$recording.data" -q --symfs "$nowhere" --kallsyms kallsyms --limit 100 "$@"
}
for recording in events stacks flags; do
    with $recording --ledger --json >"$OLDPWD/$recording.json"
done
with events --sort comm,waker,waker_sym --event sched:sched_switch --comms timeout,alarmed,writing | sed -n '/share/,/^$/p'
with events --critical-path=sleeping | sed -n '/share/,/^$/p'
python3 - "$OLDPWD" events.txt <<'CODE'
import collections, json, re, sys
FIELDS = {"irq:irq_handler": ("irq", "name"), "irq:softirq": ("softirq", r"vec=\d+ \[action"),
          "timer:hrtimer_expire": ("timer", "function"), "timer:timer_expire": ("timer", "function")}

def of_ledger(name):
    with open(f"{sys.argv[1]}/{name}.json") as file:
        rows = json.load(file)["ledger"]["wakers"]["rows"]
    return {(row["thread"], row["waker"]): row["waits"] for row in rows if row["waker_tid"] is None}

def of_perf(path):
    """Which interrupt is the innermost one on the CPU of each wakeup."""
    open_on, found = collections.defaultdict(list), collections.Counter()
    for line in open(path):
        _, cpu, event, text = line.split(None, 3)
        kind, _, side = event.rstrip(":").rpartition("_")
        if side == "entry":
            prefix, field = FIELDS[kind]
            open_on[cpu].append(f"[{prefix} {re.search(field + r'=([^] ]+)', text)[1]}]")
        elif side == "exit" and open_on[cpu]:
            open_on[cpu].pop()
        elif side == "waking" and open_on[cpu]:
            found[re.search(r"comm=(\S+)", text)[1], open_on[cpu][-1]] += 1
    return found

truth, events = of_perf(sys.argv[2]), of_ledger("events")
assert len(events) == 5, events
for pair, n in events.items():
    assert truth[pair] == n, (pair, n, truth)
print(events)
print(of_ledger("stacks"))
print(of_ledger("flags"))
CODE
