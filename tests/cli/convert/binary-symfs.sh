. "$root/tests/cli/common.sh"
mkdir -p root/tmp/pdconv-testdata
cp "$root/testdata/nested/nested" root/tmp/pdconv-testdata/
"$PDCONV" "$root/testdata/nested/perf.data" --symfs root --folded
mkdir -p ids/.build-id/a6
mv root/tmp/pdconv-testdata/nested ids/.build-id/a6/2d6e5994353533878b62cd258e35558e60ae0a
"$PDCONV" "$root/testdata/nested/perf.data" --symfs root --debug-paths "$nowhere:ids" --folded
mkdir -p cache/.build-id/a6/2d6e5994353533878b62cd258e35558e60ae0a
mv ids/.build-id/a6/2d6e5994353533878b62cd258e35558e60ae0a cache/.build-id/a6/2d6e5994353533878b62cd258e35558e60ae0a/elf
"$PDCONV" "$root/testdata/nested/perf.data" --symfs root --buildid-dir cache --folded
