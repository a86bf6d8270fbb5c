#!/bin/sh
# Run the fuzz target on the recordings of testdata, and on what it kept from earlier runs.
#
# usage: BUILD=build/fuzz CORPUS=build/corpus tests/fuzz/run.sh SECONDS
# Exits with 1 if an input made it crash, hang, leak or take too much memory; the input is kept.
set -eu
cd "$(dirname "$0")/../.."
mkdir -p "$CORPUS" "$BUILD/findings"
# Small recordings find more: the start of each, and what is smaller anyway.
for recording in testdata/*/perf.data testdata/*/perf.data/data*; do
    [ -f "$recording" ] || continue
    name=$(echo "$recording" | tr / -)
    head -c 20000 "$recording" >"$CORPUS/$name"
done
for tool in gzip zstd xz; do
    command -v $tool >/dev/null && $tool -c "$CORPUS/testdata-piped-perf.data" >"$CORPUS/piped.$tool"
done
exec "$BUILD/tests/fuzz/reader" -max_total_time="$1" -timeout=20 -rss_limit_mb=3000 -max_len=40000 \
    -artifact_prefix="$BUILD/findings/" -print_final_stats=1 -verbosity=0 "$CORPUS"
