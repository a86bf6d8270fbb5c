. "$root/tests/cli/common.sh"
"$PDCONV" dump "$root/testdata/fp/perf.data" --type SAMPEL
