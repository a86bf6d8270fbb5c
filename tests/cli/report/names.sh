. "$root/tests/cli/common.sh"
# Names of functions as people remember them, and as a terminal shows them.
first() {
    echo "$*"
    convert "$@" --limit 3 -o out.txt || return
    sed -n -e '/Callers of/,/^$/p' -e '/Callees of/,/^$/p' -e '/^ *event/p' out.txt
}
first cxx --callers=Basket::sort
first cxx --callers=shop::sort
first cxx --callers='shop::Basket<...>::sort'
first cxx --callers=shop::Basket::sort
first cxx --callees=sort
first cxx --callees='/^shop::.*sort$/'
first cxx --callers=soort
first cxx --symbols 'std::__introsort_loop<...>'
first cxx --symbols Basket::sort
first cxx --focus 'Basket<...>::sort'
first cxx --focus shop::sort
first cxx --ignore sort
first cxx --hide 'shop::nothing' --root check,nothing
first cxx --symbols '/(/'
status convert cxx --callees=nothing
status convert cxx --focus 'nothing::at_all'
# What the report shows can be given back: tests/unit/base/names/test_name_fit.c has shortened names.
convert cxx --callees --limit 60 >tree.txt
sed -n 's/^[ 0-9.%]*%  *[-.]* *\([^ ].*\)  (cxx.*)$/\1/p' tree.txt | sed 's/  (cxx, inlined)$//' | LC_ALL=C sort -u | while read -r shown; do
    convert cxx -q --callers="$shown" -o out.txt && echo "found $shown"
done
# Long names would make a table of Markdown hard to read.
convert cxx --callees=Basket::sort --markdown --limit 12 --percent-limit 8
