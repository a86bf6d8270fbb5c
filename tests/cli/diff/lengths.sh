# The length of a recording with switches or waits is that of its ledger, not that from sample to sample.
. "$root/tests/cli/common.sh"
for side in before after; do
    ln -s "$root/testdata/shop/$side.data" $side.data
    "$PDCONV" report $side.data -q --ledger --json >$side.json
done
"$PDCONV" diff before.data after.data -q --json >diff.json
"$PDCONV" diff before.data before.data --to after.data after.data -q --json >both.json
python3 - <<'END'
import json
read = lambda name: json.load(open(name + ".json"))
before, after = (read(side)["ledger"]["length"] / 1e9 for side in ("before", "after"))
same = lambda a, b: abs(a - b) < 1e-6
side = lambda name, which: read(name)["by_event"][0][which]["seconds"]
print(same(side("diff", "before"), before), same(side("diff", "after"), after))
print(same(side("both", "before"), before), same(side("both", "after"), after))
END
# Without switches: from sample to sample.
ln -s "$root/testdata/nested/perf.data" nested.data
"$PDCONV" diff nested.data nested.data -q --json --symfs "$nowhere" | grep '"seconds"'
