# Fill the marks of page.html: usage: awk -v style=FILE -v loader=FILE -v program=FILE -v style_hash=TEXT
#     -v loader_hash=TEXT -v program_hash=TEXT -v part=head|tail -f marks.awk -f page.awk page.html
#
# @STYLE@, @LOADER@ and @PROGRAM@ are replaced with the files, and these names with _HASH with the texts. The line
# @PROFILES@ is where the profiles are: the head is what precedes it, the tail what follows it.

$0 == "@PROFILES@" {
    is_tail = 1
    next
}

(part == "tail") == is_tail {
    line = replace($0, "@STYLE_HASH@", style_hash)
    line = replace(line, "@LOADER_HASH@", loader_hash)
    line = replace(line, "@PROGRAM_HASH@", program_hash)
    if (index(line, "@STYLE@"))
        line = replace(line, "@STYLE@", contents(style))
    if (index(line, "@LOADER@"))
        line = replace(line, "@LOADER@", contents(loader))
    if (index(line, "@PROGRAM@"))
        line = replace(line, "@PROGRAM@", contents(program))
    print line
}
