# Queries that are wrong, or do more than read, are refused before the recording is read, in one line.
. "$root/tests/cli/common.sh"
needs_linux
ln -s "$root/testdata/nested/perf.data" nested.data
while read -r query; do
    echo "$query" >&2
    status "$PDCONV" sql nested.data "$query"
done <<'QUERIES'
selec 1
select nope from samples
select * from absent
select 1; select
attach 'other.db' as other
create table copy as select * from samples
create temp table copy(a)
insert into samples(id) values (1)
delete from help
update help set meaning = ''
drop view tree
pragma journal_mode = wal
pragma writable_schema = 1
vacuum into 'copy.db'
begin
select load_extension('x')
select readfile('/etc/passwd')
select json_extract('{', '$')
QUERIES
status "$PDCONV" sql nested.data ' ; '
status "$PDCONV" sql nested.data </dev/null
status "$PDCONV" sql - <nested.data
status "$PDCONV" sql missing.data 'select 1'
status "$PDCONV" sql nested.data 'select 1' 'select 2'
status "$PDCONV" sql nested.data --weight samples 'select 1'
head -c 1000001 /dev/zero | tr '\0' ' ' | status "$PDCONV" sql nested.data
ls
