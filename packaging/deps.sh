#!/bin/sh
# Find out which Debian packages are missing, and install them or print the command that installs them.
#
# usage: PKGS="pkg-config names of the libraries" packaging/deps.sh install|check PACKAGE...
#   install   print the command and run it. Without apt-get, print what is missing, and fail if the build needs it.
#   check     change nothing: print what is missing and the command. Fail if the build needs something that is missing.
#   OPTIONAL  packages of which check prints only how many are missing
set -eu

action=$1
shift

missing_packages() { # PACKAGE...
    [ $# -gt 0 ] || return 0
    {
        dpkg-query -W -f='${Package} ${Status}\n' "$@" 2>/dev/null || true
        echo
        printf '%s\n' "$@"
    } | awk '!NF { listed = 1; next } listed { if (!($1 in ok)) printf " %s", $1; next } / ok installed$/ { ok[$1] }'
}

# What the build cannot do without, whether it comes from a package or not.
missing_for_build() {
    for tool in ${CC:-cc} make pkg-config protoc protoc-gen-c llvm-config; do
        command -v "${tool%% *}" >/dev/null 2>&1 || printf ' %s' "$tool"
    done
    for library in $PKGS; do
        pkg-config --exists "$library" 2>/dev/null || printf ' %s' "$library"
    done
    # Libraries without a file for pkg-config.
    for header in libiberty/demangle.h archive.h elfutils/debuginfod.h; do
        echo "#include <$header>" | ${CC:-cc} -E -o /dev/null - 2>/dev/null || printf ' %s' "$header"
    done
}

missing=$(missing_packages "$@")
command="apt-get install --no-install-recommends$missing"
[ "$(id -u)" -eq 0 ] || command="sudo $command"

# Print the command, or names of packages on systems without apt-get.
print_command() {
    if command -v apt-get >/dev/null 2>&1; then
        echo "Install with: $command"
    else
        echo "Packages are called, on Debian:$missing"
    fi
}

# Fail with a message if the build needs something that is missing.
require_for_build() {
    absent=$(missing_for_build)
    [ -n "$absent" ] || return 0
    {
        echo "pdconv: cannot build: these tools, libraries and headers are missing:$absent"
        print_command
    } >&2
    exit 1
}

if [ "$action" = check ]; then
    [ -z "$missing" ] || require_for_build
    if [ -n "$missing" ]; then
        echo "These packages are missing, and tests that need them are skipped:$missing"
        print_command
    fi
    n_optional=$(missing_packages ${OPTIONAL:-} | wc -w)
    [ "$n_optional" -eq 0 ] ||
        echo "$n_optional packages are missing that only some tests need. Those are skipped. Install with: make ci-deps"
    exit 0
fi

[ -n "$missing" ] || exit 0
if ! command -v apt-get >/dev/null 2>&1; then
    require_for_build
    exit 0
fi
echo "Installing missing packages: $command"
if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null 2>&1; then
    echo "pdconv: packages are missing; run this as root: ${command#sudo }" >&2
    exit 1
fi
export DEBIAN_FRONTEND=noninteractive
as_root=${command%%apt-get *}
# An old list of packages may name versions that no longer exist: update it only if the installation fails.
$as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null 2>&1 || {
    echo "Updating the list of packages: ${as_root}apt-get update"
    $as_root apt-get update -qq
    $as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
}
