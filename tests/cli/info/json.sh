. "$root/tests/cli/common.sh"
cd "$root/testdata/piped"
"$PDCONV" info perf.data --json
