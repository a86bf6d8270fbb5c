. "$root/tests/cli/common.sh"
convert nested --perfdata -o resolved
convert nested -f perfdata >stdout
cmp stdout resolved
# The same samples, in less than a fifth of the size.
"$PDCONV" resolved --script --symfs "$nowhere" --debug-paths "$root/testdata/nested" >after
convert nested --script | sed 's/ *[0-9a-f]* //' >before.names
sed 's/ *[0-9a-f]* //' after | cmp - before.names
[ $(wc -c <resolved) -lt $(($(wc -c <nested.data) / 5)) ] && echo smaller
# A pipe is read twice, through a copy; the output to a pipe is a stream.
cat nested.data | "$PDCONV" -f perfdata -o from-pipe --symfs "$nowhere" --debug-paths "$root/testdata/nested"
cmp from-pipe resolved
"$PDCONV" - -f perfdata -o from-stdin --symfs "$nowhere" --debug-paths "$root/testdata/nested" <nested.data
cmp from-stdin resolved
convert nested -f perfdata | cat | "$PDCONV" dump - --type SAMPLE | wc -l
convert nested -f perfdata >>appended
"$PDCONV" dump appended --type SAMPLE | wc -l
# Compressed, and decompressed again.
convert nested -f perfdata -z -o packed
convert nested -f perfdata --compress=19 -o packed-more
"$PDCONV" packed -f perfdata -o unpacked --symfs "$nowhere"
cmp unpacked resolved
"$PDCONV" dump packed --type COMPRESSED | wc -l
"$PDCONV" dump packed-more | grep -o 'FEATURE.COMPRESSED .*'
status convert nested -f perfdata -z23
status convert nested -f perfdata --compress=x
# Without the names of machine and user.
convert nested -f perfdata --strip-hostname --strip-cmdline | "$PDCONV" info - | grep -c -e '^host ' -e '^command '
convert nested -f perfdata --keep-stacks -o kept
"$PDCONV" dump kept --type SAMPLE --limit 1 | grep -o -e callchain= -e regs_user= -e stack_user=
ls
