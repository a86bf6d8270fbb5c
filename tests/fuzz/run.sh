#!/bin/sh
# Run the fuzz targets, each for its share of the time, on seeds and on inputs kept from earlier runs.
#
# usage: BUILD=build/fuzz CORPUS=build/corpus tests/fuzz/run.sh SECONDS [TARGET]...
# Exits with 1 if an input makes a target crash, hang, leak or use too much memory. The input is kept in
# BUILD/findings. After each target it prints inputs, inputs per second, and edges covered by the seeds and at the end.
# $FUZZ_SEED makes runs alike; without it, each run tries other inputs.
set -eu
cd "$(dirname "$0")/../.."
seconds=$1
shift

# Rows of the table of targets: "name corpus max_len".
table() {
    awk -F '[^A-Za-z0-9_]+' '$2 == "T" { print $3, $4, $5 }' tests/fuzz/target_defs.h
}

[ $# -gt 0 ] || set -- $(table | cut -d ' ' -f 1)
share=$(((seconds + $# - 1) / $#))
sh tests/fuzz/gather.sh "$BUILD/tests/fuzz/seeds/seeds" "$CORPUS"
rm -rf "$BUILD/programs"
sh tests/fuzz/programs.sh "$BUILD/programs"
"$BUILD/tests/fuzz/seeds/seeds" "$CORPUS" "$BUILD"/programs/*
mkdir -p "$BUILD/findings"

# Run one target. Prints one line, and all that the fuzzer printed if it found something.
fuzz() { # NAME CORPUS MAX_LEN
    dictionary=tests/fuzz/dictionaries/$2.dict
    status=0
    "$BUILD/fuzzers/$1" -seed="${FUZZ_SEED:-0}" -max_total_time="$share" -max_len="$3" -timeout=10 -malloc_limit_mb=512 -rss_limit_mb=2048 \
        $([ ! -f "$dictionary" ] || echo "-dict=$dictionary") -artifact_prefix="$BUILD/findings/$1-" \
        -print_final_stats=1 "$CORPUS/$2" >"$BUILD/findings/$1.log" 2>&1 || status=$?
    awk -v name="$1" '
        { for (i = 1; i < NF; i++) if ($i == "cov:") cov = $(i + 1) }
        $2 == "INITED" { first = cov }
        /^stat::number_of_executed_units/ { n = $2 }
        /^stat::average_exec_per_sec/ { rate = $2 }
        END { printf "%-12s %9d inputs %7d/s  edges %5d to %5d\n", name, n, rate, first, cov }' \
        "$BUILD/findings/$1.log"
    [ $status -eq 0 ] || tail -n 60 "$BUILD/findings/$1.log"
    return $status
}

failed=0
for target; do
    row=$(table | grep "^$target ") || { echo "there is no fuzz target '$target'" >&2; exit 2; }
    fuzz $row || failed=1
done
exit $failed
