# Unit tests, as many at a time as there are CPUs, and the targets of fuzzing; read by tests/run.sh.

# Run one program, and leave its output and exit status in the scratch directory.
unit_program='
    mkdir -p "$0/$(dirname "$3")"
    timeout "$1" "$2/$3" >"$0/$3.out" 2>&1
    echo $? >"$0/$3.status"'

run_unit() {
    find tests/unit -name 'test_*.c' | LC_ALL=C sort | sed 's,^tests/unit/,,; s,\.c$,,' | while read -r name; do
        # make builds all that can be built: not those of Linux for the plain build.
        [ -x "$BUILD/tests/unit/$name" ] && wanted "unit/$name" && echo "$name"
    done >"$scratch/unit_names"
    xargs -P "$(nproc)" -n 1 sh -c "$unit_program" "$scratch/unit" $LIMIT "$BUILD/tests/unit" <"$scratch/unit_names"
    while read -r name; do
        grep -vE '^\[ +(RUN|OK) ' "$scratch/unit/$name.out" >"$scratch/out"
        verdict "unit/$name" "$(cat "$scratch/unit/$name.status")" "$scratch/out"
    done <"$scratch/unit_names"
}

run_replay() {
    sh tests/fuzz/gather.sh "$BUILD/tests/fuzz/seeds/seeds" "$scratch/corpus" >"$scratch/out" 2>&1 || {
        verdict replay 1 "$scratch/out"
        return 0
    }
    for target in $(awk -F '[^A-Za-z0-9_]+' '$2 == "T" { print $3 }' tests/fuzz/target_defs.h); do
        run_test "replay/$target" timeout $LIMIT "$BUILD/tests/fuzz/replay" "$scratch/corpus" "$target"
    done
}
