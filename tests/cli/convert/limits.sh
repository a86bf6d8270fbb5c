. "$root/tests/cli/common.sh"
needs_linux
python3 "$root/tests/cli/limits.py" "$PDCONV" "$root"
