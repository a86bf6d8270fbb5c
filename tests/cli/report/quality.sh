# The quality of a report: a line about stacks, one about names, and the advice that concerns most samples, with its command.
. "$root/tests/cli/common.sh"
quality() { "$PDCONV" report "$1.data" --symfs "$nowhere" --debug-paths "$root/testdata/$2" --limit 1 | sed -n '/^Quality/,$p'; }
convert deep --json >deep.json
quality deep deep
convert fp -o /dev/null
quality fp fp
convert bpf -o /dev/null
quality bpf bpf
# Numbers, and every hint, are in JSON.
python3 - deep.json <<'END'
import json, sys
quality = json.load(open(sys.argv[1]))["quality"]
print(json.dumps({key: quality[key] for key in ("stacks", "losses", "hints")}, indent=1))
END
# Recorded call chains count for the threshold if they reach the start of the program.
status convert fp --folded -o /dev/null --fail-under-rooted 100
status convert bpf --folded -o /dev/null --fail-under-rooted 50 2>&1 | grep -e 'reach' -e status
