# Tests of the installed library; read by tests/run.sh.

# Names that the public headers declare, and names that the shared library exports, one per line.
declared_names() {
    echo '#include <pdconv/pdconv.h>' | "$CC" -E -P -Iinclude - | awk -f tests/exports.awk | LC_ALL=C sort -u
}

exported_names() { # LIBRARY
    nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort
}

# The library that was built last: those of earlier versions may be left.
shared_library() {
    ls -t "$BUILD"/libpdconv.so.*.* | head -n 1
}

# Compile each header alone, as a program would include it.
compile_headers() { # COMPILER OPTIONS...
    for header in include/pdconv/*.h; do
        case $header in *_defs.h) continue ;; esac
        printf '#include <%s>\nextern int something;\n' "${header#include/}" >"$work/header.c"
        "$@" -Wall -Wextra -pedantic -Werror -Iinclude -fsyntax-only "$work/header.c" || return
    done
}

# Programs that use the headers may be built by either compiler, and each warns of extensions that the other accepts.
run_headers() {
    for compiler in gcc g++ $([ -n "$QUICK" ] || echo clang clang++); do
        has $compiler || continue
        case $compiler in
        *++) set -- -std=c++11 -x c++ ;;
        *) set -- -std=c11 -x c ;;
        esac
        compile_headers $compiler "$@" >"$work/out" 2>&1
        verdict library/headers-$compiler $? "$work/out"
    done
}

# The examples are C11 or C++11 without extensions of a compiler; those in C are both.
run_strict() {
    for compiler in gcc g++ $([ -n "$QUICK" ] || echo clang clang++); do
        has $compiler || continue
        case $compiler in
        *++) set -- -std=c++11 -x c++ examples/*.c examples/*.cpp ;;
        *) set -- -std=c11 -D_DEFAULT_SOURCE -x c examples/*.c ;;
        esac
        $compiler -Wall -Wextra -pedantic -Werror -Iinclude -fsyntax-only "$@" >"$work/out" 2>&1
        verdict library/examples-$compiler $? "$work/out"
    done
}

# What a program writes with the library stays short; a live unwinder needs 40 lines.
check_lengths() {
    wc -l examples/* | awk '$2 != "total" && $1 > ($2 == "examples/filter.c" ? 115 : $2 == "examples/unwind.c" ? 40 : 60) {
        print $2 " has " $1 " lines"; is_long = 1 } END { exit is_long }'
}

run_make() { # TARGET: with the options of this build, so that nothing is built again
    make -s "$1" BUILD="$MAKE_BUILD" CC="$CC" ${SAN:+"SAN=$SAN"} DESTDIR="$work/root" PREFIX=/usr
}

installed() { # PKG-CONFIG-ARGUMENTS...
    PKG_CONFIG_PATH=$work/root/usr/lib/pkgconfig pkg-config --define-variable=prefix="$work/root/usr" pdconv "$@"
}

# Build an example with the installed library.
build_example() { # NAME COMPILER LANGUAGE shared|static
    source=examples/$1.c
    [ -e "$source" ] || source=examples/$1.cpp
    libs=$(installed --libs)
    [ "$4" = shared ] || libs=$(installed --static --libs | sed 's/-lpdconv/-l:libpdconv.a/')
    "$2" -Wall -Wextra -Werror -pthread $(installed --cflags) ${SAN:+-fsanitize=$SAN} -x "$3" "$source" -x none $libs \
        -o "$work/$1"
}

example() { # NAME RECORDING cat|path: run it on a recording, from a pipe or by its path
    if [ "$3" = cat ]; then
        cat "testdata/$2/perf.data" | "$work/$1" -
    else
        "$work/$1" "testdata/$2/perf.data"
    fi
}

# Every command has an installed manual page, with a name and a summary.
run_man_pages() {
    pages=$("$PDCONV" help | awk '/^[A-Z]/ { section = $1 } section == "Commands:" && /^  [a-z]/ && $1 != "help" {
        print ($1 == "perf_to_profile" ? "" : "pdconv-") $1 }')
    [ "$(echo "$pages" | wc -l)" -ge 8 ] || return
    for page in pdconv $pages; do
        tr -d '\\' <"$work/root/usr/share/man/man1/$page.1" | grep -q "^$page - [a-z]" || return
    done
}

# The library has manual pages that are lint-clean and list each header, and pdconv/structs.h is what the tables declare.
run_library_pages() {
    man=$work/root/usr/share/man
    for header in include/pdconv/*.h; do
        case $header in *_defs.h) continue ;; esac
        sed -n '/^.SH HEADERS/,/^.SH EXAMPLES/p' "$man/man3/libpdconv.3" | grep -q "[^a-z_]${header##*/}" ||
            { echo "$header is not in the list of doc/library.md" && return 1; }
    done
    "$CC" -E -P -I. -Iinclude -x c doc/structs.h | awk -f doc/structs.awk | diff include/pdconv/structs.h - ||
        { echo "make structs" && return 1; }
    grep -q 'uint64_t ino_generation; */\* inode generation' "$man/man3/libpdconv-structs.3" || return
    # Each function has a page.
    nm -D --defined-only "$(shared_library)" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 ".3" }' | LC_ALL=C sort >"$work/functions"
    (cd "$man/man3" && LC_ALL=C ls pd_*.3) | diff "$work/functions" - || return
    # A line that begins with a full stop must be a macro.
    ! grep -nE "^[.'][^A-Za-z]" "$man"/man*/* || return
    ! has mandoc || [ -z "$(mandoc -T lint "$man"/man*/* | tee /dev/stderr)" ]
}

