. "$root/tests/cli/common.sh"
convert threads --folded
