# Tests of pdconv for WebAssembly: the npm package and the page that opens recordings; read by tests/run.sh.

# Install the package as a user does, in an empty folder, and run its command and its function.
test_package() (
    size=$(wc -c <"$BUILD/pdconv.tgz")
    [ "$size" -le 1048576 ] || { echo "the package has $size bytes"; return 1; }
    size=$(wc -c <"$BUILD/npm/pdconv.wasm")
    [ "$size" -le 2200000 ] || { echo "the program has $size bytes"; return 1; }
    mkdir "$scratch/package" && cd "$scratch/package" && npm init -y >/dev/null &&
        npm install --offline --no-audit --no-fund "$BUILD/pdconv.tgz" || return 1
    npx --offline pdconv "$root/testdata/nested/perf.data" --symbol-dir "$root/testdata/nested" -f folded >here || return 1
    "$PDCONV" "$root/testdata/nested/perf.data" --symbol-dir "$root/testdata/nested" -f folded | cmp - here || return 1
    [ "$(npx --offline pdconv --version)" = "$("$PDCONV" --version)" ] || return 1
    # A recording as standard input that is a file, and an archive of it.
    npx --offline pdconv --symbol-dir "$root/testdata/nested" -f folded <"$root/testdata/nested/perf.data" | cmp - here || return 1
    cp "$root/testdata/nested/perf.data" . && npx --offline pdconv archive perf.data --symbol-dir "$root/testdata/nested" || return 1
    "$PDCONV" perf.data -f folded | cmp - here || return 1
    cp "$root/tests/wasm/convert.mjs" . && node convert.mjs "$root/testdata/nested" here
)

run_wasm() {
    needs wasm node npm clang wasm-ld llvm-ar wasm-opt || return 0
    [ -e /usr/include/wasm32-wasi/stdio.h ] || { skip wasm "wasi-libc is not installed: make wasm-deps"; return 0; }
    # They come from Debian's mirrors.
    make -s BUILD="$MAKE_BUILD" wasm-sources >"$scratch/out" 2>&1 || {
        skip wasm "the sources of libraries cannot be fetched"
        return 0
    }
    make -s -j"$(nproc)" BUILD="$MAKE_BUILD" npm page >"$scratch/out" 2>&1 || { verdict wasm/build 1 "$scratch/out"; return 0; }
    # Two makes that build the same files would disturb each other, though seldom.
    grep -E '^  [A-Z]+ ' "$scratch/out" | sort | uniq -d >"$scratch/twice"
    [ ! -s "$scratch/twice" ] || { verdict wasm/build 1 "$scratch/twice"; return 0; }
    run_test wasm/paths node --test tests/wasm/paths.test.mjs
    run_test wasm/compare node tests/wasm/compare.mjs "$PDCONV" "$BUILD/npm" testdata/*/perf.data
    run_test wasm/package test_package
    for browser in chromium firefox; do
        program=$browser
        [ $browser = chromium ] || program=firefox-esr
        wanted "wasm/$browser" && needs "wasm/$browser" $program || continue
        install_packages >"$scratch/out" 2>&1 || { verdict "wasm/$browser" 1 "$scratch/out"; continue; }
        run_test "wasm/$browser" env BROWSER=$browser node --test tests/wasm/page.test.mjs
    done
}