# A program needs the library and the C library only: what the library needs is not in its list.
needed() { # PROGRAM
    readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -v '^ld-' | LC_ALL=C sort | tr '\n' ' '
}

run_needed() { # LANGUAGE shared|static
    needed "$work/records" >"$work/out"
    case $1-$2 in
    c-shared) [ "$(cat "$work/out")" = "libc.so.6 libpdconv.so.1 " ] ;;
    *-shared) grep -q libpdconv.so.1 "$work/out" && ! grep -qE 'libelf|libz|libzstd|liblzma|libdeflate|libxxhash' "$work/out" ;;
    *) grep -q libzstd.so "$work/out" && ! grep -q libpdconv "$work/out" ;;
    esac
}

run_examples() { # COMPILER LANGUAGE shared|static
    for name in records metadata filter sampler cpus watch cycles filters cgroup profile unwind machine waits self \
        compare $([ "$2" = c ] || echo busiest scope); do
        build_example $name "$@" >"$work/out" 2>&1
        verdict "library/build-$name-$2-$3" $? "$work/out" || return
    done
    if [ -z "${SAN:-}" ]; then
        run_needed "$2" "$3"
        verdict "library/needed-$2-$3" $? "$work/out"
    fi
    unset LD_LIBRARY_PATH
    [ "$3" = static ] || export LD_LIBRARY_PATH="$work/root/usr/lib"
    for case_ in records,nested,path records,nested,cat records,piped,path records,piped,cat records,parallel,path \
        records,group,path metadata,nested,path metadata,nested,cat metadata,piped,cat metadata,parallel,path \
        metadata,tracepoints,path; do
        what=${case_%,*}
        example $(echo $case_ | tr , ' ') >"$work/example" 2>&1 &&
            diff "tests/library/$(echo $what | tr , -).expected" "$work/example" >"$work/out"
        verdict "library/$case_-$2-$3" $? "$work/out"
    done
    run_conversions "$@"
    run_comparison "$2-$3"
    # The recording has two processes. Keep the samples of the parent.
    "$work/records" testdata/forkexec/perf.data | grep '^SAMPLE .* 32501/' >"$work/expected"
    "$work/filter" testdata/forkexec/perf.data "$work/one" 32501 >"$work/out" 2>&1 &&
        "$work/records" "$work/one" | grep ^SAMPLE | diff "$work/expected" - && [ -s "$work/expected" ]
    verdict "library/filter-$2-$3" $? "$work/out"
    # The examples that record take seconds. The first one shows whether recording is permitted here.
    if [ "$2-$3" = c++-shared ] && "$work/cpus" sched:sched_switch >"$work/out" 2>&1; then
        run_live_names
    fi
    if [ "$2-$3" = c-shared ]; then
        [ -n "${SAN:-}" ] || run_languages_of_examples
        if "$work/cpus" sched:sched_switch >"$work/out" 2>&1; then
            run_capture_examples
        else
            skip library/recording "$(tail -n 1 "$work/out")"
        fi
    fi
    unset LD_LIBRARY_PATH
}

