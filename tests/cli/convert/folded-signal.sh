. "$root/tests/cli/common.sh"
convert signal --folded
