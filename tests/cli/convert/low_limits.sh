. "$root/tests/cli/common.sh"
needs_linux
python3 "$root/tests/cli/low_limits.py" "$BUILD/tests/low/pdconv" "$root"
