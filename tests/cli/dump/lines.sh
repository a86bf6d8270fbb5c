. "$root/tests/cli/common.sh"
# A line for each part: the header, the attributes, every record, the features.
"$PDCONV" dump "$root/testdata/fp/perf.data" >all
head -n 14 all
grep -c . all
grep -c ' SAMPLE ' all
grep '^0x[0-9a-f]* FEATURE.HOSTNAME' all
