# Print the first lines of indented Markdown code that come directly after a heading or a paragraph: they are shown as
# text, and so is a line of code that lost its indentation. Exits with 1 if there are any. Lists are left out, since
# their text is indented.
FNR == 1 { before = ""; fenced = in_list = 0 }
/^```/ { fenced = !fenced }
!fenced && /^([-*]|[0-9]+\.) / { in_list = 1 }
!fenced && /^[^ ]/ && before == "" && !/^([-*]|[0-9]+\.) / { in_list = 0 }
!fenced && !in_list && /^    / && before ~ /^[^ ]/ {
    printf "%s:%d: indented code without an empty line before it\n", FILENAME, FNR
    bad = 1
}
# One line of code is a paragraph, too, if its indentation is lost.
!fenced && before == "" && /^(pdconv|perf|make|cc|go|node|npm|npx) .*( \| | > | -f | --[a-z])/ {
    printf "%s:%d: a command without indentation\n", FILENAME, FNR
    bad = 1
}
{ before = $0 }
END { exit bad }
