. "$root/tests/cli/common.sh"
needs_linux
# Many equal samples: the rows of script and perfdata move to a temporary file, and nothing changes.
python3 "$root/tests/cli/many_samples.py" same.data 300000 same
for format in script perfdata folded pprof; do
	"$PDCONV" same.data -q -f $format >all.out
	"$PDCONV" same.data -q -f $format --max-memory 16M >few.out
	cmp all.out few.out && echo "$format: $([ -s all.out ] && echo same)"
done
# The order is that of the times, also if few records may wait.
"$PDCONV" same.data -q --script --max-memory 16M -F time | sort -c -n && echo "in order"
# What is distinct has to be kept. With several threads, what is taken when memory runs out depends on who was first.
python3 "$root/tests/cli/many_samples.py" distinct.data 400000 distinct
"$PDCONV" distinct.data -q --script -j1 --max-memory 16M | head -n 1
"$PDCONV" distinct.data -q --script --max-memory 256M | wc -l
"$PDCONV" distinct.data -q --script --max-memory 15M
"$PDCONV" distinct.data -q --script --max-memory 100
# In 64 bits this would be 1 TiB.
"$PDCONV" distinct.data -q --script --max-memory 16777217T
# Children have the limits of their parent, which are not those of pdconv.
cat >pager <<'EOF'
#!/bin/sh
cat >/dev/null
ulimit -d >limit
EOF
chmod +x pager
TERM=vt100 PDCONV_PAGER=./pager python3 "$root/tests/cli/terminal.py" "$PDCONV" same.data -q --max-memory 16M >/dev/null
[ "$(cat limit)" = "$(ulimit -d)" ] && echo "limit of the pager is that of the shell"
