. "$root/tests/cli/common.sh"
cd "$root/testdata/fp"
"$PDCONV" info --symfs "$nowhere" perf.data
