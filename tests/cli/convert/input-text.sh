. "$root/tests/cli/common.sh"
echo "PERF is what this file is about." >text
status "$PDCONV" text
printf PERFILE2 >short
status "$PDCONV" short
status "$PDCONV" /dev/null
cp "$root/testdata/nested/nested" program
status "$PDCONV" program
