. "$root/tests/cli/common.sh"
# As many samples as there are, and a stack that begins at the root for each.
convert nested -f script >all
head -n 9 all
grep -c '^nested ' all
grep -c ' _start+' all
