# Make doc/structs.md: cc -E -P -Iinclude -x c doc/structs.h | awk -f doc/structs.awk.
#
# The preprocessor leaves words that begin with @ and their values, amid the C code of the headers: "@section Records",
# "@struct mmap", "@field uint32_t @called pid @text "process"", "@end".

BEGIN {
    print "# Structs that tables declare\n"
    print "Members of these structs are rows of tables, `pdconv/*_defs.h`, from which decoding and encoding are made as well. The"
    print "headers do not show them. This page does; `make doc/structs.md` makes it from the tables.\n"
    print "`struct pd_str` is text with its length, `struct pd_view` bytes or an array of integers, `struct pd_list` an array of structs;"
    print "they are borrowed from the record or section. See `pdconv/record.h`, `feature.h`, `header.h`, `attr.h` and `layout.h`."
}

# The text of adjacent string literals.
function literal(text) {
    gsub(/" *"/, "", text)
    sub(/^"/, "", text)
    sub(/"[^"]*$/, "", text)
    return text
}

function comment(code, text) {
    return text == "" ? code : sprintf("%-39s /* %s */", code, text)
}

function declare(type, name) {
    return type (type ~ /\*$/ ? "" : " ") name ";"
}

# End the block of code of a section, or begin one.
function block(is_wanted) {
    if (is_wanted != in_block)
        print is_wanted ? "\n```c" : "```"
    in_block = is_wanted
}

function value(word) {
    sub(/^[a-z]+ */, "", word)
    sub(/ +$/, "", word)
    return word
}

{
    n = split($0, words, "@")
    for (i = 2; i <= n; i++) {
        word = words[i]
        text = value(word)
        if (is_enum && word ~ /^(section|struct)/) {
            print "};"
            is_enum = 0
        }
        if (word ~ /^section/) {
            block(0)
            print "\n## " text
        } else if (word ~ /^record/) {
            record = text
        } else if (word ~ /^for/ && record != "") {
            records[text] = records[text] (records[text] == "" ? "" : ", ") record
            record = ""
        } else if (word ~ /^flag/) {
            flag = text
        } else if (word ~ /^for/) {
            print (is_enum ? "" : "\nenum pd_attr_flag {\n") "\t" flag " = " text ","
            is_enum = 1
        } else if (word ~ /^struct/) {
            struct = text
            body = ""
        } else if (word ~ /^field/) {
            type = text
        } else if (word ~ /^called/) {
            name = text
        } else if (word ~ /^text/) {
            body = body comment("\t" declare(type, name), literal(text)) "\n"
        } else if (word ~ /^end/ && struct != "") {
            if (in_block)
                print ""
            block(1)
            print comment("struct pd_" struct " {", struct in records ? records[struct] ", pd_body." struct : "")
            printf "%s};\n", body
            struct = ""
        }
    }
}

END { block(0) }
