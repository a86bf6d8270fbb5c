python3 "$root/tests/cli/limits.py" "$PDCONV" "$root"
