# --limit shortens lists, and says by how many elements. Counts are of the whole recording.
. "$root/tests/cli/common.sh"
cp "$root/testdata/threads/perf.data" threads.data
info() { "$PDCONV" info threads.data --symfs "$nowhere" --debug-paths "$root/testdata/threads" "$@"; }
info | sed -n '/^commands/,/^features/p'
info --limit 1 | sed -n '/^commands/,/^features/p'
for limit in 0 1 100000; do
    info --json --limit "$limit" >"limited$limit.json"
done
info --json >all.json
python3 - <<'END'
import json
whole = json.load(open("all.json"))
for limit in (0, 1, 100000):
    part = json.load(open(f"limited{limit}.json"))
    lists = {"comms": part["comms"], "build_ids": part["build_ids"],
             "threads": part["walks"]["threads"], "binaries": part["walks"]["binaries"]}
    of_whole = {**whole, **whole["walks"]}
    print(limit, part["left_out"], all(len(rows) <= limit and rows == of_whole[key][:limit]
          and len(rows) + part["left_out"][key] == len(of_whole[key]) for key, rows in lists.items()),
          part["records"] == whole["records"])
END
