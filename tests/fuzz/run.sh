#!/bin/sh
# Run the fuzz targets on the recordings of testdata, on small programs, and on inputs kept from earlier runs.
#
# usage: BUILD=build/fuzz CORPUS=build/corpus tests/fuzz/run.sh SECONDS
# Exits with 1 if an input makes a target crash, hang, leak or use too much memory. The input is kept.
set -eu
cd "$(dirname "$0")/../.."
mkdir -p "$CORPUS/reader" "$CORPUS/names" "$CORPUS/store" "$BUILD/findings"
# Small recordings are faster: use the first 20,000 bytes of each.
for recording in testdata/*/perf.data testdata/*/perf.data/data*; do
    [ -f "$recording" ] || continue
    name=$(echo "$recording" | tr / -)
    head -c 20000 "$recording" >"$CORPUS/reader/$name"
done
for tool in gzip zstd xz; do
    command -v $tool >/dev/null && $tool -c "$CORPUS/reader/testdata-piped-perf.data" >"$CORPUS/reader/piped.$tool"
done

cat >"$CORPUS/program.cpp" <<'PROGRAM'
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
        # Split debug information is written to the current folder.
        (cd "$CORPUS/names" && $compiler -O2 $flags -fPIC -shared -nostdlib \
            -o "$compiler$(echo "$flags" | tr -d ' ')" ../program.cpp 2>/dev/null) || :
    done
done

# Names of languages that are demangled in binaries with certain symbols only.
for name in caml_call_gc 'camlStdlib__$2b$21_83' camlStdlib__array__map_154 stg_ap_p_fast Main_zdwz3b1UZZ2T_con_info \
    base_GHCziBase_map_info NimMain 'X5BX5Deq___83ubZ67amel_13.part.0' FPC_MOVE 'P$ZOO$_$TBOX$1_$__$$_GET$CHAR$$LONGINT' \
    'ZOO_$$_$plus$TREC$$TREC' __gnat_init zoo__gate__wait_E21b.1 zoo__thingSRXn __zoo_MOD_feed _QMzooFouterPinner; do
    printf '.globl "%s"\n.type "%s", @function\n"%s": .skip 8, 0x90\n.size "%s", 8\n' "$name" "$name" "$name" "$name"
done >"$CORPUS/languages.s"
${CC:-cc} -shared -nostdlib -o "$CORPUS/names/languages" "$CORPUS/languages.s"

# The last part of a file of the index is the profile; the end of the header has its size.
for recording in testdata/*/perf.data; do
    [ -f "$recording" ] || continue
    rm -rf "$CORPUS/cache"
    XDG_CACHE_HOME=$(realpath "$CORPUS")/cache PDCONV_INDEX_SECONDS=0 "$BUILD/pdconv" --script -F +addr "$recording" \
        -q -o /dev/null || continue
    for kept in "$CORPUS"/cache/pdconv/*.index; do
        [ -f "$kept" ] || continue
        size=$(od -A n -t u8 -j 120 -N 8 "$kept" | tr -d ' ')
        tail -c "$size" "$kept" >"$CORPUS/store/$(echo "$recording" | tr / -)"
    done
done
rm -rf "$CORPUS/cache"

fuzz() { # TARGET SECONDS
    "$BUILD/tests/fuzz/$1" -max_total_time="$2" -timeout=20 -rss_limit_mb=3000 -max_len=40000 \
        -artifact_prefix="$BUILD/findings/" -print_final_stats=1 -verbosity=0 "$CORPUS/$1"
}

fuzz reader $((($1 + 2) / 3))
fuzz names $((($1 + 2) / 3))
fuzz store $((($1 + 2) / 3))
