# A directory of sample profiles for GCC. tests/oracle/pgo.py reads them as GCC does.
. "$root/tests/cli/common.sh"
convert branches -q -f gcov -o one && ls one && tail -1 one/binaries.tsv
od -A d -t x4 one/*.afdo | head -20
