. "$root/tests/cli/common.sh"
mkdir dir
status "$PDCONV" dir
