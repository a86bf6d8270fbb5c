. "$root/tests/cli/common.sh"
mkdir dir
status "$PDCONV" dir
status "$PDCONV" - <dir
status "$PDCONV" /dev/zero
mkfifo dir/data
status "$PDCONV" dir
