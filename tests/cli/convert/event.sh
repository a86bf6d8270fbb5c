. "$root/tests/cli/common.sh"
convert nested --folded -e cpu-clock:u
convert nested --folded -e cpu-clock
status convert nested --folded -e page-faults
# Several: each line says of which.
convert group --folded -e cpu-clock,page-faults
