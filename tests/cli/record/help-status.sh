# A recorder returns what the program did; so its statuses are not those of other commands.
"$PDCONV" record --help | sed -n '/^Exit status/,$p'
"$PDCONV" dump --help | sed -n '/^Exit status/,$p'
"$PDCONV" --man | sed -n '/^.SH EXIT/,$p'
