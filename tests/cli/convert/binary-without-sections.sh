# A program without section headers: its program headers lead to call frame information, as the kernel and the dynamic
# linker find it. Only exported functions have names.
. "$root/tests/cli/common.sh"
python3 - "$root/testdata/nested/nested" <<'PY'
import sys
program = bytearray(open(sys.argv[1], "rb").read())
# e_shoff, e_shentsize, e_shnum, e_shstrndx
program[40:48] = bytes(8)
program[58:64] = bytes(6)
open("nested", "wb").write(program)
PY
with_programs nested . --folded --no-cache 2>/dev/null | sed 's/ [0-9]*$//' | sort -u
