#!/bin/sh
# Add to tests/fuzz/corpus what runs have found: the fewest inputs that reach all edges which seeds do not reach.
#
# usage: BUILD=build/fuzz tests/fuzz/minimize.sh DIRECTORY [CORPUS]...
# DIRECTORY has a folder for each corpus, as run.sh leaves it. Large inputs are left out, because the tree keeps these
# files for ever.
set -eu
cd "$(dirname "$0")/../.."
found=$1
shift
# Largest input, and most that are kept of one corpus before it is compressed, in bytes.
LARGEST=6000
MOST=48000
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

rows() { # CORPUS
    awk -F '[^A-Za-z0-9_]+' -v corpus="$1" '$2 == "T" && $4 == corpus { print $3, $5 }' tests/fuzz/target_defs.h
}

"$BUILD/tests/fuzz/seeds/seeds" "$work/all"
[ $# -gt 0 ] || set -- $(awk -F '[^A-Za-z0-9_]+' '$2 == "T" { print $4 }' tests/fuzz/target_defs.h | sort -u)
for corpus; do
    [ -d "$found/$corpus" ] || continue
    mkdir -p "$work/new/$corpus"
    rows "$corpus" | while read -r target max_len; do
        # The first directory gets what the others add to it.
        "$BUILD/fuzzers/$target" -merge=1 -use_counters=0 -max_len="$max_len" -timeout=10 -rss_limit_mb=2048 \
            "$work/all/$corpus" "$found/$corpus" >"$work/log" 2>&1 || tail -n 3 "$work/log"
    done
    # Small ones first, until there are enough.
    find "$work/all/$corpus" -type f ! -name 'seed-*' -size "-${LARGEST}c" -printf '%s %p\n' | sort -n | {
        sum=0
        while read -r size path; do
            sum=$((sum + size))
            [ $sum -le $MOST ] || break
            cp "$path" "$work/new/$corpus/"
        done
    }
    [ -n "$(ls "$work/new/$corpus")" ] || continue
    tar -C "$work/new" --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --mtime=@0 -cf - "$corpus" | xz -9e \
        >"tests/fuzz/corpus/$corpus.tar.xz"
done
du -cb tests/fuzz/corpus/*.tar.xz | tail -n 1
