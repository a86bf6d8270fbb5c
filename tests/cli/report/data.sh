# Data addresses: the variables and the memory that page faults were in.
. "$root/tests/cli/common.sh"
convert touch -q --sort symbol_daddr,dso_daddr
convert touch -q --sort mem 2>&1
convert touch --script -F ip,sym,symoff,dso,addr
