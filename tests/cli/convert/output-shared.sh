. "$root/tests/cli/common.sh"
needs_linux
[ "$(id -u)" = 0 ] || { cat "$root/tests/cli/convert/output-shared.stdout.exact"; exit; }
# Files that another user put into a directory that everybody can write. Only root can make them here.
umask 022
mkdir shared mine
chmod 1777 shared
for name in victim linked mine/victim; do echo precious >$name; done
ln -s ../victim shared/link
ln -s nothing shared/dangling
ln -s ../mine shared/dir
mkfifo shared/pipe
for link in shared/link shared/dangling shared/dir shared/pipe; do chown -h 65534:65534 $link; done
ln -s ../linked shared/own
for output in shared/link shared/dangling shared/dir/victim shared/pipe; do
    status convert nested --folded -o $output 2>&1
    status "$PDCONV" record -q -e cpu-clock:u -o $output -- true 2>&1
done
cat victim mine/victim
ls shared mine
# A link of the user is followed, and stays.
convert nested --folded -o shared/own
convert nested --folded -o plain
cmp linked plain
readlink shared/own
