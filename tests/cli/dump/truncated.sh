. "$root/tests/cli/common.sh"
# The file loses its end while it is read: more is to be written than the pipe holds.
cp "$root/testdata/cxx/perf.data" copy.data
chmod u+w copy.data
mkfifo pipe
"$PDCONV" dump copy.data -x >pipe &
exec 3<pipe
sleep 1
truncate -s 4096 copy.data
cat <&3 >/dev/null
wait $!
echo "status $?"
