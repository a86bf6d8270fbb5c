PLAIN=$PLAIN python3 "$root/tests/cli/hostile_names.py" "$PDCONV" "$root/testdata"
