. "$root/tests/cli/common.sh"
"$PDCONV" info "$root/testdata/nested/perf.data" --symfs "$nowhere" --time 10ms+20ms --comms nobody | grep wanted
"$PDCONV" info "$root/testdata/fp/perf.data" --symfs "$nowhere" --pid 1 | grep wanted
"$PDCONV" info --json "$root/testdata/nested/perf.data" --symfs "$nowhere" --time 10ms+20ms --comms nobody |
    grep -A 4 wanted
