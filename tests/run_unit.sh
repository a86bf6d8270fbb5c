# Unit tests, as many at a time as there are CPUs; read by tests/run.sh.

# Run one program, and leave its output and exit status in the scratch directory.
unit_program='
    mkdir -p "$0/$(dirname "$3")"
    timeout "$1" "$2/$3" >"$0/$3.out" 2>&1
    echo $? >"$0/$3.status"'

run_unit() {
    find tests/unit -name 'test_*.c' | LC_ALL=C sort | sed 's,^tests/unit/,,; s,\.c$,,' | while read -r name; do
        wanted "unit/$name" && echo "$name"
    done >"$scratch/unit_names"
    xargs -P "$(nproc)" -n 1 sh -c "$unit_program" "$scratch/unit" $LIMIT "$BUILD/tests/unit" <"$scratch/unit_names"
    while read -r name; do
        grep -vE '^\[ +(RUN|OK) ' "$scratch/unit/$name.out" >"$scratch/out"
        verdict "unit/$name" "$(cat "$scratch/unit/$name.status")" "$scratch/out"
    done <"$scratch/unit_names"
}
