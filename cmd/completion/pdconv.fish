# Completion of pdconv for fish. pdconv itself knows what could complete a word: cmd/commands/complete.c.

function __pdconv_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    # What stays as it is when a path is completed.
    set -l kept (string match -r '^--[^=]*=' -- "$current")
    set -l path (string replace -- "$kept" '' "$current")
    for line in (command $words[1] --complete $words "$current" 2>/dev/null)
        switch $line
            case \tfiles
                __fish_complete_path "$path" | string replace -r '^' -- "$kept"
            case \tdirectories
                __fish_complete_directories "$path" '' | string replace -r '^' -- "$kept"
            case \tusers
                __fish_complete_users
            case \tcommands
                __fish_complete_path "$current"
                complete -C "$current"
            case '*'
                echo $line
        end
    end
end

complete -c pdconv -f -a '(__pdconv_complete)'
complete -c perf_to_profile -f -a '(__pdconv_complete)'
