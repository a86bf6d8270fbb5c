. "$root/tests/cli/common.sh"
convert nested --folded -q >x.folded
"$PDCONV" x.folded --from-folded
"$PDCONV" - --from-folded --folded <x.folded | cmp - x.folded && echo "the same lines"
"$PDCONV" x.folded --from-folded --folded --symbols side
"$PDCONV" x.folded --from-folded -f html -o x.html && echo page
echo 'a;b c' | status "$PDCONV" - --from-folded --folded 2>&1
status "$PDCONV" missing --from-folded --folded 2>&1
status "$PDCONV" x.folded --from-folded -f perfdata -o y 2>&1
