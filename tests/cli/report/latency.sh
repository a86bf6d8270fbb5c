# Latency: periods divided by the number of threads that were running.
. "$root/tests/cli/common.sh"
convert paths --latency -q --limit 4 | sed '/^Quality/,$d'
convert paths --sort latency,overhead,latency_children,sample,parallelism -q | sed '/^Quality/,$d'
# Each row of one parallelism has its samples divided by it.
convert paths --sort latency,sample,parallelism -q --json --limit 100 >latency.json
python3 - latency.json <<'END'
import json, sys
(part,) = json.load(open(sys.argv[1]))["by_event"]
for row in part["table"]["rows"]:
    if row["parallelism"].isdigit():
        print(row["parallelism"], abs(row["latency"] - row["samples"] / int(row["parallelism"])) <= 1)
END
convert paths --sort comm_nodigit -q --limit 3 | sed -n '/share/,/and/p'
convert threads --latency
convert threads --sort parallelism
