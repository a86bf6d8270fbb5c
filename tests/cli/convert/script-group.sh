. "$root/tests/cli/common.sh"
# A sample for each member of the group that moved, in time order.
convert group --script | head -n 6
convert group -f script -e page-faults:u | wc -l
