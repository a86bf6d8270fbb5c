. "$root/tests/cli/common.sh"
printf 'PERFILE2\020\0\0\0\0\0\0\0' >stream
head -c 1000 /dev/zero >>stream
status "$PDCONV" stream
