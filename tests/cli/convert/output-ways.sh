. "$root/tests/cli/common.sh"
needs_linux
umask 022
convert nested --folded -o plain
# Links of the kernel to open files are written, not replaced.
convert nested --folded -o /dev/stdout >stdout
convert nested --folded -o /dev/fd/3 3>third
convert nested --folded -o /proc/self/fd/3 3>fourth
convert nested --folded -o /dev/stdout | cmp - plain
echo before >appended
convert nested --folded -o /dev/stdout >>appended
{ echo before; cat plain; } | cmp - appended
mkfifo pipe
cmp pipe plain &
convert nested --folded -o pipe
wait
for file in stdout third fourth; do cmp $file plain; done
# Links are followed, to files that exist and to others.
mkdir sub
ln -s sub/new dangling
ln -s dangling second
convert nested --folded -o second
cmp sub/new plain
ln -s loop loop
status convert nested --folded -o loop
# The longest name.
long=$(printf '%0255d' 7)
convert nested --folded -o $long
cmp $long plain
rm $long
# An older file keeps its mode.
echo old >older
chmod 640 older
convert nested --folded -o older
cmp older plain
# Memory of processes is for the user alone.
convert nested --perfdata -o chains.data -q
convert nested --perfdata --keep-stacks -o stacks.data -q
echo old >replaced.data
convert nested --perfdata --keep-stacks -o replaced.data -q
stat -c '%a %n %F' *
