# Binaries of two names: those that the recordings ran are compared, or those that the user pairs. Growth that may be noise is not
# passed in silence, and neither are events that are not compared.
. "$root/tests/cli/common.sh"
mkdir -p bin
cp "$root/testdata/nested/nested" bin/nested
cp "$root/testdata/nested/nested" bin/nestex
ln -s "$root/testdata/nested/perf.data" before.data
sed 's|/nested\x00|/nestex\x00|g' "$root/testdata/nested/perf.data" >after.data
diff_of() {
    "$PDCONV" diff "$@" --symfs "$nowhere" --symbol-dir bin
}
diff_of before.data after.data
diff_of before.data after.data --map nested=nestex | head -n 2
diff_of before.data after.data --map /tmp/pdconv-testdata/nested=nestex --folded
diff_of before.data after.data --json | grep '"pairs"'
status diff_of before.data after.data --map nosuch=nestex
status diff_of before.data after.data --map nested=nosuch
status diff_of before.data after.data --map nested
# One recording on each side.
status diff_of after.data before.data --fail-over 5 --time 0%-50% >/dev/null
ln -s "$root/testdata/group/perf.data" group.data
status diff_of before.data group.data --fail-over 5 | tail -n 2
