. "$root/tests/cli/common.sh"
head -c 50000 "$root/testdata/nested/perf.data" >nested.data
status convert nested --folded
status convert nested --folded --quiet
status convert nested --folded --strict
status convert nested --folded --strict --quiet -o out
# Damage is reported, and the profile is written nevertheless.
cat out
# An undamaged recording has no warnings.
status convert fp --folded --strict -o /dev/null
