# The table of the kinds of tests (tests/kinds.txt); read by tests/run.sh and .ci/run.

# Print COLUMN of the rows that have one of the words VALUES in the column KEY. Columns are called as in the table.
kinds() { # COLUMN KEY VALUES
    awk -F ' *[|] *' -v column="$1" -v key="$2" -v values="$3" '
        BEGIN {
            split("name runs needs tests about", names, " ")
            for (i in names)
                number[names[i]] = i
            n = split(values, list, " ")
            for (i = 1; i <= n; i++)
                wanted[list[i]]
        }
        /^[a-z]+: / { name = $0; sub(/:.*/, "", name); sub(/^[a-z]+: /, ""); sets["+" name] = $0; next }
        NF == 5 && $number[key] in wanted { print expand($number[column]) }
        # Replace names of sets by what is in them.
        function expand(text,  words, n, i, expanded) {
            if (text !~ /[+]/)
                return text
            n = split(text, words, " ")
            for (i = 1; i <= n; i++)
                expanded = expanded " " (words[i] in sets ? expand(sets[words[i]]) : words[i])
            return substr(expanded, 2)
        }' tests/kinds.txt
}
