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

compare_status() { # CASE STATUS STDERR
    if [ "${GOLDEN:-}" ]; then
        if [ "$2" -ne 0 ]; then echo "$2" >"$1.exit"; else rm -f "$1.exit"; fi
        return 0
    fi
    expected=0
    [ ! -f "$1.exit" ] || expected=$(cat "$1.exit")
    [ "$2" -eq "$expected" ] && return 0
    echo "exit status $2, expected $expected; stderr:"
    cat "$3"
    return 1
}

# Run a case in the new directory DIR/cli. Its output is next to that.
cli_case() { # CASE DIR
    mkdir -p "$2/cli"
    (cd "$2/cli" && LC_ALL=C HOME=/nonexistent timeout $LIMIT sh "$root/$1.sh" >"$2/stdout" 2>"$2/stderr" </dev/null)
    status=$?
    if [ "$status" -eq "$SKIPPED" ]; then
        cat "$2/stdout"
        return "$SKIPPED"
    fi
    ok=0
    compare_status "$1" $status "$2/stderr" || ok=1
    compare stdout "$1" "$2/stdout" || ok=1
    compare stderr "$1" "$2/stderr" || ok=1
    return $ok
}

# Run the cases that no other lane has taken.
cli_lane() { # CASE...
    for case_; do
        dir=$scratch/cases/$case_
        mkdir -p "${dir%/*}"
        mkdir "$dir" 2>/dev/null || continue
        cli_case "$case_" "$dir" >"$dir/verdict" 2>&1
        echo $? >"$dir/status"
        rm -rf "$dir/cli"
    done
}

# As many cases at a time as there are CPUs. Those that take long come first.
run_cli() {
    set --
    for script in tests/cli/convert/windows.sh tests/cli/query/bounds.sh tests/cli/report/pager.sh tests/cli/*/*.sh; do
        case_=${script%.sh}
        ! wanted "${case_#tests/}" || set -- "$@" "$case_"
    done
    n_lanes=$(nproc)
    while [ "$n_lanes" -gt 0 ]; do
        cli_lane "$@" &
        n_lanes=$((n_lanes - 1))
    done
    wait
    for dir in "$scratch"/cases/tests/cli/*/*; do
        [ ! -d "$dir" ] || verdict "${dir#"$scratch"/cases/tests/}" "$(cat "$dir/status")" "$dir/verdict"
    done
    rm -rf "$scratch/cases"
}
