# Kernel frames are named by the kallsyms of the recorded kernel; BPF programs have their names there.
. "$root/tests/cli/common.sh"
kallsyms=$root/testdata/bpf/kallsyms
convert bpf --folded --no-user --kallsyms "$kallsyms" | grep bpf_prog_7
convert bpf --no-user -f script --kallsyms "$kallsyms" | awk 'NF == 3 { print $2, $3 }' | sort | uniq -c | sort -rn | head -n 5
# Files of another kernel are not used, and the statistics explain why.
sed 's/^ffffffff81/ffffffff91/' "$kallsyms" >moved
convert bpf --no-user --kallsyms moved --stats 2>&1 | grep -e '^Not found:.*_text' -e 'kernel.kallsyms'
sed 's/^[0-9a-f]*/0000000000000000/' "$kallsyms" >hidden
convert bpf --no-user --kallsyms hidden --stats 2>&1 | grep -e '^Not found:.*hidden'
convert bpf --no-user --vmlinux /dev/null --stats 2>&1 | grep -e '^Not found:.*/dev/null'
# perf record stores kallsyms by build id in the cache of perf.
id=4a5a9b0affb66c437abcd455d2738af879985fa9
mkdir -p "cache/.build-id/4a"
mkdir -p "cache/[kernel.kallsyms]/$id"
sed s/do_syscall_64/from_the_cache/ "$kallsyms" >"cache/[kernel.kallsyms]/$id/kallsyms"
ln -s "../../[kernel.kallsyms]/$id" "cache/.build-id/4a/${id#4a}"
convert bpf --folded --no-user --buildid-dir cache | grep -c from_the_cache
# The tarball of perf archive has it, too.
sed -i s/from_the_cache/from_the_archive/ "cache/[kernel.kallsyms]/$id/kallsyms"
tar -C cache -cf kernel.tar '[kernel.kallsyms]' .build-id
"$PDCONV" bpf.data --folded --no-user --symfs "$nowhere" --symbol-dir kernel.tar | grep -c from_the_archive
# The recording itself has it after perf record --kcore.
mkdir -p kept/kcore_dir
cp "$root/testdata/bpf/perf.data" kept/data
sed s/do_syscall_64/from_the_recording/ "$kallsyms" >kept/kcore_dir/kallsyms
echo 'late 16384 0 - Live 0xffffffffc0900000' >kept/kcore_dir/modules
"$PDCONV" kept --folded --no-user --symfs "$nowhere" | grep -c from_the_recording
