# Text as roff takes it, for doc/man.awk and doc/function_pages.awk. They define inline(), which sets words in bold or italics.

# Escape what roff would interpret.
function roff(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    gsub(/\^/, "\\(ha", text)
    gsub(/~/, "\\(ti", text)
    gsub(/`/, "\\(ga", text)
    return text
}

# A line that is text, although it may begin like a macro.
function line(text) {
    return (text ~ /^[.']/ ? "\\&" : "") text
}

# Text in short lines, and a new one for each sentence.
function fill(text,    words, n, i, current, all) {
    n = split(inline(text), words, " ")
    for (i = 1; i <= n; i++) {
        if (current != "" && length(current) + 1 + length(words[i]) > 76) {
            all = all line(current) "\n"
            current = ""
        }
        current = current (current == "" ? "" : " ") words[i]
        if (words[i] ~ /\.$/ && i < n) {
            all = all line(current) "\n"
            current = ""
        }
    }
    return all line(current)
}
