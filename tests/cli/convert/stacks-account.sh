# How unwinding ended, and the exit status that follows from it.
. "$root/tests/cli/common.sh"
status convert deep --folded --stats -o /dev/null 2>&1 | grep -v '^Read and unwound'
status convert deep --folded --quiet -o /dev/null --fail-under-rooted 20
status convert deep --folded --quiet -o /dev/null --fail-under-rooted 99.5
status convert deep --folded -o /dev/null --fail-under-rooted 99.5 2>&1
status convert nested --folded -o /dev/null --fail-under-rooted 100
# No stack was unwound, so none reaches the root.
status convert fp --folded -o /dev/null --fail-under-rooted 1 2>&1
status convert deep --fail-under-rooted 101 2>&1
status convert deep --fail-under-rooted most 2>&1
status convert deep --unwind=fp 2>&1
status convert nested --unwind=cfi --folded
