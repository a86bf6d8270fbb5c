#!/bin/sh
# Get the sources of the libraries that pdconv.wasm has in it, from Debian 12, into DIR/NAME.
# apt checks their signatures. They are what the package has to offer with the program (LICENSES).
#
# usage: packaging/wasm/sources.sh DIR NAME...
set -eu
dir=$1
shift
mkdir -p "$dir/lists/partial"
dir=$(cd "$dir" && pwd)
mirror=$(sed -n 's/^URIs: *\(http[^ ]*debian\)\/* *$/\1/p' /etc/apt/sources.list.d/debian.sources 2>/dev/null | head -n 1)
echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${mirror:-http://deb.debian.org/debian} bookworm main" \
    >"$dir/sources.list"
own_apt() {
    apt-get -qq -o Dir::Etc::SourceList="$dir/sources.list" -o Dir::Etc::SourceParts=/dev/null \
        -o Dir::State::Lists="$dir/lists" -o APT::Sandbox::User=root "$@"
}
own_apt update
cd "$dir"
for name; do
    [ ! -d "$name" ] || continue
    rm -rf "$name.unpacked"
    mkdir "$name.unpacked"
    (cd "$name.unpacked" && own_apt source "$name" >/dev/null 2>&1)
    mv "$name.unpacked"/*/ "$name"
    mv "$name.unpacked"/*.dsc "$name.dsc"
    rm -rf "$name.unpacked"
done
