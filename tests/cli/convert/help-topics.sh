# Each command, format and topic has a help text, and an option is listed where it has an effect.
for topic in report diff record info dump perf_to_profile pprof folded script perfdata formats labels fields binaries; do
    "$PDCONV" help $topic >text || echo "no $topic"
    [ "$(wc -l <text)" -gt 3 ] || echo "short $topic"
done
"$PDCONV" help pprof
"$PDCONV" help formats
"$PDCONV" help report | grep -c -e --weight -e --labels -e --format
"$PDCONV" help record | awk '/:$/'
