# Kinds that compare with other tools, without recording or with recordings of their own; read by tests/run.sh.

# Recordings by other tools.
run_recordings() {
    needs recordings python3 || return 0
    if python3 -c 'import jsonschema' 2>/dev/null; then
        [ -n "$QUICK" ] || run_test recordings/diff-schema python3 tests/oracle/diff.py "$PDCONV" testdata --schema
        run_test recordings/schemas python3 tests/oracle/schemas.py "$PDCONV" testdata doc/schema
    else
        skip recordings/diff-schema "python3-jsonschema is not installed"
        skip recordings/schemas "python3-jsonschema is not installed"
    fi
    run_test recordings/damage python3 tests/oracle/damage.py "$PDCONV" testdata
    [ -d "$PERFDATA" ] || { skip recordings "there is no directory '$PERFDATA' (set PERFDATA)"; return 0; }
    run_test recordings/conversions python3 tests/oracle/recordings.py "$PDCONV" "$PERFDATA"
    run_test recordings/facts python3 tests/oracle/infos.py "$PDCONV" "$PERFDATA"
}

# Record a program by perf with each kind of sample and record that perf can make here. They run at the same time,
# because perf 6.1 waits a second at its end; and without a cache of build ids, to which only one may write.
record_kinds() { # DIR
    mkdir -p "$1"
    while read -r name options; do
        case $options in
        stat*) PERF_BUILDID_DIR='' perf stat record -o "$1/$name" ${options#stat} ls ;;
        *) PERF_BUILDID_DIR='' perf record -q -o "$1/$name" $options ls -R /usr/include/linux ;;
        esac >/dev/null 2>&1 &
    done <<TABLE
all -a -g -e cpu-clock
group -g -e {cpu-clock,page-faults,context-switches}:S
registers -e cpu-clock:u -I -d -W --phys-data --call-graph dwarf,4096 --switch-events --namespaces --all-cgroups
counters -s -T -e cpu-clock,page-faults
traces -a -e sched:* -e cpu-clock
threads-z -z --threads -a -e cpu-clock
stat stat -e cpu-clock,page-faults
TABLE
    wait
}

