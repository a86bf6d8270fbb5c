#!/bin/sh
# Build the packages of the last commit in a chroot with nothing but Debian's minimum, check them with lintian, install them
# in another one, and run the tests of debian/tests there. Needs root, debootstrap and a mirror of Debian.
#
# usage: BUILD=build tests/packages.sh VERDICTS
# Writes a line "NAME STATUS REASON" to VERDICTS for each test. Output goes to standard output. With QUICK=1 the packages are
# built once, without the tests that a build runs: not in another place as well, nor for RPM.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/debian_root.sh
verdicts=$1
SKIPPED=77

# What is mounted here disappears with the processes that see it.
if [ -z "${in_namespace:-}" ]; then
    in_namespace=1 unshare --mount --propagation private sh tests/packages.sh "$@"
    exit
fi
work=$(mktemp -d)
: >"$verdicts"

leave() {
    umount -R "$work"/*/proc "$work"/*/sys "$work"/*/dev/pts 2>/dev/null
    rm -rf --one-file-system "$work"
}
trap leave EXIT

# Run COMMAND as the test NAME. Returns its status.
check() { # NAME COMMAND...
    name=$1
    shift
    echo "== $name"
    "$@" 2>&1
    status=$?
    reason=
    [ $status -ne $SKIPPED ] || reason="rpm is not installed, or debootstrap cannot make a chroot"
    echo "packages/$name $status $reason" >>"$verdicts"
    return $status
}

# A chroot with Debian's minimum, named FOLDER.
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
make_root() { # FOLDER
    [ -d "$work/minimum" ] || make_minimum "$release" "$work/minimum" "$work/log" || return $SKIPPED
    cp -a "$work/minimum" "$work/$1"
    mount -t proc proc "$work/$1/proc" && mount -t sysfs -o ro sys "$work/$1/sys" &&
        mount -t devpts -o newinstance,ptmxmode=666 pts "$work/$1/dev/pts" && ln -sf pts/ptmx "$work/$1/dev/ptmx"
}

inside() { # FOLDER COMMAND
    chroot "$work/$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive \
        ${http_proxy:+http_proxy="$http_proxy"} sh -euc "$2"
}

same_bytes_twice() {
    make -s dist BUILD="$work/once" >/dev/null &
    make -s dist BUILD="$work/twice" >/dev/null
    wait
    cmp "$work"/once/*.tar.xz "$work"/twice/*.tar.xz
}

build() {
    make_root build || return
    mkdir "$work/build/pdconv"
    cp "$work"/once/pdconv-*.tar.xz "$work/build/pdconv/"
    git archive HEAD debian >"$work/build/pdconv/debian.tar"
    inside build '
        apt-get -qq update
        apt-get -qq install -y --no-install-recommends build-essential fakeroot >/dev/null
        cd /pdconv
        tar -xf pdconv-*.tar.xz
        version=$(ls -d pdconv-*/ | sed "s/pdconv-//; s,/,,")
        mv pdconv-$version.tar.xz pdconv_$version.orig.tar.xz
        cd pdconv-$version
        tar -xf ../debian.tar
        apt-get -qq build-dep -y --no-install-recommends . >/dev/null
        export DEB_BUILD_OPTIONS="'"${QUICK:+nocheck}"'"
        dpkg-buildpackage -us -uc'
}

# The packages are the same bytes if they are built in another folder, time zone and language, with another umask.
same_packages_elsewhere() {
    inside build '
        mkdir /another
        cp -a /pdconv/pdconv_*.orig.tar.xz /another/
        cd /another
        tar -xf pdconv_*.orig.tar.xz
        cd pdconv-*/
        tar -xf /pdconv/debian.tar
        umask 027
        export TZ=Asia/Tokyo LC_ALL=C.UTF-8 LANGUAGE=de DEB_BUILD_OPTIONS="nocheck parallel=2"
        dpkg-buildpackage -b -us -uc'
    for package in "$work"/build/pdconv/*.deb; do
        cmp "$package" "$work/build/another/${package##*/}" || return
    done
}

# Every file of a package is in its list, and the other way round. Manual pages of functions are compared with the functions of
# the library by the kind `library`.
contents() {
    for package in pdconv libpdconv1 libpdconv-dev; do
        dpkg-deb -c "$work"/build/pdconv/${package}_*.deb | awk '!/^d/ { print $6 }' | sed 's,^\./,,; s/x86_64-linux-gnu/MULTIARCH/; /\/man3\/pd_/d' |
            LC_ALL=C sort | diff -u "debian/tests/$package.files" - || return 1
    done
}

# An upload to Debian would close a bug of its own.
clean_of_lintian() {
    lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs "$work"/build/pdconv/pdconv_*.changes
}

# The tests of debian/tests, where nothing is installed but what the packages depend on.
installed() {
    make_root run || return
    mkdir "$work/run/pdconv" "$work/run/tmp/test"
    cp "$work"/build/pdconv/*.deb "$work/run/pdconv/"
    cp -r debian testdata examples "$work/run/pdconv/"
    inside run '
        apt-get -qq update
        apt-get -qq install -y --no-install-recommends /pdconv/pdconv_*.deb >/dev/null
        cd /pdconv
        AUTOPKGTEST_TMP=/tmp/test debian/tests/convert'
}

library() {
    inside run '
        apt-get -qq install -y --no-install-recommends /pdconv/libpdconv*.deb gcc libc6-dev pkg-config >/dev/null
        cd /pdconv
        AUTOPKGTEST_TMP=/tmp/test debian/tests/library'
}

# The description of the RPM packages, and the packages. rpmlint of another distribution has other rules for these.
rpm_packages() {
    command -v rpmbuild >/dev/null && command -v rpmlint >/dev/null || { echo "rpm is not installed"; return $SKIPPED; }
    mkdir -p "$work/rpm/SOURCES"
    cp "$work"/once/pdconv-*.tar.xz "$work/rpm/SOURCES/"
    rpmlint --strict -c packaging/rpmlint.toml packaging/pdconv.spec &&
        env -u BUILD -u MAKEFLAGS -u MAKELEVEL rpmbuild -bb --nodeps --nocheck --define "_topdir $work/rpm" --define "debug_package %{nil}" packaging/pdconv.spec &&
        mkdir "$work/rpm/root" &&
        for package in "$work"/rpm/RPMS/*/*.rpm; do
            rpm2cpio "$package" | (cd "$work/rpm/root" && cpio -idm --quiet) || return
        done &&
        LD_LIBRARY_PATH=$(dirname "$work"/rpm/root/usr/lib*/libpdconv.so.1) "$work/rpm/root/usr/bin/pdconv" \
            testdata/nested/perf.data --symbol-dir testdata/nested --folded | grep -q 'main;outer;middle;inner'
}

check same-bytes-twice same_bytes_twice || exit 0
check build build || exit 0
[ -n "${QUICK:-}" ] || check reproducible same_packages_elsewhere
check contents contents
check lintian clean_of_lintian
check install installed && check library library
[ -n "${QUICK:-}" ] || check rpm rpm_packages
exit 0
