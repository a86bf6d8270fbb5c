. "$root/tests/cli/common.sh"
head -c 50000 "$root/testdata/nested/perf.data" >nested.data
status convert nested --folded
status convert nested --folded --quiet
status convert nested --folded --strict
status convert nested --folded --strict --quiet -o out
# Damage is told, and the profile is there all the same.
cat out
# Whole: nothing to complain of.
status convert fp --folded --strict -o /dev/null