# Write recordings again in both byte orders and containers, and compare field by field and by what perf shows.
run_rewrites() {
    needs rewrites python3 || return 0
    set -- testdata/*/perf.data
    # A quick run has those of testdata, which come in every container.
    if [ -z "$QUICK" ] && [ -d "$PERFDATA" ]; then
        # Each recording has an X.golden.json next to it; the hostile ones have no fields to compare.
        for golden in "$PERFDATA"/*/*.golden.json; do
            case $golden in */quipper-fuzz/*) ;; *) set -- "$@" "${golden%.golden.json}" ;; esac
        done
    elif [ -z "$QUICK" ]; then
        skip rewrites/others "there is no directory '$PERFDATA' (set PERFDATA)"
    fi
    with=
    if needs rewrites/perf perf; then
        with=--perf
        record_kinds "$scratch/rewrites"
        for recording in "$scratch"/rewrites/*; do
            [ -s "$recording" ] && set -- "$@" "$recording"
        done
    fi
    run_test rewrites/all python3 tests/oracle/rewrites.py $with "$BUILD/tests/oracle/rewrite" "$PDCONV" "$@"
}

# Ask questions again, and after changes.
run_index() {
    needs index python3 readelf objcopy bzip2 || return 0
    set -- testdata/*/perf.data
    if [ -n "$QUICK" ]; then
        set -- testdata/cxx/perf.data testdata/tracepoints/perf.data
    elif [ -d "$PERFDATA" ]; then
        for golden in "$PERFDATA"/*/*.golden.json; do
            set -- "$@" "${golden%.golden.json}"
        done
    else
        skip index/others "there is no directory '$PERFDATA' (set PERFDATA)"
    fi
    run_test index/answers python3 tests/oracle/index.py answers "$PDCONV" "$@"
    run_test index/changes python3 tests/oracle/index.py changes "$PDCONV" testdata/cxx/perf.data
    [ -z "$QUICK" ] || return 0
    run_test index/damage python3 tests/oracle/index.py damage "$PDCONV" testdata/cxx/perf.data
    run_test index/files python3 tests/oracle/index.py files "$PDCONV"
}

# Compare with files from a debuginfod server, and from servers that misbehave.
run_debuginfod() {
    needs debuginfod debuginfod python3 objcopy strip || return 0
    run_test debuginfod/servers python3 tests/oracle/debuginfod.py "$PDCONV" testdata
}

# Compare instructions with objdump, and their samples with perf annotate.
run_annotate() {
    needs annotate python3 objdump readelf || return 0
    libraries=
    [ -n "$QUICK" ] || for machine in i686-linux-gnu aarch64-linux-gnu arm-linux-gnueabihf riscv64-linux-gnu \
        s390x-linux-gnu powerpc64le-linux-gnu; do
        libraries="$libraries /usr/$machine/lib/libc.so.6"
    done
    run_test annotate/instructions python3 tests/oracle/instructions.py "$BUILD/tests/oracle/instructions" "$PDCONV" $libraries
    run_test annotate/machines python3 tests/oracle/annotate.py "$PDCONV" testdata --machines
    [ -z "$QUICK" ] || return 0
    run_test annotate/kinds python3 tests/oracle/annotate.py "$PDCONV" testdata --kinds
    if python3 -c 'import jsonschema' 2>/dev/null; then
        run_test annotate/schema python3 tests/oracle/annotate.py "$PDCONV" testdata --schema
    else
        skip annotate/schema "python3-jsonschema is not installed"
    fi
    needs annotate/perf perf || return 0
    run_test annotate/perf python3 tests/oracle/annotate.py "$PDCONV" testdata --perf
}

run_pprof() {
    needs pprof python3 || return 0
    run_test pprof/otlp python3 tests/oracle/otlp.py "$PDCONV" testdata
    needs pprof/views go || return 0
    run_test pprof/views python3 tests/oracle/pprof.py "$PDCONV" testdata
    run_test pprof/foreign python3 tests/oracle/foreign.py pprof "$PDCONV" testdata
    # The first build of a program with Go's profiler takes a minute.
    [ -n "$QUICK" ] || run_test pprof/foreign-go python3 tests/oracle/foreign.py go "$PDCONV" testdata
}

run_send() {
    needs send python3 || return 0
    run_test send/servers python3 tests/oracle/send.py "$PDCONV" testdata
}

# Profiles for BOLT and LLVM, against their own tools.
run_pgo() {
    needs pgo python3 || return 0
    set --
    if [ -d "$PERFDATA" ]; then
        for golden in "$PERFDATA"/*/*branch*.golden.json; do
            [ ! -e "$golden" ] || set -- "$@" "${golden%.golden.json}"
        done
    fi
    run_test pgo/counts python3 tests/oracle/pgo.py counts "$PDCONV" testdata "$@"
    ! needs pgo/bolt perf || run_test pgo/bolt python3 tests/oracle/pgo.py bolt "$PDCONV" testdata
    ! needs pgo/llvm perf clang llvm-profdata || run_test pgo/llvm python3 tests/oracle/pgo.py llvm "$PDCONV" testdata
    [ -z "$QUICK" ] && [ -x "$BUILD/tests/pgo/branch_stepper" ] || return 0
    ! needs pgo/gcc gcc || run_test pgo/gcc python3 tests/oracle/pgo.py gcc "$PDCONV" testdata "$BUILD/tests/pgo/branch_stepper"
    needs pgo/live perf clang clang++ llvm-profdata || return 0
    run_test pgo/live python3 tests/oracle/pgo.py live "$PDCONV" testdata "$BUILD/tests/pgo/branch_stepper"
}

# Tables as files and as queries.
run_sql() {
    needs sql python3 || return 0
    [ -z "$PLAIN" ] || { skip sql "the plain build has no SQLite"; return 0; }
    for case in sums questions mappings $([ -n "$QUICK" ] || echo tables lookups); do
        [ $case != mappings ] || needs sql/mappings perf || continue
        run_test sql/$case python3 tests/oracle/sql.py $case "$PDCONV" testdata
    done
}

