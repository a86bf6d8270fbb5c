. "$root/tests/cli/common.sh"
# Invalid parts are reported after the body, with all bytes.
cp "$root/testdata/fp/perf.data" changed.data
chmod u+w changed.data
printf '\011' | dd of=changed.data bs=1 seek=552 conv=notrunc status=none
"$PDCONV" dump changed.data --json --type SAMPLE --limit 1
