# Completes the commands of btc-price in bash. The --help of each command lists its options. If an option takes a value,
# the option is followed by the kind of the value in capitals (FILE) or by the words to choose from (a|b). price-fetch
# --list lists the sources. scripts/install copies this file to where bash-completion looks for completions, under the
# name of each command.
_btc_price() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} program=${1/#\~\//$HOME/}
    local line names kind='' options='' words candidate
    # By default, bash splits `--option=value` into three words: the option, the equals sign and the value.
    if [[ $word == '=' ]]; then word=''; elif [[ $before == '=' ]]; then before=${COMP_WORDS[COMP_CWORD - 2]}; fi
    while IFS= read -r line; do
        [[ $line =~ ^'  '(-[^ ,]+(', '-[^ ]+)?)(' '([^ ]+))?'  ' ]] || continue
        names=${BASH_REMATCH[1]//, /$'\n'}
        options+=$names$'\n'
        [[ $'\n'$names$'\n' != *$'\n'"$before"$'\n'* ]] || kind=${BASH_REMATCH[4]}
    done < <("$program" --help 2>/dev/null)
    if [[ ! $kind && $word != -* ]]; then
        case ${1##*/} in
            price-fetch) kind=SOURCE ;;
            price-fallback) kind=COMMAND ;;
        esac
    fi
    case $kind in
        '') words=$options ;;
        SOURCE) words=$("$program" --list 2>/dev/null | cut -f 1) ;;
        COMMAND) words=$(price-fetch --list 2>/dev/null | cut -f 1 | sed 's/.*/price-fetch\\ &/') ;;
        FILE) words=$(compgen -f -- "$word"); compopt -o filenames 2>/dev/null ;;
        [A-Z]*) words='' ;;
        *) words=${kind//|/$'\n'} ;;
    esac
    COMPREPLY=()
    while IFS= read -r candidate; do
        [[ ! $candidate || $candidate != "$word"* ]] || COMPREPLY+=("$candidate")
    done <<<"$words"
}

complete -F _btc_price btc-price price-fetch price-fallback price-cache price-format price-clock
