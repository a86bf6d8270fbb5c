# Colours are for terminals, unless they are asked for.
. "$root/tests/cli/common.sh"
shown() {
    grep -c "$(printf '\033')"
}
convert nested | shown
convert nested --color=always | sed -n '/by self/,/inner/p' | tr '\033' '@'
convert nested --color=never | shown
status convert nested --color=sometimes 2>&1
# script(1) runs a command on a new terminal.
convert nested --folded >/dev/null
on_terminal() {
    PDCONV_PAGER=${PDCONV_PAGER-} script -qec "'$PDCONV' nested.data --symfs '$nowhere' $*" /dev/null </dev/null | shown
}
TERM=xterm on_terminal
TERM=xterm NO_COLOR=1 on_terminal
TERM=dumb on_terminal
TERM=xterm on_terminal --color=never
TERM=xterm PDCONV_PAGER="cat -u" on_terminal
true
