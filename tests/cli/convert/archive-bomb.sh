. "$root/tests/cli/common.sh"
export HOME=/nonexistent
# A few kilobytes that become more than a gigabyte: what follows is not read, and what precedes is used.
truncate -s 1100M zeros
truncate -s 20M few-zeros
cp "$root/testdata/nested/nested" nested
ln -s "$root/testdata/nested/perf.data" nested.data
head -c 100M /dev/zero | zstd -q >part.zst
# Headers and contents have whole blocks of 512 bytes in a tarball.
blocks=$(($(stat -c %s nested) / 512 + 3))
bomb() { # NAME BLOCKS FILE ...: compress the first blocks of a tarball of the files, which end in zeros, and the zeros
	name=$1 blocks=$2
	shift 2
	tar cf - "$@" 2>/dev/null | head -c $((blocks * 512)) | zstd -q >"$name.tar.zst"
	for _ in 1 2 3 4 5 6 7 8 9 10 11; do
		cat part.zst >>"$name.tar.zst"
	done
}
bomb after "$blocks" nested zeros
bomb before 1 zeros
tar cf - nested | zstd -q >>before.tar.zst
tar cf - few-zeros nested | zstd -q >few.tar.zst
# Only what may be a binary is written to a temporary file.
ulimit -f 16384
for kind in after before few; do
	echo "--- $kind"
	"$PDCONV" nested.data --folded --symfs "$nowhere" --symbol-dir $kind.tar.zst 2>&1 | grep -E '^nested|implausibly'
done
