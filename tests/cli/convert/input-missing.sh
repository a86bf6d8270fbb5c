. "$root/tests/cli/common.sh"
status "$PDCONV" nosuch.data
status "$PDCONV"
status "$PDCONV" -i nosuch.data
