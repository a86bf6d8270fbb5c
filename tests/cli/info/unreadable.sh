# A binary that cannot be read, like one that is not there, leads to the hint to copy it.
cp "$root/testdata/nested/perf.data" nested.data
hint() { "$PDCONV" info nested.data --symfs root | sed -n '/^Hints/,/^  /p'; }
mkdir -p root/tmp/pdconv-testdata
hint
ln -s nested root/tmp/pdconv-testdata/nested
hint
"$PDCONV" info --binaries nested.data --symfs root | grep symfs
