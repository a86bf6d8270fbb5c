#!/bin/sh
# Install the missing ones of the Debian packages named on the command line, after printing which, and the command.
# Without apt-get, print what is missing and fail, unless the build can do without it.
#
# usage: PKGS="pkg-config names of the libraries" packaging/deps.sh PACKAGE...
set -eu

missing=
for package in "$@"; do
    if ! dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed'; then
        missing="$missing $package"
    fi
done
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
    absent=
    for tool in cc make pkg-config protoc protoc-gen-c llvm-config; do
        command -v $tool >/dev/null 2>&1 || absent="$absent $tool"
    done
    for library in $PKGS; do
        pkg-config --exists "$library" 2>/dev/null || absent="$absent $library"
    done
    [ -n "$absent" ] || exit 0
    {
        echo "pdconv: cannot build: these tools and libraries are missing:$absent"
        echo "Install them and run make again. The packages are called, on Debian:$missing"
    } >&2
    exit 1
fi

install="apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" -ne 0 ]; then
    install="sudo $install"
    command -v sudo >/dev/null 2>&1 || {
        echo "pdconv: packages are missing; run as root, and then make again: ${install#sudo }" >&2
        exit 1
    }
fi
echo "Installing missing packages: $install"
[ "$(id -u)" -eq 0 ] && as_root= || as_root=sudo
export DEBIAN_FRONTEND=noninteractive
# An old list of packages may name versions that no longer exist: update it only if the installation fails.
$as_root ${install#sudo } -qq >/dev/null 2>&1 || {
    echo "Updating the list of packages: ${as_root:+sudo }apt-get update"
    $as_root apt-get update -qq
    $as_root ${install#sudo } -qq >/dev/null
}
