# record returns the exit status of the program, so its statuses differ from those of other commands.
"$PDCONV" record --help | sed -n '/^Exit status/,$p'
"$PDCONV" dump --help | sed -n '/^Exit status/,$p'
"$PDCONV" --man | sed -n '/^.SH EXIT/,$p'
