# Draws the contents of a terminal as SVG. The input is text with color sequences, from `tmux capture-pane -e`. The
# variables `columns` and `rows` are the size of the terminal, `title` is the command to show above its contents, and
# `theme` is light or dark.

BEGIN {
    width = 8.4; height = 16; edge = 12; bar = 28
    if (theme == "light") {
        split("#24292f #cf222e #116329 #9a6700 #0969da #8250df #1b7c83 #6e7781", palette, " ")
        split("#57606a #a40e26 #1a7f37 #633c01 #218bff #a475f9 #3192aa #8c959f", bright, " ")
        plain = "#1f2328"; ground = "#f6f8fa"
    } else {
        split("#3b4048 #f07178 #7fd962 #e6c15c #6cb6ff #d2a6ff #5ccfe6 #c9d1d9", palette, " ")
        split("#6e7681 #ff8f96 #a6e88f #ffd97a #96caff #e2c5ff #8ae3f4 #ffffff", bright, " ")
        plain = "#c9d1d9"; ground = "#0d1117"
    }
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\">\n", columns * width + 2 * edge,
        rows * height + 2 * edge + bar
    printf "<title>%s</title>\n", escaped(title)
    printf "<rect width=\"100%%\" height=\"100%%\" rx=\"8\" fill=\"%s\"/>\n", ground
    printf "<g font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"14\">\n"
    draw("$ " title, 0, -1, "#6e7681", 0)
    reset()
}

{
    column = 0
    row = NR - 1
    rest = $0
    while (rest != "") {
        start = index(rest, "\033[")
        if (start != 1) {
            text = start ? substr(rest, 1, start - 1) : rest
            run(text)
            rest = start ? substr(rest, start) : ""
            continue
        }
        match(rest, /^\033\[[0-9;]*[A-Za-z]/)
        if (RLENGTH < 0) { rest = substr(rest, 3); continue }
        if (substr(rest, RLENGTH, 1) == "m") colors(substr(rest, 3, RLENGTH - 3))
        rest = substr(rest, RLENGTH + 1)
    }
}

END { print "</g>\n</svg>" }

function reset() { ink = plain; paper = ""; bold = 0; faint = 0; reversed = 0 }

function colors(codes,    count, i, part, code) {
    count = split(codes == "" ? "0" : codes, part, ";")
    for (i = 1; i <= count; i++) {
        code = part[i] + 0
        if (code == 0) reset()
        else if (code == 1) bold = 1
        else if (code == 2) faint = 1
        else if (code == 22) { bold = 0; faint = 0 }
        else if (code == 7) reversed = 1
        else if (code == 27) reversed = 0
        else if (code >= 30 && code <= 37) ink = palette[code - 29]
        else if (code == 39) ink = plain
        else if (code >= 40 && code <= 47) paper = palette[code - 39]
        else if (code == 49) paper = ""
        else if (code >= 90 && code <= 97) ink = bright[code - 89]
        else if (code == 38 || code == 48) i += part[i + 1] == 5 ? 2 : 4
    }
}

# Draws text at the current column. Spaces are drawn only if they have a background color.
function run(text,    front, back) {
    front = reversed ? (paper == "" ? ground : paper) : ink
    back = reversed ? ink : paper
    if (back != "")
        printf "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n", edge + column * width,
            edge + bar + row * height, cells(text) * width, height, back
    draw(text, column, row, front, bold)
    column += cells(text)
}

# The number of UTF-8 characters in a text. `length` alone does not suffice, because some versions of awk count bytes.
function cells(text) {
    gsub(/[\200-\277]/, "", text)
    return length(text)
}

# Draws each word at its own position, so that a font with other character widths does not shift a column.
function draw(text, place, row, color, heavy,    word) {
    while (match(text, /[^ ]+/)) {
        word = substr(text, RSTART, RLENGTH)
        place += RSTART - 1
        printf "<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\"%s%s textLength=\"%.1f\">%s</text>\n", edge + place * width,
            edge + bar + row * height + 13, color, heavy ? " font-weight=\"bold\"" : "", faint ? " opacity=\"0.6\"" : "",
            cells(word) * width, escaped(word)
        place += cells(word)
        text = substr(text, RSTART + RLENGTH)
    }
}

function escaped(text) {
    gsub(/&/, "\\&amp;", text)
    gsub(/</, "\\&lt;", text)
    return text
}
