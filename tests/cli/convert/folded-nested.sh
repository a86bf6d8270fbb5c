. "$root/tests/cli/common.sh"
convert nested --folded