# Install packages of Python in $BUILD/NAME, unless they are there, and print the path of its python.
python_with() { # NAME RELEASE [PACKAGE...]
    name=$1
    shift
    if [ "$(cat "$BUILD/$name/installed" 2>/dev/null)" != "$*" ]; then
        python3 -m venv --clear "$BUILD/$name" && "$BUILD/$name/bin/python" -m pip -q install "$@" >&2 &&
            echo "$*" >"$BUILD/$name/installed" || return
    fi
    echo "$BUILD/$name/bin/python"
}

# Read traces by the classes of the Python package perfetto.
read_perfetto() {
    python=$(python_with perfetto perfetto==0.59.1) || return
    "$python" tests/oracle/perfetto_trace.py "$PDCONV" testdata output/perfetto/perfetto.proto
}

# Read Parquet files by Python packages and one of npm, which are installed in the build directory.
read_parquet() {
    python=$(python_with parquet pyarrow==26.0.1 duckdb==2.0.1 polars==2.1.0) || return
    node="$BUILD/parquet/node"
    if [ ! -e "$node/installed" ]; then
        mkdir -p "$node" && cp tests/oracle/parquet/package*.json "$node" &&
            (cd "$node" && npm ci --no-audit --no-fund) && : >"$node/installed" || return
    fi
    "$python" tests/oracle/parquet.py "$BUILD/tests/oracle/parquet_table" "$node" &&
        "$python" tests/oracle/parquet_tables.py "$PDCONV" testdata
}

# Ask DuckDB about many recordings.
ask_fleet() {
    python=$(python_with parquet pyarrow==26.0.1 duckdb==2.0.1 polars==2.1.0) || return
    "$python" tests/oracle/fleet.py "$PDCONV" testdata
}

# Ask pdconv mcp by the Python package mcp.
ask_mcp() {
    python=$(python_with mcp mcp==2.3.0 jsonschema==4.26.0) || return
    "$python" tests/oracle/mcp_client.py "$PDCONV" testdata
}

# Ask viewers for the sums of functions.
run_viewers() {
    ! has python3 || run_test viewers/html python3 tests/oracle/html_page.py "$PDCONV" testdata
    [ "$only" != viewers/html ] || return 0
    if wanted viewers/perfetto && needs viewers/perfetto python3-venv protoc; then
        run_test viewers/perfetto read_perfetto
    fi
    [ "$only" != viewers/perfetto ] || return 0
    if [ -z "$QUICK" ] && wanted viewers/parquet && needs viewers/parquet python3-venv node npm; then
        run_test viewers/parquet read_parquet
    fi
    [ "$only" != viewers/parquet ] || return 0
    if [ -z "$QUICK" ] && wanted viewers/fleet && needs viewers/fleet python3-venv; then
        run_test viewers/fleet ask_fleet
    fi
    [ "$only" != viewers/fleet ] || return 0
    if [ -z "$QUICK" ] && wanted viewers/mcp && needs viewers/mcp python3-venv; then
        run_test viewers/mcp ask_mcp
    fi
    [ "$only" != viewers/mcp ] || return 0
    if wanted viewers/investigations && needs viewers/investigations python3; then
        run_test viewers/investigations python3 tests/oracle/investigations.py "$PDCONV" testdata
    fi
    [ "$only" != viewers/investigations ] || return 0
    needs viewers python3 node npm callgrind_annotate perf || return 0
    run_test viewers/sums python3 tests/oracle/viewers.py "$PDCONV" testdata "$BUILD"
}

# Name every instruction of programs.
run_names() {
    needs names python3 llvm-symbolizer objdump readelf || return 0
    forms=--quick
    [ "${NAMES:-}" != all ] || forms=
    # Without the large programs.
    set --
    [ -z "$QUICK" ] || set -- g++-dwarf5 clang++-dwarf5 dwz debuglink
    run_test names/addr2line python3 tests/oracle/addr2line.py $forms "$BUILD/tests/oracle/addresses" "$@"
    run_test names/foreign python3 tests/oracle/foreign.py llvm "$PDCONV" testdata
    run_test names/plt python3 tests/oracle/plt.py "$BUILD/tests/oracle/addresses"
    needs names/symbols perf ldd c++filt || return 0
    run_test names/symbols python3 tests/oracle/symbols.py "$BUILD/tests/oracle/addresses" "$PDCONV" \
        $(ldd "$PDCONV" | awk '$3 ~ /^\// { print $3 }')
}

