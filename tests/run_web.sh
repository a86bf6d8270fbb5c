# Tests of the page that `-f html` writes; read by tests/run.sh.

# Install what drives browsers, and what checks the style of modules, in the versions of the lock file, unless they are installed.
install_packages() {
    from=tests/web/browser
    to=$BUILD/web
    cmp -s $from/package-lock.json "$to/installed.json" && return
    mkdir -p "$to" && cp $from/package.json $from/package-lock.json "$to" &&
        npm ci --prefix "$to" --no-audit --no-fund && cp $from/package-lock.json "$to/installed.json"
}

# Run all tests of the page in a browser: the output goes to $scratch/BROWSER, the exit status to $scratch/BROWSER.status.
test_in_browser() { # BROWSER
    BROWSER=$1 node --test tests/web/browser/all.test.mjs >"$scratch/$1" 2>&1
    echo $? >"$scratch/$1.status"
}

# The modules of the page and of its tests have one style.
check_style() {
    install_packages && cp tests/web/eslint.config.mjs "$BUILD/web" &&
        "$BUILD/web/node_modules/.bin/eslint" -c "$BUILD/web/eslint.config.mjs" web tests/web
}

# Run each file of tests of the page's model and views that needs no browser, then all tests of the page in each browser.
# The browsers run side by side, because each of them waits most of the time.
run_web() {
    needs web node || return 0
    for file in tests/web/model/*.test.mjs tests/web/views/*.test.mjs; do
        name=${file##*/}
        run_test "web/${name%.test.mjs}" node --test "$file"
    done
    [ -n "$QUICK" ] || ! wanted web/style || ! needs web/style npm || run_test web/style check_style
    started=
    for browser in chromium $([ -n "$QUICK" ] || echo firefox); do
        program=$browser
        [ $browser = chromium ] || program=firefox-esr
        wanted "web/$browser" && needs "web/$browser" npm $program || continue
        if install_packages >"$scratch/out" 2>&1; then
            started="$started $browser"
            test_in_browser $browser &
        else
            verdict "web/$browser" 1 "$scratch/out"
        fi
    done
    wait
    for browser in $started; do
        verdict "web/$browser" "$(cat "$scratch/$browser.status")" "$scratch/$browser"
    done
}
