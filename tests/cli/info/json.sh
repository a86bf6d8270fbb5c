. "$root/tests/cli/common.sh"
cd "$root/testdata/piped"
"$PDCONV" info --symfs "$nowhere" perf.data --json
