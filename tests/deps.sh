#!/bin/sh
# Install the Debian packages named on the command line that are missing; with sudo when not root.
# Where there is no apt-get, print what is needed and stop. PKGS: the libraries by pkg-config's names.
set -eu

missing=
for package in "$@"; do
    if ! dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed'; then
        missing="$missing $package"
    fi
done
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
    for tool in cc make pkg-config protoc-c; do
        command -v $tool >/dev/null 2>&1 || absent="${absent:-} $tool"
    done
    pkg-config --exists $PKGS 2>/dev/null ||
        absent="${absent:-} libraries"
    [ -n "${absent:-}" ] || exit 0
    echo "pdconv needs what Debian calls:$missing" >&2
    echo "Install them, and run make again." >&2
    exit 1
fi

as_root=
if [ "$(id -u)" -ne 0 ]; then
    as_root=sudo
fi
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
# An old list of packages may name versions that are gone: refresh it only when it is needed.
$as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null 2>&1 || {
    $as_root apt-get update -qq
    $as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
}
