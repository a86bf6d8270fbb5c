. "$root/tests/cli/common.sh"
convert fp --folded
