#!/bin/sh
# Run a command on the last commit in another release of Debian, with the kernel of this machine. The root directory of
# the release is made the first time, and kept with its packages and its build, so that later runs build what changed.
# Needs root, debootstrap and a mirror of Debian.
#
# usage: tests/debian.sh RELEASE[/i386] [COMMAND]
#   RELEASE       bookworm, trixie, sid; with /i386 its 32-bit programs, on x86-64
#   COMMAND       default: make ci-deps && make check; with /i386 the kinds unit and cli, which need fewer packages
#   DEBIAN_ROOTS  where the roots are kept (default: /var/cache/pdconv-tests)
#   PERFDATA      directory with recordings by other tools (default: ../shared/perfdata)
# The last line is that of tests/run.sh. A test is skipped if the root cannot be made.
set -eu
cd "$(dirname "$0")/.."
. tests/debian_root.sh
release=${1%/*}
arch=${1#"$release"}
arch=${arch#/}
checked='make ci-deps && make check'
[ -z "$arch" ] ||
    checked='apt-get -qq -y install --no-install-recommends strace >/dev/null 2>&1 && make deps &&
        make -s -j$(nproc) check-build KINDS="unit cli" && make -s check-run KINDS="unit cli"'
command=${2:-$checked}
roots=${DEBIAN_ROOTS:-/var/cache/pdconv-tests}
root=$roots/$release${arch:+-$arch}
PERFDATA=${PERFDATA:-../shared/perfdata}

# What is mounted here disappears with the processes that see it. Two runs in one root would disturb each other.
if [ -z "${in_namespace:-}" ]; then
    mkdir -p "$roots"
    in_namespace=1 exec flock "$root.lock" unshare --mount --propagation private sh tests/debian.sh "$@"
fi

if [ ! -e "$root/etc/pdconv-tests" ]; then
    rm -rf --one-file-system "$root"
    make_minimum "$release" "$root" "$root.log" $arch ||
        { echo "debian/$1 skipped: debootstrap cannot make a root"; echo "0 passed, 0 failed, 1 skipped"; exit 0; }
    touch "$root/etc/pdconv-tests"
fi
cp /etc/resolv.conf /etc/hosts "$root/etc/"

# Files that did not change keep their time, and are not built again.
project=$root/root/pdconv
[ -d "$project" ] || git init -q "$project"
git -c safe.directory='*' -C "$project" fetch -q --depth 1 "file://$PWD" HEAD
git -C "$project" reset -q --hard FETCH_HEAD

mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
mkdir -p "$root/old" "$root/root/perfdata"
recordings=
if [ -d "$PERFDATA" ]; then
    mount --bind -o ro "$PERFDATA" "$root/root/perfdata"
    recordings=/root/perfdata
fi

# npm fetches from where it does on this machine.
registry=$(npm config get registry 2>/dev/null || true)

# Not a chroot: programs that ask for the root of the file system, or unshare it, see no difference. Packages of sid
# are those of today. With linux32, the machine is an i686 to them.
cd "$root"
pivot_root . old
umount -l /old
cd /root/pdconv
exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive ${http_proxy:+http_proxy="$http_proxy"} ${recordings:+PERFDATA="$recordings"} \
    ${registry:+npm_config_registry="$registry"} ${arch:+linux32} sh -euc '
    {
        apt-get -qq -o Acquire::Check-Valid-Until=false update
        apt-get -qq -y full-upgrade
        apt-get -qq -y install --no-install-recommends git make
    } >/dev/null 2>&1 || echo "cannot update the packages"
    git config --global --replace-all safe.directory "*"
    '"$command"
