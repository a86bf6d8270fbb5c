# Paths that the user gives must exist.
. "$root/tests/cli/common.sh"
for option in --symfs --sysroot --symbol-dir --debug-paths --buildid-dir --vmlinux --kallsyms --modules --perf-map-path; do
    status convert nested $option missing 2>&1
done
status convert nested --symfs nested.data
status convert nested --kallsyms .
status convert nested --symbol-dir .:missing
status "$PDCONV" info nested.data --symfs missing
