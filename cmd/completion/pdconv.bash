# Completion of pdconv for bash. pdconv itself knows what could complete a word: cmd/commands/complete.c.

_pdconv() {
    local cur cword words line word kept piece
    if declare -F _get_comp_words_by_ref >/dev/null; then
        _get_comp_words_by_ref -n =: cur cword words
    else
        cur=${COMP_WORDS[COMP_CWORD]} cword=$COMP_CWORD words=("${COMP_WORDS[@]}")
    fi
    # Readline replaces only what follows the last character of COMP_WORDBREAKS.
    piece=${cur##*[=:]}
    kept=${cur%"$piece"}
    COMPREPLY=()
    compopt -o filenames
    while IFS= read -r line; do
        word=${line%%$'\t'*}
        if [[ -n $word ]]; then
            COMPREPLY+=("${word#"$kept"}")
            [[ $word != *: ]] || compopt -o nospace
            continue
        fi
        case ${line#$'\t'} in
        files) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$piece") ;;
        directories) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "$piece") ;;
        users) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -u -- "$piece") ;;
        commands) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -c -f -- "$cur") ;;
        esac
    done < <("${words[0]}" --complete "${words[@]:0:cword}" "$cur" 2>/dev/null)
}

complete -F _pdconv pdconv perf_to_profile