# Other languages read the same records. Tools that are not installed are left out.
run_languages_of_examples() {
    export PKG_CONFIG_SYSROOT_DIR="$work/root" PKG_CONFIG_PATH="$work/root/usr/lib/pkgconfig"
    for language in python rust $([ -n "$QUICK" ] || echo go); do
        case $language in
        python) set -- python3 examples/samples.py ;;
        rust)
            has rustc || continue
            rustc --edition 2021 -L "$work/root/usr/lib" -o "$work/rust" examples/samples.rs >"$work/out" 2>&1
            verdict library/build-samples-rust $? "$work/out" || continue
            set -- "$work/rust"
            ;;
        go)
            has go || continue
            # Go's cache knows the flags, and not where pkg-config found them.
            CGO_LDFLAGS="-L$work/root/usr/lib" go build -o "$work/go" examples/samples.go >"$work/out" 2>&1
            verdict library/build-samples-go $? "$work/out" || continue
            set -- "$work/go"
            ;;
        esac
        for recording in nested group; do
            "$@" testdata/$recording/perf.data 2>&1 | diff "tests/library/records-$recording.expected" - >"$work/out"
            verdict "library/samples-$recording-$language" $? "$work/out"
        done
    done
    unset PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_PATH
}

# The library compares and annotates as the program does.
run_comparison() { # LANGUAGE-KIND
    set -- "$1" testdata/shop/before.data testdata/shop/after.data testdata/shop testdata/shop/after
    "$work/compare" "$2" "$3" "$4" "$5" >"$work/ours" 2>"$work/out"
    "$PDCONV" diff "$2" "$3" --symbol-dir "$4:$5" --no-cache >"$work/diff" 2>>"$work/out"
    "$PDCONV" annotate "$3" --symbol-dir "$4:$5" --no-cache >"$work/annotated" 2>>"$work/out"
    grep '^tax takes' "$work/ours" >"$work/growth" 2>>"$work/out"
    { cat "$work/diff" && echo && cat "$work/growth" && echo && cat "$work/annotated"; } |
        diff - "$work/ours" >>"$work/out" && [ -s "$work/annotated" ] && [ -s "$work/growth" ]
    verdict "library/compare-$1" $? "$work/out"
}

# The library writes what the program does. Hints of the report name options of the program, so it is left out.
compare_conversions() {
    for name in $recordings; do
        for format in pprof otlp otlp-json folded script html firefox perfetto speedscope callgrind sqlite perfdata; do
            "$PDCONV" -q --no-cache "testdata/$name/perf.data" -f $format -o "$work/expected" || return
            "$work/convert" "testdata/$name/perf.data" $format >"$work/example" 2>/dev/null || return
            cmp "$work/expected" "$work/example" || return
        done
    done
}

# A process that converts more recordings needs no more memory: peaks for 10, 50 and 100 of them, in KiB. A
# thread that finds malloc() busy gets a separate heap, once, which takes 3 MiB. Sanitizers keep what was freed.
check_flat() { # PROGRAM
    : >"$work/peaks"
    for n in 10 50 100; do
        "$1" pprof $(yes testdata/cxx/perf.data | head -n $n) 2>>"$work/peaks" || return
    done | sort -u
    cat "$work/peaks"
    [ -n "${SAN:-}" ] || awk '{ peak[NR] = $1 } END { exit !(NR == 3 && peak[1] > 1000 && peak[3] < peak[1] + 4096) }' \
        "$work/peaks"
}

run_batch() { # PROGRAM LANGUAGE shared|static
    check_flat "$work/$1" >"$work/out" 2>&1
    verdict "library/$1-$2-$3" $? "$work/out"
}

