# Completes the commands of btc-price in fish, based on their --help: see btc-price.bash. scripts/install copies this
# file to where fish looks for completions, under the name of each command.
function __btc_price
    set -l before (commandline -opc)
    set -l word (commandline -ct)
    set -l program (string replace -r '^~/' "$HOME/" -- $before[1])
    type -q -- $program; or return
    set -l option $before[-1]
    # For `--option=value`, each candidate must be the whole word, including the option.
    set -l start (string match -r -- '^--[^=]+=' $word)
    test -z "$start" || set option (string replace -r '=$' '' -- $start)
    set -l kind
    set -l options
    # A long description continues on further lines, which are joined here.
    set -l text ($program --help 2>/dev/null | string collect)
    set text (string replace -ra -- '\n {8,}' ' ' $text | string split \n)
    for line in (string replace -rf -- '^  (-[^ ,]+(?:, -[^ ]+)?)(?: ([^ ]+))?  +(.*)$' '$1\t$2\t$3' $text)
        set -l parts (string split \t -- $line)
        for name in (string split ', ' -- $parts[1])
            set -a options $name\t$parts[3]
            test $name != "$option" || set kind $parts[2]
        end
    end
    if test -z "$kind"; and not string match -q -- '-*' $word
        switch (string replace -r '.*/' '' -- $program)
            case price-fetch
                set kind SOURCE
            case price-fallback
                set kind COMMAND
        end
    end
    if test -z "$kind"
        printf '%s\n' $options
    else if test $kind = SOURCE
        $program --list 2>/dev/null
    else if test $kind = COMMAND
        price-fetch --list 2>/dev/null | string replace -r -- '^' "$start"'price-fetch '
    else if test $kind = FILE
        __fish_complete_path (string replace -r '^--[^=]+=' '' -- $word) | string replace -r -- '^' "$start"
    else if not string match -qr '^[A-Z]' -- $kind
        string split '|' -- $kind | string replace -r -- '^' "$start"
    end
end

for command in btc-price price-fetch price-fallback price-cache price-format price-clock
    complete -c $command -e
    complete -c $command -f -a '(__btc_price)'
end
