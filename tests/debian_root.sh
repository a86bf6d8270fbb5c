# Root directories with Debian's minimum; read by tests/packages.sh and tests/debian.sh.

# Make the root directory FOLDER of a release. Fails with the last lines of LOG if debootstrap cannot. ARCHITECTURE is Debian's
# name of one whose programs this machine runs (default: that of this machine).
make_minimum() { # RELEASE FOLDER LOG [ARCHITECTURE]
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | grep -m 1 '/debian/*$')
    debootstrap --variant=minbase ${4:+--arch="$4"} "$1" "$2" "${mirror:-http://deb.debian.org/debian}" >"$3" 2>&1 ||
        { tail -n 20 "$3"; return 1; }
}
