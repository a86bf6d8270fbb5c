. "$root/tests/cli/common.sh"
needs_linux
# The file is truncated while it is read: the output is larger than a pipe buffer, so the dump waits.
cp "$root/testdata/cxx/perf.data" copy.data
chmod u+w copy.data
mkfifo pipe
"$PDCONV" dump copy.data -x >pipe &
exec 3<pipe
head -c 1 <&3 >/dev/null
truncate -s 4096 copy.data
cat <&3 >/dev/null
wait $!
echo "status $?"
