. "$root/tests/cli/common.sh"
export HOME=/nonexistent
unset XDG_CACHE_HOME DEBUGINFOD_CACHE_PATH
mkdir -p root/tmp/pdconv-testdata mapped other
ln -s "$root/testdata/nested/perf.data" nested.data
cp "$root/testdata/fp/fp" root/tmp/pdconv-testdata/nested
cp "$root/testdata/fp/fp" other/nested
cp "$root/testdata/nested/nested" mapped/nested
"$PDCONV" info --binaries nested.data --symfs root --path-map /tmp/pdconv-testdata/=mapped
echo "--- the first match ends the search, and all other files are listed"
"$PDCONV" info --binaries nested.data --symfs root --symbol-dir other --symbol-dir "$root/testdata/nested" |
    sed "s|$root/||"
echo "--- JSON"
"$PDCONV" info --binaries --json nested.data --symfs root
echo "--- wrong"
status "$PDCONV" info --binaries nested.data --path-map mapped 2>&1
