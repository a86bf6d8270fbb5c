. "$root/tests/cli/common.sh"
mkdir out
status convert nested --folded -o out
ls -A out
ls
