# The command report is what pdconv does without a format.
. "$root/tests/cli/common.sh"
convert fp >expected
"$PDCONV" report fp.data --symfs "$nowhere" --debug-paths "$root/testdata/fp" | cmp - expected && echo same
cp fp.data perf.data
"$PDCONV" report -q --symfs "$nowhere" | head -n 1
# The word is the command even if there is a file of that name.
cp fp.data report
"$PDCONV" report -q --symfs "$nowhere" | head -n 1
"$PDCONV" help report | head -n 1
