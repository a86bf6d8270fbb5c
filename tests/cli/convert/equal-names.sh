# Functions of one name in a program: static functions of two files, also of the same name in two folders, overloads, and
# closures that were inlined. Labels distinguish them where they meet, and only there.
. "$root/tests/cli/common.sh"
mkdir -p x y
cat >a.cc <<'C'
#define BODY __asm__ volatile(".skip 100, 0x90")
#define CODE __attribute__((noinline, used))
CODE static void helper() { BODY; }
CODE void area(int) { BODY; }
CODE void area(double) { BODY; }
namespace { CODE void hidden() { BODY; } }
CODE void closures()
{
    auto first = []() __attribute__((always_inline)) { BODY; };
    auto second = []() __attribute__((always_inline)) { BODY; };
    first();
    second();
}
struct once { once(); };
CODE once::once() { BODY; }
CODE void alone(int) { BODY; }
C
cat >b.cc <<'C'
#define BODY __asm__ volatile(".skip 100, 0x90")
#define CODE __attribute__((noinline, used))
CODE static void helper() { BODY; }
namespace { CODE void hidden() { BODY; } }
C
for dir in x y; do
    echo 'static __attribute__((noinline, used)) void same(void) { __asm__(".skip 100, 0x90"); }' >$dir/util.c
done
flags="-g -O1 -fcf-protection=none -fno-asynchronous-unwind-tables -nostdlib"
gcc $flags -c -o x.o x/util.c
gcc $flags -c -o y.o y/util.c
g++ $flags -shared -Wl,--build-id=none -o program a.cc b.cc x.o y.o
readelf -lW program | awk '/LOAD.* R E / { print $2, $3, $5 }' >segment
nm program | awk '$2 ~ /[tT]/ { print $3, $1 }' >symbols
PYTHONPATH=$root/tests/oracle python3 - <<'PY'
import made_recording
offset, vaddr, size = (int(word, 16) for word in open("segment").read().split())
def record(path, wanted):
    recording = made_recording.Recording("<", "x86_64")
    recording.map("/nowhere/program", 0x10000000 + vaddr, 0x10000, offset)
    for line in sorted(open("symbols")):
        name, address = line.split()
        if wanted(name):
            recording.sample(0x10000000 + int(address, 16) + at for at in (50, 150)[:1 + (name == "_Z8closuresv")])
    recording.write(path)
record("all.data", lambda name: True)
record("one.data", lambda name: name in ("_Z4areai", "_Z5alonei"))
PY
show() { "$PDCONV" "$@" --symbol-dir . --offline; }
echo "folded"
show all.data --folded
echo "one of each name"
show one.data --folded
echo "rows"
show all.data --sort sym | sed -n '/%/s/.*%  *//p' | sort
echo "speedscope"
show all.data -f speedscope -o - | grep -o '"name":"[a-z(][^"]*"' | sort | sed 's/:/ /'
echo "by name, and by what is shown"
show all.data --folded --focus '^area$'
show all.data --folded --focus 'helper .a.cc.'
show all.data --folded --root 'area(int)'
show report all.data --callers='helper (b.cc)' | grep helper
show annotate area all.data | grep -e '^area' -e '^  function' -e match
show annotate 'area(double)' all.data | grep -e '^area' -e '^  function' -e match
echo "of two recordings"
show all.data one.data --folded | grep a[lr]
show all.data one.data -f pprof -o two.pb.gz
echo "by the index"
export XDG_CACHE_HOME=$PWD/cache
show report all.data --sort sym >/dev/null
show report all.data --sort sym --focus 'area' | grep area
echo "a function whose body is in two files"
echo '__asm__ volatile(".skip 100, 0x90");' >body.inc
printf 'void whole(void)\n{\n__asm__ volatile(".skip 100, 0x90");\n#include "body.inc"\n}\n' >whole.c
gcc $flags -shared -Wl,--build-id=none -o program whole.c
readelf -lW program | awk '/LOAD.* R E / { print $2, $3, $5 }' >segment
nm program | awk '$3 == "whole" { print $1 }' >symbols
PYTHONPATH=$root/tests/oracle python3 - <<'PY'
import made_recording
offset, vaddr, size = (int(word, 16) for word in open("segment").read().split())
recording = made_recording.Recording("<", "x86_64")
recording.map("/nowhere/program", 0x10000000 + vaddr, 0x10000, offset)
recording.sample(0x10000000 + int(open("symbols").read(), 16) + at for at in (50, 150))
recording.write("whole.data")
PY
show whole.data --sort srcfile | grep -o 'body.inc\|whole.c' | sort
show whole.data --folded
