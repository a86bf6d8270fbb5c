#!/bin/sh
# Compile a small program with each form of debug information, as far as there are compilers.
#
# usage: tests/fuzz/programs.sh DIRECTORY
set -eu
mkdir -p "$1"
cd "$1"

cat >program.cpp <<'PROGRAM'
extern "C" int away(int);
namespace some { struct thing { int value; __attribute__((noinline)) int work(int x); }; }
static inline int inner(int x) { return away(x) * 3; }
static inline int outer(int x) { return x & 1 ? inner(x + 1) + inner(x) : away(x); }
int some::thing::work(int x) { for (int i = 0; i < value; i++) x += outer(i); return x; }
template <typename T> T twice(T x) { return x + away((int)x); }
extern "C" int start(int x) { some::thing t = { x }; return t.work(twice(x)) + (int)twice((long)x); }
PROGRAM
for flags in -gdwarf-2 -gdwarf-3 -gdwarf-4 -gdwarf-5 "-g -gz" "-g -gsplit-dwarf" -g0 "-g -fdebug-types-section" \
    "-gdwarf-5 -ffunction-sections"; do
    for compiler in g++ clang++; do
        command -v $compiler >/dev/null || continue
        $compiler -O2 $flags -fPIC -shared -nostdlib \
            -o "$compiler$(echo "$flags" | tr -d ' ')" program.cpp 2>/dev/null || :
        $compiler -O2 $flags -c -o "$compiler$(echo "$flags" | tr -d ' ').ko" program.cpp 2>/dev/null || :
    done
done
rm -f ./*.dwo program.cpp
