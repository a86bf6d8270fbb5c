. "$root/tests/cli/common.sh"
# What a compressed record holds comes behind it, with its offset.
"$PDCONV" dump "$root/testdata/compressed/perf.data" --type COMPRESSED,MMAP2,EXIT | cut -c 1-120
