#!/bin/sh
# Unpack Debian packages of another architecture, and what they depend on, into a directory for a cross compiler. Nothing is
# installed on this machine.
#
# usage: packaging/sysroot.sh ARCHITECTURE DIRECTORY PACKAGE...
set -eu

architecture=$1
directory=$2
shift 2
state=$directory.apt
rm -rf "$directory" "$state"
mkdir -p "$directory" "$state/lists/partial" "$state/archives/partial"

apt() {
    apt-get -qq -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" -o Dir::State="$state" \
        -o Dir::State::status=/dev/null -o Dir::Cache="$state" -o Debug::NoLocking=1 "$@"
}

apt update
apt install -y --no-install-recommends --download-only "$@" >/dev/null
for package in "$state"/archives/*.deb; do
    dpkg-deb -x "$package" "$directory"
done
rm -rf "$state"
# Only headers and libraries for linking are needed.
find "$directory" -mindepth 1 -maxdepth 1 ! -name usr -exec rm -rf {} +
find "$directory/usr" -mindepth 1 -maxdepth 1 ! -name include ! -name lib -exec rm -rf {} +
