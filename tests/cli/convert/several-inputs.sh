. "$root/tests/cli/common.sh"
ln -s "$root/testdata/nested/perf.data" nested.data
ln -s "$root/testdata/threads/perf.data" threads.data
several() {
    "$PDCONV" "$@" --symfs "$nowhere" --debug-paths "$root/testdata/nested:$root/testdata/threads"
}
several nested.data nested.data --folded
several nested.data threads.data | head -n 8
several nested.data threads.data nested.data -f pprof -o out.pb.gz
zcat out.pb.gz | tr -c '[:print:]' '\n' | grep -oE '^(nested|threads)\.data( \(2\))?'
several nested.data threads.data --time 50%/1 | grep -E 'samples in|^  excluded'
status several nested.data missing.data --folded
status several -i nested.data threads.data
status "$PDCONV" dump nested.data threads.data
