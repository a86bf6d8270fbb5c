#!/bin/sh
# Print the licenses of what pdconv.wasm has in it, and where the sources are. The sources are in DIR (sources.sh).
#
# usage: packaging/wasm/licenses.sh DIR NAME...
set -eu
dir=$1
shift
cat <<'TEXT'
pdconv is under the Apache License 2.0, which is in the file LICENSE. pdconv.wasm, and the page that has it inside, also
contain these libraries of Debian 12, linked statically. Their licenses follow.

The complete corresponding source is available to everybody without charge: pdconv's own is in its repository, with the
rules that build pdconv.wasm (`make wasm`, packaging/wasm/), and that of each library is at the address that is shown.
To use a changed library, build pdconv.wasm with it.

TEXT
for name; do
    version=$(sed -n 's/^Version: //p' "$dir/$name.dsc" | head -n 1)
    printf '  %-12s %-24s https://snapshot.debian.org/package/%s/%s/\n' "$name" "$version" "$name" "$version"
done
for package in wasi-libc libclang-rt-14-dev-wasm32; do
    [ ! -e /usr/share/doc/$package/copyright ] || printf '  %s\n' "$package"
done
heading() {
    printf '\n%s\n%s\n\n' "======== $1 ========" ""
}
for name; do
    heading "$name"
    cat "$dir/$name/debian/copyright"
done
for package in wasi-libc libclang-rt-14-dev-wasm32; do
    [ -e /usr/share/doc/$package/copyright ] || continue
    heading "$package"
    cat /usr/share/doc/$package/copyright
done
for license in LGPL-3 LGPL-2.1 GPL-3 GPL-2 Apache-2.0; do
    heading "$license"
    cat "/usr/share/common-licenses/$license"
done
