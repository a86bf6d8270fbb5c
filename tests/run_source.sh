# Tests of the sources themselves; read by tests/run.sh.

# A rule is a script that reads sources and prints what breaks it. Succeed if it finds LINE in a file with that name.
finds() { # SCRIPT TABLE FILE LINE
    mkdir -p "$scratch/breach/$(dirname "$3")"
    echo "$4" >"$scratch/breach/$3"
    (cd "$scratch/breach" && awk -f "$root/tests/$1" $2 "$3" >/dev/null)
    [ $? -eq 1 ]
}

# Sources in folders of the table; a folder may not be there yet.
layered_sources() {
    find $(awk -F '[/:]' '/^[a-z]/ { print $1 }' tests/layering.txt | sort -u) -name '*.[ch]'
}

run_layering() {
    run_test layering/includes awk -f tests/layering.awk tests/layering.txt $(layered_sources)
    # The check itself must find what it looks for.
    table=$root/tests/layering.txt
    run_test layering/finds-folder finds layering.awk "$table" parse/bad.c '#include "output/formats.h"'
    run_test layering/finds-private finds layering.awk "$table" include/pdconv/bad.h '#include "base/map.h"'
    run_test layering/finds-library finds layering.awk "$table" include/pdconv/bad.h '#include <zstd.h>'
}
