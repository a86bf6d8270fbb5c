. "$root/tests/cli/common.sh"
ln -s "$root/testdata/nested/perf.data" before.data
ln -s "$root/testdata/compressed/perf.data" after.data
diff_of() {
    "$PDCONV" diff "$@" --symfs "$nowhere" --debug-paths "$root/testdata/nested"
}
diff_of before.data after.data
diff_of before.data after.data --folded
diff_of before.data after.data --folded --weight samples --normalize
diff_of before.data before.data --folded --time 50%/1
diff_of before.data before.data
diff_of before.data before.data --to after.data after.data --folded
for bad in 'before.data' '' 'before.data after.data -f pprof' 'before.data after.data before.data' \
    'before.data after.data -f nonsense' 'before.data missing.data' 'before.data after.data --to' \
    '--to before.data after.data' 'before.data --to after.data --to before.data' \
    'before.data after.data --fail-over 5x' 'before.data after.data --fail-over -1' \
    'before.data after.data --folded --fail-over 5' 'before.data after.data --input before.data'; do
    "$PDCONV" diff $bad </dev/null
    echo "status $?"
done
"$PDCONV" help diff | head -n 3
