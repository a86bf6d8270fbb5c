# Unknown fields, fields that the recording lacks, and fields that need others.
. "$root/tests/cli/common.sh"
for fields in nothing tme nothing:ip ip,nothing +ip,comm '' trace sw:trace insn brstackoff iregs cpu \
    comm,dso comm,srcline ip,symoff; do
    status convert nested --script -q -F "$fields" 2>&1 | sed "s/^/$fields: /" | head -n 3
done
status convert nested -f folded -F ip
status convert nested --header
