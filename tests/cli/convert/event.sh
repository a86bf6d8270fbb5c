. "$root/tests/cli/common.sh"
convert nested --folded -e cpu-clock:u
status convert nested --folded -e cpu-clock