# The library finds the archive next to a recording that it opens by its path.
check_archive() {
    mkdir -p "$work/beside" && cp testdata/nested/perf.data "$work/beside" || return
    "$PDCONV" archive -q --symbol-dir testdata/nested "$work/beside/perf.data" || return
    "$work/convert" "$work/beside/perf.data" folded >"$work/named" 2>/dev/null || return
    rm "$work/beside/perf.data.tar.zst"
    "$work/convert" "$work/beside/perf.data" folded >"$work/nameless" 2>/dev/null || return
    grep -q 'nested;.*;main;' "$work/named" && ! grep -q ';main;' "$work/nameless"
}

# Examples that convert: what they print of the recordings, and what the program writes.
run_conversions() { # COMPILER LANGUAGE shared|static
    for name in convert batch threads $([ "$2" = c ] || echo functions convert_all convert_threads); do
        build_example $name "$@" >"$work/out" 2>&1
        verdict "library/build-$name-$2-$3" $? "$work/out" || return
    done
    for format in pprof folded perfdata; do
        "$work/convert" testdata/group/perf.data $format 2>&1 >/dev/null || echo failed
    done >"$work/example"
    diff tests/library/convert.expected "$work/example" >"$work/out"
    verdict "library/convert-$2-$3" $? "$work/out"
    recordings="nested cxx forkexec fp group parallel piped compressed deep"
    compare_conversions >"$work/out" 2>&1
    verdict "library/same-bytes-$2-$3" $? "$work/out"
    check_archive >"$work/out" 2>&1
    verdict "library/archive-$2-$3" $? "$work/out"
    for name in $recordings; do
        "$PDCONV" -q --no-cache "testdata/$name/perf.data" -f folded -o "$work/folded"
        echo "testdata/$name/perf.data: $(wc -c <"$work/folded") bytes"
    done >"$work/expected"
    for name in threads $([ "$2" = c ] || echo convert_threads); do
        "$work/$name" $(for name in $recordings; do echo "testdata/$name/perf.data"; done) >"$work/example" 2>&1
        LC_ALL=C sort "$work/expected" >"$work/sorted"
        LC_ALL=C sort "$work/example" | diff "$work/sorted" - >"$work/out"
        verdict "library/$name-$2-$3" $? "$work/out"
    done
    run_batch batch "$2" "$3"
    [ "$2" = c++ ] || return 0
    run_batch convert_all "$2" "$3"
    "$work/functions" testdata/nested/perf.data testdata/nested >"$work/example" 2>&1
    diff tests/library/functions.expected "$work/example" >"$work/out"
    verdict "library/functions-$2-$3" $? "$work/out"
}

# Build a program of doc/library.md.
build_documented() { # NUMBER
    awk -v dir="$work" '/^```c$/ { file = dir "/documented" ++n ".c"; next } /^```/ { close(file); file = "" }
        file { print >file }' doc/library.md
    cp "$work/documented$1.c" "$work/documented.c" && "$CC" -Wall -Wextra -Werror $(installed --cflags) \
        ${SAN:+-fsanitize=$SAN} "$work/documented.c" $(installed --libs) -o "$work/documented"
}

# The programs in doc/library.md that read recordings, in the order of the page: each is built and run.
run_documented() {
    for number in 1 2 3; do
        build_documented $number >"$work/out" 2>&1 &&
            LD_LIBRARY_PATH="$work/root/usr/lib" "$work/documented" testdata/nested/perf.data >"$work/out" 2>&1 &&
            grep -q "$(echo 'nested;\[nested\]|samples of nested|SAMPLE' | cut -d '|' -f $number)" "$work/out"
        verdict "library/documented-$number" $? "$work/out"
    done
}

# Compute for HUNDREDTHS of a second of CPU time, however busy the machine is. It needs a separate shell.
burn() { # HUNDREDTHS
    ticks=0
    while [ "$ticks" -lt "$1" ]; do
        i=0
        while [ $i -lt 3000 ]; do i=$((i + 1)); done
        read -r _ _ _ _ _ _ _ _ _ _ _ _ _ ticks _ </proc/self/stat
    done
}