# Compare rows from Go's table of functions with the call frame information that Go makes from it.
go_rows() {
    rm -rf "$scratch/go"
    mkdir -p "$scratch/go"
    for arch in "$@"; do
        (
            export GOARCH="$arch"
            go build -o "$scratch/go/$arch" tests/unwind/cases/goroutine.go &&
                go build -ldflags '-s -w' -o "$scratch/go/$arch-stripped" tests/unwind/cases/goroutine.go
        ) && "$BUILD/tests/oracle/go_rows" "$scratch/go/$arch" "$scratch/go/$arch-stripped" || return 1
    done
}

# Step programs one instruction at a time, which gives the true call chains.
run_unwind() {
    needs unwind python3 gcc || return 0
    if [ -z "$QUICK" ] && needs unwind/code objdump; then
        run_test unwind/code python3 tests/oracle/code.py "$BUILD/tests/oracle/lengths" "$BUILD/tests/oracle/code_rows" \
            $(ldd "$PDCONV" | awk '$3 ~ /^\// { print $3 }') /usr/i686-linux-gnu/lib/libc.so.6 \
            /usr/aarch64-linux-gnu/lib/libc.so.6 /usr/s390x-linux-gnu/lib/libc.so.6
    fi
    ! has go || run_test unwind/go-rows go_rows amd64 $([ -n "$QUICK" ] || echo arm64)
    case $only in unwind/code | unwind/go-rows) return 0 ;; esac
    rm -f "$scratch/verdicts"
    python3 tests/unwind/run.py --build "$BUILD" --verdicts "$scratch/verdicts" --no-perf ${only:+--only "${only#unwind/}"} \
        ${QUICK:+--quick} >"$scratch/out" 2>&1
    ended=$?
    [ $ended -eq 0 ] || cat "$scratch/out"
    count_verdicts unwind "$scratch/verdicts" $ended
}

# Record programs in many languages, whose chains of callers are known.
run_languages() {
    needs languages python3 perf gcc || return 0
    every=
    [ -z "$QUICK" ] || [ -n "$only" ] || every="--only c-gcc-O2 --only c-threads --only c-signals --only cpp-gcc --only rust --only node-map"
    [ "${LANGUAGES:-}" != all ] || every="--all --install"
    rm -f "$scratch/verdicts"
    python3 tests/languages/run.py --build "$BUILD" --verdicts "$scratch/verdicts" --no-perf $every \
        ${only:+--only "${only#languages/}"} >"$scratch/out" 2>&1
    ended=$?
    [ $ended -eq 0 ] || cat "$scratch/out"
    sed -n 's/^with /languages    with /p' "$scratch/out"
    count_verdicts languages "$scratch/verdicts" $ended
}

# Let allocations and system calls fail. The sanitizers have allocators of their own.
run_failures() {
    needs failures python3 || return 0
    [ -z "${SAN:-}" ] || { skip failures "sanitizers replace the allocator"; return 0; }
    points=${QUICK:+4}
    points=${points:-16}
    case ${FAILURES:-} in all | stacks) points=$FAILURES ;; esac
    run_test failures/allocations python3 tests/failures/run.py "$BUILD" testdata --points $points allocations
    run_test failures/transfers python3 tests/failures/run.py "$BUILD" testdata transfers
    needs failures/calls strace || return 0
    [ "${FAILURES:-}" = all ] || points=1
    run_test failures/calls python3 tests/failures/run.py "$BUILD" testdata --points $points calls \
        ${QUICK:+--case report --case record-folded}
}

