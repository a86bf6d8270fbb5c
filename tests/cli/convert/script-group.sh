. "$root/tests/cli/common.sh"
# A sample for each group member whose counter changed, in time order.
convert group --script | head -n 6
convert group -f script -e page-faults:u | wc -l
