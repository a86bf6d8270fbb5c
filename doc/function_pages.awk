# Make a manual page for each function of the library from its comment in the headers, in DIR, and print their names:
# awk -v dir=DIR -v version=VERSION -v date=DATE -f doc/roff.awk -f doc/function_pages.awk include/pdconv/*.h
#
# A comment is about all functions that follow it without an empty line.

FNR == 1 {
    header = FILENAME
    sub(/.*include\//, "", header)
    reset()
}

/^\/\*\*/ { reset(); in_comment = 1 }
in_comment {
    text = $0
    sub(/^\/\*\* ?/, "", text)
    sub(/^ \*\/$/, "", text)
    sub(/ ?\*\/$/, "", text)
    sub(/^ \* ?/, "", text)
    if (text != "" || n_lines > 0 && !/\*\//) comment[++n_lines] = text
    if (/\*\//) { in_comment = 0; is_documented = 1 }
    next
}
/^$/ { reset(); next }

# The inside of an inline function or of a struct.
in_body { if (/^}/) { in_body = 0 } next }
/^(typedef|#|struct [a-z_]+ \{|union [a-z_]+ \{|enum [a-z_]+ \{)/ && prototype == "" { if (/\{$/) in_body = 1; else reset(); next }

is_documented || prototype != "" {
    text = $0
    gsub(/^[\t ]+/, "", text)
    prototype = prototype (prototype == "" ? "" : " ") text
    if (prototype ~ /^\{/) { prototype = ""; in_body = 1; next }
    if (prototype ~ /;$/) { take(prototype); prototype = "" }
    else if ($0 ~ /^\)|\)$/ && prototype ~ /^PD_INLINE/) { take(prototype ";"); prototype = "" }
}

function reset() {
    n_lines = 0
    is_documented = 0
    prototype = ""
}

function take(text,    name) {
    sub(/^PD_INLINE /, "", text)
    gsub(/ pd_must_check/, "", text)
    gsub(/ pd_printf\([^)]*\)/, "", text)
    if (!match(text, /pd_[a-z0-9_]+\(/) || text ~ /^extern/) return
    name = substr(text, RSTART, RLENGTH - 1)
    write_page(name, text)
}

# Escape, and set parameters in italics.
function inline(text,    word) {
    text = roff(text)
    while (match(text, /@(p|ref) [A-Za-z_0-9]+/)) {
        word = substr(text, RSTART, RLENGTH)
        sub(/@(p|ref) /, "", word)
        text = substr(text, 1, RSTART - 1) "\\fI" word "\\fR" substr(text, RSTART + RLENGTH)
    }
    return text
}

function put(text) { print text >page }
# The first sentence, without its full stop, is the summary of the page.
function summary(    all, i) {
    for (i = 1; i <= n_lines && comment[i] != ""; i++) all = all (i > 1 ? " " : "") comment[i]
    gsub(/@(p|ref) /, "", all)
    if (match(all, /[.:;]( |$)/)) all = substr(all, 1, RSTART - 1)
    return tolower(substr(all, 1, 1)) substr(all, 2)
}

# Paragraphs, lists and code of the comment.
function describe(    i, text, is_code) {
    for (i = 1; i <= n_lines; i++) {
        if (comment[i] ~ /^(\t| ? ?- )/ || comment[i] == "") {
            if (text != "") put(fill(text))
            text = ""
        }
        if (comment[i] ~ /^\t/) {
            if (!is_code) { put(".PP"); put(".nf") }
            is_code = 1
            sub(/^\t/, "", comment[i])
            gsub(/\t/, "    ", comment[i])
            put(line(roff(comment[i])))
        } else if (comment[i] == "") {
            if (is_code && comment[i + 1] ~ /^\t/) put(".sp")
        } else {
            if (is_code) put(".fi")
            is_code = 0
            if (i > 1 && text == "" && (comment[i - 1] == "" || comment[i] ~ /^ ? ?- /)) put(".PP")
            text = text (text == "" ? "" : " ") comment[i]
        }
    }
    if (text != "") put(fill(text))
    if (is_code) put(".fi")
}

function write_page(name, text) {
    page = dir "/" name ".3"
    put(".TH " roff(toupper(name)) " 3 \"" date "\" \"pdconv " version "\"")
    put(".SH NAME")
    put(fill(name " - " summary()))
    put(".SH SYNOPSIS")
    put(".nf\n\\fB#include <" header ">\\fR\n.fi\n.PP")
    put(".ft B")
    put(fill(text))
    put(".ft R")
    put(".SH DESCRIPTION")
    describe()
    put(".SH SEE ALSO\n\\fBlibpdconv\\fR(3)")
    close(page)
    print page
}
