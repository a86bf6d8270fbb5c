. "$root/tests/cli/common.sh"
"$PDCONV" --help >long
"$PDCONV" -h | cmp - long
"$PDCONV" help | cmp - long
head -n 1 long
# Every format is in it, and what the exit status means.
grep -c -e '^  report ' -e '^  pprof ' -e '^  folded ' long
grep -c 'Exit status' long
# No line runs over.
awk 'length > 130' long
