# The files that were tried for the kernel, and why they were rejected.
. "$root/tests/cli/common.sh"
export HOME=/nonexistent
unset XDG_CACHE_HOME DEBUGINFOD_CACHE_PATH
id=4a5a9b0affb66c437abcd455d2738af879985fa9
mkdir -p root/boot cache/.build-id/4a/${id#4a}
cp "$root/testdata/nested/nested" root/boot/vmlinux
cp "$root/testdata/bpf/kallsyms" cache/.build-id/4a/${id#4a}/
ln -s "$root/testdata/bpf/perf.data" bpf.data
"$PDCONV" info --binaries bpf.data --symfs root --buildid-dir cache | sed -n '1,/kallsyms: taken/p'
echo "--- given"
"$PDCONV" info --binaries bpf.data --symfs root --kallsyms "$root/testdata/bpf/kallsyms" | sed "s|$root/||; 2q"
"$PDCONV" info --binaries bpf.data --symfs root --vmlinux root/boot/vmlinux | sed 2q
