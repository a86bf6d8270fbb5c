# What optimizers can do with a recording, with branch stacks, without them, and without debug information.
. "$root/tests/cli/common.sh"
convert branches --pgo | sed 1,3d
echo "-- without branch stacks"
convert nested --pgo | sed 1,3d
echo "-- without debug information"
if objcopy --version >objcopy.txt 2>&1; then
    mkdir stripped && objcopy --strip-debug "$root/testdata/branches/branches" stripped/branches
    "$PDCONV" report branches.data --symfs "$nowhere" --debug-paths stripped --pgo --limit 2 | sed -n '/covered/p; /without debug/,/more/p'
fi
