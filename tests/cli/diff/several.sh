# Several recordings on each side.
. "$root/tests/cli/common.sh"
mkdir before after
ln -s "$root/testdata/shop/shop" before/shop
ln -s "$root/testdata/shop/after/shop" after/shop
ln -s "$root/testdata/shop/before.data" before.data
ln -s "$root/testdata/shop/after.data" after.data
diff_of() {
    "$PDCONV" diff "$@" --symfs "$nowhere" --symbol-dir before:after
}
diff_of before.data before.data --to after.data after.data --limit 3 -o out.txt
cat out.txt
# Options may stand anywhere, and -- ends them.
"$PDCONV" diff before.data --symfs "$nowhere" --limit 3 before.data --symbol-dir before:after --to after.data \
    -- after.data | cmp - out.txt
diff_of before.data before.data --to after.data after.data --json >out.json
grep -c share_before_percent out.json
# Nothing changed.
diff_of before.data before.data --to before.data before.data | tail -n 3
