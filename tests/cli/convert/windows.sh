. "$root/tests/cli/common.sh"
needs_linux
python3 "$root/tests/cli/windows.py" "$PDCONV" "$root" "$BUILD/tests/window-64/pdconv" "$BUILD/tests/window-1048576/pdconv"
