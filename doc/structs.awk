# Make include/pdconv/structs.h: cc -E -P -I. -Iinclude -x c doc/structs.h | awk -f doc/structs.awk.
#
# The preprocessor leaves words that begin with @ and their values: "@section record.h", "@struct mmap", "@field uint32_t
# @called pid @text "process"", "@end".

BEGIN {
    print "/**"
    print " * @file Structs whose members are rows of tables (attr_defs.h, record_defs.h, feature_defs.h,"
    print " * header_defs.h), from which decoding, encoding and names are made as well. To change one, change"
    print " * its table and run `make structs`."
    print " *"
    print " * struct pd_str is text with its length, struct pd_view bytes or an array of integers, struct"
    print " * pd_list an array of structs. They are borrowed from the record or section."
    print " */"
    print "#ifndef PDCONV_STRUCTS_H"
    print "#define PDCONV_STRUCTS_H\n"
    print "#include <stdint.h>\n"
    print "#include <pdconv/decls.h>"
    print "#include <pdconv/layout.h>\n"
    print "PD_DECLS_BEGIN\n"
    print "/* clang-format off */"
    print "/*"
    print " * Records without a body have empty structs, of size 0 in C and 1 in C++. Nothing depends on that"
    print " * size."
    print " */"
    print "#pragma GCC diagnostic push"
    print "#pragma GCC diagnostic ignored \"-Wpedantic\""
    print "#ifdef __clang__"
    print "#pragma clang diagnostic ignored \"-Wextern-c-compat\""
    print "#endif"
}

# The text of adjacent string literals.
function literal(text) {
    gsub(/" *"/, "", text)
    sub(/^"/, "", text)
    sub(/"[^"]*$/, "", text)
    return text
}

# A line followed by a comment, or preceded by one that would be too wide.
function comment(code, text) {
    if (text == "")
        return code
    if (length(text) > 46)
        return (code ~ /^\t/ ? "\t" : "") "/* " text " */\n" code
    return sprintf("%-39s /* %s */", code, text)
}

function declare(type, name) {
    return type (type ~ /\*$/ ? "" : " ") name ";"
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
        if (is_enum && word ~ /^(section|struct|record)/) {
            print "};"
            is_enum = 0
        }
        if (word ~ /^section/ && text != "") {
            print "\n/* Structs of pdconv/" text ". */"
        } else if (word ~ /^record/) {
            record = text
        } else if (word ~ /^for/ && record != "") {
            records[text] = records[text] (records[text] == "" ? "" : ", ") record
            record = ""
        } else if (word ~ /^flag/) {
            flag = text
        } else if (word ~ /^for/) {
            if (!is_enum)
                print "\n/** Bit number of each flag in pd_attr.flags. A flag of several bits begins there. */\nenum pd_attr_flag {"
            print "\t" flag " = " text ","
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
            print ""
            if (struct in records)
                print "/** " records[struct] ", pd_body." struct " */"
            else if (struct == "attr")
                print "/** A decoded attr in host byte order. */"
            printf "struct pd_%s {\n%s};\n", struct, body
            if (struct != "attr")
                printf "extern const struct pd_layout pd_layout_%s;\n", struct
            struct = ""
        }
    }
}

END {
    print "\n#pragma GCC diagnostic pop"
    print "/* clang-format on */\n"
    print "PD_DECLS_END\n"
    print "#endif"
}