# Examples that record: a shell that computes, and programs that it starts.
run_capture_examples() {
    grep -q ': [1-9]' "$work/out" && [ "$(grep -c '^CPU [0-9]*: [0-9]* samples of sched:sched_switch$' "$work/out")" = "$(nproc)" ]
    verdict "library/cpus" $? "$work/out"
    burn 100 &
    "$work/sampler" $! >"$work/out" 2>&1 && [ "$(grep -c '^[0-9]* 0x[0-9a-f]*, [0-9]* registers, 1024 bytes of stack from 0x7[0-9a-f]*$' "$work/out")" -gt 10 ]
    verdict "library/sampler" $? "$work/out"
    wait
    : >"$work/errors"
    "$work/watch" all sched:sched_process_exec 'filename ~ "*/true"' >"$work/out" 2>"$work/errors" &
    watcher=$!
    while ! grep -q watching "$work/errors"; do sleep 0.1; done
    /bin/true
    /bin/false
    kill $watcher
    wait $watcher && grep -q 'sched:sched_process_exec filename=/bin/true pid=' "$work/out" && ! grep -q false "$work/out"
    status=$?
    cat "$work/errors" >>"$work/out"
    verdict "library/watch" $status "$work/out"
    [ -n "$QUICK" ] || run_monitor_examples
    burn 200 &
    "$work/profile" $! 1 "$work/profile.pb.gz" "$work/profile.data" >"$work/out" 2>&1 &&
        grep -q '^[1-9][0-9]* samples in [0-9.]* s, lost' "$work/out" &&
        gunzip -c "$work/profile.pb.gz" | grep -qa example &&
        [ "$("$work/records" "$work/profile.data" | grep -c ^SAMPLE)" = "$(cut -d' ' -f1 "$work/out")" ]
    verdict "library/profile" $? "$work/out"
    wait
    run_self self
    run_live_unwinder
    [ -z "$QUICK" ] || return 0
    run_profiles
    run_live_against_perf
}

# Numbers from 0 to 9, again and again: each is closed, and doubled by a function.
twice_program() {
    printf '%s\n' '#include <unistd.h>' '__attribute__((noinline)) int twice(int n);' \
        'int twice(int n) { __asm__ volatile("" : "+r"(n)); return 2 * n; }' \
        'int main(void) { for (int i = 0;; i = (i + 1) % 10) { close(1000 + i); usleep(1000 + twice(i)); } }'
}

# A tracepoint, calls of a function and its returns. The filters let one in ten pass.
run_filters() {
    twice_program | "$CC" -x c -O1 - -o "$work/twice" || return
    case $(uname -m) in x86_64) argument=%di ;; *) argument=%x0 ;; esac
    "$work/twice" &
    "$work/filters" $! syscalls:sys_enter_close 'fd == 1003' "probe:$work/twice:twice n=$argument:s32" 'n == 3' \
        "probe:$work/twice:twice%return r=\$retval:s32" 'r == 6'
    status=$?
    { kill $! && wait $!; } 2>/dev/null
    return $status
}

# A process that is moved to a cgroup, and one that it starts.
run_cgroup() { # DIRECTORY
    "$work/cgroup" "${1##*/}" 3 &
    watcher=$!
    while kill -0 $watcher && ! ls -l /proc/$watcher/fd | grep -q perf_event; do sleep 0.05; done
    (sh -c 'echo $PPID' >"$1/cgroup.procs" && burn 20 && /bin/true && :)
    wait $watcher
}

run_monitor_examples() {
    "$work/cycles" >"$work/out" 2>&1 && grep -q '^c[py].*: [1-9][0-9]* samples$' "$work/out"
    verdict "library/cycles" $? "$work/out"
    run_filters >"$work/out" 2>&1 && [ "$(wc -l <"$work/out")" = 6 ] &&
        awk '{ n[NR] = $1 } END { for (i = 1; i <= 3; i++) if (n[i] < 10 || n[i + 3] < 5 * n[i]) exit 1 }' "$work/out"
    verdict "library/filters" $? "$work/out"
    group=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
    if [ -z "$group" ]; then
        skip library/cgroup "no cgroup hierarchy is mounted"
        return
    fi
    group=$group/pdconv-$$
    if ! mkdir "$group" 2>"$work/out"; then
        skip library/cgroup "$(cat "$work/out")"
        return
    fi
    run_cgroup "$group" >"$work/out" 2>&1 && grep -q '^CPU [0-9]*: [1-9]' "$work/out" &&
        grep -q '^[0-9]* forked [0-9]*$' "$work/out" && grep -q '^[0-9]* is true$' "$work/out" &&
        grep -q '^[0-9]* exited$' "$work/out"
    verdict "library/cgroup" $? "$work/out"
    rmdir "$group"
}

