# What optimizers can do with a recording, with branch stacks, without them, and without debug information.
. "$root/tests/cli/common.sh"
convert branches --pgo | sed 1,3d
echo "-- without branch stacks"
convert nested --pgo | sed 1,3d
echo "-- newer builds"
convert branches --new-build "$root/testdata/branches/branches" | grep "new build"
if objcopy --version >objcopy.txt 2>&1; then
    mkdir new && objcopy --remove-section .note.gnu.build-id --strip-symbol rare --redefine-sym halve=half \
        "$root/testdata/branches/branches" new/branches 2>objcopy.txt
    convert branches --new-build new/branches | grep "new build"
fi
status convert branches --new-build "$root/testdata/nested/nested" 2>&1
status convert branches --new-build "$root/testdata/branches/branches.c" 2>&1 | sed "s#$root/##"
echo "-- without debug information"
if objcopy --version >objcopy.txt 2>&1; then
    mkdir stripped && objcopy --strip-debug "$root/testdata/branches/branches" stripped/branches
    "$PDCONV" report branches.data --symfs "$nowhere" --debug-paths stripped --pgo --limit 2 | sed -n '/covered/p; /without debug/,/more/p'
fi
