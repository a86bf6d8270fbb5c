# Functions that fill the marks of a page: loaded before page.awk and open/fill.awk.

function replace(line, mark, text,    at) {
    while ((at = index(line, mark)) > 0)
        line = substr(line, 1, at - 1) text substr(line, at + length(mark))
    return line
}

function contents(path,    line, text) {
    text = ""
    while ((getline line <path) > 0)
        text = text line "\n"
    close(path)
    return text
}
