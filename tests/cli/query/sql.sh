# Tables by SQL, in few rows.
. "$root/tests/cli/common.sh"
needs_linux
ask() {
    echo "--- $*"
    "$PDCONV" query "$root/testdata/shop/before.data" --symfs "$nowhere" --symbol-dir "$root/testdata/shop" sql "$@" 2>&1 | sed "s|$root/||"
}
ask 'SELECT comm, sum(samples) AS samples FROM thread_totals GROUP BY comm ORDER BY 2 DESC'
ask 'SELECT time, cpu FROM samples ORDER BY time' limit=3
ask 'SELECT name FROM help' max_tokens=200
ask 'SELECT 1 WHERE 0'
ask 'SELECT a FROM b'
ask "ATTACH 'x' AS y"
ask 'SELECT count(*) AS samples FROM samples' time=0%-50%
