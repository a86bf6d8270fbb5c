# Addresses in folded stacks and in other text.
. "$root/tests/cli/common.sh"
cp "$root/testdata/nested/nested" program
set -- $(python3 - program <<'CODE'
import re, subprocess, sys
data = open(sys.argv[1], "rb").read()
print(re.search(rb"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0(.{20})", data, re.S)[1].hex())
symbols = subprocess.run(["nm", sys.argv[1]], stdout=subprocess.PIPE, text=True).stdout.splitlines()
print(*(hex(int(line.split()[0], 16)) for name in ("main", "inner") for line in symbols if line.split()[2] == name))
CODE
)
id=$1 main=$2 inner=$3
mkdir -p .build-id/${id%"${id#??}"}
cp program .build-id/${id%"${id#??}"}/${id#??}
cp "$root/testdata/cxx/cxx" cxx
named() {
    "$PDCONV" symbolize - --symfs "$nowhere" --symbol-dir "$PWD" --no-cache "$@" 2>&1 | sed "s/$id/ID/g; s#$PWD/##g; s/0x[0-9a-f]*/0xN/g"
}
echo "== folded: the address of a caller is one byte after its call"
printf '%s\n' "comm;/opt/program+$(printf '0x%x' $((inner + 1)));/opt/program+$inner 12" \
    "comm;[$id]+$main;kernel_function+0x12;[unknown];$id:$inner 3" "comm;/opt/my program+$inner 4" "program+$inner 5" | named
echo "== other text"
cat <<TEXT | named
#0 0x55d0 in ??  (/opt/program+$main) (BuildId: $id)
#1 0x55d0 in ??  (/opt/program+$main) (BuildId: 00${id#??})
#2 0x55d0 in ??  (/opt/program+$main) (BuildId: 00$id)
/opt/program($(printf '+%s' $main)) [0x55d0c0de1139]
/opt/program (deleted)+$main, libx.so.1+0x10 and [$id]+$inner: no newline follows
main+0x10 [ext4]+0x20 [vdso]+0x30 /opt/program+0x /opt/program+0x12345678901234567 $id:0xzz a:0x10 /opt/program+0x12_3
TEXT
echo "== inlined calls"
for form in 'comm;/opt/cxx+%s 1\n' '/opt/cxx+%s\n'; do
    printf "$form" 0x401f4b | named -q | head -3
done
echo "== offsets in the file, and addresses"
printf '%s\n' "/opt/program+$inner [$id]+$inner" | named -q --offsets file --no-lines
printf '%s\n' "/opt/program+$inner [$id]+$inner" | named -q --offsets vaddr --no-lines
echo "== all else stays"
printf 'a\0b' >zero
printf 'a;b 1\r\n\nx\tä \377;c' | named -q | od -An -c
printf '%s' "/opt/program+$inner" | gzip | named -q --no-lines
