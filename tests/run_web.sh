# Tests of the page that `-f html` writes; read by tests/run.sh.

# Run each file of tests of the page's model and views that needs no browser.
run_web() {
    needs web node || return 0
    for file in tests/web/model/*.test.mjs tests/web/views/*.test.mjs; do
        name=${file##*/}
        run_test "web/${name%.test.mjs}" node --test "$file"
    done
}
