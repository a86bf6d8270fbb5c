. "$root/tests/cli/common.sh"
# All samples, each with a stack that begins at the root.
convert nested -f script >all
head -n 9 all
grep -c '^nested ' all
grep -c ' _start+' all
