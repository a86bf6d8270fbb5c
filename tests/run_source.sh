# Tests of the sources themselves; read by tests/run.sh.

# Succeed if the rule SCRIPT finds that LINE breaks it in a file called FILE.
finds() { # FILE LINE SCRIPT [TABLE]
    mkdir -p "$scratch/breach/$(dirname "$1")"
    echo "$2" >"$scratch/breach/$1"
    (cd "$scratch/breach" && awk -f "$root/tests/$3" ${4:+"$4"} "$1" >/dev/null)
    [ $? -eq 1 ]
}

# Sources in folders of the table; a folder may not be there yet.
layered_sources() {
    find $(awk -F '[/:]' '/^[a-z]/ { print $1 }' tests/layering.txt | sort -u) -name '*.[ch]'
}

# Succeed if a permission that no source needs is found.
finds_unused() {
    echo "parse: resolve" >"$scratch/layering.txt"
    awk -f tests/layering.awk whole=1 "$scratch/layering.txt" parse/attr.c | grep -q 'parse may include resolve, and does not'
}

run_layering() {
    table=$root/tests/layering.txt
    run_test layering/includes awk -f tests/layering.awk whole=1 tests/layering.txt $(layered_sources)
    run_test layering/no-cycle awk -f tests/cycles.awk tests/layering.txt
    # The checks themselves must find what they look for.
    run_test layering/finds-folder finds parse/bad.c '#include "output/formats.h"' layering.awk "$table"
    run_test layering/finds-private finds include/pdconv/bad.h '#include "base/containers/map.h"' layering.awk "$table"
    run_test layering/finds-library finds include/pdconv/bad.h '#include <zstd.h>' layering.awk "$table"
    run_test layering/finds-unused finds_unused
    run_test layering/finds-cycle finds bad.txt 'a: b
b: c
c: a' cycles.awk
}

# Functions of ours, in the sources or in FILE, that are called like those of a C library or Linux.
taken_names() { # [FILE]
    sh tests/libc_names.sh >"$scratch/libc_names" || return
    awk -f tests/libc_names.awk "$scratch/libc_names" \
        ${1:-$(layered_sources) $(find tests bench examples -name '*.[ch]')}
}

finds_taken_name() {
    echo 'static int openat2(int dir, const char *path)' >"$scratch/bad.c"
    ! taken_names "$scratch/bad.c"
}

# A file can be named without its folder: no other has its name, except that a public header can share it with the private one.
unique_names() { # FILE...
    names=$(for path; do echo "${path##*/}"; done | sort | uniq -d)
    [ -z "$names" ] || { echo "Several files are called:" $names && return 1; }
}

finds_missing_path() {
    echo 'See `base/nothing.h`.' >"$scratch/bad.md"
    ! python3 tests/document_paths.py "$scratch/bad.md" >/dev/null
}

finds_same_name() {
    ! unique_names parse/map.c base/map.h unwind/map.c >/dev/null
}

# Each kind has a function that runs it and a place in .ci/run, what it is about exists, and all folders are code.
complete_kinds() {
    for kind in $every_kind; do
        grep -q "^run_$kind() {" tests/run_*.sh || { echo "tests/run_*.sh have no function run_$kind" && return 1; }
        grep -qw "$kind" .ci/run || { echo ".ci/run does not run $kind" && return 1; }
    done
    about_code=" $(kinds about name compilers) "
    for folder in $(awk -F '[/:]' '/^[a-z]/ { print $1 }' tests/layering.txt | sort -u); do
        case $about_code in *" $folder "*) ;; *) echo "tests/kinds.txt: $folder is not in the set code" && return 1 ;; esac
    done
    for path in $(kinds about runs "check live named job"); do
        [ "$path" = night ] || [ -e "$path" ] || { echo "tests/kinds.txt: there is no $path" && return 1; }
    done
}

# The library does not know how the program spells its options. Examples in documents are shown as code.
run_house() {
    run_test house/options awk -f tests/options.awk $(layered_sources | grep -v "^cmd/")
    run_test house/finds-option finds bad.c 'puts("see --help");' options.awk
    run_test house/comments env LC_ALL=C awk -f tests/comments.awk $(layered_sources)
    run_test house/maps awk -f tests/maps.awk $(layered_sources)
    run_test house/finds-map finds bad.c 'p = mmap(NULL, 1, 0, 0, fd, 0);' maps.awk
    run_test house/names taken_names
    run_test house/finds-name finds_taken_name
    run_test house/unique-names unique_names $(layered_sources | grep -v '^include/') $(find tests/unit -name '*.[ch]')
    run_test house/finds-same-name finds_same_name
    run_test house/markdown awk -f tests/markdown.awk *.md tests/*.md $(find doc -name '*.md')
    if has python3; then
        run_test house/paths python3 tests/document_paths.py *.md tests/*.md $(find doc -name '*.md')
        run_test house/finds-path finds_missing_path
    fi
    run_test house/kinds complete_kinds
    run_test house/finds-command finds bad.md 'pdconv --folded perf.data | flamegraph.pl > flame.svg' markdown.awk
    run_test house/finds-comment finds bad.c "/* $(printf '%100s' '') */" comments.awk
}

# Versions of clang-format differ, so one decides: that of Debian 12.
CLANG_FORMAT=14

run_format() {
    needs format clang-format || return 0
    case $(clang-format --version) in
    *"version $CLANG_FORMAT."*) ;;
    *) skip format "clang-format is not version $CLANG_FORMAT"; return 0 ;;
    esac
    run_test format/clang-format make --no-print-directory -s format-check
}
