. "$root/tests/cli/common.sh"
: >empty
status "$PDCONV" empty
