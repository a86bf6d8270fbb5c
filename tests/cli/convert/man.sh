. "$root/tests/cli/common.sh"
"$PDCONV" --man >page
head -n 1 page
grep -c '^\.SH' page
grep -c '^\.TP' page >count
# As many options as in the help text, and as many formats.
"$PDCONV" --help | grep -c '^  *-' >options
[ "$(cat count)" -gt "$(cat options)" ] && echo more
