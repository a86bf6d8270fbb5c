# Profiles that are damaged, empty or missing, and wrong command lines.
. "$root/tests/cli/common.sh"
foreign() {
    python3 "$root/tests/cli/foreign.py" "$@"
}
: >empty
printf '\012\005\010\001' >cut.pb
printf '\013\001\014' >group.pb
printf 'a;b 1\n' | gzip | head -c 20 >cut.gz
status "$PDCONV" symbolize
status "$PDCONV" symbolize a b
status "$PDCONV" symbolize absent -o out
status "$PDCONV" symbolize . -o out
status "$PDCONV" symbolize empty -o out
status "$PDCONV" symbolize cut.pb -o out
status "$PDCONV" symbolize group.pb -o out
status "$PDCONV" symbolize cut.gz -o out
status "$PDCONV" symbolize cut.pb -o cut.pb
status "$PDCONV" symbolize empty --offsets other
status "$PDCONV" symbolize empty -f folded
status "$PDCONV" report --offsets file
ls
foreign make small.pb '{"mappings": [[4096, 8192, 0, "/x", "abcd"]], "locations": [[1, 4097, null], [1, 4098, "f"]]}'
foreign cuts "$PDCONV" small.pb
