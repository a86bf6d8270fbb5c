# Tables by the threads that ended waits.
. "$root/tests/cli/common.sh"
# The kernel of the recording is not that of this machine, so that only functions of the program have names.
convert wakers --sort waker_comm,waker_sym -q | sed '/^Quality/,$d'
convert wakers --sort waker -q --json --limit 100 >keys.json
convert wakers --ledger -q --json >ledger.json
# As many waits as the ledger has, by waker.
python3 - keys.json ledger.json <<'END'
import json, sys
keys, ledger = (json.load(open(path)) for path in sys.argv[1:])
waits = {}
for row in ledger["ledger"]["wakers"]["rows"]:
    name = f"{row['waker_tid']}:{row['waker']}"
    waits[name] = waits.get(name, 0) + row["waits"]
(part,) = [part for part in keys["by_event"] if part["event"] == "sched:sched_switch"]
rows = {row["waker"]: row["self"] for row in part["table"]["rows"]}
print({name: rows.get(name) for name in waits} == waits, sorted(set(rows) - set(waits)))
END
convert paths --sort waker,comm --event sched:sched_waking -q | sed '/^Quality/,$d'
convert threads --sort waker_sym
