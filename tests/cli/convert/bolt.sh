# A directory of profiles for BOLT: exact counts, what is left out, and what a later conversion replaces.
. "$root/tests/cli/common.sh"
file=branches.e168a47717a384e47e0b6a45db18e1ecd64106fc.preagg
convert branches -q -f bolt -o one && ls one && cat one/binaries.tsv
echo "-- branches are those that the program took"
LC_ALL=C sort "$root/testdata/branches/branches.txt" >branches.txt
awk '$1 == "B" { print $2, $3, $4, $5 }' one/$file | diff - branches.txt && echo equal
echo "-- two recordings"
cp -L branches.data again.data
"$PDCONV" branches.data again.data --symfs "$nowhere" --debug-paths "$root/testdata/branches" -q -f bolt -o two
awk '{ $4 *= 2 } $1 == "B" { $5 *= 2 } { print }' one/$file >doubled
awk '$1 != "B" { $4 *= 1 } { print }' two/$file | diff - doubled && echo twice
echo "-- without branch stacks: samples"
convert nested -q -f bolt -o samples && head -3 samples/nested.*.preagg && awk '$1 == "S" { n += $3 } END { print n }' samples/nested.*.preagg
echo "-- without the file"
"$PDCONV" branches.data --symfs "$nowhere" -f bolt -o none && cat none/binaries.tsv
echo "-- some of the binaries"
convert branches -q --dsos branches -f bolt -o chosen && diff -r one chosen && echo "the same"
both() {
    "$PDCONV" "$root/testdata/nested/perf.data" "$root/testdata/cxx/perf.data" --symfs "$nowhere" --debug-paths "$root/testdata/nested:$root/testdata/cxx" -q -f bolt "$@"
}
both -o every && both --dsos cxx -o chosen && cat every/binaries.tsv chosen/binaries.tsv && ls chosen
diff every/cxx.*.preagg chosen/cxx.*.preagg && echo "the same"
rm -r every
status convert branches -q --dsos nothing -f bolt -o chosen
echo "-- replaced"
convert nested -q -f bolt -o one && diff -r one samples && echo "another recording"
echo "-- refused, and left as it is"
echo mine >one/notes.txt && status convert branches -q -f bolt -o one
mv one/notes.txt one/binaries.tsv && status convert branches -q -f bolt -o one
status convert branches -q -f autofdo -o samples
ls -A
