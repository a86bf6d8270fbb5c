# Command line tests; read by tests/run.sh.
#
# A test is COMMAND/CASE.sh, run in a new directory. Its expected output is in CASE.stdout.exact or CASE.stdout.glob
# and CASE.stderr.exact or CASE.stderr.glob, its exit status in CASE.exit; a missing file means no output, or status 0.
# A case that cannot run here prints the reason and exits with $SKIPPED.

# Compare one stream with what is expected of it, or rewrite that if GOLDEN is set.
compare() { # stdout|stderr CASE ACTUAL
    if [ -f "$2.$1.glob" ]; then
        [ "${GOLDEN:-}" ] && return 0
        awk -f tests/glob.awk "$2.$1.glob" "$3"
        return
    fi
    if [ "${GOLDEN:-}" ]; then
        if [ -s "$3" ]; then cp "$3" "$2.$1.exact"; else rm -f "$2.$1.exact"; fi
        return 0
    fi
    if [ -f "$2.$1.exact" ]; then
        diff -u "$2.$1.exact" "$3"
    else
        diff -u /dev/null "$3"
    fi
}

compare_status() { # CASE STATUS
    if [ "${GOLDEN:-}" ]; then
        if [ "$2" -ne 0 ]; then echo "$2" >"$1.exit"; else rm -f "$1.exit"; fi
        return 0
    fi
    expected=0
    [ ! -f "$1.exit" ] || expected=$(cat "$1.exit")
    [ "$2" -eq "$expected" ] && return 0
    echo "exit status $2, expected $expected; stderr:"
    cat "$scratch/stderr"
    return 1
}

cli_case() { # CASE
    rm -rf "$scratch/cli"
    mkdir "$scratch/cli"
    (cd "$scratch/cli" && LC_ALL=C HOME=/nonexistent timeout $LIMIT sh "$root/$1.sh" \
        >"$scratch/stdout" 2>"$scratch/stderr" </dev/null)
    status=$?
    if [ "$status" -eq "$SKIPPED" ]; then
        cat "$scratch/stdout"
        return "$SKIPPED"
    fi
    ok=0
    compare_status "$1" $status || ok=1
    compare stdout "$1" "$scratch/stdout" || ok=1
    compare stderr "$1" "$scratch/stderr" || ok=1
    return $ok
}

run_cli() {
    for script in tests/cli/*/*.sh; do
        case_=${script%.sh}
        run_test "${case_#tests/}" cli_case "$case_"
    done
}
