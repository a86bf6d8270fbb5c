. "$root/tests/cli/common.sh"
# The type of the first COMM (at 0x1f0) becomes an unknown one, that of the second SAMPLE.
cp "$root/testdata/fp/perf.data" changed.data
chmod u+w changed.data
printf '\143' | dd of=changed.data bs=1 seek=496 conv=notrunc status=none
printf '\011' | dd of=changed.data bs=1 seek=552 conv=notrunc status=none
"$PDCONV" dump changed.data --type 99
"$PDCONV" dump changed.data --type SAMPLE --limit 1
"$PDCONV" info changed.data | grep -A 1 -e unknown -e damaged
