#!/bin/bash -eu
# Build the fuzz targets for OSS-Fuzz.
#
# Environment, as OSS-Fuzz sets it: SRC, OUT, WORK, CC, CXX, CFLAGS, CXXFLAGS, LIB_FUZZING_ENGINE, SANITIZER. Each target
# is put into OUT with its seeds, its dictionary and its options. The machines that run targets have none of the
# libraries, so these are in OUT/lib.
cd "$SRC/pdconv"
build=$WORK/pdconv

# The sanitizer is in CFLAGS, too. SAN leaves out what does not go along with it. Fuzzers in C++ are linked as such.
case ${SANITIZER:-} in address | undefined) san=$SANITIZER ;; *) san= ;; esac
make -s -j"$(nproc)" BUILD="$build" SAN="$san" CC="$CC" CFLAGS="$CFLAGS" LDFLAGS="-Wl,--disable-new-dtags,-rpath,'\$\$ORIGIN/lib'" \
    FUZZ_LD="$CXX $CXXFLAGS" LIB_FUZZING_ENGINE="$LIB_FUZZING_ENGINE" fuzzers

# Seeds are written here and now, so the program that does it needs no sanitizer.
make -s -j"$(nproc)" BUILD="$build-seeds" CC="$CC" CFLAGS="-O1" "$build-seeds/tests/fuzz/seeds/seeds"
rm -rf "$build-corpus"
sh tests/fuzz/gather.sh "$build-seeds/tests/fuzz/seeds/seeds" "$build-corpus"

mkdir -p "$OUT/lib"
awk -F '[^A-Za-z0-9_]+' '$2 == "T" { print $3, $4, $5 }' tests/fuzz/target_defs.h |
    while read -r target corpus max_len; do
        cp "$build/fuzzers/$target" "$OUT/$target"
        (cd "$build-corpus/$corpus" && zip -q -r - .) >"$OUT/${target}_seed_corpus.zip"
        dictionary=tests/fuzz/dictionaries/$corpus.dict
        [ ! -f "$dictionary" ] || cp "$dictionary" "$OUT/$target.dict"
        printf '[libfuzzer]\nmax_len = %d\n' "$max_len" >"$OUT/$target.options"
    done

# Copy the libraries that a file needs, except for those of every system.
copy_libraries() { # FILE
    ldd "$1" | awk '$2 == "=>" && $3 ~ "^/" { print $3 }' |
        grep -vE '/(ld-linux.*|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+|resolv))[.-][^/]*$' | xargs -r cp -L -t "$OUT/lib"
}

copy_libraries "$build/tests/fuzz/fuzzer"
# This one is loaded when an archive is read.
archive=$(ldconfig -p | awk '/libarchive\.so\.13 / { print $NF; exit }')
cp -L "$archive" "$OUT/lib"
copy_libraries "$archive"
