. "$root/tests/cli/common.sh"
# A line for each field, with the offset of its bytes.
"$PDCONV" dump "$root/testdata/fp/perf.data" -l --type COMM
"$PDCONV" dump "$root/testdata/fp/perf.data" -l --type COMM | awk '/\.pid/ { print $1; exit }' >offset
od -A n -t d4 -j "$(printf %d "$(cat offset)")" -N 4 "$root/testdata/fp/perf.data"
