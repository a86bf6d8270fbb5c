# Tests of the page that `-f html` writes; read by tests/run.sh.

# Run each file of tests of the page's model, which needs no browser.
run_web() {
    needs web node || return 0
    for file in tests/web/model/*.test.mjs; do
        name=${file##*/}
        run_test "web/${name%.test.mjs}" node --test "$file"
    done
}
