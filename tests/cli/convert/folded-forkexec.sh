. "$root/tests/cli/common.sh"
convert forkexec --folded
