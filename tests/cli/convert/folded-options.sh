. "$root/tests/cli/common.sh"
for options in --folded-pid '--folded-tid --weight samples' --context --inline '--skip-after outer --skip-after side' \
    '--kernel --addrs' '--all --srcline'; do
    echo "# $options"
    convert nested --folded $options
done
echo "# marks"
convert jit --folded --jit -q
convert cxx --folded --inline --demangle short -q | grep -o ';main;shop::Basket::sort_.*sort_' | sort -u
with_programs nested "$nowhere" --folded --addrs -q
status convert nested --folded --weight seconds
