# Make the source of the manual page libpdconv-structs(3), in Markdown, of include/pdconv/structs.h.

BEGIN {
    print "# Structs\n"
    print "Members of these structs are rows of tables of the public headers.\n"
    print "`struct pd_str` is text with its length, `struct pd_view` bytes or an array of integers, `struct pd_list` an array of"
    print "structs. They are borrowed from the record or section."
}

/^\/\* Structs of / {
    if (in_section)
        print "```"
    in_section = 1
    sub(/\.$/, "", $4)
    print "\n## " $4 "\n\n```c"
    getline
    next
}

/^#pragma GCC diagnostic pop/ {
    print "```"
    exit
}

in_section && !/^extern /
