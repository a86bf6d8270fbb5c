. "$root/tests/cli/common.sh"
status "$PDCONV" --nosuch
status "$PDCONV" -Z
status "$PDCONV" -o
status "$PDCONV" --jobs
status convert nested -f nosuch
status convert nested -e nosuch
status convert nested --jobs x
status convert nested --max-stack=-1
status convert nested --max-stack 99999999999999999999
status "$PDCONV" one two
