. "$root/tests/cli/common.sh"
echo precious >out
echo text >input
status "$PDCONV" input -o out
status convert nested -e nosuch -o out
cat out
ls
