# A directory of sample profiles for LLVM: lines, discriminators, inlined calls and targets of calls.
. "$root/tests/cli/common.sh"
file=branches.e168a47717a384e47e0b6a45db18e1ecd64106fc.proftext
convert branches -q -f autofdo -o one && ls one && cat one/binaries.tsv one/$file
echo "-- names and lines are there whatever is shown"
convert branches -q --no-lines --no-inline -f autofdo -o plain && diff -r one plain && echo "the same"
echo "-- two recordings"
cp -L branches.data again.data
"$PDCONV" branches.data again.data --symfs "$nowhere" --debug-paths "$root/testdata/branches" -q -f autofdo -o two
head -3 two/$file
echo "-- a separate debug file"
if objcopy --version >objcopy.txt 2>&1; then
    mkdir stripped && objcopy --strip-debug "$root/testdata/branches/branches" stripped/branches &&
        objcopy --only-keep-debug "$root/testdata/branches/branches" stripped/branches.debug
    "$PDCONV" branches.data --symfs "$nowhere" --debug-paths stripped -q -f autofdo -o separate
    rm -r objcopy.txt stripped
else
    cp -r one separate
fi
diff -r one separate && echo "the same"
echo "-- without branch stacks: samples"
convert nested -q -f autofdo -o samples && cat samples/nested.*.proftext | grep -A6 ^inner
