. "$root/tests/cli/common.sh"
cd "$root/testdata/fp"
"$PDCONV" info perf.data
