# Where the time of threads and CPUs goes.
. "$root/tests/cli/common.sh"
convert clock --ledger --limit 3 | sed '/^Quality/,$d'
convert clock --ledger --limit 1 --markdown | sed -n '/Time of threads/,/all 7/p'
# The threads measured themselves: the kernel's times, and the clock. Blocked and runnable are the rest of each life; only
# wakeups by other threads of the program were recorded.
convert clock --ledger --limit 1000 --json >ledger.json
python3 - ledger.json "$root/testdata/clock/times.txt" <<'END'
import json, sys
ledger = json.load(open(sys.argv[1]))["ledger"]
threads = {row["tid"]: row for row in ledger["threads"]["rows"]}
for line in open(sys.argv[2]):
    tid, name, life, running, runnable = line.split()
    row = threads.pop(int(tid))
    ms = lambda a, b: abs(int(a) - int(b or 0)) < 1e6
    print(name, ms(life, row["life"]) or name == "main", ms(running, row["running"]), (row["runnable"] or 0) < int(runnable) + 1e6)
(never,) = threads.values()
print("never:", round(never["running"] / never["life"], 2), round(never["blocked"] / never["life"], 2), never["span"])
parts = ["running", "runnable", "blocked", "unknown"]
for row in ledger["threads"]["rows"] + [ledger["thread_total"]]:
    assert sum(row[part] or 0 for part in parts) == row["life"], row
for key, sum_key in [(part, part) for part in parts] + [("life", "life")]:
    assert sum(row[key] or 0 for row in ledger["threads"]["rows"]) == ledger["thread_total"][sum_key]
# No wait is ended twice.
waits = {row["tid"]: row["waits"] for row in ledger["threads"]["rows"]}
for row in ledger["wakers"]["rows"]:
    waits[row["tid"]] -= row["waits"]
print(min(waits.values()) >= 0)
print(ledger["balances"], ledger["residue"], ledger["missing"])
END
# A part of the time, and one thread.
convert clock --ledger --time 0%-50% --tid 14130 | sed -n '/length/,/clock/p'
convert clock --ledger --time 0%-10%,20%-30% --limit 2 -q | sed -n '/length/,/all/p'
convert clock --ledger -C 1 -q | sed -n '/length/,/clock/p'
# Waits alone, and nothing.
ln -s "$root/testdata/shop/before.data" shop.data
"$PDCONV" shop.data --symfs "$nowhere" --ledger --limit 3 -q | sed -n '/length/,/all/p'
# What the waits were for adds up to all blocked time.
with_programs shop "$root/testdata/shop" --ledger --limit 3 -q | sed -n '/Blocked for/,/more/p'
with_programs shop "$root/testdata/shop" --ledger --limit 1000 --json -q >shop.json
python3 -c 'import json
ledger = json.load(open("shop.json"))["ledger"]
print(sum(row["blocked"] for row in ledger["blocked_for"]["rows"]) == ledger["thread_total"]["blocked"])
for name in "processes", "cgroups":
    print(sum(row["life"] for row in ledger[name]["rows"]) == ledger["thread_total"]["life"])'
convert threads --ledger -q | sed -n '/length/,/all/p'
