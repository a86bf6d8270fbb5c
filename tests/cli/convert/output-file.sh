. "$root/tests/cli/common.sh"
umask 027
convert nested --folded -o out
convert nested --folded >stdout
convert nested --folded -o - >dash
cmp out stdout
cmp out dash
stat -c '%a %s' out
# An existing file is replaced as a whole.
echo "something much longer than what comes" >other
convert nested --folded -o other
cmp out other
ls
