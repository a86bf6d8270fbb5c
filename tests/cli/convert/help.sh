. "$root/tests/cli/common.sh"
"$PDCONV" --help >long
"$PDCONV" -h | cmp - long
"$PDCONV" help | cmp - long
head -n 1 long
# It lists every format and the exit statuses.
grep -c -e "^  report  " -e "^  pprof  " -e "^  folded  " long
grep -c 'Exit status' long
# Lines are at most 80 columns wide, or as wide as COLUMNS says.
awk "length > 80" long
COLUMNS=60 "$PDCONV" --help | awk "length > 60"
COLUMNS=200 "$PDCONV" --help | grep -e --time
