# Numbers with names: types of KSYMBOL and BPF_EVENT, type and precision of an event, width of registers.
data=$root/testdata
"$PDCONV" dump "$data/bpf/perf.data" --type KSYMBOL --limit 1 | grep -o 'ksym_type=[^ ]*'
"$PDCONV" dump "$data/bpf/perf.data" --type BPF_EVENT | grep -o ' event_type=[^ ]*' | sort | uniq -c
"$PDCONV" dump "$data/nested/perf.data" --type ATTR | grep -o '{type=[^ ]*\|precise_ip=[^ ]*'
"$PDCONV" dump "$data/nested/perf.data" --type SAMPLE --limit 1 | grep -o 'abi=[^ ]*'
