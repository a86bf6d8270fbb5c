. "$root/tests/cli/common.sh"
cd "$root/testdata/parallel"
"$PDCONV" info --symfs "$nowhere" perf.data | sed -n '1,2p;/^event/,$p'
