# Stacks that end at a signal handler on an alternate stack: marked, and completed from neighbours with a mark.
. "$root/tests/cli/common.sh"
convert signal --folded --quiet
convert signal --folded --quiet --stitch
convert signal --stitch --stats -o /dev/null 2>&1 | grep -v '^Read and'
