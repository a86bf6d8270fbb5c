. "$root/tests/cli/common.sh"
status convert nested --folded -o no/such/directory/out
ls
