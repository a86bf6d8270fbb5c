# The output in README.md and doc/ is that of the program.
. "$root/tests/cli/common.sh"
needs_linux
cd "$root" || exit 1
for document in README.md doc/*.md; do
    awk '/^    \$ \.\/pdconv/ { print substr($0, 16) }' "$document" | while read -r arguments; do
        # The lines after the command, up to one that is not indented.
        awk -v command="    \$ ./pdconv $arguments" '
            $0 == command { shown = 1; next }
            /^[^ ]/ { shown = 0 }
            shown { print substr($0, 5) }
            END { if (shown) print "" }' "$document" | sed '$d' >"$OLDPWD/expected"
        eval "\"\$PDCONV\" $arguments" </dev/null | diff "$OLDPWD/expected" -
        echo "$arguments"
    done
done
