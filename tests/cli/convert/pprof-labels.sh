. "$root/tests/cli/common.sh"
convert tracepoints -q -f pprof --labels cpu,time,cgroup --tag job=nightly --tag where=a=b -o out.pb.gz
zcat out.pb.gz | tr -c '[:print:]' '\n' | grep -oE '^(nightly|a=b|cpu|time|job|where|nanoseconds)2?$' | tr -d 2 | sort
for bad in '--labels cpu,core' '--tag x' '--tag =x' '--tag x='; do
    status convert tracepoints -f pprof $bad
done
