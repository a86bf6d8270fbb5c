. "$root/tests/cli/common.sh"
# It must not wait for somebody to write.
mkfifo fifo
status "$PDCONV" fifo
