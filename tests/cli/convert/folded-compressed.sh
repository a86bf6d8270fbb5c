. "$root/tests/cli/common.sh"
convert compressed --folded