# Profiles of the machine and of waits.
run_profiles() {
    burn 3000 &
    burner=$!
    "$work/machine" 1 "$work/machine.folded" folded >"$work/out" 2>&1 && grep -q '^[1-9][0-9]* samples in' "$work/out" &&
        grep -qi 'syscall\|el0_' "$work/machine.folded" && "$work/machine" 1 "$work/machine.pb.gz" >"$work/out" 2>&1 &&
        gunzip -c "$work/machine.pb.gz" >"$work/machine.pb" && grep -qa role "$work/machine.pb" &&
        grep -qa cgroup "$work/machine.pb"
    verdict "library/machine" $? "$work/out"
    { kill $burner && wait $burner; } 2>/dev/null
    { while sleep 0.05; do :; done; } &
    waiter=$!
    sleep 30 &
    sleeper=$!
    "$work/waits" 2 $sleeper $waiter >"$work/out" 2>&1 && [ "$(grep -c '^# after' "$work/out")" = 2 ] &&
        [ "$(awk '/^# after/ { n++ } !/^#/ { ns[n] += $NF } END { print (ns[1] > 1e8 && ns[2] > ns[1] + 1e8) }' "$work/out")" = 1 ]
    verdict "library/waits" $? "$work/out"
    { kill $waiter $sleeper && wait $waiter $sleeper; } 2>/dev/null
}

run_self() { # EXAMPLE
    "$work/$1" "$work/self.pb.gz" >"$work/out" 2>&1 && grep -q '^fibonacci(38) = 39088169$' "$work/out" &&
        grep -q '^[1-9][0-9]* bytes of a profile' "$work/out" && gunzip -c "$work/self.pb.gz" | grep -qa fibonacci
    verdict "library/$1" $? "$work/out"
}

per_mille() { # PART WHOLE
    echo $(($1 * 1000 / ($2 > 0 ? $2 : 1)))
}

stack_count() { # KEY: of the recording
    "$PDCONV" report --json --no-cache "$work/unwind.data" | tr ',{' '\n\n' | sed -n "/\"stacks\"/,\$s/.*\"$1\": \([0-9]*\).*/\1/p" | head -n 1
}

# A live unwinder roots as many stacks as the conversion of a recording of the same time, and names them.
run_live_unwinder() {
    burn 3000 &
    burner=$!
    timeout -s INT 3 "$PDCONV" record --call-graph dwarf,32768 -F 199 -o "$work/unwind.data" -p $burner >"$work/record" 2>&1 &
    recorder=$!
    "$work/unwind" $burner 3 >"$work/stacks" 2>"$work/counts"
    status=$?
    wait $recorder
    build_documented 4 >"$work/out" 2>&1 && timeout 60 "$work/documented" $burner >"$work/lines" 2>"$work/out" &&
        [ "$(grep -c '<- __libc_start_main' "$work/lines")" -gt 10 ]
    verdict library/documented-4 $? "$work/out"
    { kill $burner && wait $burner; } 2>/dev/null
    read -r samples _ rooted _ <"$work/counts"
    live=$(per_mille "$rooted" "$samples")
    recorded=$(per_mille "$(stack_count rooted)" "$(stack_count samples)")
    echo "rooted: $live of 1000 live, $recorded of 1000 recorded" | cat - "$work/counts" "$work/record" >"$work/out"
    [ $status -eq 0 ] && [ "$samples" -gt 30 ] && [ "$recorded" -ge 900 ] && [ "$live" -ge $((recorded - 20)) ] &&
        [ "$(grep -c '__libc_start_main' "$work/stacks")" -gt 30 ]
    verdict "library/unwind" $? "$work/out"
}

