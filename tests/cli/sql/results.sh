# Results as text, CSV and JSON, of one and of several statements, from the command line and from standard input.
. "$root/tests/cli/common.sh"
needs_linux
ln -s "$root/testdata/shop/before.data" shop.data
sql() {
    "$PDCONV" sql shop.data --symfs "$nowhere" --debug-paths "$root/testdata/shop" "$@"
}
sql 'select event, function, binary, self_samples, self_percent, samples, percent from top_functions
    order by self_period desc limit 6'
sql "select 1 as a, null as b, 'x,\"y' as c, x'00ff' as d, 0.1 as e, 'a' || char(27) || char(10) as f; select 2 as z where 0"
sql --csv "select 1 as a, null as b, 'x,\"y' as c, x'00ff' as d, 0.1 as e, '' as f; select 'x' as z" | od -An -c
sql --json "select 1 as a, null as b, 'x,\"y' as c, x'00ff' as d, 0.1 as e, 'ä' as f; select 2 as z where 0"
echo "select name, samples from events" | sql
echo "select count(*) as n from samples" | sql - --csv
sql -o out.csv --csv 'select name from processes'
cat out.csv
# More rows than decide how wide the columns are.
sql 'select id, time, period, thread from samples' | awk 'NR == 1 || NR == 2 || NR == 3235 { print } END { print NR }'
# A query without functions looks for no binaries, so that there are no warnings about them.
"$PDCONV" sql shop.data --symfs "$nowhere" --no-own-paths 'select sum(samples) as n from sample_groups'
# Filters apply to all tables.
sql --comm pricer --event cpu-clock 'select count(*) as n, (select sum(samples) from sample_groups) as m from samples'
