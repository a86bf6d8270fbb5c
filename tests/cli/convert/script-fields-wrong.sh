# What is no field, what the recording lacks, and what belongs to something that is not asked for.
. "$root/tests/cli/common.sh"
for fields in nothing nothing:ip ip,nothing +ip,comm '' trace sw:trace insn brstackoff iregs cpu \
    comm,dso comm,srcline ip,symoff; do
    status convert nested --script -q -F "$fields" 2>&1 | sed "s/^/$fields: /" | head -n 3
done
status convert nested -f folded -F ip
status convert nested --header