# A live unwinder and perf see the same stacks of a program whose calls are known.
run_live_against_perf() {
    if ! { has perf && perf record -q -e cpu-clock -o "$work/try.data" true >"$work/out" 2>&1; }; then
        skip library/live-perf "perf cannot record here"
        return
    fi
    "$CC" -O1 -g -pthread -o "$work/calls" tests/oracle/programs/calls.c >"$work/out" 2>&1 &&
        python3 tests/library/live.py "$work/calls" "$work/unwind" 4 "$work" >"$work/out" 2>&1
    verdict library/live-perf $? "$work/out"
}

run_live_names() {
    burn 3000 &
    "$work/busiest" $! 1 >"$work/out" 2>&1 && [ "$(awk '{ n += $1 } END { print (n > 30 && NR > 2) }' "$work/out")" = 1 ]
    verdict "library/busiest" $? "$work/out"
    run_self scope
    { kill $! && wait $!; } 2>/dev/null
}

# Program and library are linked and compiled with what makes mistakes harder to exploit.
run_hardening() { # FILE
    . tests/library/hardening.sh
    for check in $hardening; do
        harden_"$check" "$1" >"$work/out" 2>&1
        verdict "library/$check-$(basename "$1")" $? "$work/out"
    done
}

# Programs that were compiled with the released library go on working: declarations are those of its dump, or new.
check_abi() {
    xz -dc tests/library/abi.xml.xz >"$work/abi.xml" &&
        abidiff --no-added-syms --suppressions tests/library/abi.ini "$work/abi.xml" "$(shared_library)" && return
    echo "The interface changed. A program would have to be compiled again: raise SONAME, see 'Versions' in doc/design/library.md."
    return 1
}

run_abi() {
    # The dump describes what gcc makes without sanitizers.
    case $CC$SAN in *clang* | *address* | *thread*) return ;; esac
    if ! has abidiff; then
        skip library/abi "abidiff is not installed"
        return
    fi
    check_abi >"$work/out" 2>&1
    verdict library/abi $? "$work/out"
}

# Build the examples in C++, without those in C that are C++ as well.
run_cxx_examples() {
    for source in examples/*.cpp; do
        name=$(basename "$source" .cpp)
        build_example "$name" "$CXX" c++ shared >"$work/out" 2>&1
        verdict "library/build-$name-c++-shared" $? "$work/out"
    done
}

# Test the library as its users see it: headers, symbols, installed files.
run_library() {
    CC=${CC:-cc}
    case $CC in *clang*) CXX=clang++ ;; *) CXX=c++ ;; esac
    work=$scratch/library
    mkdir -p "$work"
    run_headers
    run_strict
    check_lengths >"$work/out"
    verdict library/lengths $? "$work/out"
    declared_names >"$work/declared"
    exported_names "$(shared_library)" >"$work/exported"
    [ -s "$work/declared" ] && diff "$work/declared" "$work/exported" >"$work/out"
    verdict library/exports $? "$work/out"
    # Private functions have the prefix of their folder, not that of the library, except for layouts, which one macro defines.
    nm --defined-only "$BUILD/libpdconv.a" | awk '$3 ~ /^pd_/ && $3 !~ /\.|^pd_layout_/ { print $3 }' | LC_ALL=C sort -u |
        LC_ALL=C comm -23 - "$work/exported" >"$work/out"
    [ ! -s "$work/out" ]
    verdict library/prefixes $? "$work/out"
    run_abi
    run_hardening "$PDCONV"
    run_hardening "$(shared_library)"
    run_make install >"$work/out" 2>&1
    verdict library/install $? "$work/out"
    run_man_pages >"$work/out" 2>&1
    verdict library/man-pages $? "$work/out"
    run_library_pages >"$work/out" 2>&1
    verdict library/library-pages $? "$work/out"
    run_documented
    run_examples "$CC" c shared
    if [ -z "$QUICK" ]; then
        run_examples "$CC" c static
        run_examples "$CXX" c++ shared
    else
        run_cxx_examples
    fi
    run_make uninstall >"$work/out" 2>&1 && [ -z "$(find "$work/root" ! -type d)" ]
    status=$?
    [ $status -eq 0 ] || find "$work/root" ! -type d >>"$work/out"
    verdict library/uninstall $status "$work/out"
}
