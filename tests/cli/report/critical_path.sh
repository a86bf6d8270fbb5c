# What the end of a thread had to wait for.
. "$root/tests/cli/common.sh"
convert paths --critical-path --limit 8 -q | sed '/^Quality/,$d'
convert paths --critical-path=outer --limit 4 --markdown -q | sed -n '/share/,$p' | sed '/Quality/,$d'
# The program measured its parts. The others are not on the path.
convert paths --critical-path --limit 1000 --json -q >path.json
python3 - path.json "$root/testdata/paths/times.txt" <<'END'
import json, sys
path = json.load(open(sys.argv[1]))["critical_path"]
rows = path["path"]["rows"]
truth = {}
for line in open(sys.argv[2]):
    name, cpu, wall = line.split()
    truth[name] = truth.get(name, 0) + int(cpu)
name = lambda row: "main" if row["thread"] == "paths" else row["thread"]
for thread, cpu in truth.items():
    running = sum(row["time"] for row in rows if name(row) == thread and row["state"] == "running")
    print(thread, cpu - 1e6 < running < cpu + (5e6 if thread == "main" else 1e6))
print("others:", sum(row["time"] for row in rows if name(row) not in truth) < 1e6)
print("third sleeps:", sum(row["time"] for row in rows if name(row) == "third" and row["state"] == "blocked") > 10e6)
print(sum(row["time"] for row in rows) == path["length"] == sum(path[state] for state in ("running", "runnable", "blocked", "unknown")))
END
# Parts of the time, and threads that are not there.
convert paths --critical-path=middle -q | grep -c middle
convert paths --critical-path --time 0%-40%,60%-80% --limit 3 -q | sed -n '/thread/,/and/p'
convert paths --critical-path=nobody
convert paths --critical-path=99999999999999999999999
convert threads --critical-path -q | sed -n '/thread/,/unknown/p'