# Convert every recording to every format with each memory access checked. Count the instructions of recordings that are
# made to take long.
run_valgrind() {
    needs valgrind valgrind python3 || return 0
    for shape in $(python3 bench/growth.py --list); do
        run_test "valgrind/growth-$shape" python3 bench/growth.py --program "$PDCONV" --check "$shape"
    done
    for recording in testdata/*/perf.data; do
        dir=${recording%/perf.data}
        name=${dir#testdata/}
        case $name in
        compressed | piped) dir=testdata/nested ;;
        parallel) dir=testdata/threads ;;
        esac
        # A quick run has every recording in one format, and one recording in every format.
        formats="report pprof otlp folded script html firefox perfetto speedscope callgrind perfdata"
        [ -z "$QUICK" ] || [ "$name" = cxx ] || formats=report
        for format in $formats; do
            run_test "valgrind/$name-$format" valgrind -q --error-exitcode=9 --leak-check=full --num-callers=20 \
                "$PDCONV" "$recording" -q -j 2 --symfs "$HOME" --debug-paths "$dir" -f $format -o "$scratch/converted"
        done
    done
}

# The same mutations each time. What fails is kept in the build directory.
run_mutate() {
    runs=${QUICK:+500}
    run_test mutate python3 tests/mutate/mutate.py --runs "${MUTATE_RUNS:-${runs:-2000}}" --keep "$BUILD/mutate-findings" \
        "$PDCONV" "$scratch/mutate"
}

# Fuzz for a while. What a crash needs is kept in the build directory.
run_fuzz() {
    needs fuzz clang || return 0
    wanted fuzz || return 0
    make --no-print-directory -s BUILD=build FUZZ_SECONDS="${FUZZ_SECONDS:-30}" fuzz >"$scratch/fuzz" 2>&1
    status=$?
    tail -n 40 "$scratch/fuzz" >"$scratch/out"
    verdict fuzz $status "$scratch/out"
}

# Command lines that shells complete, in the shells themselves.
run_completion() {
    needs completion python3 cc bash zsh fish || return 0
    python3 tests/completion.py "$PDCONV" "$scratch/completion" ${only:+"$only"} >"$scratch/out" 2>&1
    count_verdicts completion "$scratch/completion" $?
}

# Packages of the last commit.
run_packages() {
    needs packages debootstrap lintian dpkg-deb unshare || return 0
    [ "$(id -u)" -eq 0 ] || { skip packages "only root can use chroots"; return 0; }
    git rev-parse -q --verify HEAD >/dev/null 2>&1 || { skip packages "this is not a clone of the repository"; return 0; }
    BUILD=$BUILD sh tests/packages.sh "$scratch/packages" >"$scratch/out" 2>&1
    count_verdicts packages "$scratch/packages" $?
    ! grep -q ' [1-9]' "$scratch/packages" || { grep -A 30 '^FAILED' "$scratch/out"; tail -n 30 "$scratch/out"; } | sed 's/^/  /'
}

# Static programs, for this machine and for another one.
run_static() {
    needs static python3 readelf || return 0
    [ "$(id -u)" -eq 0 ] || { skip static "only root can change the root directory"; return 0; }
    run_test static/this-machine static_program static "$(uname -m)" ""
    [ -z "$QUICK" ] || return 0
    has aarch64-linux-gnu-gcc qemu-aarch64 || { skip static/aarch64 "no cross compiler or no qemu"; return 0; }
    run_test static/aarch64 static_program static-arm64 aarch64 qemu-aarch64
}

static_program() { # TARGET MACHINE EMULATOR
    make -s "$1" BUILD="$MAKE_BUILD" >"$scratch/made" 2>&1 || { cat "$scratch/made"; return 1; }
    python3 tests/static.py "$PDCONV" "$BUILD"/pdconv-*-linux-"$2" ${3:+"$3"}
}

# Commands that documents show, run one by one.
run_documents() {
    needs documents python3 perf cc || return 0
    python3 tests/documents.py ${QUICK:+--quick} "$PDCONV" "$scratch/documents" ${only:+"${only#documents/}"} >"$scratch/out" 2>&1
    ended=$?
    count_verdicts documents "$scratch/documents" $ended
    [ $ended -eq 0 ] || sed 's/^/  /' "$scratch/out"
    if [ -n "$QUICK" ]; then
        return
    elif python3 -c 'import yaml' 2>/dev/null; then
        run_test documents/action python3 tests/action.py "$PDCONV"
    else
        skip documents/action "python3-yaml is not installed"
    fi
}
