. "$root/tests/cli/common.sh"
convert nested --folded -e cpu-clock:u
convert nested --folded -e cpu-clock
status convert nested --folded -e page-faults
# With several events each line names its own.
convert group --folded -e cpu-clock,page-faults
