. "$root/tests/cli/common.sh"
export HOME=/nonexistent
mkdir -p build/out
cp "$root/testdata/nested/nested" build/out/
ln -s "$root/testdata/nested/perf.data" nested.data
"$PDCONV" nested.data --folded --path-map /tmp=elsewhere --path-map /tmp/pdconv-testdata=build/out
