# The description of a recording says how far its stacks can be unwound.
. "$root/tests/cli/common.sh"
ln -s "$root/testdata/deep/perf.data" deep.data
info() { "$PDCONV" info --symfs "$nowhere" --debug-paths "$root/testdata/deep" "$@"; }
info deep.data | sed -n '/^user stacks/,/^lost/p'
# So does that of a pipe, which can be read only once.
cat deep.data | info - | grep -c 'reached the root'
status info deep.data --fail-under-rooted 90 -o out
# Without the binary.
"$PDCONV" info --symfs "$nowhere" deep.data | sed -n '/^user stacks/,/^lost/p'
