# Make a manual page of the library from a document: awk -v page=NAME -v version=VERSION -v date=DATE -f doc/roff.awk -f doc/man.awk FILE.
#
# The introduction becomes DESCRIPTION, and sections follow. Those of libpdconv, from doc/library.md, are in `titles`: others
# have programs for tasks like the one in EXAMPLES, and stay out. The parts of Markdown that the documents use are understood:
# paragraphs, lists, tables, code.

BEGIN {
    titles["Headers"] = "HEADERS"
    titles["Convert a recording"] = "EXAMPLES"
    titles["Errors, damage and memory"] = "ERRORS AND MEMORY"
    titles["Lifetimes and threads"] = "LIFETIMES AND THREADS"
    names["libpdconv"] = "read, convert and make recordings of Linux perf, and unwind stacks"
    names["libpdconv-structs"] = "structs that tables of libpdconv declare"
    printf ".TH %s 3 \"%s\" \"pdconv %s\"\n", roff(toupper(page)), date, version
    printf ".SH NAME\n%s \\- %s\n", roff(page), names[page]
    print ".SH SYNOPSIS\n\\fB#include <pdconv/pdconv.h>\\fR"
    section("DESCRIPTION")
}

function section(title) {
    print ".SH " title
    is_wanted = 1
    is_first = 1
}

# Text with `code` in bold, and links without their targets.
function inline(text,    parts, n, i, out) {
    while (match(text, /\[[^]]*\]\([^)]*\)/)) {
        out = substr(text, RSTART + 1, RLENGTH)
        sub(/\].*/, "", out)
        text = substr(text, 1, RSTART - 1) out substr(text, RSTART + RLENGTH)
    }
    n = split(text, parts, "`")
    out = ""
    for (i = 1; i <= n; i++)
        out = out (i % 2 ? roff(parts[i]) : "\\fB" roff(parts[i]) "\\fR")
    return out
}

# End the paragraph or list item that was collected.
function flush() {
    if (text != "") {
        if (is_item)
            print ".IP \\(bu 2"
        else if (!is_first)
            print ".PP"
        print fill(text)
        is_first = 0
    }
    text = ""
    is_item = 0
}

# A row: the first cell is a tag, the others follow it, each after its heading if there are several.
function row(cells, n,    i, rest) {
    print ".TP"
    print line(inline(cells[1]))
    for (i = 2; i <= n; i++) {
        if (cells[i] == "")
            continue
        rest = n > 2 ? toupper(substr(heads[i], 1, 1)) substr(heads[i], 2) ": " cells[i] "." : cells[i]
        print fill(rest)
    }
    is_first = 0
}

function block(text) {
    if (!in_block) {
        flush()
        print (is_first ? "" : ".PP\n") ".nf"
        in_block = 1
    }
    gsub(/\t/, "    ", text)
    print line(roff(text))
}

function end_block() {
    if (in_block)
        print ".fi"
    in_block = is_first = 0
}

/^# / { next }
/^## / {
    flush()
    is_wanted = 0
    if (page != "libpdconv")
        section(toupper(substr($0, 4)))
    else if (substr($0, 4) in titles)
        section(titles[substr($0, 4)])
    next
}
!is_wanted { next }
/^```/ {
    if (in_code)
        end_block()
    in_code = !in_code
    next
}
in_code { block($0); next }
# Pictures need characters that a manual page may not have.
/^    / { if ($0 !~ /[^ -~]/) block(substr($0, 5)); next }
in_block { end_block() }
/^\|[-|]+$/ { next }
/^\|/ {
    flush()
    sub(/^\| */, "")
    sub(/ *\|$/, "")
    n = split($0, cells, / *\| +/)
    if (n_rows++ == 0)
        for (i = 1; i <= n; i++)
            heads[i] = cells[i]
    else
        row(cells, n)
    next
}
{ n_rows = 0 }
/^- / { flush(); is_item = 1; text = substr($0, 3); next }
/^ *$/ { flush(); next }
{ sub(/^ +/, ""); text = text (text == "" ? "" : " ") $0 }

END {
    flush()
    end_block()
    print ".SH SEE ALSO\n.BR pdconv (1),"
    print (page == "libpdconv" ? ".BR libpdconv\\-structs (3)," : ".BR libpdconv (3),")
    print ".BR perf_event_open (2)"
}
