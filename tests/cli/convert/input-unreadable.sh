. "$root/tests/cli/common.sh"
# root can read everything; for root it is a text file.
echo text >file
chmod 0 file
"$PDCONV" file 2>&1 | sed 's/cannot open: Permission denied/not a perf.data file/'
