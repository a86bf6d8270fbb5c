# Where perf's build-id cache is: an option, the environment and perf's configuration, in this order.
. "$root/tests/cli/common.sh"
export HOME=$PWD/home
id=a62d6e5994353533878b62cd258e35558e60ae0a
mkdir -p home/.debug cache/.build-id/a6/${id#a6} empty
cp "$root/testdata/nested/nested" cache/.build-id/a6/${id#a6}/elf
ln -s "$root/testdata/nested/perf.data" nested.data
named() {
    "$PDCONV" nested.data --folded -q --no-cache --symfs "$nowhere" "$@" | grep -q '\[nested\]' && echo "no names" || echo "names"
}
config() { # FILE DIR
    printf '[core]\n\tdir = x\n[buildid]\n\tdir = %s\n' "$2" >"$1"
}
echo "default: $(named)"
echo "environment: $(PERF_BUILDID_DIR=cache named)"
config home/.perfconfig "$PWD/cache"
echo "configuration: $(named)"
echo "environment before configuration: $(PERF_BUILDID_DIR=empty named)"
echo "option before both: $(PERF_BUILDID_DIR=cache named --buildid-dir empty)"
config other "$PWD/empty"
echo "other configuration: $(PERF_CONFIG=other named)"
rm home/.perfconfig
cp -r cache/.build-id home/.debug
echo "home: $(named)"
