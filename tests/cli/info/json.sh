. "$root/tests/cli/common.sh"
cd "$root/testdata/piped"
"$PDCONV" info --symfs /nonexistent perf.data --json
