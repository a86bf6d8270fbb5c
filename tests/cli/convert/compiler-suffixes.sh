# Clones and pieces of a C function have its name in reports and comparisons. annotate finds each piece by its symbol.
. "$root/tests/cli/common.sh"
cat >program.s <<'S'
	.text
	.globl main
	.type main, @function
main:	.skip 64, 0x90
	.size main, .-main
	.type main.cold, @function
main.cold: .skip 64, 0x90
	.size main.cold, .-main.cold
	.type promoted.llvm.HASH, @function
promoted.llvm.HASH: .skip 64, 0x90
	.size promoted.llvm.HASH, .-promoted.llvm.HASH
	.type sort.isra.0.part.1.lto_priv.2, @function
sort.isra.0.part.1.lto_priv.2: .skip 64, 0x90
	.size sort.isra.0.part.1.lto_priv.2, .-sort.isra.0.part.1.lto_priv.2
S
for hash in 111 222; do
    mkdir -p "at$hash"
    sed "s/HASH/$hash/g" program.s >"program$hash.s"
    gcc -nostdlib -shared -Wl,--build-id=none -o "at$hash/program" "program$hash.s"
    readelf -lW "at$hash/program" | awk '/LOAD.* R E / { print $2, $3 }' >segment
    PYTHONPATH=$root/tests/oracle python3 - "$hash" <<'PY'
import sys
import made_recording
recording = made_recording.Recording("<", "x86_64")
offset, vaddr = (int(word, 16) for word in open("segment").read().split())
recording.map("/nowhere/program", 0x10000000 + vaddr, 0x1000, offset)
recording.sample([0x10000000 + vaddr + 16 * i for i in range(16)])
recording.write(f"{sys.argv[1]}.data")
PY
done
"$PDCONV" 111.data --symfs "$nowhere" --symbol-dir at111 --folded
"$PDCONV" 111.data --symfs "$nowhere" --symbol-dir at111 --folded --demangle none
"$PDCONV" 222.data --symfs "$nowhere" --symbol-dir at222 --folded
"$PDCONV" annotate main.cold 111.data --symfs "$nowhere" --symbol-dir at111 | sed -n 1,2p
