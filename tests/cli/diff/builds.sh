# Two builds of a program, one of which spends twice the time in tax().
. "$root/tests/cli/common.sh"
mkdir before after
ln -s "$root/testdata/shop/shop" before/shop
ln -s "$root/testdata/shop/after/shop" after/shop
ln -s "$root/testdata/shop/before.data" before.data
ln -s "$root/testdata/shop/after.data" after.data
diff_of() {
    "$PDCONV" diff "$@" --symfs "$nowhere" --symbol-dir before:after --kallsyms "$root"/testdata/shop/.build-id/*/*/kallsyms
}
diff_of before.data after.data
echo
diff_of before.data after.data --markdown
echo
# What the first build had and the second has not.
diff_of after.data before.data --limit 1
echo
diff_of before.data --to after.data --fail-over 5% | head -n 2
status diff_of before.data after.data --fail-over 200% | tail -n 1
status diff_of before.data after.data --quiet --fail-over 50 | tail -n 1
status diff_of after.data before.data --fail-over 5% | tail -n 1
echo
# Without the program of one side, its functions cannot be compared.
rm after/shop
diff_of before.data after.data --event cpu-clock | sed -n '/^Event/,/^$/p'
diff_of after.data before.data --event cpu-clock --json | grep -A4 unnamed_on_one_side
